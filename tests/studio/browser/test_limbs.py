"""Limbs that are clicked swell or go limp, a line on the skin makes a wave, and skins are stacked in the panel."""

import numpy as np
import pytest

STUDIO = ("--skin", "contact", "--vertices", "1200")


@pytest.fixture
def still(studio):
    """The studio with the motion standing, looked at from the front."""
    studio.pause()
    studio.page.keyboard.press("1")
    studio.flesh(0.6)
    return studio


def middle_of(studio, joint, below):
    """Where the middle of a bone is seen [CSS pixels]."""
    studio.until("supple.stage.joints?.frame")
    return studio.js(
        """(() => {
          const {viewer, canvas} = supple.stage;
          const {names} = supple.stage.joints.skeleton;
          const at = it.map((name) => supple.stage.joint(names.indexOf(name)).clone());
          const seen = at[0].lerp(at[1], 0.5).project(viewer.camera);
          const box = canvas.getBoundingClientRect();
          return [box.left + box.width * (1 + seen.x) / 2, box.top + box.height * (1 - seen.y) / 2];
        })()""",
        [joint, below],
    )


def test_a_bone_that_is_clicked_goes_limp_and_is_taken_up_again(still):
    still.page.keyboard.press("l")
    still.page.mouse.click(*middle_of(still, "LeftArm", "LeftForeArm"))
    still.until_state("state.undo === 'Limp left arm'")
    assert "LeftArm=0" in str(still.setting("muscles.strength")["value"])
    still.page.mouse.click(*middle_of(still, "LeftArm", "LeftForeArm"))
    still.until_state("state.past.length === 2")
    assert "LeftArm=0" not in str(still.setting("muscles.strength")["value"])
    still.page.get_by_role("button", name="Let the whole body go limp").click()
    still.until_state("state.undo === 'Limp all'")
    still.page.get_by_role("button", name="Tense the whole body").wait_for()
    assert np.isfinite(still.flesh(0.5).points).all()
    still.page.keyboard.press("g")


def test_a_limb_that_is_clicked_swells_as_its_rows_say(still):
    still.choose_skin("linear")
    before = still.flesh(0.3).points
    still.page.keyboard.press("w")
    still.page.mouse.click(*still.pixel(still.pick_on("left thigh")))
    state = still.until_state("state.edits.shapes.length === 1")
    (name,) = state["edits"]["shapes"]
    panel = still.page.get_by_role("region", name="Swell a limb")
    panel.get_by_text(f"Changes {name}").wait_for()
    once = np.linalg.norm(still.flesh(0.5).points - before, axis=1).max()
    assert once > 0.01
    size = panel.get_by_role("spinbutton").first
    size.fill("60")
    size.press("Enter")
    still.until_state("state.past.length >= 3")
    assert still.state()["edits"]["shapes"] == [name]
    twice = np.linalg.norm(still.flesh(0.5).points - before, axis=1).max()
    assert twice == pytest.approx(2.0 * once, rel=0.05)
    still.page.keyboard.press("g")


def test_a_line_on_the_skin_makes_a_wave_that_runs(still):
    still.choose_skin("linear")
    still.page.keyboard.press("v")
    x, y = still.pixel(still.pick_on("belly"))
    still.page.mouse.move(x, y - 20)
    still.page.mouse.down()
    for down in range(-14, 27, 8):
        still.page.mouse.move(x, y + down)
        still.frames(1)
    still.page.mouse.up()
    state = still.until_state("state.undo?.startsWith('Wave')")
    assert any(name.endswith("crest") for name in state["edits"]["shapes"])
    first = still.frame().points
    later = still.frame_with(still.ask("seek", time=0.2)).points
    assert np.isfinite(later).all()
    assert np.abs(later - first).max() > 1e-3
    still.page.keyboard.press("g")


def test_skins_are_stacked_muted_blended_and_taken_out_in_the_panel(wide_studio):
    studio = wide_studio
    studio.choose_skin("linear")
    graph = studio.page.get_by_role("region", name="Stages of the skin")
    graph.get_by_label("Put on top").select_option("delta-mush")
    studio.until_state("state.views[0].stages.at(-1).skin === 'delta-mush' && preparing === null")
    graph.get_by_role("button", name="Mute").click()
    studio.until_state("state.views[0].stages.at(-1).muted")
    graph.get_by_role("button", name="Take out Delta mush").click()
    studio.until_state("state.views[0].stages.length === 1")
    graph.get_by_label("Blend with").select_option("dual-quaternion")
    state = studio.until_state("state.views[0].stages.length === 3 && preparing === null")
    blend = state["views"][0]["stages"][-1]
    assert len(blend["inputs"]) == 2
    boxes = graph.locator(".stage-box")
    assert boxes.count() == 3
    boxes.first.click()
    studio.until("supple.session.activeStage.value !== null")
