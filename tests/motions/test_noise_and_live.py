"""Noise on a motion, and live streams of poses."""

import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple import Motion, Pose, Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live.live_motion import LiveMotion
from supple.motion.live.noise import NoisyMotion
from supple.motion.pose import between

TIGHT = {"rtol": 0.0, "atol": 1e-12}
SKELETON = Skeleton.from_heads(["root", "mid", "tip"], [-1, 0, 1], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])


def nod(time: float) -> Pose:
    """Bends steadily and moves ahead, one radian and one metre a second."""
    rotation = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], time)
    return Pose.from_rotations(SKELETON, {"mid": rotation}, move=[0.0, 0.0, time])


NOD = Motion.from_poses(SKELETON, nod, seconds=2.0, fps=10.0)
STILL = Motion.from_poses(SKELETON, lambda _: Pose.rest(SKELETON), seconds=0.0)


def errors(noisy: NoisyMotion, times) -> tuple[np.ndarray, np.ndarray]:
    """How far every joint is moved (T, J, 3) [m] and turned (T, J, 3) [rad], in the world."""
    shaken = np.stack([noisy.sample(time).world_from_joint for time in times])
    clean = np.stack([noisy.source.sample(time).world_from_joint for time in times])
    rotations = Rotation.from_matrix((shaken[..., :3, :3] @ np.swapaxes(clean[..., :3, :3], -1, -2)).reshape(-1, 3, 3))
    return shaken[..., :3, 3] - clean[..., :3, 3], rotations.as_rotvec().reshape(*shaken.shape[:2], 3)


# Noise


@settings(deadline=None)
@given(times=st.lists(st.floats(-100.0, 100.0), min_size=2, max_size=6), seed=st.integers(0, 2**70))
def test_noise_follows_from_time_and_seed_alone(times, seed):
    noisy = NoisyMotion(NOD, position=0.1, angle=0.2, seed=seed)
    forward = [noisy.sample(time).world_from_joint for time in times]
    backward = [noisy.sample(time).world_from_joint for time in reversed(times)][::-1]
    again = [NoisyMotion(NOD, position=0.1, angle=0.2, seed=seed).sample(time).world_from_joint for time in times]
    np.testing.assert_array_equal(forward, backward)
    np.testing.assert_array_equal(forward, again)


def test_another_seed_and_every_tick_and_joint_have_their_own_noise():
    ticks = np.arange(-20, 20)
    moves = [errors(NoisyMotion(STILL, position=1.0, seed=seed, rate=1.0), ticks)[0] for seed in (0, 1)]
    values = np.concatenate(moves).ravel()
    assert len(np.unique(values)) == values.size


def test_noise_has_the_standard_deviation_asked_for_on_every_axis():
    """4000 times 3 values per axis: the standard deviation is known to 0.65 percent, five of which are 3.3."""
    ticks = np.arange(-2000, 2000) / 25.0
    moves, rotations = errors(NoisyMotion(NOD, position=0.02, angle=0.05, rate=25.0, seed=4), ticks)
    for found, asked in ((moves, 0.02), (rotations, 0.05)):
        flat = found.reshape(-1, 3)
        np.testing.assert_allclose(flat.std(axis=0), asked, rtol=0.033)
        np.testing.assert_allclose(flat.mean(axis=0), 0.0, atol=5.0 * asked / np.sqrt(len(flat)))
    together = np.corrcoef(np.concatenate([moves, rotations], axis=-1).reshape(len(ticks), -1).T)
    assert np.abs(together - np.eye(18)).max() < 5.0 / np.sqrt(len(ticks))  # joints, axes and kinds are independent
    following = [np.corrcoef(column[1:], column[:-1])[0, 1] for column in moves.reshape(len(ticks), -1).T]
    assert np.abs(following).max() < 5.0 / np.sqrt(len(ticks))  # and so are one time and the next


@settings(deadline=None)
@given(tick=st.integers(-50, 50), share=st.floats(0.0, 1.0), rate=st.sampled_from([1.0, 8.0, 64.0]))
def test_noise_is_new_at_its_rate_and_blended_between(tick, share, rate):
    noisy = NoisyMotion(STILL, position=0.3, angle=0.4, rate=rate, seed=2)
    (m0, m1, middle), (t0, t1, rotation) = errors(noisy, [tick / rate, (tick + 1) / rate, (tick + share) / rate])
    np.testing.assert_allclose(middle, (1.0 - share) * m0 + share * m1, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(rotation, (1.0 - share) * t0 + share * t1, rtol=0.0, atol=1e-9)


def test_noise_of_one_kind_leaves_the_other_alone_and_none_changes_nothing():
    times = np.linspace(-1.0, 3.0, 17)
    moves, rotations = errors(NoisyMotion(NOD, position=0.1), times)
    assert np.abs(moves).min() > 0.0
    np.testing.assert_allclose(rotations, 0.0, **TIGHT)
    moves, rotations = errors(NoisyMotion(NOD, angle=0.1), times)
    np.testing.assert_allclose(moves, 0.0, **TIGHT)
    assert np.linalg.norm(rotations, axis=-1).min() > 0.0
    clean = NoisyMotion(NOD)
    for time in times:
        np.testing.assert_array_equal(clean.sample(time).world_from_joint, NOD.sample(time).world_from_joint)


def test_noise_turns_a_joint_about_itself_and_keeps_its_size():
    pose = NoisyMotion(NOD, angle=0.5, seed=1).sample(0.77).world_from_joint
    np.testing.assert_allclose(
        pose[:, :3, :3] @ np.swapaxes(pose[:, :3, :3], -1, -2), np.tile(np.eye(3), (3, 1, 1)), **TIGHT
    )


def test_a_noisy_motion_is_a_source_like_any_other():
    twice = NoisyMotion(NoisyMotion(NOD, position=0.1, seed=1), position=0.1, seed=2)
    assert twice.skeleton is SKELETON
    assert len(twice.sample(0.3)) == 3


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"position": -0.1}, "position is -0.1 m, but the range is 0"),
        ({"position": np.nan}, "position is nan, but a finite number"),
        ({"angle": -1.0}, "angle is -1 rad, but the range is 0"),
        ({"angle": np.inf}, "angle is inf, but a finite number"),
        ({"rate": 0.0}, "rate is 0 1/s, but the range is 0.001"),
        ({"rate": np.nan}, "rate is nan, but a finite number"),
        ({"rate": "fast"}, "rate is 'fast', but a finite number"),
        ({"seed": -1}, "seed is -1, but the range is 0"),
        ({"seed": 1.5}, "seed is 1.5, but a whole number"),
    ],
)
def test_noise_refuses(options, says):
    NoisyMotion(NOD, position=0.0, angle=0.0, rate=0.5, seed=7)
    with pytest.raises(InputError, match=f"NoisyMotion: {says}"):
        NoisyMotion(NOD, **options)


@pytest.mark.parametrize("time", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("source", [NoisyMotion(NOD), LiveMotion(SKELETON)])
def test_there_is_no_pose_at_no_time(source, time):
    source.sample(0.0)
    with pytest.raises(InputError, match="a finite time is needed"):
        source.sample(time)


# Live streams


def received(times, **options) -> LiveMotion:
    live = LiveMotion(SKELETON, **options)
    for time in times:
        live.push(nod(time), time)
    return live


def assert_same(pose: Pose, known: Pose, atol: float = 0.0) -> None:
    np.testing.assert_allclose(pose.world_from_joint, known.world_from_joint, rtol=0.0, atol=atol)


def test_before_anything_arrived_the_character_rests():
    live = LiveMotion(SKELETON, delay=0.1)
    assert live.skeleton is SKELETON
    assert live.latest is None
    assert len(live) == 0
    assert_same(live.sample(3.0), Pose.rest(SKELETON))


@settings(deadline=None)
@given(time=st.floats(0.0, 1.0), delay=st.sampled_from([0.0, 0.25, 4.0]))
def test_between_received_poses_joints_turn_evenly(time, delay):
    live = received([0.0, 0.125, 0.5, 1.0], delay=delay)
    assert_same(live.sample(time + delay), nod(time), atol=1e-9)  # a steady turn, so every moment of it is known


def test_at_the_time_of_a_pose_it_is_that_pose():
    live = received([0.0, 0.3, 0.7])
    for time in (0.0, 0.3, 0.7):
        assert_same(live.sample(time), nod(time))


@settings(deadline=None)
@given(order=st.permutations(list(range(8))), time=st.floats(-1.0, 9.0))
def test_the_order_of_arrival_does_not_matter(order, time):
    assert_same(received(order).sample(time), received(range(8)).sample(time))


def test_a_late_sender_is_waited_for_and_a_stopped_one_holds():
    live = received([0.0, 0.1])
    for time in (0.1, 0.5, 1e6):
        assert_same(live.sample(time), nod(0.1))
    live.push(nod(0.4), 0.4)  # late, but here
    assert_same(live.sample(0.25), nod(0.25), atol=1e-9)
    assert_same(live.sample(1e6), nod(0.4))
    assert live.latest == 0.4


def test_before_the_first_pose_that_one_is_held():
    assert_same(received([1.0, 2.0]).sample(0.0), nod(1.0))
    assert_same(received([1.0, 2.0], delay=5.0).sample(3.0), nod(1.0))


def test_a_second_pose_of_the_same_time_replaces_the_first():
    live = received([0.0, 1.0])
    live.push(nod(1.7), 1.0)
    assert len(live) == 2
    assert_same(live.sample(1.0), nod(1.7))
    assert_same(live.sample(0.5), between(SKELETON, nod(0.0), nod(1.7), 0.5))


@pytest.mark.parametrize("keep", [2, 5, np.int64(64)])
def test_memory_is_bounded_and_keeps_the_newest(keep):
    live = received(np.arange(300) / 100.0, keep=keep)
    assert len(live) == keep
    assert live.latest == 2.99
    oldest = (300 - keep) / 100.0
    assert_same(live.sample(0.0), nod(oldest))
    live.push(nod(0.5), 0.5)  # older than all that is kept
    assert len(live) == keep
    assert_same(live.sample(0.0), nod(oldest))


def test_a_stream_starts_over():
    live = received([100.0, 101.0])
    live.clear()
    assert len(live) == 0
    assert_same(live.sample(100.5), Pose.rest(SKELETON))
    live.push(nod(0.2), 0.0)
    assert_same(live.sample(0.0), nod(0.2))


def test_plain_transforms_are_taken_too_and_copied():
    live, sent = LiveMotion(SKELETON), nod(0.5).world_from_joint.copy()
    live.push(sent, 0.0)
    sent[:] = 0.0
    assert_same(live.sample(0.0), nod(0.5))


REST = SKELETON.world_from_joint


def spoiled(row: int, column: int, value: float) -> np.ndarray:
    world = REST.copy()
    world[1, row, column] = value
    return world


@pytest.mark.parametrize(
    ("pose", "says"),
    [
        (Pose(REST[:2]), "a pose of 2 joints arrived, but the skeleton has 3"),
        (REST[:, :3], r"world_from_joint has shape \(3, 3, 4\)"),
        (spoiled(0, 3, np.nan), "world_from_joint has 1 values that are not finite"),
        (spoiled(2, 2, np.inf), "world_from_joint has 1 values that are not finite"),
        (Pose(spoiled(3, 0, 1.0)), "a last row other than 0 0 0 1"),
        (Pose(spoiled(1, 1, 0.0)), "joint 'mid' is scaled to nothing"),
    ],
)
def test_a_stream_refuses_at_the_door_and_goes_on(pose, says):
    live = received([0.0])
    with pytest.raises(InputError, match=says):
        live.push(pose, 1.0)
    assert len(live) == 1
    assert_same(live.sample(1.0), nod(0.0))
    live.push(Pose.rest(SKELETON), 1.0)
    assert_same(live.sample(1.0), Pose.rest(SKELETON))


@pytest.mark.parametrize("time", [np.nan, np.inf, -np.inf])
def test_a_stream_refuses_poses_of_no_time(time):
    live = LiveMotion(SKELETON)
    with pytest.raises(InputError, match="a finite time is needed"):
        live.push(nod(0.0), time)
    assert len(live) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delay": -0.1}, "delay is -0.1, but zero or more"),
        ({"delay": np.nan}, "delay is nan, but zero or more"),
        ({"keep": 1}, "keep is 1, but a whole number from 2"),
        ({"keep": 2.5}, "keep is 2.5, but a whole number from 2"),
        ({"keep": np.nan}, "keep is nan, but a whole number from 2"),
    ],
)
def test_a_stream_refuses_options(options, says):
    assert LiveMotion(SKELETON, delay=0.0, keep=2).delay == 0.0
    with pytest.raises(InputError, match=f"LiveMotion: {says}"):
        LiveMotion(SKELETON, **options)


def test_threads_may_push_while_others_sample():
    """Whatever has arrived, a sample is either one of the poses sent, held, or exactly what was at the time asked."""
    live = LiveMotion(SKELETON, keep=32)
    live.push(nod(0.0), 0.0)
    poses = {step: nod(step / 400.0) for step in range(600)}
    asked = 0.90037  # between two sent times
    problems: list[object] = []
    sampled: list[float] = []
    ready, done = threading.Barrier(5), threading.Event()

    def send(first: int) -> None:
        ready.wait()
        for _ in range(5):
            for step in range(first, 600, 3):
                live.push(poses[step], step / 400.0)
            live.clear()
            live.push(poses[0], 0.0)

    def watch() -> None:
        ready.wait()
        while not done.is_set():
            try:
                world = live.sample(asked).world_from_joint
            except Exception as problem:  # a torn state may break in any way
                problems.append(problem)
                continue
            time = float(world[0, 2, 3])
            sampled.append(time)
            held = abs(400.0 * time - round(400.0 * time)) < 1e-9
            off = 0.0 if held else abs(time - asked)
            if off > 1e-9 or np.abs(world - nod(time).world_from_joint).max() > 1e-9 or len(live) > 32:
                problems.append(time)

    threads = [threading.Thread(target=send, args=(first,)) for first in range(3)]
    watchers = [threading.Thread(target=watch) for _ in range(2)]
    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns so often that a torn state would be seen
    try:
        for thread in threads + watchers:
            thread.start()
        for thread in threads:
            thread.join()
        done.set()
        for watcher in watchers:
            watcher.join()
    finally:
        sys.setswitchinterval(patience)
    assert sampled
    assert not problems


class _Interrupted(float):
    """A time that lets another thread have a go while its place among the others is being looked for."""

    def __new__(cls, value: float, intrude):
        time = super().__new__(cls, value)
        time.thread = threading.Thread(target=intrude)
        return time

    def __gt__(self, other: float) -> bool:
        if self.thread.ident is None:
            self.thread.start()
            self.thread.join(timeout=0.2)  # it can only end here if nothing keeps it out
        return float(self) > other


def test_a_push_is_not_disturbed_by_another():
    live, orderly = LiveMotion(SKELETON), LiveMotion(SKELETON)
    poses = {0.0: nod(0.0), 0.1: nod(0.9), 0.2: nod(0.3), 0.5: nod(1.5), 1.0: nod(0.2)}  # unsteady: order is seen
    for time, pose in poses.items():
        orderly.push(pose, time)
    live.push(poses[0.0], 0.0)
    live.push(poses[1.0], 1.0)
    time = _Interrupted(0.5, lambda: [live.push(poses[early], early) for early in (0.1, 0.2)])
    live.push(poses[0.5], time)
    time.thread.join()
    assert len(live) == 5
    for moment in (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7):
        assert_same(live.sample(moment), orderly.sample(moment))
