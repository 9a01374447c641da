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
    x, y = _with_a_ball(studio)
    before = _lift(studio, x, y - 40)
    studio.until("supple.stage.things.group.children[0].visible")
    red, _, blue = _colour(studio, x, y - 40)
    assert blue > red + 25  # skin and floor are not
    way = [(x - 5 * i, y - 40 - 4 * i) for i in range(9)]
    times = [0.01 * i for i in range(10)]  # [s]
    studio.swing([*way, way[-1]], times)
    thrown = "watched.commands.filter((one) => one.do === 'move-thing' && one.velocity)"
    studio.until(f"{thrown}.length > 0")
    let_go = studio.js(f"{thrown}.at(-1)")
    velocity = np.array(let_go["velocity"])
    assert np.linalg.norm(velocity) > 0.5  # [m/s]
    assert np.allclose(velocity, (np.array(let_go["at"]) - before) / times[-1], atol=0.02 * np.linalg.norm(velocity))
    studio.frame_with(let_go["seq"])
    _until_it_lies(studio)
    gone = _ball(studio)[[0, 2]] - np.array(let_go["at"])[[0, 2]]
    assert gone @ velocity[[0, 2]] > 0.02 * np.linalg.norm(velocity[[0, 2]])  # on the way it was thrown
    studio.page.keyboard.press("Delete")
    studio.until_state("state.things.rows.length === 0")
    studio.page.keyboard.press("g")


def test_a_ball_falls_when_the_window_goes_away_whose_hand_holds_it(studio, server, open_window):
    x, y = _with_a_ball(studio)
    assert _lift(studio, x, y - 60)[1] > 0.2
    other = open_window(server)
    other.until("supple.stage.things.group.children[0]?.visible")
    other.flesh(0.5)
    assert _ball(other)[1] > 0.2  # it hangs where it is held
    studio.page.close()
    _until_it_lies(other)
    other.ask("remove-thing", name="Ball 1")
    other.until_state("state.things.rows.length === 0")


def test_things_are_thrown_under_a_skin_that_meets_them_and_others_say_so(studio):
    studio.choose_skin("linear")
    studio.page.keyboard.press("h")
    panel = studio.page.get_by_role("region", name="Throw things")
    panel.get_by_text("This skin meets nothing. Contact does:").wait_for()
    studio.page.mouse.click(*_floor(studio))
    studio.frames(3)
    assert studio.commands("add-thing") == []
    panel.get_by_role("button", name="Contact").click()
    studio.until_state("state.views[0].stages.at(-1).skin === 'contact' && preparing === null")
    panel.get_by_role("button", name="Ball", exact=True).wait_for()
    studio.page.keyboard.press("g")


def _floor(studio):
    """Where the floor is seen beside the character [CSS pixels]."""
    left, top, width, height = studio.js(
        "(({left, top, width, height}) => [left, top, width, height])(supple.stage.canvas.getBoundingClientRect())"
    )
    return left + 0.25 * width, top + 0.9 * height


def _with_a_ball(studio):
    """A ball is on the floor, and the mouse holds it; where that is in the page."""
    studio.choose_skin("contact")
    studio.pause()
    studio.flesh(1.0)  # the camera has come to rest too
    studio.page.keyboard.press("h")
    x, y = _floor(studio)
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.until_state("state.things.rows.length === 1")
    return x, y


def _lift(studio, x, y):
    """Bring the ball that the mouse holds there, and wait until it is seen there; where that is [m]."""
    studio.page.mouse.move(x, y, steps=4)
    count = len(studio.commands("move-thing"))
    studio.until("watched.commands.filter(({do: what}) => what === 'move-thing').length > it", count)
    studio.frame_with(studio.commands("move-thing")[-1]["seq"])
    return _ball(studio)


def _ball(studio):
    return np.array(studio.js("supple.stage.things.group.children[0].matrix.elements.slice(12, 15)"))


def _until_it_lies(studio):
    """The ball comes down and lies on the floor: a radius above it, and still."""
    before, now = np.full(3, np.inf), _ball(studio)
    for _ in range(20):
        studio.flesh(0.25)
        before, now = now, _ball(studio)
        if abs(now[1] - before[1]) < 2e-3 and now[1] < 0.11:
            break
    assert np.isfinite(now).all()
    assert abs(now[1] - 0.1) < 0.01


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
