"""Scenarios of drawing on the skin: a pen raises it, knots are dragged, the outline is drawn anew."""

import numpy as np
import pytest
from studio_pen import Pen

import supple
from supple.edits import outline
from supple.edits.strokes import View, id_buffer

STUDIO = ("--skin", "linear", "--vertices", "10000")
CHEST_WIDE = 57.0  # half of a line over the chest [px]
FREE = 0.6  # of that: what no arm swings in front of, in any frame of the walk; a line over an arm becomes two
STILL = 1e-4  # [m], about what a packed frame can tell

PROJECT = """it.map((at) => {
  const {viewer, canvas} = supple.stage;
  const box = canvas.getBoundingClientRect();
  const seen = viewer.camera.position.clone().fromArray(at).project(viewer.camera);
  return [box.left + box.width * (1 + seen.x) / 2, box.top + box.height * (1 - seen.y) / 2];
})"""
LOOK = """(() => {
  const {viewer: {camera}, canvas} = supple.stage;
  const way = camera.getWorldDirection(camera.position.clone());
  return {
    position: camera.position.toArray(), target: camera.position.clone().add(way).toArray(),
    up: Array.from(camera.matrixWorld.elements).slice(4, 7), view_angle: camera.fov * Math.PI / 180,
    size: [canvas.clientWidth, canvas.clientHeight],
  };
})()"""
# Where a square is inked that is none of the dots on the knots [CSS pixels]: all of a stroke is dragged by it.
SQUARE = """((knots) => {
  const ink = document.querySelector("canvas.ink");
  const box = ink.getBoundingClientRect();
  const ratio = ink.width / ink.clientWidth;
  const {data, width, height} = ink.getContext("2d").getImageData(0, 0, ink.width, ink.height);
  const full = (x, y) => data[4 * (Math.round(y * ratio) * width + Math.round(x * ratio)) + 3] === 255;
  const [left, right] = [Math.min(...knots.map(([x]) => x)), Math.max(...knots.map(([x]) => x))];
  const [top, bottom] = [Math.min(...knots.map(([, y]) => y)), Math.max(...knots.map(([, y]) => y))];
  for (let y = top - 40; y < bottom + 40; y++)
    for (let x = left - 40; x < right + 40; x++) {
      if (knots.some((knot) => Math.hypot(knot[0] - x, knot[1] - y) < 12)) continue;
      const steps = [-3, -2, -1, 0, 1, 2, 3];
      if (steps.every((i) => steps.every((j) => full(x + i - box.left, y + j - box.top)))) return [x, y];
    }
  return null;
})(it)"""
# How much ink there is at pixels, or beside them by as much as a walking chest goes up and down in the picture.
INKED = """(() => {
  const ink = document.querySelector("canvas.ink");
  const ratio = ink.width / ink.clientWidth;
  const box = ink.getBoundingClientRect();
  return it.map(([x, y]) => {
    const [left, top] = [(x - box.left - 12) * ratio, (y - box.top - 12) * ratio];
    return ink.getContext("2d").getImageData(left, top, 24 * ratio, 24 * ratio).data.filter((_, i) => i % 4 === 3)
      .reduce((most, alpha) => Math.max(most, alpha));
  });
})()"""

# Keep the frames that come while something is drawn; then, where points were in some of them [m].
KEEP = """(() => {
  const newest = supple.stage.newest.bind(supple.stage);
  globalThis.kept = new Map();
  supple.stage.newest = (frame) => {
    if (kept.size < 500) kept.set(frame.frame, {...frame, packed: frame.packed.slice()});
    newest(frame);
  };
})()"""
PLACES = """it.frames.map((number) => {
  const {packed, low, side} = kept.get(number);
  return it.points.map((point) => [0, 1, 2].map((axis) => low[axis] + (side / 65535) * packed[4 * point + axis]));
})"""


@pytest.fixture
def studio(wide_studio):
    """A window with the tool that raises the skin, on a hero who is looked at from the front."""
    wide_studio.page.keyboard.press("1")
    wide_studio.frames(3)
    wide_studio.page.keyboard.press("r")
    yield wide_studio
    wide_studio.page.keyboard.press("g")


def stand(studio):
    """Body and camera stand still, however long that takes here."""
    studio.pause()
    studio.js("(supple.session.following.value = false)")
    before, now = studio.frame().points, studio.flesh(0.3).points
    while np.abs(now - before).max() > STILL:
        before, now = now, studio.flesh(0.1).points


def look_at_head(studio):
    """From the side, so near that it fills the picture."""
    hero = supple.character("hero", vertices=10_000)
    skull = np.flatnonzero(hero.points[:, 1] > hero.skeleton.heads[hero.skeleton.index("Head")][1])
    points = studio.points()[skull]
    studio.js(
        """(() => {
          const {viewer} = supple.stage;
          const vector = (at) => viewer.camera.position.clone().fromArray(at);
          viewer.frame(vector(it[0]), vector(it[1]), vector([1, 0.05, 0]), true);
        })()""",
        [points.min(axis=0).tolist(), points.max(axis=0).tolist()],
    )
    studio.frames(3)


def chest_line(studio, pressures=(0.2, 0.8), count=30, wide=CHEST_WIDE):
    x, y = studio.pixel(studio.pick_on("chest"))
    across = np.linspace(-wide, wide, count)
    return [
        (x + off, y + 6.0 * np.sin(off / 12.0), pressure)
        for off, pressure in zip(across, np.linspace(*pressures, count), strict=True)
    ]


def stroke_of(studio, name="Bulge 1"):
    return next(one for one in studio.state()["edits"]["skin_strokes"] if one["name"] == name)


def on_knots(stroke, values):
    """Values (V, 3) of vertices under the knots (K, 3)."""
    corners = supple.character("hero", vertices=10_000).triangles[stroke["triangles"]]
    return np.einsum("kc,kci->ki", np.array(stroke["shares"]), values[corners])


def knots_seen(studio, stretches):
    """Of each stretch of a line, where its knots are in the frame and the view in which it was drawn [px]."""
    stroke = stroke_of(studio)
    points = np.empty(10_000, dtype=int)
    points[studio.vertex_of_point()] = np.arange(len(studio.vertex_of_point()))
    corners = points[supple.character("hero", vertices=10_000).triangles[stroke["triangles"]]]
    wanted = {"frames": [one["look"]["frame"] for one in stretches], "points": corners.ravel().tolist()}
    for stretch, places in zip(stretches, np.array(studio.js(PLACES, wanted)), strict=True):
        knots = np.einsum("kc,kci->ki", np.array(stroke["shares"]), places.reshape(*corners.shape, 3))
        yield view_of(stretch["look"]).project(knots)[0]


def view_of(look):
    """How the picture was looked at when something was drawn; panels may have grown since."""
    return View(look["position"], look["target"], look["view_angle"], tuple(look["size"]), look["up"])


def edges(points, look, rows, start):
    """Where the skin ends in rows of the picture, to the right of a column [px]."""
    seen = id_buffer(points, supple.character("hero", vertices=10_000).triangles, view_of(look)) >= 0
    return np.array([start + np.flatnonzero(~seen[int(row), int(start) :])[0] for row in rows])


def distance(pixels, line):
    along = np.diff(line, axis=0)
    off = pixels[:, None] - line[:-1]
    t = np.clip(np.einsum("nmi,mi->nm", off, along) / np.maximum(np.einsum("mi,mi->m", along, along), 1e-9), 0.0, 1.0)
    return np.linalg.norm(off - t[..., None] * along, axis=2).min(axis=1)


def test_a_pen_draws_on_the_moving_chest(studio):
    """Scenario 12: ink follows the pen before the engine has said anything, then the skin swells under it.

    The knots lie under the line on the frames that were seen, in the views in which they were drawn.
    """
    studio.js(KEEP)
    studio.frames(3)
    pen, line = Pen(studio), chest_line(studio, wide=FREE * CHEST_WIDE)
    pen.down(line[0])
    pen.move(line[1:])
    studio.frames(2)
    assert studio.state()["undo"] is None
    assert max(studio.js(INKED, [[x, y] for x, y, _ in line])) > 0
    pen.up()
    state = studio.until_state("state.undo === 'Raise'")
    assert [layer["name"] for layer in state["edits"]["layers"]] == ["Bulge 1"]
    drawn = [stretch for command in studio.commands("draw") for stretch in command["stretches"]]
    samples = [sample for stretch in drawn for sample in stretch["samples"]]
    assert len(samples) >= len(line) - 2
    assert min(sample[2] for sample in samples) == pytest.approx(0.2, abs=0.02)
    assert max(sample[2] for sample in samples) == pytest.approx(0.8, abs=0.02)
    frames = [stretch["look"]["frame"] for stretch in drawn]
    assert frames == sorted(frames)
    off = np.min([distance(knots, np.array(samples)[:, :2]) for knots in knots_seen(studio, drawn)], axis=0)
    assert off.max() < 1.0  # [px]
    studio.frame_with(studio.commands("raise")[-1]["seq"])
    studio.ask("undo")
    studio.until_state("state.undo === null && state.edits.skin_strokes.length === 0")


def test_knots_lie_under_the_line_and_are_as_high_as_the_pen_was_pressed(studio):
    """Scenarios 12 and 13 on a skin that stands."""
    stand(studio)
    before, line = studio.points(), chest_line(studio)
    Pen(studio).draw(line)
    studio.until_state("state.undo === 'Raise'")
    studio.frame_with(studio.commands("raise")[-1]["seq"])
    rise = studio.points() - before
    stroke = stroke_of(studio)
    stretches = [stretch for command in studio.commands("draw") for stretch in command["stretches"]]
    samples = np.array([sample for stretch in stretches for sample in stretch["samples"]])
    knots, _ = view_of(stretches[-1]["look"]).project(on_knots(stroke, before))
    assert distance(knots, samples[:, :2]).max() < 1.0
    pressed = np.interp(knots[:, 0], samples[:, 0], samples[:, 2])
    heights = np.linalg.norm(on_knots(stroke, rise), axis=1)
    full = studio.commands("raise")[-1]["height"]
    np.testing.assert_allclose(heights[1:-1], full * pressed[1:-1], rtol=0.05)


def test_a_knot_is_dragged_and_goes_under_the_pointer(studio):
    """Scenario 14: it follows while it is dragged, and is one step when it is let go."""
    stand(studio)
    Pen(studio).draw(chest_line(studio, (0.6, 0.6), wide=FREE * CHEST_WIDE))
    studio.until_state("state.undo === 'Raise'")
    studio.frame_with(studio.commands("raise")[-1]["seq"])
    stroke, plain = stroke_of(studio), studio.points()
    x, y = studio.js(PROJECT, on_knots(stroke, plain).tolist())[2]
    studio.page.mouse.move(x, y)
    studio.frames(2)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 12, y - 24, steps=6)
    studio.until("watched.commands.some((one) => one.do === 'move-knot')")
    studio.frames(4)
    seen = studio.frame_with(studio.commands("move-knot")[-1]["seq"])
    assert seen.number > 0
    dragged = studio.points()
    now = studio.js(PROJECT, on_knots(stroke, dragged).tolist())[2]
    assert np.hypot(now[0] - x - 12, now[1] - y + 24) < 2.0
    assert studio.state()["undo"] == "Raise"
    studio.page.mouse.up()
    studio.until_state("state.undo === 'Move knot'")
    assert studio.commands("move-knot")[-1]["done"] is True
    count = len(stroke["triangles"])
    studio.page.keyboard.press("Delete")
    studio.until_state("state.edits.skin_strokes[0].triangles.length === it", count - 1)
    options = studio.page.get_by_role("region", name="Raise by a stroke")
    options.get_by_role("button", name="Hide Bulge 1").click()
    studio.until_state("state.edits.layers[0].mute")
    options.get_by_role("button", name="Delete Bulge 1").click()
    studio.until_state("state.edits.skin_strokes.length === 0 && state.edits.layers.length === 0")


def raised(studio):
    """A stroke over the chest of a hero who stands; it, and the skin as it is then."""
    stand(studio)
    Pen(studio).draw(chest_line(studio, (0.6, 0.6), wide=FREE * CHEST_WIDE))
    studio.until_state("state.undo === 'Raise'")
    studio.frame_with(studio.commands("raise")[-1]["seq"])
    studio.frames(3)
    return stroke_of(studio), studio.points()


def test_a_whole_stroke_is_dragged_by_its_square(studio):
    stroke, plain = raised(studio)
    knots = on_knots(stroke, plain)
    before = np.array(studio.js(PROJECT, knots.tolist()))
    x, y = studio.js(SQUARE, before.tolist())
    assert np.hypot(*(before - [x, y]).T).min() > 15.0  # beside the line
    studio.page.mouse.move(x, y)
    studio.frames(2)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 8, y - 12, steps=6)
    studio.until("watched.commands.some((one) => one.do === 'move-stroke')")
    studio.frames(4)
    studio.frame_with(studio.commands("move-stroke")[-1]["seq"])
    after = np.array(studio.js(PROJECT, on_knots(stroke, studio.points()).tolist()))
    np.testing.assert_allclose(after - before, np.tile([8.0, -12.0], (len(knots), 1)), atol=2.0)
    studio.page.mouse.up()
    studio.until_state("state.undo === 'Move stroke'")


def test_the_wheel_over_a_stroke_makes_it_wider_and_skin_that_follows_is_coloured(studio):
    stroke, plain = raised(studio)
    x, y = studio.js(PROJECT, on_knots(stroke, plain).tolist())[1]
    coloured = (
        "[0, 1, 2].map((part) => supple.stage.pane.skin.region.array.filter((b, i) => i % 4 === part && b).length)"
    )
    assert studio.js(coloured) == [0, 0, 0]
    studio.page.mouse.move(x, y)
    before = studio.until_state("state.edits.region !== null")["edits"]["region"]
    studio.frames(2)
    parts = [before[part] for part in ("held", "following", "staying")]
    of_vertex = np.bincount(studio.vertex_of_point(), minlength=10_000)
    assert studio.js(coloured) == [int(of_vertex[part].sum()) for part in parts]
    distance_before = studio.js("supple.stage.viewer.distance")
    for _ in range(2):
        studio.page.mouse.wheel(0, -120)
    wider = "state.undo === 'Width' && state.edits.region?.reach > 1.2 * it"  # more than one of the two makes it
    after = studio.until_state(wider, before["reach"])["edits"]["region"]
    assert set(before["following"]) < set(after["following"])
    assert studio.js("supple.stage.viewer.distance") == distance_before
    studio.frame_with(studio.commands("change-reach")[-1]["seq"])
    moved = np.linalg.norm(studio.points() - plain, axis=1)
    assert moved[before["held"]].max() < 2e-4  # the line itself stays as it is
    assert moved.max() > 1e-3
    studio.page.mouse.move(5, 300)
    studio.until_state("state.edits.region === null")
    studio.frames(2)
    assert studio.js(coloured) == [0, 0, 0]


def test_a_stroke_is_mirrored_by_its_button(studio):
    """A lump beside the middle of the chest is on both sides afterwards; the outline has its switches."""
    stand(studio)
    before, line = studio.points(), chest_line(studio, (0.8, 0.8), wide=FREE * CHEST_WIDE)
    Pen(studio).draw(line[20:])
    studio.until_state("state.undo === 'Raise'")
    studio.frame_with(studio.commands("raise")[-1]["seq"])
    one_side = np.linalg.norm(studio.points() - before, axis=1)
    options = studio.page.get_by_role("region", name="Raise by a stroke")
    options.get_by_role("button", name="Mirror").click()
    studio.until_state("state.undo === 'Mirror Bulge 1'")
    studio.frame_with(studio.commands("mirror-stroke")[-1]["seq"])
    both = np.linalg.norm(studio.points() - before, axis=1)
    moved = 0.3 * one_side.max()
    assert (both > moved).sum() > 1.3 * (one_side > moved).sum()
    studio.page.keyboard.press("o")
    for name in ("Creases", "Other way round"):
        studio.page.get_by_role("switch", name=name).click()
        assert studio.page.get_by_role("switch", name=name).get_attribute("aria-checked") == "true"
    for name in ("Creases", "Other way round"):
        studio.page.get_by_role("switch", name=name).click()


def test_the_outline_is_drawn_anew(studio):
    """Scenario 15: the back of the head, seen from the side, goes to the line."""
    stand(studio)
    look_at_head(studio)
    studio.page.keyboard.press("o")
    box = studio.js("supple.stage.canvas.getBoundingClientRect().toJSON()")
    looked = studio.js(LOOK)
    points, (x, y) = studio.points(), (box["width"] / 2, box["height"] / 2)
    rows = np.linspace(y - 90.0, y + 30.0, 61)
    before = edges(points, looked, rows, x)
    line = np.column_stack([before + 25.0 * np.sin(np.linspace(0.0, np.pi, len(rows))) ** 2, rows])
    on_page = np.add(line, [box["left"], box["top"]])
    studio.page.mouse.move(*on_page[0])
    studio.page.mouse.down()
    for at in on_page[1:]:
        studio.page.mouse.move(*at)
    studio.page.mouse.up()
    state = studio.until_state("state.undo === 'Redraw outline'")
    assert [one["name"] for one in state["edits"]["skin_strokes"]] == ["Outline 1"]
    command = studio.commands("redraw-outline")[-1]
    studio.frame_with(command["seq"])
    after, view = studio.points(), view_of(command["look"])
    vertices = np.unique(outline(after, supple.character("hero", vertices=10_000).triangles, view))
    pixels, _ = view.project(after[vertices])
    beside = (pixels[:, 0] > x + 100.0) & (pixels[:, 1] > rows[2]) & (pixels[:, 1] < rows[-3])
    assert beside.sum() >= 3
    assert np.mean(distance(pixels[beside], line) <= 2.0) >= 0.98
    assert np.abs(before - line[:, 0]).max() > 20.0
