"""Posing strokes that stretch and twist bones, pins that hold, and ranges kept in the character."""

import numpy as np
import pytest

import supple
from supple.edits.posing import DrawnPose, JointRanges
from supple.edits.strokes import Stroke, posed_by_strokes
from supple.errors import InputError

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
    by_names = JointRanges.from_names(hero.skeleton)
    assert JointRanges.of(hero).spans == by_names.spans
    with pytest.raises(InputError, match="Tentacle"):
        JointRanges({}, {"Tentacle": (0.0, 1.0)}).kept_in(hero)
