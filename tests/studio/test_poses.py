"""Posing in the studio: commands of joints and strokes make layers, drafts are no steps, and undo restores bytes."""

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits.posing import drawn_lines
from supple.edits.strokes.posing import posed_by_strokes
from supple.edits.strokes.stroke import Stroke
from supple.errors import InputError
from supple.geometry import quaternions
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.session import Session
from supple.studio.state import state_of


def session_of(name="hero", skin="linear", **source):
    return Session(Document(CharacterSource(name, 800, **source), skins=(Graph.of(skin_named(skin)),)), print)


@pytest.fixture
def session():
    made = session_of()
    yield made
    made.close()


def joint(session, name):
    return session.character.skeleton.index(name)


def shown(session, time=0.0):
    """Where the joints are with all that is shown, drafts too, at a time of the motion."""
    return session.transport.source.sample(time).world_from_joint


def place(session, name, time=0.0):
    return shown(session, time)[joint(session, name), :3, 3]


def poses(session):
    edits = session.document.edits
    return {} if edits is None else dict(edits.poses)


def test_a_joint_turns_about_an_axis_of_the_world_and_stays_where_it_is(session):
    before = shown(session, 0.3)
    elbow = joint(session, "LeftForeArm")
    perform(session, say.TurnJoint(1, elbow, (0.0, 0.0, 2.0), 0.5, time=0.3))
    after = shown(session, 0.3)
    turned = after[elbow, :3, :3] @ np.linalg.inv(before[elbow, :3, :3])
    wanted = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.5))
    np.testing.assert_allclose(turned, wanted, atol=1e-9)
    np.testing.assert_allclose(after[elbow, :3, 3], before[elbow, :3, 3], atol=1e-9)
    assert session.document.step == "Turn left fore arm"
    edits = session.document.edits
    assert [layer.name for layer in edits.layers] == ["Pose"]
    assert list(edits.poses["Pose"].rotations) == ["LeftForeArm"]


def test_a_drag_is_one_step_and_drafts_are_none(session):
    hand, start = joint(session, "LeftHand"), place(session, "LeftHand")
    for n in range(1, 6):
        by = np.array([0.0, 0.03 * n, 0.02 * n])
        perform(session, say.MoveJoint(n, hand, tuple(by), time=0.0, done=False))
        np.testing.assert_allclose(place(session, "LeftHand"), start + by, atol=1e-3)
    assert session.document.edits is None
    assert not session.history.past
    perform(session, say.MoveJoint(6, hand, (0.0, 0.15, 0.1), time=0.0))
    assert len(session.history.past) == 1
    assert session.document.step == "Move left hand"


def test_undo_restores_bytes_and_redo_brings_them_again(session):
    before = shown(session, 0.4).tobytes()
    perform(session, say.TurnJoint(1, joint(session, "Spine"), (1.0, 0.0, 0.0), 0.4, time=0.4))
    posed = shown(session, 0.4).tobytes()
    assert posed != before
    perform(session, say.Undo(2))
    assert shown(session, 0.4).tobytes() == before
    perform(session, say.Redo(3))
    assert shown(session, 0.4).tobytes() == posed


def test_posing_goes_on_with_the_last_pose_until_another_one_is_wanted(session):
    elbow, knee = joint(session, "LeftForeArm"), joint(session, "LeftLeg")
    perform(session, say.TurnJoint(1, elbow, (0.0, 0.0, 1.0), 0.5, time=0.0))
    perform(session, say.TurnJoint(2, elbow, (0.0, 0.0, 1.0), 0.25, time=0.0))
    perform(session, say.TurnJoint(3, knee, (1.0, 0.0, 0.0), 0.5, time=0.0))
    assert list(poses(session)) == ["Pose"]
    rotations = poses(session)["Pose"].rotations
    angle = 2.0 * np.arccos(abs(quaternions.normalize(rotations["LeftForeArm"])[3]))
    assert angle == pytest.approx(0.75)
    assert "LeftLeg" in rotations
    perform(session, say.TurnJoint(4, knee, (1.0, 0.0, 0.0), 0.5, time=0.0, fresh=True))
    assert list(poses(session)) == ["Pose", "Pose 2"]
    assert list(poses(session)["Pose 2"].rotations) == ["LeftLeg"]


def test_with_keys_every_time_has_a_pose_of_its_own(session):
    hand = joint(session, "LeftHand")
    goals = {0.2: (0.3, 1.2, 0.6), 0.7: (0.35, 1.4, 0.9)}
    for seq, (time, goal) in enumerate(goals.items()):
        by = tuple(np.array(goal) - place(session, "LeftHand", time))
        perform(session, say.MoveJoint(seq, hand, by, time=time, key=True))
    (layer,) = session.document.edits.layers
    assert [key.time for key in layer.keys] == list(goals)
    for time, goal in goals.items():
        np.testing.assert_allclose(place(session, "LeftHand", time), goal, atol=1e-3)
    duration = session.motion.duration
    perform(session, say.MoveJoint(5, hand, (0.0, 0.01, 0.0), time=0.2 + duration, key=True))
    assert len(session.document.edits.layers[0].keys) == 2  # the motion has gone round: the same key


def test_pins_hold_while_others_are_posed(session):
    feet = [joint(session, name) for name in ("LeftFoot", "RightFoot")]
    before = shown(session, 0.3)
    hips = joint(session, "Hips")
    perform(session, say.MoveJoint(1, hips, (0.0, -0.2, 0.0), time=0.3, pins=feet))
    after = shown(session, 0.3)
    np.testing.assert_allclose(after[hips, :3, 3] - before[hips, :3, 3], [0.0, -0.2, 0.0], atol=1e-3)
    assert np.linalg.norm(after[feet, :3, 3] - before[feet, :3, 3], axis=1).max() < 1e-3
    perform(session, say.TurnJoint(2, hips, (0.0, 1.0, 0.0), 0.4, time=0.3, pins=feet))
    assert np.linalg.norm(shown(session, 0.3)[feet, :3, 3] - before[feet, :3, 3], axis=1).max() < 1e-3


def test_a_bone_is_stretched_and_a_joint_reset(session):
    arm = joint(session, "LeftArm")

    def length():
        return np.linalg.norm(place(session, "LeftForeArm") - place(session, "LeftArm"))

    rest = length()
    perform(session, say.StretchBone(1, arm, 1.4, time=0.0))
    assert length() == pytest.approx(1.4 * rest)
    perform(session, say.TurnJoint(2, arm, (0.0, 0.0, 1.0), 0.4, time=0.0))
    perform(session, say.ResetJoint(3, arm, time=0.0))
    assert "LeftArm" not in poses(session)["Pose"].rotations
    assert length() == pytest.approx(1.4 * rest)  # that is a move of the joint below
    with pytest.raises(InputError, match="leaves it alone"):
        perform(session, say.ResetJoint(4, joint(session, "Head"), time=0.0))


def test_a_joint_is_scaled_again_and_again_and_reset(session):
    head = joint(session, "Head")
    before = shown(session)
    for number, size in enumerate((1.2, 1.8, 1.5)):
        perform(session, say.ScaleJoint(number, head, size, time=0.0, done=size == 1.5))
        assert np.linalg.norm(shown(session)[head, :3, 0]) == pytest.approx(size)
    assert poses(session)["Pose"].sizes == pytest.approx({"Head": 1.5})
    assert session.document.step == "Scale head"
    assert len(session.history.past) == 1
    perform(session, say.ResetJoint(4, head, time=0.0))
    np.testing.assert_allclose(shown(session), before, atol=1e-9)


@pytest.mark.parametrize(
    "command",
    [
        say.ScaleJoint(1, 9999, 1.2, time=0.0),
        say.TurnJoint(1, 9999, (0.0, 0.0, 1.0), 0.1, time=0.0),
        say.TurnJoint(1, 0, (0.0, 0.0, 0.0), 0.1, time=0.0),
        say.MoveJoint(1, 0, (0.0, 1.0, 0.0), time=0.0, pins=[9999]),
        say.StretchBone(1, 9999, 1.2, time=0.0),
        say.ResetJoint(1, 3, time=0.0),
    ],
)
def test_what_cannot_be_posed_is_refused_and_changes_nothing(session, command):
    before = shown(session)
    with pytest.raises(InputError):
        perform(session, command)
    assert session.document.edits is None
    assert not session.history.past
    np.testing.assert_array_equal(shown(session), before)


# Strokes


def arm_line(session, time=0.0):
    return [tuple(place(session, name, time)) for name in ("LeftArm", "LeftForeArm", "LeftHand", "LeftHandMiddle1")]


def lifted(line):
    """The same line turned up about its start."""
    start = np.array(line[0])
    return [tuple(start + np.linalg.norm(np.array(at) - start) * np.array([0.6, 0.8, 0.0])) for at in line]


def test_the_arm_goes_over_to_the_second_stroke_as_the_engine_has_it(session):
    before, line = session.transport.source.sample(0.4), arm_line(session, 0.4)
    command = say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.4, ranges=False)
    perform(session, command)
    strokes = [Stroke.from_samples(np.array(one)) for one in (line, lifted(line))]
    wanted = posed_by_strokes(session.character.skeleton, before, strokes[0], offset=strokes[1], radius=0.05)
    np.testing.assert_allclose(shown(session, 0.4), wanted.world_from_joint, atol=1e-9)
    assert np.linalg.norm(place(session, "LeftHand", 0.4) - lifted(line)[2]) < 0.02
    assert session.document.step == "Pose by strokes"
    (told,) = state_of(session, 1).edits.pose_strokes
    assert (told.pose, told.time) == ("Drawn pose", 0.4)
    np.testing.assert_allclose(told.offset[0], line[0], atol=1e-4)
    perform(session, say.Undo(2))
    assert shown(session, 0.4).tobytes() == before.world_from_joint.tobytes()


def test_joints_are_taken_in_and_out_by_hand(session):
    """Named joints go over instead of those near the line, and what was drawn follows when they change."""
    line = arm_line(session)
    perform(session, say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.0, ranges=False))
    with_hand = shown(session)
    upper = [joint(session, name) for name in ("LeftArm", "LeftForeArm")]
    again = {"radius": 0.05, "time": 0.0, "ranges": False}
    perform(session, say.MovePoseLine(2, "Drawn pose", (0.0, 0.0, 0.0), joints=upper, **again))
    without = shown(session)
    np.testing.assert_allclose(without[upper, :3, 3], with_hand[upper, :3, 3], atol=1e-6)
    hand = joint(session, "LeftHand")
    assert np.linalg.norm(without[hand, :3, 3] - with_hand[hand, :3, 3]) > 0.01
    perform(session, say.MovePoseLine(3, "Drawn pose", (0.0, 0.0, 0.0), **again))
    np.testing.assert_allclose(shown(session), with_hand, atol=1e-9)
    with pytest.raises(InputError):
        perform(session, say.MovePoseLine(4, "Drawn pose", (0.0, 0.0, 0.0), joints=[999], **again))


def test_the_second_stroke_is_drawn_again_and_pulled_by_its_knots(session):
    line = arm_line(session)
    perform(session, say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.0))
    once = shown(session)
    ahead = [tuple(np.array(at) + np.array([0.0, 0.0, 0.5 * n])) for n, at in enumerate(line)]
    perform(session, say.PoseByStrokes(2, line, ahead, radius=0.05, time=0.0, again="Drawn pose", done=False))
    assert np.abs(shown(session) - once).max() > 0.1
    perform(session, say.PoseByStrokes(3, line, lifted(line), radius=0.05, time=0.0, again="Drawn pose"))
    np.testing.assert_allclose(shown(session), once, atol=1e-9)
    assert [layer.name for layer in session.document.edits.layers] == ["Drawn pose"]
    (told,) = state_of(session, 1).edits.pose_strokes
    last = len(told.knots) - 1
    to = tuple(np.array(told.knots[last]) + np.array([0.0, 0.0, 0.3]))
    perform(session, say.PullPoseKnot(4, "Drawn pose", last, to, radius=0.05, time=0.0))
    assert place(session, "LeftHand")[2] > once[joint(session, "LeftHand"), 2, 3] + 0.1
    assert session.document.step == "Pull Drawn pose"
    pulled = drawn_lines(session.document.edits, "Drawn pose").offset.knots
    for part in (0.5, 1.0):  # from where it was, however often it is said on the way
        by = (0.0, -0.1 * part, 0.05 * part)
        perform(session, say.MovePoseLine(5, "Drawn pose", by, radius=0.05, time=0.0, done=part == 1.0))
    moved = drawn_lines(session.document.edits, "Drawn pose").offset.knots
    np.testing.assert_allclose(moved - pulled, np.tile([0.0, -0.1, 0.05], (len(pulled), 1)), atol=1e-12)
    assert session.document.step == "Move Drawn pose"
    perform(session, say.TurnJoint(6, joint(session, "Head"), (0.0, 1.0, 0.0), 0.3, time=0.0))
    assert list(poses(session)) == ["Drawn pose", "Pose"]  # hands leave what was drawn alone


def test_a_part_of_the_second_stroke_is_drawn_anew_and_a_knot_taken_away(session):
    line = arm_line(session)
    perform(session, say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.0))
    before = drawn_lines(session.document.edits, "Drawn pose").offset
    end = np.array(lifted(line)[-1])
    part = [tuple(before.at(0.6)), tuple(np.add(end, (0.06, 0.08, 0.1)))]
    perform(session, say.PoseByStrokes(2, line, part, radius=0.05, time=0.0, again="Drawn pose", part=True))
    after = drawn_lines(session.document.edits, "Drawn pose").offset
    np.testing.assert_allclose(after.knots[0], before.knots[0], atol=1e-9)
    np.testing.assert_allclose(after.knots[-1], part[-1], atol=1e-9)
    count = len(after.knots)
    perform(session, say.DeletePoseKnot(3, "Drawn pose", 1, radius=0.05, time=0.0))
    assert len(drawn_lines(session.document.edits, "Drawn pose").offset.knots) == count - 1
    assert session.document.step == "Delete knot"


def test_bones_stretch_to_a_longer_line_if_they_may(session):
    line = arm_line(session)
    start = np.array(line[0])
    longer = [tuple(start + 1.4 * (np.array(at) - start)) for at in line]
    perform(session, say.PoseByStrokes(1, line, longer, radius=0.05, time=0.0, ranges=False))
    short = np.linalg.norm(place(session, "LeftHand") - longer[2])
    perform(
        session,
        say.PoseByStrokes(2, line, longer, radius=0.05, time=0.0, again="Drawn pose", stretch=2.0, ranges=False),
    )
    assert np.linalg.norm(place(session, "LeftHand") - longer[2]) < 0.02 < short


def test_a_joint_turns_no_farther_than_its_limit(session):
    line, arm = arm_line(session), joint(session, "LeftArm")
    rest = session.character.skeleton.world_from_joint

    def angle():
        turned = shown(session)[:, :3, :3] @ np.swapaxes(rest[:, :3, :3], 1, 2)
        above = turned[session.character.skeleton.parents[arm]]
        return float(np.arccos(np.clip((np.trace(above.T @ turned[arm]) - 1.0) / 2.0, -1.0, 1.0)))

    before = angle()
    perform(session, say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.0))
    free = angle()
    limit = before + 0.4 * (free - before)
    perform(session, say.Undo(2))
    perform(session, say.PoseByStrokes(3, line, lifted(line), radius=0.05, time=0.0, limits=[(arm, limit)]))
    assert before < angle() < limit + 1e-3 < free


def test_a_line_of_action_bends_the_body_over_pinned_feet(session):
    names = ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")
    line = [tuple(place(session, name)) for name in names]
    bent = [tuple(np.array(at) + np.array([0.15 * n * n / 5.0, 0.0, 0.0])) for n, at in enumerate(line)]
    feet = [joint(session, name) for name in ("LeftFoot", "RightFoot")]
    before = shown(session)
    perform(session, say.PoseByStrokes(1, line, bent, radius=0.05, time=0.0, pins=feet))
    after = shown(session)
    assert place(session, "Head")[0] - before[joint(session, "Head"), 0, 3] > 0.2
    assert np.linalg.norm(after[feet, :3, 3] - before[feet, :3, 3], axis=1).max() < 1e-3


def test_drawn_poses_can_be_keys_too(session):
    for seq, time in enumerate((0.2, 0.7)):
        line = arm_line(session, time)
        perform(session, say.PoseByStrokes(seq, line, lifted(line), radius=0.05, time=time, key=True))
        assert np.linalg.norm(place(session, "LeftHand", time) - lifted(line)[2]) < 0.02
    (layer,) = session.document.edits.layers
    assert [key.time for key in layer.keys] == [0.2, 0.7]


def test_strokes_that_pose_nothing_are_refused(session):
    line = arm_line(session)
    away = [tuple(np.array(at) + np.array([5.0, 0.0, 0.0])) for at in line]
    for command in (
        say.PoseByStrokes(1, away, line, radius=0.05, time=0.0),
        say.PoseByStrokes(1, [line[0], line[0]], line, radius=0.05, time=0.0),
        say.PoseByStrokes(1, line, lifted(line), radius=0.05, time=0.0, again="nobody"),
        say.PullPoseKnot(1, "nobody", 0, line[0], radius=0.05, time=0.0),
        say.MovePoseLine(1, "nobody", line[0], radius=0.05, time=0.0),
    ):
        with pytest.raises(InputError):
            perform(session, command)
    assert session.document.edits is None


# Muscles


def test_muscles_go_limp_on_a_click_and_on_another_one_they_do_not():
    session = session_of(skin="contact")
    arm = joint(session, "LeftArm")

    def strength():
        return str(session.document.skins[0].stages[-1].work.muscles.strength)

    perform(session, say.Limp(1, arm))
    assert (strength(), session.document.step) == ("0.7, LeftArm=0", "Limp left arm")
    perform(session, say.Limp(2, joint(session, "LeftHand")))
    assert (strength(), session.document.step) == ("0.7", "Tense left hand")
    perform(session, say.Limp(3))
    assert (strength(), session.document.step) == ("0", "Limp all")
    perform(session, say.Undo(4))
    assert strength() == "0.7"
    with pytest.raises(InputError):
        perform(session, say.Limp(5, 9999))
    session.close()


def test_skins_without_muscles_do_not_go_limp(session):
    with pytest.raises(InputError, match="muscles"):
        perform(session, say.Limp(1, 0))
    assert not session.history.past
