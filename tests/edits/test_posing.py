"""Posing by hand: joints come to where they are led, pins hold, ranges bind, and layers give back what was posed."""

import itertools

import numpy as np
import pytest

import supple
from supple.edits import Edits, Layer, PoseEdit
from supple.edits.posing import JointRanges, bone_stretch, hold, keyed_slot, new_slot, reach, stretch_bone
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin import motion
from supple.motion.pose import Pose
from supple.motion.relative import rotation_vectors

FEET = ("LeftFoot", "RightFoot")


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=800)


@pytest.fixture(scope="module")
def skeleton(hero):
    return hero.skeleton


@pytest.fixture(scope="module")
def walk(hero):
    return motion("walk", hero)


@pytest.fixture(scope="module")
def ranges(skeleton, walk):
    return JointRanges.from_names(skeleton, [walk.sample(time) for time in np.linspace(0.0, walk.duration, 24)])


def head(skeleton, pose, name):
    return pose.world_from_joint[skeleton.index(name), :3, 3]


def apart(skeleton, one, other, name):
    return float(np.linalg.norm(head(skeleton, one, name) - head(skeleton, other, name)))


def bones(skeleton, pose):
    heads = pose.world_from_joint[:, :3, 3]
    hung = np.flatnonzero(skeleton.parents >= 0)
    return np.linalg.norm(heads[hung] - heads[skeleton.parents[hung]], axis=1)


def fold(skeleton, pose, name, axis):
    """How far a joint is turned from rest about an axis [rad], and aside from it."""
    rotations = pose.skinning(skeleton)[:, :3, :3]
    joint = skeleton.index(name)
    relative = rotations[skeleton.parents[joint]].T @ rotations[joint]
    vector = rotation_vectors(quaternions.quat_from_matrix(relative))
    return float(vector @ axis), float(np.linalg.norm(vector - (vector @ axis) * axis))


@pytest.mark.parametrize("bound", [False, True])
def test_a_hand_comes_to_any_place_in_reach_and_only_its_arm_moves(skeleton, walk, ranges, bound):
    pose, random = walk.sample(0.4), np.random.default_rng(3)
    arm = [skeleton.index(name) for name in ("LeftShoulder", "LeftArm", "LeftForeArm")]
    moved = np.unique(np.concatenate([skeleton.descendants(joint) for joint in arm]))
    others = np.setdiff1d(np.arange(len(skeleton)), moved)
    for _ in range(12):
        away = random.normal(size=3) + np.array([0.0, 0.0, 1.0])
        goal = head(skeleton, pose, "LeftArm") + random.uniform(0.2, 0.45) * away / np.linalg.norm(away)
        led = reach(skeleton, pose, {"LeftHand": goal}, ranges=ranges if bound else None)
        np.testing.assert_allclose(head(skeleton, led, "LeftHand"), goal, atol=1e-3)
        np.testing.assert_allclose(bones(skeleton, led), bones(skeleton, pose), rtol=1e-9)
        np.testing.assert_array_equal(led.world_from_joint[others], pose.world_from_joint[others])


def test_out_of_reach_the_arm_is_stretched_towards_the_goal(skeleton, walk):
    pose = walk.sample(0.4)
    shoulder = head(skeleton, pose, "LeftShoulder")
    led = reach(skeleton, pose, {"LeftHand": shoulder + np.array([2.0, 0.0, 2.0])})
    chain = [head(skeleton, led, name) for name in ("LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand")]
    whole = sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(chain))
    along = chain[-1] - chain[0]
    assert np.linalg.norm(along) > 0.995 * whole
    assert along @ [1.0, 0.0, 1.0] > 0.995 * np.sqrt(2.0) * np.linalg.norm(along)


def test_a_straight_arm_can_be_shortened(skeleton):
    rest = Pose.rest(skeleton)
    hand, shoulder = head(skeleton, rest, "LeftHand"), head(skeleton, rest, "LeftArm")
    goal = shoulder + 0.6 * (hand - shoulder)
    led = reach(skeleton, rest, {"LeftHand": goal})
    np.testing.assert_allclose(head(skeleton, led, "LeftHand"), goal, atol=1e-3)


@pytest.mark.parametrize(
    ("led", "way"),
    [
        ("Hips", (0.1, -0.25, 0.1)),
        ("Hips", (0.0, 0.5, 0.0)),
        ("Spine2", (0, 0.1, 0.2)),
        ("LeftHand", (0.5, -0.5, 1.0)),
        ("LeftUpLeg", (0.1, 0.1, 0.0)),
    ],
)
@pytest.mark.parametrize("start", ["walk", "rest"])
def test_pinned_feet_stay_where_and_as_they_are(skeleton, walk, ranges, led, way, start):
    pose = walk.sample(0.4) if start == "walk" else Pose.rest(skeleton)
    goal = head(skeleton, pose, led) + way
    after = reach(skeleton, pose, {led: goal}, pins=FEET, ranges=ranges)
    for foot in FEET:
        assert apart(skeleton, after, pose, foot) < 1e-3
        joint = skeleton.index(foot)
        turned = after.world_from_joint[joint, :3, :3] @ pose.world_from_joint[joint, :3, :3].T
        np.testing.assert_allclose(turned, np.eye(3), atol=1e-6)
    assert np.linalg.norm(head(skeleton, after, led) - goal) < np.linalg.norm(head(skeleton, pose, led) - goal)
    np.testing.assert_allclose(bones(skeleton, after), bones(skeleton, pose), rtol=1e-9)


def test_hips_sink_between_pinned_feet_as_far_as_they_are_led(skeleton, ranges):
    rest = Pose.rest(skeleton)
    goal = head(skeleton, rest, "Hips") + np.array([0.0, -0.3, 0.0])
    after = reach(skeleton, rest, {"Hips": goal}, pins=FEET, ranges=ranges)
    np.testing.assert_allclose(head(skeleton, after, "Hips"), goal, atol=1e-3)
    knee = head(skeleton, after, "LeftLeg") - head(skeleton, rest, "LeftLeg")
    assert knee[2] > 0.05  # forward, not back


def test_without_pins_a_root_takes_all_along(skeleton, walk):
    pose = walk.sample(0.4)
    after = reach(skeleton, pose, {"Hips": head(skeleton, pose, "Hips") + np.array([0.2, 0.1, 0.0])})
    moved = after.world_from_joint[:, :3, 3] - pose.world_from_joint[:, :3, 3]
    np.testing.assert_allclose(moved, np.tile([0.2, 0.1, 0.0], (len(skeleton), 1)), atol=1e-4)


def test_the_lowest_joint_of_a_spine_takes_the_body_along_and_turns_nothing(skeleton, walk):
    pose, down = walk.sample(0.3), np.array([0.05, -0.25, 0.0])
    lowest = "Spine"
    assert skeleton.parents[skeleton.parents[skeleton.index(lowest)]] < 0
    posed = reach(skeleton, pose, {lowest: head(skeleton, pose, lowest) + down})
    moved = posed.world_from_joint - pose.world_from_joint
    np.testing.assert_allclose(moved[:, :3, 3], np.tile(down, (len(skeleton), 1)), atol=1e-3)
    np.testing.assert_allclose(moved[:, :3, :3], 0.0, atol=1e-9)
    squat = reach(skeleton, pose, {lowest: head(skeleton, pose, lowest) + down}, pins=FEET)
    for foot in FEET:
        np.testing.assert_allclose(head(skeleton, squat, foot), head(skeleton, pose, foot), atol=1e-3)


def test_a_pin_above_lets_nothing_before_it_move(skeleton, walk):
    pose = walk.sample(0.4)
    goal = head(skeleton, pose, "LeftHand") + np.array([0.0, 0.3, 0.3])
    free = reach(skeleton, pose, {"LeftHand": goal})
    pinned = reach(skeleton, pose, {"LeftHand": goal}, pins=["LeftArm"])
    assert apart(skeleton, free, pose, "LeftArm") > 1e-3
    assert apart(skeleton, pinned, pose, "LeftArm") < 1e-9


def test_elbows_fold_about_their_axis_and_not_backwards(skeleton, walk, ranges):
    assert set(ranges.axes) == {"LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"}
    pose = Pose.rest(skeleton)
    axis = ranges.axes["LeftForeArm"]
    low, high = ranges.spans["LeftForeArm"]
    random, out = np.random.default_rng(1), 0
    for _ in range(10):
        goal = head(skeleton, pose, "LeftArm") + random.uniform(-0.4, 0.4, 3)
        within = reach(skeleton, pose, {"LeftHand": goal}, ranges=ranges)
        angle, aside = fold(skeleton, within, "LeftForeArm", axis)
        assert low - 1e-6 <= angle <= high + 1e-6
        assert aside < 1e-6
        angle, aside = fold(skeleton, reach(skeleton, pose, {"LeftHand": goal}), "LeftForeArm", axis)
        out += angle < low or aside > 0.1
    assert out > 0


def test_a_span_bounds_how_far_any_joint_turns(skeleton):
    rest = Pose.rest(skeleton)
    goal = head(skeleton, rest, "Head") + np.array([0.5, -0.2, 0.0])
    stiff = JointRanges(spans=dict.fromkeys(("Neck", "Neck1"), (-0.1, 0.1)))
    after = reach(skeleton, rest, {"Head": goal}, ranges=stiff)
    free = reach(skeleton, rest, {"Head": goal})
    for name, most in (("Neck", 0.1), ("Neck1", 0.1)):
        joint = skeleton.index(name)
        turned = [pose.skinning(skeleton)[:, :3, :3] for pose in (after, free)]
        angles = [np.arccos((np.trace(one[skeleton.parents[joint]].T @ one[joint]) - 1.0) / 2.0) for one in turned]
        assert angles[0] < most + 1e-6
        assert angles[1] > most


def test_what_was_posed_otherwise_gives_pins_their_places_back(skeleton, walk):
    pose = walk.sample(0.4)
    bent = PoseEdit({"Hips": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.3)}).on(skeleton, pose)
    assert apart(skeleton, bent, pose, "LeftFoot") > 0.05
    held = hold(skeleton, pose, bent, pins=FEET)
    assert max(apart(skeleton, held, pose, foot) for foot in FEET) < 1e-3
    np.testing.assert_array_equal(hold(skeleton, pose, bent, pins=[]).world_from_joint, bent.world_from_joint)


def test_goals_that_are_none_are_refused(skeleton):
    rest = Pose.rest(skeleton)
    for goals in ({}, {"Nose": (0, 0, 0)}, {"LeftHand": (np.nan, 0, 0)}, {"LeftHand": (0, 0)}):
        with pytest.raises(InputError):
            reach(skeleton, rest, goals)
    with pytest.raises(InputError):
        reach(skeleton, rest, {"LeftHand": (0, 0, 0)}, pins=["Nose"])
    with pytest.raises(InputError):
        JointRanges(axes={"LeftLeg": (0, 0, 0)})
    with pytest.raises(InputError):
        JointRanges(spans={"LeftLeg": (0.1, 1.0)})


def test_a_bone_is_stretched_and_what_hangs_on_it_goes_along(skeleton, walk):
    pose = walk.sample(0.4)
    longer = stretch_bone(skeleton, pose, "LeftArm", 1.5)
    assert bone_stretch(skeleton, longer, "LeftArm") == pytest.approx(1.5)
    move = head(skeleton, longer, "LeftForeArm") - head(skeleton, pose, "LeftForeArm")
    half = 0.5 * (head(skeleton, pose, "LeftForeArm") - head(skeleton, pose, "LeftArm"))
    np.testing.assert_allclose(move, half, atol=1e-9)
    np.testing.assert_allclose(head(skeleton, longer, "LeftHand") - head(skeleton, pose, "LeftHand"), half, atol=1e-9)
    again = stretch_bone(skeleton, longer, "LeftArm", 1.0)
    np.testing.assert_allclose(again.world_from_joint, pose.world_from_joint, atol=1e-9)
    for stretch in (0.0, 100.0, np.nan):
        with pytest.raises(InputError):
            stretch_bone(skeleton, pose, "LeftArm", stretch)
    with pytest.raises(InputError):
        stretch_bone(skeleton, pose, "Head" if not len(skeleton.children(skeleton.index("Head"))) else "LeftToeBase", 2)


def test_a_layer_gives_back_what_was_posed_between_other_layers(hero, skeleton, walk):
    random = np.random.default_rng(5)
    edits = Edits.of(hero)
    for name in ("below", "above"):
        turns = {joint: quaternions.normalize(random.normal(size=4)) for joint in ("LeftArm", "Spine", "Head")}
        edits = edits.with_pose(name, PoseEdit(turns, {"Hips": random.normal(size=3)}))
    edits = edits.with_layer(Layer.still("below", "below", amount=0.7))
    slot = new_slot(edits, "Pose")
    edits = slot.edits.with_layer(Layer.still("above", "above", amount=-0.4))
    slot = type(slot)(edits, slot.layer, slot.use)
    plain = walk.sample(0.4)
    posed = reach(skeleton, edits.on_pose(skeleton, plain, 0.4), {"LeftHand": (0.3, 1.2, 0.8)})
    made = slot.posed(skeleton, plain, posed, 0.4)
    np.testing.assert_allclose(made.on_pose(skeleton, plain, 0.4).world_from_joint, posed.world_from_joint, atol=1e-9)
    assert [layer.name for layer in made.layers] == ["below", "Pose", "above"]


def test_keys_of_a_layer_have_poses_of_their_own(hero, skeleton, walk):
    first = new_slot(Edits.of(hero), "Pose", time=0.2)
    goals = {0.2: (0.3, 1.2, 0.8), 0.8: (0.5, 1.5, 0.9)}
    edits = first.posed(skeleton, walk.sample(0.2), reach(skeleton, walk.sample(0.2), {"LeftHand": goals[0.2]}), 0.2)
    second = keyed_slot(edits, edits.layers[0], 0.8)
    assert second.use == "Pose key"
    posed = reach(skeleton, edits.on_pose(skeleton, walk.sample(0.8), 0.8), {"LeftHand": goals[0.8]})
    edits = second.posed(skeleton, walk.sample(0.8), posed, 0.8)
    assert keyed_slot(edits, edits.layers[0], 0.8).use == second.use
    for time, goal in goals.items():
        shown = edits.on_pose(skeleton, walk.sample(time), time)
        np.testing.assert_allclose(head(skeleton, shown, "LeftHand"), goal, atol=1e-3)


def test_a_pose_that_does_not_show_cannot_be_posed(hero, skeleton, walk):
    slot = new_slot(Edits.of(hero), "Pose")
    muted = slot.edits.with_layer(Layer(name="Pose", keys=slot.edits.layers[0].keys, mute=True))
    with pytest.raises(InputError, match="cannot be posed"):
        type(slot)(muted, slot.layer, slot.use).posed(skeleton, walk.sample(0.0), walk.sample(0.1), 0.0)
