"""What is done by hand and seen: shapes kept, things thrown, planes moved, flesh as baked, lines; and first steps."""

import io

import numpy as np
from PIL import Image

STUDIO = ("--skin", "position-based", "--vertices", "1200")


def test_what_a_hand_makes_of_the_flesh_is_kept_by_a_key(studio):
    studio.pause()
    studio.flesh(0.5)
    studio.drag("belly", right=30, up=0)
    studio.flesh(0.3)
    studio.page.keyboard.press("Enter")
    state = studio.until_state("state.undo === 'Keep shape'")
    assert state["edits"]["shapes"] == ["Kept shape"]
    held = studio.held()[1]
    studio.let_go()
    studio.flesh(1.5)
    assert np.linalg.norm(studio.held_place(studio.commands("hold")[-1], studio.frame()) - held) < 0.02
    studio.ask("undo")
    studio.until_state("state.undo === null")


def test_the_flesh_stands_as_baked_while_the_motion_stands(studio):
    studio.pause()
    studio.page.keyboard.press("b")
    studio.until_state("state.transport.as_baked === 'there'")
    studio.frame_with(studio.ask("seek", time=0.5))
    studio.until_state("state.transport.as_baked === 'there'")
    first = studio.frames(2)
    second = studio.frames(6)
    assert first.motion_time == second.motion_time == 0.5
    assert np.array_equal(first.points, second.points)
    studio.page.keyboard.press("b")
    studio.until_state("state.transport.as_baked === 'off'")


def test_forces_and_what_skin_hangs_on_are_drawn_as_lines(studio):
    lines = studio.page.locator("label.chooser", has_text="Lines").locator("select")
    for name, legend in (("forces", 1), ("attachment", 0)):
        lines.select_option(name)
        studio.until_state("state.shown.lines === it", name)
        studio.until("supple.stage.panes[0].arrows.lines.visible")
        count = studio.js("supple.stage.panes[0].arrows.frame.places.length / 6")
        assert 300 < count <= 1500
        studio.frames(2)
        assert studio.page.locator(".legend.arrows").count() == legend
    lines.select_option("")
    studio.until("!supple.stage.panes[0].arrows.lines.visible")


def test_a_plane_between_bones_is_dragged_and_taken_back(studio):
    studio.choose_skin("incremental")
    studio.pause()
    studio.flesh(0.4)
    studio.page.keyboard.press("d")
    state = studio.until_state("state.dividers.length > 0")
    number = next(i for i, one in enumerate(state["dividers"]) if one["label"] == "LeftArm | LeftForeArm")
    studio.until("supple.stage.joints?.frame")
    x, y = _pixel_of_joint(studio, state["dividers"][number]["joint"])
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 6, y + 6, steps=4)
    studio.page.mouse.up()
    state = studio.until_state("state.undo?.startsWith('Move the plane')")
    assert np.linalg.norm(state["dividers"][number]["by"]) > 0.005
    studio.page.get_by_role("button", name="All planes as they were").click()
    state = studio.until_state("state.undo === 'Planes as they were'")
    assert all(not any(one["by"]) for one in state["dividers"])
    studio.page.keyboard.press("g")


def _pixel_of_joint(studio, joint):
    return studio.js(
        """(() => {
          const {viewer, canvas} = supple.stage;
          const box = canvas.getBoundingClientRect();
          const seen = supple.stage.joint(it).project(viewer.camera);
          return [box.left + box.width * (1 + seen.x) / 2, box.top + box.height * (1 - seen.y) / 2];
        })()""",
        joint,
    )


def test_a_ball_is_put_on_the_floor_is_seen_and_flies_as_it_is_thrown(studio):
    studio.choose_skin("contact")
    studio.pause()
    studio.page.keyboard.press("h")
    left, top, width, height = studio.js(
        "(({left, top, width, height}) => [left, top, width, height])(supple.stage.canvas.getBoundingClientRect())"
    )
    x, y = left + 0.2 * width, top + 0.9 * height
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.until_state("state.things.rows.length === 1")
    studio.page.mouse.move(x, y - 40, steps=4)
    studio.until("supple.stage.things.group.children[0]?.visible")
    studio.frames(3)
    red, _, blue = _colour(studio, x, y - 40)
    assert blue > red + 10  # skin and floor are not
    before = studio.js("supple.stage.things.group.children[0].matrix.elements.slice(12, 15)")
    studio.page.mouse.move(x + 60, y - 60, steps=3)
    studio.page.mouse.up()
    studio.flesh(0.3)
    after = studio.js("supple.stage.things.group.children[0].matrix.elements.slice(12, 15)")
    assert np.isfinite(after).all()
    assert np.linalg.norm(np.subtract(after, before)) > 0.02
    studio.page.keyboard.press("Delete")
    studio.until_state("state.things.rows.length === 0")
    studio.page.keyboard.press("g")


def test_a_message_over_the_stage_lets_it_be_pressed_and_can_be_put_away(studio):
    studio.js("supple.session.showTold('Something worth knowing, over two lines of the window or more')")
    toast = studio.page.locator(".toast", has_text="Something worth knowing")
    box = toast.bounding_box()
    under = "!document.elementFromPoint(it.x + 0.5 * it.width, it.y + 0.5 * it.height).closest('.toast')"
    assert studio.js(under, box)
    toast.get_by_role("button", name="Dismiss").click()
    toast.wait_for(state="detached")


def _colour(studio, x, y):
    picture = Image.open(io.BytesIO(studio.page.screenshot())).convert("RGB")
    return [int(one) for one in picture.getpixel((round(x), round(y)))]


def test_first_steps_are_shown_once_and_go_when_they_were_tried(server, open_window):
    studio = open_window(server, size=(1280, 800), script="")
    card = studio.page.get_by_role("complementary", name="First steps")
    card.wait_for()
    assert card.locator("li").count() == 3
    studio.page.keyboard.press("Space")
    studio.until("document.querySelectorAll('.welcome .tried').length === 1")
    studio.page.keyboard.press("u")
    studio.until("document.querySelectorAll('.welcome .tried').length === 2")
    studio.page.keyboard.press("g")
    studio.take("belly")
    studio.until("document.querySelector('.welcome') === null")
    studio.let_go()
    studio.page.reload()
    studio.until("globalThis.supple?.stage.skin?.frame")
    assert card.count() == 0
