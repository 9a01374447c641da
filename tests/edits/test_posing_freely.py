"""Posing strokes that stretch and twist bones, pins that hold, and ranges kept in the character."""

from functools import cache

import numpy as np
import pytest

import supple
from supple.character.skeleton import Skeleton
from supple.edits.posing import DrawnPose, JointRanges
from supple.edits.strokes import Stroke, posed_by_strokes
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.relative import rotation_vectors

ARM = ("LeftArm", "LeftForeArm", "LeftHand")


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1000)


@pytest.fixture(scope="module")
def arm(hero):
    return [hero.skeleton.heads[hero.skeleton.index(name)] for name in ARM]


def places(hero, pose, names=ARM):
    return pose.world_from_joint[[hero.skeleton.index(name) for name in names], :3, 3]


def lengths(points):
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def test_joints_that_are_named_go_over_and_no_others(hero, arm):
    rest, baseline = supple.Pose.rest(hero.skeleton), Stroke.from_samples(arm)
    lifted = Stroke.from_samples([arm[0] + np.linalg.norm(place - arm[0]) * np.array([0.6, 0.8, 0.0]) for place in arm])

    def posed(**how):
        return posed_by_strokes(hero.skeleton, rest, baseline, offset=lifted, **how)

    named = posed(joints=ARM)
    np.testing.assert_array_equal(named.world_from_joint, posed(radius=0.03).world_from_joint)
    upper = places(hero, posed(joints=ARM[:2]))
    np.testing.assert_allclose(upper[:2], places(hero, named)[:2], atol=1e-6)
    assert np.linalg.norm(upper[2] - places(hero, named)[2]) > 0.01  # the hand goes where its arm takes it
    far = posed(joints=["RightArm", "RightForeArm", "RightHand"])  # nowhere near the line, and taken all the same
    assert np.abs(far.world_from_joint - rest.world_from_joint).max() > 0.1
    for strange in ([], ["nobody"]):
        with pytest.raises(InputError):
            posed(joints=strange)


def test_an_arm_stretches_along_a_longer_line_as_far_as_it_may(hero, arm):
    rest, baseline = supple.Pose.rest(hero.skeleton), Stroke.from_samples(arm)
    longer = Stroke.from_samples([arm[0] + 1.6 * (place - arm[0]) for place in arm])
    keep, grow, some = (
        posed_by_strokes(hero.skeleton, rest, baseline, offset=longer, radius=0.03, stretch=stretch)
        for stretch in (1.0, 2.0, 1.2)
    )
    assert np.allclose(lengths(places(hero, keep)), lengths(np.array(arm)))
    assert np.allclose(lengths(places(hero, grow)), 1.6 * lengths(np.array(arm)), rtol=0.02)
    assert np.allclose(lengths(places(hero, some)), 1.2 * lengths(np.array(arm)), rtol=1e-6)
    one = posed_by_strokes(hero.skeleton, rest, baseline, offset=longer, radius=0.03, stretch={"LeftArm": 2.0})
    assert lengths(places(hero, one))[0] > 1.5 * lengths(np.array(arm))[0]
    assert np.isclose(lengths(places(hero, one))[1], lengths(np.array(arm))[1])
    with pytest.raises(InputError, match="stretch of"):
        posed_by_strokes(hero.skeleton, rest, baseline, offset=longer, radius=0.03, stretch=0.5)


def test_a_line_that_winds_twists_the_bones_along_it(hero, arm):
    """Frames of a helix turn about its axis: its last joint takes all of the turn, which only `twist` shows."""
    rest, baseline = supple.Pose.rest(hero.skeleton), Stroke.from_samples(arm)
    share = np.linspace(0.0, 1.0, 60)
    straight = arm[0] + share[:, None] * (arm[2] - arm[0])
    across, other = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    wound = Stroke.from_samples(
        straight + 0.06 * (np.sin(9.0 * share)[:, None] * across + (np.cos(9.0 * share) - 1.0)[:, None] * other)
    )
    hand = hero.skeleton.index("LeftHand")
    plain, twisted = (
        posed_by_strokes(hero.skeleton, rest, baseline, offset=wound, radius=0.03, twist=twist)
        for twist in (False, True)
    )
    turn = plain.world_from_joint[hand, :3, :3].T @ twisted.world_from_joint[hand, :3, :3]
    assert np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0)) > 0.3
    assert np.allclose(places(hero, plain), places(hero, twisted), atol=1e-6)  # bones still point the same way
    same = posed_by_strokes(hero.skeleton, rest, baseline, offset=baseline, radius=0.03, twist=True, stretch=3.0)
    assert np.allclose(same.world_from_joint, rest.world_from_joint, atol=1e-6)


def test_limits_hold_twists_too(hero, arm):
    rest, baseline = supple.Pose.rest(hero.skeleton), Stroke.from_samples(arm)
    up = Stroke.from_samples([arm[0], arm[0] + [0.05, 0.2, 0.1], arm[0] + [0.0, 0.4, 0.3]])
    names = hero.skeleton.names
    posed = posed_by_strokes(
        hero.skeleton, rest, baseline, offset=up, radius=0.03, twist=True, limits=dict.fromkeys(ARM, 0.4)
    )
    for name in ARM:
        joint = names.index(name)
        parent = hero.skeleton.parents[joint]
        local = np.linalg.solve(posed.world_from_joint[parent], posed.world_from_joint[joint])[:3, :3]
        turn = hero.skeleton.parent_from_joint[joint, :3, :3].T @ local
        assert np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0)) < 0.4 + 1e-6


def test_bending_a_neck_leaves_pinned_feet_where_they_are():
    """The line begins at the chest, on which the front legs hang: without pins they swing."""
    animal = supple.character("quadruped", vertices=1000)
    skeleton, rest = animal.skeleton, supple.Pose.rest(animal.skeleton)
    names = skeleton.names
    last = ~np.isin(np.arange(len(skeleton)), skeleton.parents)
    feet = [names[joint] for joint in np.flatnonzero(last & (skeleton.heads[:, 1] < 0.3 * animal.size[1]))]
    assert len(feet) >= 4
    head = names.index("Head")
    up = [head]
    while skeleton.parents[up[-1]] >= 0 and len(up) < 5:
        up.append(int(skeleton.parents[up[-1]]))
    line = skeleton.heads[up[::-1]]
    lowered = line + np.linspace(0.0, 1.0, len(line))[:, None] ** 2 * np.array([0.15, -0.35, 0.0])
    drawn = DrawnPose.from_lines(line, lowered, 0.0)
    where = [names.index(name) for name in feet]
    free = drawn.on(skeleton, rest, radius=0.02)
    held = drawn.on(skeleton, rest, radius=0.02, pins=feet)

    def off(pose):
        return np.linalg.norm(pose.world_from_joint[where, :3, 3] - rest.world_from_joint[where, :3, 3], axis=1).max()

    assert off(free) > 0.02
    assert off(held) < 1e-3
    moved = held.world_from_joint[head, :3, 3] - rest.world_from_joint[head, :3, 3]
    assert moved[1] < -0.1


def test_ranges_are_kept_in_the_character(hero):
    ranges = JointRanges({"LeftForeArm": np.array([0.0, 2.0, 0.0])}, {"LeftForeArm": (0.0, 1.5), "Head": (-0.5, 0.5)})
    kept = JointRanges.of(ranges.kept_in(hero))
    assert dict(kept.spans) == dict(ranges.spans)
    assert np.allclose(kept.axes["LeftForeArm"], [0.0, 1.0, 0.0])
    by_anatomy = {name: limit for name, limit in hero.joint_limits.items() if limit.kind == "hinge"}
    assert set(JointRanges.of(hero).axes) == set(by_anatomy)
    assert {"LeftForeArm", "RightForeArm", "LeftLeg", "RightLeg"} <= set(by_anatomy)
    with pytest.raises(InputError, match="Tentacle"):
        JointRanges({}, {"Tentacle": (0.0, 1.0)}).kept_in(hero)


def without_names(character):
    """The same character, whose joints are called by numbers."""
    skeleton = character.skeleton
    names = [f"joint{number}" for number in range(len(skeleton))]
    return character.replace(skeleton=Skeleton(names, skeleton.parents, skeleton.world_from_joint))


def drawn_leg(character, shin, *, ranges):
    """The pose in which the left shin of a hero was drawn along a direction, and how far the knee is folded [rad]."""
    hip, knee, foot = (small_hero().skeleton.index(f"Left{part}") for part in ("UpLeg", "Leg", "Foot"))
    skeleton, rest = character.skeleton, supple.Pose.rest(character.skeleton)
    line = skeleton.heads[[hip, knee, foot]]
    length = np.linalg.norm(line[2] - line[1])
    offset = np.stack([line[0], line[1], line[1] + length * quaternions.normalize(np.array(shin))])
    drawn = DrawnPose.from_lines(line, offset, 0.0)
    posed = drawn.on(skeleton, rest, radius=0.02, ranges=ranges)
    axis = JointRanges.of(character).axes[skeleton.names[knee]]
    rotations = posed.skinning(skeleton)[:, :3, :3]
    vector = rotation_vectors(quaternions.quat_from_matrix(rotations[hip].T @ rotations[knee]))
    shown = posed.world_from_joint[foot, :3, 3] - posed.world_from_joint[knee, :3, 3]
    return float(vector @ axis), float(np.linalg.norm(vector - (vector @ axis) * axis)), shown / length


@cache
def small_hero():
    return supple.character("hero", vertices=800)


@pytest.mark.parametrize("named", [True, False], ids=["by names", "by shape"])
def test_a_knee_that_is_drawn_folds_its_own_way_only(named):
    character = small_hero() if named else without_names(small_hero())
    ranges = JointRanges.of(character)
    low = ranges.spans[character.skeleton.names[small_hero().skeleton.index("LeftLeg")]][0]
    back = [0.0, -0.3, -1.0]
    angle, aside, shown = drawn_leg(character, back, ranges=ranges)
    assert angle > 0.9
    assert aside < 1e-6
    assert shown @ quaternions.normalize(np.array(back)) > 0.98
    forwards = [0.0, -0.3, 1.0]
    angle, aside, shown = drawn_leg(character, forwards, ranges=ranges)
    assert low - 1e-6 <= angle < 0.05
    assert aside < 1e-6
    angle, _, shown = drawn_leg(character, forwards, ranges=None)
    assert angle < -0.9  # without ranges it bends as it is drawn


def test_a_thigh_turns_about_itself_for_a_knee_that_is_drawn_aside():
    hero = small_hero()
    aside = [0.5, -0.3, -0.8]
    angle, off, shown = drawn_leg(hero, aside, ranges=JointRanges.of(hero))
    assert angle > 0.8
    assert off < 1e-6
    assert shown @ quaternions.normalize(np.array(aside)) > 0.98


def test_legs_of_an_animal_without_names_fold_as_they_are_bent_at_rest():
    """Lines that fold every hinge of a quadruped the wrong way by a radian leave it where it may be."""
    animal = without_names(supple.character("quadruped", vertices=1000))
    skeleton, rest, ranges = animal.skeleton, supple.Pose.rest(animal.skeleton), JointRanges.of(animal)
    tried = 0
    for name, axis in ranges.axes.items():
        joint = skeleton.index(name)
        ends = skeleton.children(joint)
        if len(ends) != 1 or skeleton.parents[joint] < 0:
            continue
        line = skeleton.heads[[skeleton.parents[joint], joint, int(ends[0])]]
        turn = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, ranges.spans[name][0] - 1.0))
        offset = np.stack([*line[:2], line[1] + turn @ (line[2] - line[1])])
        reach = 0.01 * np.linalg.norm(line[2] - line[1])
        posed = posed_by_strokes(
            skeleton,
            rest,
            Stroke.from_samples(line),
            offset=Stroke.from_samples(offset),
            radius=reach,
            hinges=ranges.hinges,
        )
        rotations = posed.skinning(skeleton)[:, :3, :3]
        vector = rotation_vectors(quaternions.quat_from_matrix(rotations[skeleton.parents[joint]].T @ rotations[joint]))
        assert vector @ axis > ranges.spans[name][0] - 1e-6
        tried += 1
    assert tried >= 4
