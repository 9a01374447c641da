"""Only the keyboard, a screen reader, less motion: everything can be reached, has a name, and is seen to be reached."""

from pathlib import Path

import numpy as np
import pytest

STUDIO = ("--skin", "delta-mush", "--vertices", "800")
AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# What can be pressed, typed into or chosen, and is there to be seen.
CONTROLS = """[...document.querySelectorAll("button, select, input, summary, [role=slider], [tabindex='0']")]
  .filter((one) => one.checkVisibility() && !one.disabled && !one.closest("dialog:not([open])"))"""
RING = """(() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
})()"""


def test_the_tab_key_reaches_everything_and_shows_where_it_is(wide_studio):
    studio = wide_studio
    studio.pause()
    wanted = studio.js(f"{CONTROLS}.length")
    studio.js("document.activeElement.blur()")
    reached, unseen = set(), []
    for _ in range(2 * wanted + 10):
        studio.page.keyboard.press("Tab")
        html = "document.activeElement.outerHTML.slice(0, 90)"
        place, name, ring = studio.js(f"[{CONTROLS}.indexOf(document.activeElement), {html}, {RING}]")
        if place >= 0:
            reached.add(place)
            unseen += [] if ring else [name]
        if len(reached) == wanted:
            break
    missed = studio.js(f"{CONTROLS}.map((one) => one.outerHTML.slice(0, 90))")
    assert [name for place, name in enumerate(missed) if place not in reached] == []
    assert unseen == []


def test_every_control_has_a_name_for_a_screen_reader(wide_studio):
    tree = wide_studio.page.locator("#studio").aria_snapshot()
    nameless = [line.strip() for line in tree.splitlines() if line.strip() in ("- button", "- slider", "- combobox")]
    assert nameless == []
    assert 'button "Pause' in tree
    assert 'slider "Time of the motion' in tree


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("opened", ["", "?", "Control+k"])
def test_axe_finds_nothing_wrong(server, open_window, theme, opened):
    if not AXE.is_file():
        pytest.skip("axe-core is not in web/node_modules: run npm ci in web, or make browser")
    studio = open_window(server, (1280, 800), color_scheme=theme)
    studio.afresh()
    if opened:
        studio.page.keyboard.press(opened)
        studio.page.locator("dialog[open]").wait_for()
    studio.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = studio.page.evaluate("axe.run().then(({violations}) => violations)")
    wrong = {one["id"]: [node["html"][:120] for node in one["nodes"]] for one in found}
    assert wrong == {}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_wrong_with_any_tool_or_sheet(serve, open_window, theme):
    """Under a skin for which all tools have something to do; then sheets, layers with keys, and compared skins."""
    if not AXE.is_file():
        pytest.skip("axe-core is not in web/node_modules: run npm ci in web, or make browser")
    studio = open_window(serve("--skin", "contact", "--vertices", "800"), (1280, 800), color_scheme=theme)
    studio.until_bound()
    studio.pause()
    studio.page.evaluate(AXE.read_text(encoding="utf-8"))
    wrong = {}

    def look(name):
        studio.frames(2)
        found = studio.page.evaluate("axe.run().then(({violations}) => violations)")
        wrong.update({(name, one["id"]): [node["html"][:120] for node in one["nodes"]] for one in found})

    tools = studio.js("[...document.querySelectorAll('.toolbar button')].map(({id}) => id)")
    assert len(tools) >= 11
    for tool in tools:
        studio.page.locator(f"#{tool}").click()
        look(tool)
    studio.frame_with(studio.ask("radial", name="belly", joint="Spine", swell=0.2))
    studio.until_state("state.edits.layers.length === 1")
    studio.page.get_by_role("button", name="Key of belly at 0.00 seconds").click()
    studio.page.get_by_role("radio", name="a curve of your own").click()
    look("key")
    studio.page.keyboard.press("Escape")
    studio.page.get_by_text("Live capture").click()
    look("capture")
    studio.ask("add-view", skin="linear")
    studio.until_state("state.views.length === 2 && preparing === null")
    studio.ask("show", measure="stretch")
    studio.page.keyboard.press("q")
    look("compared")
    studio.page.keyboard.press("Control+e")
    studio.page.locator(".popover").wait_for()
    look("export")
    studio.page.keyboard.press("Escape")
    for key in ("Control+o", "Control+Shift+O", "Control+Shift+S"):
        studio.page.keyboard.press(key)
        studio.page.locator("dialog[open]").wait_for()
        look(key)
        studio.page.keyboard.press("Escape")
    assert wrong == {}


def test_keys_do_what_buttons_do(studio):
    press = studio.page.keyboard.press
    press("Space")
    studio.until_state("!state.transport.playing")
    before = studio.frame_with(studio.commands()[-1]["seq"]).motion_time
    press("ArrowRight")
    loop = studio.state()["transport"]["duration"]  # the walk goes on at its start
    ahead = "(supple.session.motionTime.value - it[0] + it[1]) % it[1]"
    studio.until(f"Math.abs({ahead} - 1 / 60) < 1e-6", [before, loop])
    press("ArrowDown")
    studio.until_state("state.transport.rate < 1")
    studio.ask("choose-motion", motion="kick")
    studio.until_state("state.undo === 'Motion kick'")
    press("Control+z")
    studio.until_state("state.transport.motion === 'walk'")
    press("Control+Shift+Z")
    studio.until_state("state.transport.motion === 'kick'")
    press("Control+k")
    studio.page.locator("dialog[open]").wait_for()
    studio.page.keyboard.type("from the top")
    press("Enter")
    studio.until("supple.stage.viewer.camera.getWorldDirection(supple.stage.viewer.camera.position.clone()).y < -0.99")
    press("?")
    studio.page.locator("dialog[open]").wait_for()
    press("Escape")
    studio.until("!document.querySelector('dialog[open]')")


def test_a_setting_is_changed_by_keys_alone_and_is_one_step(studio):
    slider = studio.page.locator('[data-setting="strength"] input[type=range]')
    slider.focus()
    value = studio.setting("strength")["value"]
    studio.page.keyboard.press("ArrowRight")
    state = studio.until_state("state.undo !== null")
    assert "strength" in state["undo"]
    assert studio.setting("strength")["value"] > value


def test_what_is_being_typed_stays_whatever_else_changes_meanwhile(studio):
    field = studio.page.locator('[data-setting="strength"] input[type=number]')
    field.fill("0.35")
    studio.ask("run", rate=0.5)
    studio.until_state("state.transport.rate === 0.5")
    studio.frames(3)
    assert field.input_value() == "0.35"
    field.press("Enter")
    studio.until_state("state.undo !== null")
    assert studio.setting("strength")["value"] == 0.35


def test_who_asks_for_less_motion_gets_views_at_once(server, open_window):
    direction = "supple.stage.viewer.camera.getWorldDirection(supple.stage.viewer.camera.position.clone()).toArray()"
    turns = {}
    for motion in ("reduce", "no-preference"):
        studio = open_window(server, reduced_motion=motion)
        studio.js("(() => { supple.session.following.value = false; })()")
        studio.pause()
        studio.js(
            "(() => { globalThis.looks = []; const after = supple.stage.options.afterPicture;"
            f"supple.stage.options.afterPicture = (...given) => {{ looks.push({direction}); after(...given); }}; }})()"
        )
        studio.page.keyboard.press("1")  # a document keeps how it was looked at
        studio.until("looks.length > 60")
        studio.js("looks.length = 0")
        studio.page.keyboard.press("3")
        pressed = studio.js("looks.length")  # a busy machine takes its time to press
        studio.until(f"looks.length > {pressed + 30}")
        looks = np.array(studio.js("looks"))
        turns[motion] = len(np.unique(np.round(looks, 4), axis=0))
    assert turns["reduce"] <= 2  # before and after
    assert turns["no-preference"] > 3
