"""Dark and light, wide and narrow: the character is seen, and nothing is cut off."""

import io

import numpy as np
import pytest

import supple

STUDIO = ("--skin", "linear", "--vertices", "800")
CUT = """(() => {
  const {innerWidth: width, innerHeight: height} = globalThis;
  return [...document.querySelectorAll("header *, .timeline *, .toolbar *, main")]
    .filter((one) => one.checkVisibility() && one.matches("button, select, main, .track, output"))
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return box.left < -0.5 || box.top < -0.5 || box.right > width + 0.5 || box.bottom > height + 0.5;
    })
    .map((one) => one.id || one.className || one.tagName);
})()"""


def picture(studio):
    """What is seen of the stage, as numbers from 0 to 1 (rows, columns, 3)."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install 'supple[render]'")
    seen = image.open(io.BytesIO(studio.page.locator("canvas").screenshot()))
    return np.asarray(seen.convert("RGB"), dtype=np.float64) / 255.0


@pytest.mark.parametrize("size", [(1280, 800), (800, 560), (640, 400), (390, 780)])
def test_nothing_is_cut_off(server, open_window, size):
    studio = open_window(server, size)
    studio.afresh()
    studio.ask("choose-motion", motion="run-and-stop")  # a step: there is more to show from now on
    studio.until_state("state.undo !== null")
    assert studio.js("document.documentElement.scrollWidth <= innerWidth")
    assert studio.js("document.documentElement.scrollHeight <= innerHeight")
    assert studio.js(CUT) == []
    stage = studio.page.locator("main").bounding_box()
    assert stage["width"] * stage["height"] > 0.3 * size[0] * size[1]


def test_a_long_name_pushes_nothing_out_of_the_window(serve, open_window, tmp_path):
    file = tmp_path / "A character whose name is longer than any bar has room for.obj"
    supple.save(supple.character("hero", vertices=500), file)
    studio = open_window(serve(str(file), "--skin", "linear"), (1000, 640))
    for width, height in ((1000, 640), (800, 560), (640, 400), (390, 844)):
        studio.page.set_viewport_size({"width": width, "height": height})
        studio.until("innerWidth === it", width)
        studio.frames(3)
        assert studio.js("document.documentElement.scrollWidth <= innerWidth")
        assert studio.js(CUT) == []


def test_a_sheet_beside_a_key_stays_in_the_window_that_is_turned(wide_studio):
    studio = wide_studio
    studio.pause()
    studio.frame_with(studio.ask("radial", name="belly", joint="Spine", swell=0.2))
    studio.until_state("state.edits.layers.length === 1")
    studio.page.get_by_role("button", name="Key of belly at 0.00 seconds").click()
    studio.page.get_by_role("radio", name="a curve of your own").click()
    sheet = studio.page.locator(".popover")
    for width, height in ((1024, 768), (640, 400), (390, 844)):
        studio.page.set_viewport_size({"width": width, "height": height})
        studio.until("innerWidth === it", width)
        studio.frames(3)
        box = sheet.bounding_box()
        assert box["x"] >= 0.0
        assert box["y"] >= 0.0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height


def test_dark_and_light_follow_the_system_and_the_key(server, open_window):
    shades = {}
    for theme in ("dark", "light"):
        studio = open_window(server, color_scheme=theme)
        assert studio.js("document.documentElement.dataset.theme") == theme
        shades[theme] = picture(studio).mean()
    assert shades["light"] > shades["dark"] + 0.3
    for wanted in ("dark", "light", "light"):  # chosen, chosen, as the system says
        studio.page.keyboard.press("t")
        studio.until("document.documentElement.dataset.theme === it", wanted)


def test_the_character_is_seen_whole_and_large(server, open_window):
    studio = open_window(server, (1280, 800))
    studio.pause()
    studio.page.keyboard.press("f")
    studio.frames(5)
    box = studio.page.locator("canvas").bounding_box()
    seen = np.array([studio.pixel(point) for point in range(0, studio.state()["mesh"]["points"], 7)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert low[0] >= box["x"]
    assert low[1] >= box["y"]
    assert high[0] <= box["x"] + box["width"]
    assert high[1] <= box["y"] + box["height"]
    assert high[1] - low[1] > 0.7 * box["height"]


OVER_STAGE = "[...document.querySelectorAll('.toolbar, .legend, .popover, .toast')]"
BOXES = f"""{OVER_STAGE}.map((one) => {{
  const {{left, top, right, bottom}} = one.getBoundingClientRect();
  return [one.className, left, top, right, bottom];
}})"""
# Where the corners of all triangles of the body are seen in the page [CSS pixels].
BODY = """(() => {
  const {skin, viewer: {camera}, canvas} = supple.stage;
  const box = canvas.getBoundingClientRect();
  const seen = Array.from({length: skin.data.points}, (_, point) => {
    const {x, y} = skin.point(point, camera.position.clone()).project(camera);
    return [box.left + box.width * (1 + x) / 2, box.top + box.height * (1 - y) / 2];
  });
  const {triangles} = skin.data;
  return Array.from({length: triangles.length / 3}, (_, i) => [0, 1, 2].map((k) => seen[triangles[3 * i + k]]));
})()"""
COVERED = """[...document.querySelectorAll(".toolbar button")].filter((one) => {
  const {left, top, width, height} = one.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2)?.closest("button") !== one;
}).map((one) => one.id)"""


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700), (640, 400), (390, 844)])
def test_nothing_lies_over_the_body_or_over_the_tools(server, open_window, size):
    studio = open_window(server, size)
    studio.afresh()
    studio.pause()
    studio.ask("show", measure="stretch")
    studio.until_state("state.shown.measure !== null")
    studio.ask("choose-motion", motion="nonsense")  # refused: something is said
    studio.page.locator(".toast.refused").wait_for()
    studio.page.keyboard.press("f")
    studio.page.keyboard.press("Control+e")
    studio.page.locator(".popover").wait_for()
    studio.frames(5)
    corners = np.array(studio.js(BODY))
    boxes = studio.js(BOXES)
    assert {name.split()[0] for name, *_ in boxes} == {"popover", "toolbar", "legend", "toast"}
    for name, left, top, right, bottom in boxes:
        low, high = corners.min(axis=1), corners.max(axis=1)  # of the box round each triangle
        over = (low < [right, bottom]) & (high > [left, top])
        assert not over.all(axis=1).any(), name
    assert studio.js(COVERED) == []
    studio.ask("show", measure="")


def test_all_tools_are_reached_however_low_the_stage_is(serve, open_window):
    studio = open_window(serve("--skin", "contact"), (640, 400))
    studio.page.keyboard.press("y")  # layers make it lower still
    studio.until("document.querySelectorAll('.toolbar button').length >= 11")
    assert studio.js(COVERED) == []
    assert studio.js(CUT) == []


@pytest.mark.parametrize("size", [(1280, 800), (640, 400), (390, 844)])
def test_the_rows_of_a_tool_are_seen_when_it_is_chosen(server, open_window, size):
    studio = open_window(server, size)
    studio.afresh()
    for key in "rgu":
        studio.js("(() => { const panel = document.querySelector('.panel'); panel.scrollTop = panel.scrollHeight; })()")
        studio.page.keyboard.press(key)
        studio.frames(2)
        below = "document.querySelector('.tool-options').getBoundingClientRect().top"
        assert studio.js(f"{below} - document.querySelector('.panel').getBoundingClientRect().top") >= 0.0
    studio.page.keyboard.press("g")


# Of every measure: where the middle of its name, its curve and its values are, and where its curve begins.
ROWS = """(() => {
  const boxes = (kind) => [...document.querySelectorAll(kind)].map((one) => one.getBoundingClientRect());
  const [names, curves, values] = [".curve-name", ".curve", ".curve-values"].map(boxes);
  return names.map((name, i) =>
    [...[name, curves[i], values[i]].map(({top, bottom}) => (top + bottom) / 2), curves[i].left, curves[i].width]);
})()"""


@pytest.mark.parametrize("size", [(1280, 800), (640, 400)])
def test_curves_stand_in_rows_before_there_are_any(server, open_window, size):
    studio = open_window(server, size)
    studio.afresh()
    studio.pause()
    studio.page.keyboard.press("q")
    studio.page.get_by_text("Curves are drawn while the motion plays").wait_for()
    rows = np.array(studio.js(ROWS))
    assert rows.shape == (3, 5)
    assert np.ptp(rows[:, :3], axis=1).max() < 3.0
    assert np.ptp(rows[:, 3:], axis=0).max() < 1.0
    assert np.diff(rows[:, 0]).min() > 10.0
    studio.page.keyboard.press("q")


UNDER_LABELS = """supple.stage.panes.map((pane) => {
  const {viewer, canvas} = supple.stage;
  const {top, height} = supple.stage.boxOf(pane);
  let highest = Infinity;
  for (let i = 0; i < pane.skin.data.points; i += 5) {
    const {y} = pane.skin.point(i, viewer.camera.position.clone()).project(viewer.camera);
    highest = Math.min(highest, canvas.getBoundingClientRect().top + top + height * (1 - y) / 2);
  }
  const label = document.querySelectorAll(".pane-label")[pane.number].getBoundingClientRect();
  return highest - label.bottom;
})"""


# Names of skins that are longer than their labels.
CUT_NAMES = """[...document.querySelectorAll(".pane-label > .button > span")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.innerText)"""


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700), (640, 400), (390, 844)])
def test_bodies_that_are_compared_stand_clear_of_their_labels(server, open_window, size):
    studio = open_window(server, size)
    studio.afresh()
    studio.pause()
    for skin in ("delta-mush", "linear", "dual-quaternion"):
        studio.ask("add-view", skin=skin)
    studio.until_state("state.views.length === 4 && preparing === null")
    studio.until("supple.stage.panes.length === 4 && supple.stage.panes.every((pane) => pane.skin?.frame)")
    studio.page.keyboard.press("f")
    studio.frames(5)
    assert min(studio.js(UNDER_LABELS)) >= 0.0
    assert studio.js(CUT_NAMES) == []
    rows = studio.js("[...document.querySelectorAll('.pane')].map((one) => one.getBoundingClientRect().top)")
    assert sorted(map(rows.count, set(rows))) in ([4], [2, 2])  # no row has a gap


def test_a_giant_is_seen_whole(serve, open_window, tmp_path):
    giant = tmp_path / "giant.obj"
    hero = supple.character("hero", vertices=500)
    supple.save(hero.replace(points=100.0 * hero.points), giant)
    studio = open_window(serve(str(giant), "--skin", "linear", "--units", "m"))
    assert studio.state()["mesh"]["size"] > 150.0
    near, far, distance = studio.js(
        "(({camera, distance}) => [camera.near, camera.far, distance])(supple.stage.viewer)"
    )
    size = studio.state()["mesh"]["size"]
    assert near < distance - size
    assert far > distance + size
