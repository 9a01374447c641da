"""The snake slithers and the octopus swims: laws of both motions, and the skeletons they refuse."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple import Skeleton
from supple.character.builtin.skeletons import (
    arm_skeleton,
    hero_skeleton,
    octopus_skeleton,
    quadruped_skeleton,
    snake_skeleton,
    tube_skeleton,
)
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin import motion

SNAKE, OCTOPUS = snake_skeleton(), octopus_skeleton()
slither, swim = partial(motion, "slither"), partial(motion, "swim")
SLITHER, SWIM = slither(SNAKE), swim(OCTOPUS)
ON_TRACK = 12  # joints of the snake from the tail on; those after them hold the head steady
ARMS = [[OCTOPUS.index(f"Arm{arm}_{i}") for i in range(1, 8)] for arm in range(1, 9)]
MANTLE = [OCTOPUS.index(f"Mantle{i}") for i in (1, 2, 3)]


def worlds(of, times) -> np.ndarray:
    return np.stack([of.sample(time).world_from_joint for time in times])


def carried(skeleton: Skeleton, world: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (J, 3) that rest with each joint, where the joints take them (..., J, 3)."""
    moved = world @ skeleton.joint_from_world
    return np.einsum("...jab,jb->...ja", moved[..., :3, :3], points) + moved[..., :3, 3]


# Both


@pytest.mark.parametrize("made", [SLITHER, SWIM], ids=["slither", "swim"])
def test_the_loop_closes_in_place_and_in_speed(made):
    assert made.loop
    away = np.eye(4)
    away[:3, 3] = made.stride
    first, last = made.sample(0.0), made.replace(loop=False).sample(made.duration)
    np.testing.assert_allclose(last.world_from_joint, first.moved(away).world_from_joint, rtol=0.0, atol=1e-6)
    key = 1.0 / made.fps
    before, seam, after = worlds(made, [made.duration - key, made.duration, made.duration + key])
    within = worlds(made, made.times)
    usual = np.abs(within[2:] - 2.0 * within[1:-1] + within[:-2]).max()
    assert np.abs(after - 2.0 * seam + before).max() <= 1.1 * usual  # no more of a jerk than at the keys beside it


@pytest.mark.parametrize("made", [SLITHER, SWIM], ids=["slither", "swim"])
def test_bones_keep_their_length(made):
    skeleton = made.skeleton
    hanging = np.flatnonzero(skeleton.parents >= 0)
    hanging = np.setdiff1d(hanging, [j for j in hanging if skeleton.names[j].startswith("Mantle")])
    above = skeleton.parents[hanging]
    heads = worlds(made, np.linspace(0.0, made.duration, 13))[..., :3, 3]
    lengths = np.linalg.norm(heads[:, hanging] - heads[:, above], axis=-1)
    rest = np.linalg.norm(skeleton.heads[hanging] - skeleton.heads[above], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(rest, lengths.shape), rtol=1e-9)


@pytest.mark.parametrize(("seconds", "fps"), [(1.0, 24.0), (1.01, 30.0), (0.37, 60.0), (0.01, 24.0)])
@pytest.mark.parametrize(("make", "skeleton"), [(slither, SNAKE), (swim, OCTOPUS)])
def test_a_loop_lasts_exactly_as_long_as_asked(make, skeleton, seconds, fps):
    made = make(skeleton, seconds=seconds, fps=fps)
    assert made.duration == pytest.approx(seconds, rel=1e-12)
    end = made.replace(loop=False).sample(seconds).world_from_joint[:, :3, 3]
    start = made.sample(0.0).world_from_joint[:, :3, 3]
    np.testing.assert_allclose(end, start + made.stride, rtol=0.0, atol=1e-6)


def test_both_are_found_by_name():
    assert motion("slither", SNAKE, seconds=1.0, fps=12.0).name == "slither"
    assert motion("swim", OCTOPUS, seconds=1.0, fps=12.0).name == "swim"


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("what", ["seconds", "fps"])
@pytest.mark.parametrize(("make", "skeleton"), [(slither, SNAKE), (swim, OCTOPUS)])
def test_no_time_and_no_rate_are_refused(make, skeleton, what, value):
    with pytest.raises(InputError, match=f"{what} is {value}, but more than zero"):
        make(skeleton, **{what: value})


# The snake


@settings(deadline=None, max_examples=25)
@given(time=st.floats(-10.0, 10.0))
def test_the_snake_stays_on_the_ground(time):
    """Heights and the upright axis stay as at rest, so all that hangs on the joints keeps its height."""
    world = SLITHER.sample(time).world_from_joint
    np.testing.assert_allclose(world[:, 1, 3], SNAKE.heads[:, 1], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(world[:, 1, :3], SNAKE.world_from_joint[:, 1, :3], rtol=0.0, atol=1e-9)


def test_every_joint_runs_along_the_track_of_the_one_ahead():
    """A joint is never off the path of another by more than the path's own pieces allow: nothing slips sideways."""
    fine = slither(SNAKE, fps=120.0)
    ground = [0, 2]
    ahead = worlds(fine, np.linspace(-2.0 * fine.duration, fine.duration, 1081))[:, ON_TRACK - 1, ground, 3]
    for joint in (0, 4, 8):
        some = worlds(fine, np.linspace(0.0, fine.duration, 20))[:, joint, ground, 3]
        starts, ends = ahead[:-1], ahead[1:]
        along = ends - starts
        share = np.einsum("psk,sk->ps", some[:, None] - starts, along) / np.sum(along**2, axis=1)
        nearest = starts + np.clip(share, 0.0, 1.0)[..., None] * along
        away = np.linalg.norm(some[:, None] - nearest, axis=-1).min(axis=1)
        assert away.max() < 2e-4, joint


def test_joints_move_the_way_the_body_points():
    step = 1.0 / SLITHER.fps
    times = np.linspace(0.0, SLITHER.duration, 25)
    heads = worlds(SLITHER, times)[..., :3, 3]
    speed = (worlds(SLITHER, times + step) - worlds(SLITHER, times - step))[..., :3, 3] / (2.0 * step)
    along = quaternions.normalize(heads[:, 2:] - heads[:, :-2])
    across = np.cross([0.0, 1.0, 0.0], along)
    slip = np.abs(np.sum(speed[:, 1:-1] * across, axis=-1)) / np.linalg.norm(speed[:, 1:-1], axis=-1)
    assert slip[:, : ON_TRACK - 1].max() < 0.06  # the mean of two bones is that far from the curve itself
    assert slip.mean() < 0.1


def test_the_snake_goes_ahead_by_its_stride_and_its_head_is_steady():
    forward = (SNAKE.heads[-1] - SNAKE.heads[0]) * [1.0, 0.0, 1.0]
    np.testing.assert_allclose(quaternions.normalize(SLITHER.stride), quaternions.normalize(forward), atol=1e-12)
    world = worlds(SLITHER, SLITHER.times)
    progress = np.diff(world[..., :3, 3] @ quaternions.normalize(forward), axis=0)
    assert (progress > 0.0).all()  # no joint ever goes back
    yaw = np.ptp(np.arctan2(world[..., 0, 2], world[..., 2, 2]), axis=0)
    assert yaw[-1] < 0.4 * yaw[ON_TRACK // 2]
    assert (np.diff(yaw[ON_TRACK:]) < 0.0).all()
    side = world[..., 0, 3].std(axis=0)
    assert side[-1] < side[ON_TRACK // 2]


@settings(deadline=None, max_examples=20)
@given(swing=st.floats(0.0, 1.4), waves=st.floats(0.25, 4.0))
def test_the_track_is_a_serpenoid(swing, waves):
    """A wave of arc length L brings the snake on by L J0(swing), with the Bessel function of order zero."""
    from scipy.special import j0

    level = (SNAKE.bones.ends - SNAKE.bones.starts) * [1.0, 0.0, 1.0]
    wave = np.linalg.norm(level, axis=1).sum() / waves
    made = slither(SNAKE, seconds=1.0, fps=8.0, swing=swing, waves=waves)
    np.testing.assert_allclose(np.linalg.norm(made.stride), wave * j0(swing), rtol=1e-6)


def test_a_snake_that_lies_the_other_way_slithers_the_other_way():
    rotation = quaternions.compose([3.0, 0.0, -2.0], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 2.0))
    tails = SNAKE.tails @ rotation[:3, :3].T + rotation[:3, 3]
    turned = slither(Skeleton(SNAKE.names, SNAKE.parents, rotation @ SNAKE.world_from_joint, tails=tails))
    np.testing.assert_allclose(turned.stride, rotation[:3, :3] @ SLITHER.stride, rtol=0.0, atol=1e-9)
    for time in (0.0, 0.7, 3.1):
        np.testing.assert_allclose(
            turned.sample(time).world_from_joint, rotation @ SLITHER.sample(time).world_from_joint, rtol=0.0, atol=1e-9
        )


def test_what_hangs_on_the_head_goes_with_it():
    heads = np.concatenate([SNAKE.heads, [[0.02, 0.06, 0.93], [0.02, 0.07, 0.95]]])
    longer = Skeleton.from_heads(
        [*SNAKE.names, "Eye", "Lid"], [*SNAKE.parents, 15, 16], heads, tails=np.concatenate([SNAKE.tails, heads[-2:]])
    )
    world = slither(longer, seconds=1.0, fps=12.0).sample(0.4).world_from_joint
    between = np.linalg.inv(world[15]) @ world[16:]
    rest = longer.joint_from_world[15] @ longer.world_from_joint[16:]
    np.testing.assert_allclose(between, rest, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("skeleton", "says"),
    [
        (tube_skeleton(8), "there is no joint called Head, but a chain"),
        (octopus_skeleton(), "joint 'Body' has limbs, but one chain"),
        (hero_skeleton(), "joint 'Hips' has limbs, but one chain"),
        (quadruped_skeleton(), "joint 'Hips' has limbs, but one chain"),
        (Skeleton.from_heads(["a", "b", "Head"], [-1, 0, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 2]]), "has 3 joints"),
        (
            Skeleton.from_heads(["a", "b", "c", "Head"], [-1, 0, 1, 2], [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]]),
            "the chain stands upright, but it has to lie",
        ),
    ],
)
def test_only_a_chain_that_lies_down_slithers(skeleton, says):
    with pytest.raises(InputError, match=f"motion 'slither': .*{says}"):
        slither(skeleton)
    lying = Skeleton.from_heads(["a", "b", "c", "Head"], [-1, 0, 1, 2], [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]])
    assert slither(lying, waves=1.0, fps=8.0).stride[2] > 0.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"waves": 0.0}, "waves is 0.0, but 0.25 to 4 fit 16 joints"),
        ({"waves": 5.0}, "waves is 5.0, but 0.25 to 4"),
        ({"waves": math.nan}, "waves is nan"),
        ({"swing": -0.1}, "swing is -0.1 rad, but 0 to 1.4"),
        ({"swing": 1.5}, "swing is 1.5 rad, but 0 to 1.4"),
        ({"swing": math.nan}, "swing is nan rad"),
    ],
)
def test_slither_refuses(options, says):
    assert slither(SNAKE, waves=4.0, swing=1.4, fps=8.0).loop
    with pytest.raises(InputError, match=says):
        slither(SNAKE, **options)


# The octopus


def drops(made) -> np.ndarray:
    """How far every bone of every arm points below the level (T, arms, bones) [rad]."""
    world = worlds(made, made.times[:-1])
    spans = carried(OCTOPUS, world, OCTOPUS.tails) - world[..., :3, 3]
    return np.stack([-np.arcsin(quaternions.normalize(spans[:, arm])[..., 1]) for arm in ARMS], axis=1)


def test_arms_close_in_a_wave_from_the_body_to_the_tips():
    below = drops(SWIM)
    moment = np.exp(2j * np.pi * np.arange(len(below)) / len(below))
    phase = -np.angle(np.einsum("t,tab->ab", np.conj(moment), below))  # of the first harmonic: how late a bone is
    late = np.diff(np.unwrap(phase, axis=1), axis=1)
    assert (late > 0.2).all()
    assert (late < 0.8).all()
    spread = np.ptp(below, axis=0)
    assert (spread > math.radians(45.0)).all()
    assert (spread < math.radians(60.0)).all()


def test_arms_close_faster_than_they_open():
    base = drops(SWIM)[:, :, 0]
    speed = np.diff(base, axis=0, append=base[:1])
    assert ((speed > 0.0).mean(axis=0) < 0.42).all()
    assert (speed.max(axis=0) > 1.5 * -speed.min(axis=0)).all()


def test_left_and_right_arms_do_the_same():
    heads = worlds(SWIM, SWIM.times[::10])[..., :3, 3]
    for arm in range(4):
        left, right = heads[:, ARMS[arm]], heads[:, ARMS[7 - arm]]
        np.testing.assert_allclose(left * [-1.0, 1.0, 1.0], right, rtol=0.0, atol=1e-9)


def test_arms_clear_the_ground_each_other_and_the_body():
    """Points along the arms, with the thickness that the arms of the built-in octopus have there."""
    reach = np.array([0.085, 0.165, 0.255, 0.35, 0.445, 0.54, 0.63, 0.705])
    radius = np.interp(reach, [0.06, 0.12, 0.25, 0.45, 0.62, 0.75], [0.046, 0.041, 0.031, 0.0215, 0.0145, 0.009])
    share = np.linspace(0.0, 1.0, 4)[:, None]
    thick = (radius[2:-1, None] * (1.0 - share.T) + radius[3:, None] * share.T).ravel()  # from the third bone on
    for time in SWIM.times[::4]:
        world = SWIM.sample(time).world_from_joint
        ends = carried(OCTOPUS, world, OCTOPUS.tails)
        assert ends[:, 1].min() >= OCTOPUS.tails[:, 1].min()
        lines = [np.concatenate([world[j, :3, 3] * (1.0 - share) + ends[j] * share for j in arm[2:]]) for arm in ARMS]
        for a, b in itertools.combinations(range(8), 2):
            apart = np.linalg.norm(lines[a][:, None] - lines[b][None], axis=-1)
            assert (apart > thick[:, None] + thick[None]).all(), (time, a, b)
        body = world[OCTOPUS.index("Body"), :3, 3]
        for line in lines:
            assert (line[:, 1] + thick < body[1]).all()  # below the body, which is above the roots of the arms


def test_the_mantle_pulses_and_the_head_does_not():
    world = worlds(swim(OCTOPUS, squeeze=0.2), SWIM.times)
    size = np.cbrt(np.linalg.det(world[..., :3, :3]))
    assert size[:, MANTLE].max() == pytest.approx(1.0, abs=1e-3)
    assert size[:, MANTLE].min() == pytest.approx(0.8, abs=1e-3)
    np.testing.assert_allclose(np.ptp(size[:, MANTLE], axis=0), 0.2, atol=2e-3)
    others = np.setdiff1d(np.arange(len(OCTOPUS)), MANTLE)
    np.testing.assert_allclose(size[:, others], 1.0, rtol=0.0, atol=1e-9)
    assert (np.diff(np.argmin(size[:, MANTLE], axis=0)) > 0).all()  # the squeeze runs along it


def test_the_body_bobs_by_as_much_as_asked_and_the_stroke_lifts_it():
    height = worlds(swim(OCTOPUS, bob=0.1), SWIM.times)[:, OCTOPUS.index("Body"), 1, 3]
    assert np.ptp(height) == pytest.approx(0.2, abs=1e-3)
    stroke = np.argmax(np.gradient(drops(SWIM)[:, :, 0].mean(axis=1)))
    rise = np.diff(height, 2)  # pushed up where the arms close
    assert rise[stroke] > 0.8 * rise.max()
    level = worlds(swim(OCTOPUS, bob=0.0), SWIM.times)[:, OCTOPUS.index("Body"), 1, 3]
    assert np.ptp(level) < 1e-12


def without(names: set[str]) -> Skeleton:
    """The octopus with joints taken away; none of them may carry another that stays."""
    kept = [j for j, name in enumerate(OCTOPUS.names) if name not in names]
    number = {old: new for new, old in enumerate(kept)}
    parents = [number.get(int(OCTOPUS.parents[j]), -1) for j in kept]
    return Skeleton.from_heads(
        [OCTOPUS.names[j] for j in kept], parents, OCTOPUS.heads[kept], tails=OCTOPUS.tails[kept]
    )


ALL_ARMS = {name for name in OCTOPUS.names if name.startswith("Arm")}
ALL_MANTLE = {name for name in OCTOPUS.names if name.startswith("Mantle")}


@pytest.mark.parametrize(
    ("skeleton", "says"),
    [
        (snake_skeleton(), "0 arms were found on 0 bodies, but arms Arm1_1"),
        (arm_skeleton(), "0 arms were found"),
        (without(ALL_ARMS), "0 arms were found"),
        (without({"Arm3_4"}), "8 arms were found on 1 bodies"),  # torn off in the middle
        (without(ALL_MANTLE), "0 joints of a mantle were found"),
        (without({"Mantle2"}), "2 joints of a mantle were found"),
    ],
)
def test_only_an_octopus_swims(skeleton, says):
    with pytest.raises(InputError, match=f"motion 'swim': {says}"):
        swim(skeleton)


def test_an_octopus_that_lost_an_arm_or_its_eyes_still_swims():
    maimed = without({f"Arm5_{i}" for i in range(1, 8)} | {"LeftEye", "RightEye", "Arm2_7", "Mantle3"})
    assert len(swim(maimed, fps=12.0).sample(0.3)) == 63 - 11


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sweep": -0.1}, "sweep is -0.1, but 0 to 1.5"),
        ({"sweep": math.nan}, "sweep is nan"),
        ({"squeeze": 0.6}, "squeeze is 0.6, but 0 to 0.5"),
        ({"squeeze": math.nan}, "squeeze is nan"),
        ({"bob": -1.0}, "bob is -1.0, but 0 to 10"),
        ({"bob": math.inf}, "bob is inf"),
    ],
)
def test_swim_refuses(options, says):
    assert swim(OCTOPUS, sweep=0.0, squeeze=0.0, bob=0.0, fps=8.0).scales is None
    with pytest.raises(InputError, match=says):
        swim(OCTOPUS, **options)
