"""The built-in motions obey what bodies obey: bones keep their length, feet stay put, knees bend forward."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from supple.character.builtin.skeletons import hero_skeleton, quadruped_skeleton, snake_skeleton
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin import MOTIONS, motion
from supple.motion.motion import Motion

HUMAN = ("walk", "run-and-stop", "kick", "jump", "wave", "breathing", "dance")
BODIES = ("hero", "with fingers", "arms level", "half as tall", "three times as tall", "few joints", "own axes")
SIDES = ("Left", "Right")
TORSO = 0.17  # [m], half the width of the hero's belly


@cache
def body(kind: str) -> Skeleton:
    hero = hero_skeleton(fingers=kind == "with fingers")
    if kind == "arms level":
        return arms_level(hero)
    if kind in ("half as tall", "three times as tall"):
        return scaled(hero, 0.5 if kind == "half as tall" else 3.0)
    if kind == "few joints":
        dropped = ("Spine1", "Spine2", "Neck", "Neck1", "Shoulder", "HandMiddle1", "ToeBase")
        return without(
            hero, [name for name in hero.names if name.removeprefix("Left").removeprefix("Right") in dropped]
        )
    if kind == "own axes":
        world = hero.world_from_joint.copy()
        for joint in range(len(hero)):
            rotation = quaternions.quat_from_axis_angle([1.0, joint - 4.0, 2.0], 0.3 + 0.4 * joint)
            world[joint, :3, :3] = quaternions.matrix_from_quat(rotation)
        return Skeleton(hero.names, hero.parents, world, tails=hero.tails)
    return hero


def arms_level(hero: Skeleton) -> Skeleton:
    """The same body resting in a T-pose: every arm turned up about its shoulder."""
    heads, tails = hero.heads.copy(), np.array(hero.tails)
    for side in SIDES:
        start = hero.index(side + "Arm")
        below = hero.descendants(start)
        along = hero.heads[hero.index(side + "Hand")] - hero.heads[start]
        level = [np.sign(along[0]), 0.0, 0.0]
        rotation = quaternions.matrix_from_quat(quaternions.rotation_between(along, level))
        for positions in (heads, tails):
            positions[below] = heads[start] + (positions[below] - hero.heads[start]) @ rotation.T
    return Skeleton.from_heads(hero.names, hero.parents, heads, tails=tails)


def scaled(skeleton: Skeleton, factor: float) -> Skeleton:
    tails = factor * np.asarray(skeleton.tails)
    return Skeleton.from_heads(skeleton.names, skeleton.parents, factor * skeleton.heads, tails=tails)


def without(skeleton: Skeleton, dropped: list[str]) -> Skeleton:
    """The skeleton less some joints; what hung on them hangs on the next joint above."""
    kept = [joint for joint, name in enumerate(skeleton.names) if name not in dropped]
    parents = []
    for joint in kept:
        parent = int(skeleton.parents[joint])
        while parent >= 0 and parent not in kept:
            parent = int(skeleton.parents[parent])
        parents.append(kept.index(parent) if parent >= 0 else -1)
    return Skeleton.from_heads([skeleton.names[joint] for joint in kept], parents, skeleton.heads[kept])


@cache
def played(name: str, kind: str = "hero") -> tuple[Motion, np.ndarray]:
    """A motion and its transforms (F, J, 4, 4); two laps of one that loops."""
    made = motion(name, quadruped_skeleton() if kind == "quadruped" else body(kind))
    frames = (made.frames - 1) * (2 if made.loop else 1) + 1
    return made, np.stack([made.sample(frame / made.fps).world_from_joint for frame in range(frames)])


def positions(name: str, kind: str = "hero") -> tuple[Motion, np.ndarray]:
    made, world = played(name, kind)
    return made, world[:, :, :3, 3]


def path(name: str, joint: str, kind: str = "hero") -> np.ndarray:
    made, where = positions(name, kind)
    return where[:, made.skeleton.index(joint)]


def carried(made: Motion, world: np.ndarray, joint: str, rest_point: np.ndarray) -> np.ndarray:
    """Where a point goes that is fixed to a joint."""
    number = made.skeleton.index(joint)
    rest = made.skeleton.joint_from_world[number] @ np.append(rest_point, 1.0)
    return (world[:, number] @ rest)[:, :3]


def stretches(mask: np.ndarray) -> list[tuple[int, int]]:
    """First and last index of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(start), int(end) - 1) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cosine = np.sum(quaternions.normalize(a) * quaternions.normalize(b), axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@pytest.mark.parametrize("kind", [*BODIES])
@pytest.mark.parametrize("name", HUMAN)
def test_bones_keep_their_length(name: str, kind: str) -> None:
    made, where = positions(name, kind)
    parents = made.skeleton.parents
    hanging = np.flatnonzero(parents >= 0)
    length = np.linalg.norm(where[:, hanging] - where[:, parents[hanging]], axis=-1)
    rest = np.linalg.norm(made.skeleton.heads[hanging] - made.skeleton.heads[parents[hanging]], axis=-1)
    np.testing.assert_allclose(length, np.broadcast_to(rest, length.shape), atol=1e-9)


@pytest.mark.parametrize("kind", ["hero", "arms level", "half as tall", "three times as tall", "own axes"])
@pytest.mark.parametrize("name", HUMAN)
def test_no_sole_goes_below_the_floor(name: str, kind: str) -> None:
    made, world = played(name, kind)
    skeleton = made.skeleton
    for side in SIDES:
        ankle, ball = skeleton.heads[skeleton.index(side + "Foot")], skeleton.heads[skeleton.index(side + "ToeBase")]
        tip = np.asarray(skeleton.tails)[skeleton.index(side + "ToeBase")]
        heel = np.array([ankle[0], 0.0, ankle[2] - 0.4 * (ball[2] - ankle[2])])
        soles = [(side + "Foot", heel), (side + "ToeBase", ball * [1, 0, 1]), (side + "ToeBase", tip * [1, 0, 1])]
        for joint, point in soles:
            assert carried(made, world, joint, point)[:, 1].min() > -1e-3 * max(made.skeleton.heads[0, 1], 1.0)


@pytest.mark.parametrize("kind", ["hero", "arms level", "half as tall", "three times as tall"])
@pytest.mark.parametrize("name", HUMAN)
def test_a_planted_foot_does_not_slide(name: str, kind: str) -> None:
    """The ball of a foot at its rest height carries weight; from then until it rises it stays where it is."""
    made, where = positions(name, kind)
    size = made.skeleton.heads[0, 1] / hero_skeleton().heads[0, 1]
    for side in SIDES:
        ball = made.skeleton.index(side + "ToeBase")
        down = np.abs(where[:, ball, 1] - made.skeleton.heads[ball, 1]) < 1e-3 * size
        contacts = stretches(down)
        assert contacts
        for start, end in contacts:
            moved = np.ptp(where[start : end + 1, ball][:, [0, 2]], axis=0)
            assert np.linalg.norm(moved) < 3e-3 * size


@pytest.mark.parametrize("name", HUMAN)
def test_somebody_always_carries_the_body_or_it_falls_freely(name: str) -> None:
    """While no foot is down, the hips accelerate downward by 9.81 m/s^2 and nothing else."""
    made, where = positions(name)
    balls = [made.skeleton.index(side + "ToeBase") for side in SIDES]
    heels = [made.skeleton.index(side + "Foot") for side in SIDES]
    rest = made.skeleton.heads
    low = np.any(where[:, balls, 1] < rest[balls, 1] + 5e-3, axis=1)
    low |= np.any(where[:, heels, 1] < rest[heels, 1] + 0.02, axis=1)
    flights = [run for run in stretches(~low) if run[1] - run[0] >= 5]
    assert bool(flights) == (name in ("run-and-stop", "jump"))
    for start, end in flights:
        push = np.diff(where[start : end + 1, 0, 1], 2) * made.fps**2
        # Inside the flight; at its first and last frames a foot may be on its way up or down.
        assert np.median(np.abs(push + 9.81)) < 1e-6


def test_jump_is_a_parabola_from_leaving_to_landing() -> None:
    made, where = positions("jump")
    ball = made.skeleton.index("LeftToeBase")
    start, end = stretches(where[:, ball, 1] > made.skeleton.heads[ball, 1] + 1e-3)[0]
    height = where[start : end + 1, 0, 1]
    time = np.arange(len(height)) / made.fps
    fit = np.polyfit(time, height, 2)
    assert fit[0] == pytest.approx(-0.5 * 9.81, rel=1e-6)
    np.testing.assert_allclose(np.polyval(fit, time), height, atol=1e-6)
    leg = sum(
        np.linalg.norm(made.skeleton.heads[made.skeleton.index(a)] - made.skeleton.heads[made.skeleton.index(b)])
        for a, b in (("LeftUpLeg", "LeftLeg"), ("LeftLeg", "LeftFoot"))
    )
    assert height.max() - max(height[0], height[-1]) == pytest.approx(0.30 * leg, rel=0.25)


def test_run_and_stop_ends_at_rest() -> None:
    made, world = played("run-and-stop")
    last = world[-1]
    still = np.abs(world - last).max(axis=(1, 2, 3)) < 1e-9
    start, end = stretches(still)[-1]
    assert end == len(world) - 1
    assert (end - start) / made.fps >= 1.2
    speed = np.diff(world[:, 0, 2, 3]) * made.fps
    assert speed[:40].min() > 2.5
    assert 3.0 <= made.duration <= 4.5


@pytest.mark.parametrize("kind", ["hero", "arms level", "half as tall", "three times as tall", "own axes"])
@pytest.mark.parametrize("name", HUMAN)
def test_knees_bend_forward_and_never_lock(name: str, kind: str) -> None:
    made, world = played(name, kind)
    for side in SIDES:
        hip, knee, ankle = (path(name, side + part, kind) for part in ("UpLeg", "Leg", "Foot"))
        bend = angle_between(knee - hip, ankle - knee)
        assert bend.min() > 5.0
        assert bend.max() < 140.0
        # The knee is on the side of the hip-to-ankle line that the pelvis faces.
        number = made.skeleton.index("Hips")
        rotation = world[:, number, :3, :3] @ np.linalg.inv(made.skeleton.world_from_joint[number, :3, :3])
        front = np.cross(rotation[:, :, 0], hip - ankle)
        assert np.sum(front * (knee - 0.5 * (hip + ankle)), axis=-1).min() > 0.0


@pytest.mark.parametrize("kind", ["hero", "arms level", "own axes"])
@pytest.mark.parametrize("name", HUMAN)
def test_elbows_bend_the_right_way_and_never_lock(name: str, kind: str) -> None:
    """The forearm goes to the side of the upper arm that faces forward when the arm hangs."""
    made, world = played(name, kind)
    for side in SIDES:
        shoulder, elbow, hand = (path(name, side + part, kind) for part in ("Arm", "ForeArm", "Hand"))
        bend = angle_between(elbow - shoulder, hand - elbow)
        assert bend.min() > 5.0
        assert bend.max() < 145.0
        number = made.skeleton.index(side + "Arm")
        rotation = world[:, number, :3, :3] @ np.linalg.inv(made.skeleton.world_from_joint[number, :3, :3])
        forward = rotation @ np.array([0.0, 0.0, 1.0])  # the rest pose has its arms in the plane across the body
        assert np.sum(forward * (hand - elbow), axis=-1).min() > 0.0


@pytest.mark.parametrize("name", HUMAN)
def test_hands_and_elbows_stay_outside_the_torso(name: str) -> None:
    bottom, top = path(name, "Hips") - [0.0, 0.06, 0.0], path(name, "Spine2")
    along = top - bottom
    for side in SIDES:
        for part, thickness in (("ForeArm", 0.04), ("Hand", 0.035), ("HandMiddle1", 0.03)):
            point = path(name, side + part)
            share = np.clip(np.sum((point - bottom) * along, axis=-1) / np.sum(along * along, axis=-1), 0.0, 1.0)
            distance = np.linalg.norm(point - bottom - share[:, None] * along, axis=-1)
            assert distance.min() > TORSO + thickness


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("walk", 70.0),
        ("run-and-stop", 130.0),
        ("kick", 190.0),
        ("jump", 190.0),
        ("wave", 40.0),
        ("breathing", 0.5),
        ("dance", 35.0),
    ],
)
def test_nothing_pops(name: str, most: float) -> None:
    """A jump of 1 cm from one frame to the next would be an acceleration of 36 m/s^2 or more, of 5 cm 180 m/s^2."""
    made, where = positions(name)
    push = np.linalg.norm(np.diff(where, 2, axis=0), axis=-1) * made.fps**2
    assert push.max() < most


@pytest.mark.parametrize("name", HUMAN)
def test_speed_is_continuous(name: str) -> None:
    """Twice the frames halve the change of speed from frame to frame; at a kink it would stay."""
    coarse, fine = (motion(name, body("hero"), fps=fps) for fps in (60.0, 240.0))
    changes = []
    for made in (coarse, fine):
        where = np.stack([made.sample(time).world_from_joint[:, :3, 3] for time in made.times])
        changes.append(np.linalg.norm(np.diff(where, 2, axis=0), axis=-1).max() * made.fps)
    assert changes[1] < 0.45 * changes[0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("walk", "hero"),
        ("walk", "three times as tall"),
        ("walk", "quadruped"),
        ("dance", "hero"),
        ("breathing", "hero"),
    ],
)
def test_loops_close(name: str, kind: str) -> None:
    made, _ = played(name, kind)
    first, last = made.sample(0.0).world_from_joint, made.sample(made.duration - 1e-9).world_from_joint
    moved = first.copy()
    moved[:, :3, 3] += made.stride
    np.testing.assert_allclose(last, moved, atol=1e-6)
    # And with the same speed: the step over the seam is like the ones beside it.
    _, where = positions(name, kind)
    steps = np.diff(where, axis=0)
    seam = made.frames - 1
    change = np.linalg.norm(np.diff(steps, axis=0), axis=-1).max(axis=-1)
    assert change[seam - 1] <= 1.05 * np.delete(change, seam - 1).max()
    assert made.loop
    assert (made.stride[2] > 0.5) == (name == "walk")


def test_walk_sways_swings_and_counters() -> None:
    """Weight is over the standing leg, hips turn with the leg that steps, the chest and the arms against it."""
    made, world = played("walk")
    skeleton = made.skeleton
    lap = made.frames - 1
    left, right = path("walk", "LeftFoot"), path("walk", "RightFoot")
    hips = path("walk", "Hips")
    only_left = (left[:, 1] < 0.0905) & (right[:, 1] > 0.12)
    assert hips[only_left, 0].mean() > 0.01
    ahead = (left - right)[:lap, 2]

    def yaw(joint: str) -> np.ndarray:
        across = world[:lap, skeleton.index(joint), :3, 0]
        return np.arctan2(-across[:, 2], across[:, 0])

    arms = (path("walk", "LeftHand") - path("walk", "RightHand"))[:lap, 2]
    assert np.corrcoef(ahead, -yaw("Hips"))[0, 1] > 0.8
    assert np.corrcoef(ahead, yaw("Spine2"))[0, 1] > 0.8
    assert np.corrcoef(ahead, arms)[0, 1] < -0.8
    assert np.ptp(arms) > 0.3


def test_walk_strikes_with_the_heel_and_leaves_with_the_toes() -> None:
    made, world = played("walk")
    foot = made.skeleton.index("LeftFoot")
    toes_up = np.degrees(np.arcsin(world[:, foot, 1, 2]))  # where the foot's forward axis points
    assert toes_up[0] > 10.0
    ball = path("walk", "LeftToeBase")
    _, leave = stretches(np.abs(ball[:, 1] - made.skeleton.heads[made.skeleton.index("LeftToeBase"), 1]) < 1e-3)[0]
    assert toes_up[leave] < -35.0


def test_kick_reaches_the_height_of_the_hips() -> None:
    foot, hip = path("kick", "RightFoot"), path("kick", "RightUpLeg")
    highest = int(np.argmax(foot[:, 1]))
    assert abs(foot[highest, 1] - hip[highest, 1]) < 0.15
    assert foot[highest, 2] - hip[highest, 2] > 0.6
    assert foot[:highest, 2].min() < -0.25  # it winds up


def test_wave_raises_the_right_hand_only() -> None:
    hand, head = path("wave", "RightHand"), path("wave", "Head")
    assert hand[:, 1].max() > head[:, 1].max()
    assert path("wave", "LeftHand")[:, 1].max() < path("wave", "Hips")[:, 1].max() + 0.05
    middle = hand[len(hand) // 3 : 2 * len(hand) // 3, 0]
    rotations = np.sum(np.diff(np.sign(np.diff(middle))) != 0)
    assert rotations >= 3
    np.testing.assert_allclose(hand[0], hand[-1], atol=0.01)


def test_breathing_swells_the_chest_and_nothing_that_hangs_on_it() -> None:
    made, world = played("breathing")
    size = np.cbrt(np.linalg.det(world[:, :, :3, :3]))
    swelling = [made.skeleton.names[joint] for joint in np.flatnonzero(np.ptp(size, axis=0) > 1e-6)]
    assert sorted(swelling) == ["Spine1", "Spine2"]
    assert 1.01 < size.max() < 1.03
    still, _ = played("breathing")
    assert np.ptp(motion("breathing", body("hero"), intensity=0.0).sample(2.0).world_from_joint[:, 3, 3]) == 0.0
    assert still.loop


@pytest.mark.parametrize("name", ["bend", "twist"])
def test_one_joint_turns_by_its_angle_and_back(name: str) -> None:
    skeleton, angle = body("hero"), 1.1
    made = motion(name, skeleton, joint="LeftForeArm", angle=angle, seconds=2.0)
    joint = skeleton.index("LeftForeArm")
    rest = skeleton.world_from_joint[joint, :3, :3]
    half = made.sample(1.0).world_from_joint[joint, :3, :3] @ rest.T
    assert np.arccos((np.trace(half) - 1.0) / 2.0) == pytest.approx(angle, abs=1e-9)
    for time in (0.0, 2.0):
        np.testing.assert_allclose(made.sample(time).world_from_joint, skeleton.world_from_joint, atol=1e-9)
    held = motion(name, skeleton, joint="LeftForeArm", angle=angle, hold=True)
    last = held.sample(held.duration).world_from_joint[joint, :3, :3] @ rest.T
    assert np.arccos((np.trace(last) - 1.0) / 2.0) == pytest.approx(angle, abs=1e-9)


HOOVES = ("LeftHindFoot", "RightHindFoot", "LeftFrontFoot", "RightFrontFoot")


def test_quadruped_feet_are_planted_in_four_beats() -> None:
    made, world = played("walk", "quadruped")
    skeleton = made.skeleton
    strikes = []
    for hoof in HOOVES:
        tip = np.asarray(skeleton.tails)[skeleton.index(hoof)]
        where = carried(made, world, hoof, tip)
        assert where[:, 1].min() > tip[1] - 1e-3
        contacts = [run for run in stretches(where[:, 1] < tip[1] + 1e-3) if run[1] - run[0] > 3]
        for start, end in contacts:
            assert np.linalg.norm(np.ptp(where[start : end + 1][:, [0, 2]], axis=0)) < 3e-3
        starts = [start for start, _ in contacts if start > 0]
        strikes.append((starts[0] / (made.frames - 1)) % 1.0)
        lifted = where[:, 1].max() - tip[1]
        assert 0.03 < lifted < 0.3
    left_hind, right_hind, left_front, right_front = strikes
    order = (np.array([left_hind, left_front, right_hind, right_front]) - left_hind + 0.05) % 1.0
    np.testing.assert_allclose(order, [0.05, 0.30, 0.55, 0.80], atol=0.06)


def test_quadruped_bones_keep_their_length_and_nothing_pops() -> None:
    made, where = positions("walk", "quadruped")
    parents = made.skeleton.parents
    hanging = np.flatnonzero(parents >= 0)
    length = np.linalg.norm(where[:, hanging] - where[:, parents[hanging]], axis=-1)
    rest = np.linalg.norm(made.skeleton.heads[hanging] - made.skeleton.heads[parents[hanging]], axis=-1)
    np.testing.assert_allclose(length, np.broadcast_to(rest, length.shape), atol=1e-9)
    assert np.linalg.norm(np.diff(where, 2, axis=0), axis=-1).max() * made.fps**2 < 120.0


def test_pace_makes_walkers_faster_and_stays_planted() -> None:
    speeds = []
    for pace in (0.6, 1.0, 1.4):
        made = motion("walk", body("hero"), pace=pace)
        speeds.append(made.stride[2] / made.duration)
    assert speeds == sorted(speeds)
    assert speeds[1] == pytest.approx(1.25, abs=0.25)


def test_long_legs_walk_at_the_speed_of_a_pendulum() -> None:
    """Speed goes with the root of the leg's length."""
    usual, tall = (played("walk", kind)[0] for kind in ("hero", "three times as tall"))
    ratio = (tall.stride[2] / tall.duration) / (usual.stride[2] / usual.duration)
    assert ratio == pytest.approx(np.sqrt(3.0), rel=0.03)


def test_jump_height_is_in_leg_lengths() -> None:
    low, high = (motion("jump", body("hero"), height=height) for height in (0.1, 0.5))
    tops = [max(made.sample(time).world_from_joint[0, 1, 3] for time in made.times) for made in (low, high)]
    assert tops[1] - tops[0] == pytest.approx(0.4 * 0.842, abs=0.01)


def test_unknown_names_and_options_are_refused() -> None:
    with pytest.raises(InputError, match="'moonwalk' was asked for"):
        motion("moonwalk", body("hero"))
    with pytest.raises(InputError, match="no option 'speed'"):
        motion("walk", body("hero"), speed=2.0)


@pytest.mark.parametrize("name", HUMAN)
def test_missing_joints_are_named(name: str) -> None:
    with pytest.raises(InputError, match="lacks Hips, Spine, LeftArm"):
        motion(name, snake_skeleton())


def test_missing_joints_of_an_animal_are_named() -> None:
    skeleton = quadruped_skeleton()
    names = [name.replace("LeftHindCannon", "Shank") for name in skeleton.names]
    strange = Skeleton(tuple(names), skeleton.parents, skeleton.world_from_joint, tails=skeleton.tails)
    with pytest.raises(InputError, match="lacks LeftHindCannon"):
        motion("walk", strange)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("walk", "pace", 0.0),
        ("walk", "intensity", 9.0),
        ("walk", "fps", 0.0),
        ("run-and-stop", "pace", 3.0),
        ("run-and-stop", "still", -1.0),
        ("kick", "intensity", 0.0),
        ("jump", "height", float("nan")),
        ("wave", "seconds", 0.5),
        ("breathing", "breaths", 0),
        ("breathing", "seconds", -1.0),
        ("breathing", "intensity", -1.0),
        ("dance", "seconds", 0.0),
        ("dance", "intensity", 5.0),
        ("dance", "fps", -5.0),
    ],
)
def test_options_out_of_range_are_refused(name: str, option: str, value: float) -> None:
    with pytest.raises(InputError, match=option):
        motion(name, body("hero"), **{option: value})


def test_every_motion_of_the_table_exists_and_says_what_it_does() -> None:
    assert list(MOTIONS)[: len(HUMAN)] == list(HUMAN)
    for module, function in MOTIONS.values():
        make = getattr(import_module(f"supple.motion.builtin.{module}"), function)
        assert inspect.getdoc(make)
        options = [value for name, value in inspect.signature(make).parameters.items() if name != "skeleton"]
        assert all(value.kind is inspect.Parameter.KEYWORD_ONLY for value in options)
