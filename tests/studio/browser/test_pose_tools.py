"""The skeleton is posed: joints by their rings and by hand, the arm by two strokes; undo restores bytes."""

import numpy as np
import pytest

STUDIO = ("--skin", "linear", "--vertices", "1000")


@pytest.fixture
def still(studio):
    """The studio with the motion standing still, before any pose, and nothing left of how it came there."""
    studio.pause()
    studio.flesh(1.5)
    return studio


def choose(window, key):
    """Choose a tool by its key, and wait until it knows where the joints are."""
    window.page.keyboard.press(key)
    window.until("supple.stage.joints?.frame")
    window.frames(2)


def joint(window, name):
    """Where a joint is [m]."""
    return np.array(window.js("supple.stage.joint(supple.stage.joints.skeleton.names.indexOf(it)).toArray()", name))


def seen(window, place):
    """Where a place is seen in the page [CSS pixels]."""
    return window.js(
        """(() => {
          const {viewer, canvas} = supple.stage;
          const box = canvas.getBoundingClientRect();
          const at = viewer.camera.position.clone().set(...it).project(viewer.camera);
          return [box.left + box.width * (1 + at.x) / 2, box.top + box.height * (1 - at.y) / 2];
        })()""",
        [float(x) for x in place],
    )


def press(window, pixels):
    """Press the mouse and go through pixels with it."""
    window.page.mouse.move(*pixels[0])
    window.page.mouse.down()
    for x, y in pixels[1:]:
        window.page.mouse.move(x, y, steps=5)
    window.frames(2)


def draw(window, pixels):
    """Draw a line through pixels with the mouse."""
    press(window, pixels)
    window.page.mouse.up()


def test_a_hand_is_led_to_where_it_is_dragged_and_back_by_undo(still):
    choose(still, "j")
    before = still.frame().points
    start = joint(still, "LeftHand")
    x, y = seen(still, start)
    press(still, [(x, y), (x + 20, y - 30)])
    still.frame_with(still.commands("move-joint")[-1]["seq"])
    still.flesh(0.2)
    np.testing.assert_allclose(seen(still, joint(still, "LeftHand")), (x + 20, y - 30), atol=2.0)  # under the pointer
    still.page.mouse.up()
    state = still.until_state("state.undo === 'Move left hand'")
    assert [layer["name"] for layer in state["edits"]["layers"]] == ["Pose"]
    still.frame_with(still.commands("move-joint")[-1]["seq"])
    still.flesh(0.5)
    by = still.commands("move-joint")[-1]["by"]
    np.testing.assert_allclose(joint(still, "LeftHand") - start, by, atol=5e-3)
    still.frame_with(still.ask("undo"))
    still.flesh(1.5)
    np.testing.assert_array_equal(still.frame().points, before)


def test_a_joint_is_scaled_by_its_square_and_by_its_row(still):
    choose(still, "j")
    before = still.frame().points
    center = joint(still, "Spine")
    neck = np.linalg.norm(joint(still, "Head") - center)
    x, y = seen(still, center)
    still.page.mouse.click(x, y)
    still.page.get_by_label("Size of the joint").wait_for()
    out = 0.78 * 76.0
    press(still, [(x + out, y - out), (x + 1.25 * out, y - 1.25 * out)])
    still.frame_with(still.commands("scale-joint")[-1]["seq"])
    still.flesh(0.2)
    assert np.linalg.norm(joint(still, "Head") - joint(still, "Spine")) / neck == pytest.approx(1.25, rel=0.03)
    np.testing.assert_allclose(joint(still, "Spine"), center, atol=1e-4)
    assert still.state()["undo"] is None
    still.page.mouse.up()
    still.until_state("state.undo === 'Scale spine'")
    row = still.page.get_by_label("Size of the joint")
    row.fill("1.5")
    still.frame_with(still.commands("scale-joint")[-1]["seq"])
    still.flesh(0.5)
    assert np.linalg.norm(joint(still, "Head") - joint(still, "Spine")) / neck == pytest.approx(1.5, rel=1e-3)
    while still.state()["undo"] is not None:
        revision = still.state()["revision"]
        still.frame_with(still.ask("undo"))
        still.until_state("state.revision > it", revision)
    still.flesh(1.5)
    np.testing.assert_array_equal(still.frame().points, before)


def test_a_drag_of_the_hips_does_not_run_away_with_the_camera_that_follows(still):
    choose(still, "j")
    feet = [still.state()["skeleton"]["names"].index(name) for name in ("LeftFoot", "RightFoot")]
    for name in ("LeftFoot", "RightFoot"):
        still.page.mouse.click(*seen(still, joint(still, name)))
        still.page.keyboard.press("p")
    hips, foot = joint(still, "Hips"), joint(still, "LeftFoot")
    x, y = seen(still, hips)
    draw(still, [(x, y), (x, y + 12)])
    still.until_state("state.undo === 'Move hips'")
    moved = still.commands("move-joint")[-1]
    assert sorted(moved["pins"]) == sorted(feet)
    still.frame_with(moved["seq"])
    still.flesh(0.5)
    np.testing.assert_allclose(joint(still, "Hips") - hips, moved["by"], atol=5e-3)
    assert np.linalg.norm(joint(still, "LeftFoot") - foot) < 2e-3


def test_the_second_stroke_is_dragged_as_a_whole(still):
    choose(still, "k")
    line = [seen(still, joint(still, name)) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    draw(still, line)
    still.page.get_by_text("Another line over the bones").wait_for()
    (x, y), reach = line[0], np.hypot(line[-1][0] - line[0][0], line[-1][1] - line[0][1])
    draw(still, [(x, y), (x + 0.9 * reach, y - 0.4 * reach)])
    state = still.until_state("state.undo === 'Pose by strokes'")
    drawn = state["edits"]["pose_strokes"][0]
    still.frame_with([one for one in still.commands("pose-by-strokes") if one["done"]][-1]["seq"])
    still.flesh(0.5)
    on_line = np.array([seen(still, place) for place in drawn["offset"]])
    off_knots = np.array([seen(still, place) for place in drawn["knots"]])
    away = np.linalg.norm(on_line[:, None] - off_knots, axis=2).min(axis=1)
    assert away.max() > 10.0  # there is line between its knots
    x, y = on_line[np.argmax(away)]
    press(still, [(x, y), (x + 10, y + 8)])
    still.until("watched.commands.some((one) => one.do === 'move-pose-line')")
    still.page.mouse.up()
    state = still.until_state("state.undo?.startsWith('Move Drawn pose')")
    moved = state["edits"]["pose_strokes"][0]
    by = np.subtract(moved["knots"], drawn["knots"])
    np.testing.assert_allclose(by, np.tile(still.commands("move-pose-line")[-1]["by"], (len(by), 1)), atol=2e-5)
    seen_by = np.array([seen(still, place) for place in moved["knots"]]) - off_knots
    np.testing.assert_allclose(seen_by, np.tile([10.0, 8.0], (len(by), 1)), atol=2.5)


def test_the_arm_is_posed_with_two_strokes_and_its_knots_pulled(still):
    choose(still, "k")
    before = still.frame().points
    line = [seen(still, joint(still, name)) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    draw(still, line)
    still.page.get_by_text("Another line over the bones").wait_for()
    (x, y), reach = line[0], np.hypot(line[-1][0] - line[0][0], line[-1][1] - line[0][1])
    draw(still, [(x, y), (x + 0.5 * reach, y - 0.1 * reach), (x + 0.9 * reach, y - 0.4 * reach)])
    state = still.until_state("state.undo === 'Pose by strokes'")
    drawn = state["edits"]["pose_strokes"][0]
    last = [one for one in still.commands("pose-by-strokes") if one["done"]][-1]
    assert (
        len([one for one in still.commands("pose-by-strokes") if not one["done"]]) > 0
    )  # the pose follows while drawing
    still.frame_with(last["seq"])
    still.flesh(0.5)
    hand = seen(still, joint(still, "LeftHand"))
    assert hand[0] > x + 0.5 * reach
    assert hand[1] < y
    raised = joint(still, "LeftHand")
    knot = seen(still, drawn["knots"][-1])
    draw(still, [knot, (knot[0] - 0.3 * reach, knot[1] - 0.4 * reach)])
    still.until_state("state.undo === 'Pull Drawn pose'")
    still.flesh(0.5)
    assert joint(still, "LeftHand")[1] > raised[1] + 0.03
    for _ in range(2):
        still.frame_with(still.ask("undo"))
    still.flesh(1.5)
    np.testing.assert_array_equal(still.frame().points, before)


def test_a_click_takes_a_joint_out_of_the_line_and_in_again(still):
    choose(still, "k")
    # An elbow that bends one way stays straight where the line bends the other way, with the hand or without it.
    one_way = still.page.get_by_role("switch", name="Elbows and knees bend one way")
    one_way.click()
    line = [seen(still, joint(still, name)) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    draw(still, line)
    still.page.get_by_text("A click takes a joint in or out").wait_for()
    hand = still.state()["skeleton"]["names"].index("LeftHand")
    still.page.mouse.click(*line[2])
    (x, y), reach = line[0], np.hypot(line[-1][0] - line[0][0], line[-1][1] - line[0][1])
    draw(still, [(x, y), (x + 0.5 * reach, y - 0.1 * reach), (x + 0.9 * reach, y - 0.4 * reach)])
    still.until_state("state.undo === 'Pose by strokes'")
    picked = [one for one in still.commands("pose-by-strokes") if one["done"]][-1]["joints"]
    assert hand not in picked
    assert {still.state()["skeleton"]["names"].index(name) for name in ("LeftArm", "LeftForeArm")} <= set(picked)
    still.flesh(0.5)
    without = joint(still, "LeftHand")
    still.page.mouse.click(*seen(still, without))
    still.until("watched.commands.some((one) => one.do === 'move-pose-line')")
    last = still.commands("move-pose-line")[-1]
    assert hand in last["joints"]
    still.frame_with(last["seq"])
    still.flesh(0.5)
    assert np.linalg.norm(joint(still, "LeftHand") - without) > 2e-3
    one_way.click()


def test_limp_is_offered_only_where_there_are_muscles(still):
    assert still.page.locator("#action-tool-pose").count() == 1
    assert still.page.locator("#action-tool-limp").count() == 0


# A place on the ring about the upright axis of the drawing plane, a little aside of its middle [CSS pixels].
ON_RING = """(() => {
  const {viewer: {camera}, canvas, pane} = supple.stage;
  const {point, normal} = supple.drawingPlane.value;
  const aside = normal.clone().set(0, 1, 0).cross(normal).normalize();
  const axis = normal.clone().cross(aside);
  const depth = point.clone().sub(camera.position).dot(camera.getWorldDirection(normal.clone()));
  const radius = 76 * 2 * Math.tan(camera.fov * Math.PI / 360) * depth / supple.stage.boxOf(pane).height;
  const out = camera.position.clone().sub(point);
  const facing = out.addScaledVector(axis, -out.dot(axis)).normalize();
  const side = axis.clone().cross(facing);
  const way = facing.multiplyScalar(Math.cos(0.6)).addScaledVector(side, Math.sin(0.6));
  const seen = point.clone().addScaledVector(way, radius).project(camera);
  const box = canvas.getBoundingClientRect();
  return [box.left + box.width * (1 + seen.x) / 2, box.top + box.height * (1 - seen.y) / 2];
})()"""


def test_the_second_line_lies_on_a_plane_that_was_put_up(still):
    """Its middle snaps to a joint, a ring turns it, and what is drawn then lies on it."""
    choose(still, "k")
    arm = [joint(still, name) for name in ("LeftArm", "LeftForeArm", "LeftHand")]
    draw(still, [seen(still, place) for place in arm])
    still.page.get_by_text("Draw on a plane of my own").click()
    still.until("supple.drawingPlane.value")

    def plane():
        return np.array(
            still.js("[supple.drawingPlane.value.point.toArray(), supple.drawingPlane.value.normal.toArray()]")
        )

    draw(still, [seen(still, plane()[0]), seen(still, arm[0])])
    point, facing = plane()
    np.testing.assert_allclose(point, arm[0], atol=1e-6)
    x, y = seen(still, point)
    across, down = still.js(ON_RING)
    draw(still, [(across, down), (across + 20, down), (across + 50, down)])  # the ring about its upright axis
    _, normal = plane()
    assert 0.2 < normal @ facing < 0.95
    assert still.commands("pose-by-strokes") == []
    draw(still, [(x, y - 30), (x + 20, y - 40), (x + 45, y - 60)])
    still.until_state("state.undo === 'Pose by strokes'")
    offset = np.array(still.commands("pose-by-strokes")[-1]["offset"])
    assert np.abs((offset - point) @ normal).max() < 1e-6
    assert np.ptp(offset, axis=0).max() > 0.05
    still.page.get_by_role("button", name="Turn the plane to me").click()
    np.testing.assert_allclose(plane()[1], facing, atol=1e-6)
