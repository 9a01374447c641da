"""Springs in time: rest, laws, waves that travel, swinging that dies away, and memory that can be put back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_kinematic_skins import moved, random_pose, random_rigid

import supple
from conftest import make_tube
from supple import Motion, Pose, SpringDynamics, SpringRig
from supple.geometry import quaternions

STEP = 1.0 / 120.0


@pytest.fixture(scope="module")
def tube():
    return make_tube(rings=41, sectors=12, bones=2)


def bend(skeleton, angle):
    return Pose.from_rotations(skeleton, {"bone1": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle)})


def jerk(tube, time):
    """The second bone swings by one radian within a tenth of a second and stays."""
    return bend(tube.skeleton, min(time / 0.1, 1.0))


def played(character, skin, pose_at, seconds):
    player = supple.player(character, skin, fps=120.0)
    return np.stack([player.advance(pose_at(step * STEP)) for step in range(round(seconds / STEP) + 1)])


@pytest.mark.parametrize("speed", [0.0, 0.5, 20.0])
def test_at_rest_it_stays_at_rest(speed, tube):
    frames = played(tube, SpringDynamics(speed=speed), lambda time: Pose.rest(tube.skeleton), 0.5)
    assert np.abs(frames - tube.points).max() < 1e-6


@pytest.mark.parametrize("speed", [0.0, 0.5])
def test_rigid_motion_in_rigid_motion_out(speed, tube):
    """The same motion played elsewhere is the same skin there, swinging and all."""
    carry = random_rigid(3)
    here = played(tube, SpringDynamics(speed=speed), lambda time: jerk(tube, time), 0.3)
    there = played(tube, SpringDynamics(speed=speed), lambda time: jerk(tube, time).moved(carry), 0.3)
    assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 5e-5


def test_steady_travel_leaves_nothing_behind(tube):
    """Inertia answers acceleration, not speed: once at an even speed, the skin comes to rest on its bones."""
    rest = tube.skeleton.world_from_joint

    def pose(time):
        world = rest.copy()
        world[:, 0, 3] += 3.0 * time
        return Pose(world)

    frames = played(tube, SpringDynamics(damping=10.0), pose, 3.0)
    assert np.abs(frames[2] - [3.0 * 2 * STEP, 0.0, 0.0] - tube.points).max() > 1e-4  # left behind at first
    assert np.abs(frames[-1] - [9.0, 0.0, 0.0] - tube.points).max() < 1e-4


def test_it_lags_swings_and_settles_where_springs_balance(tube):
    frames = played(tube, SpringDynamics(damping=8.0), lambda time: jerk(tube, time), 2.5)
    balance = supple.player(tube, SpringRig(iterations=2000)).advance(jerk(tube, 1.0))
    away = np.linalg.norm(frames - balance, axis=2).max(axis=1)
    stopped = round(0.1 / STEP)
    assert away[stopped] > 0.01  # it lags when the bone stops
    assert away[-1] < 1e-3  # and is at rest in the end
    tip = np.linalg.norm(frames[stopped:] - frames[-1], axis=2).max(axis=1)
    assert (np.diff(np.sign(np.diff(tip))) != 0).sum() >= 2  # with swings between


def test_without_momentum_it_follows_at_once(tube):
    frames = played(tube, SpringDynamics(speed=0.0), lambda time: jerk(tube, time), 0.4)
    balance = supple.player(tube, SpringRig(iterations=2000)).advance(jerk(tube, 1.0))
    assert np.abs(frames[-1] - balance).max() < 1e-4
    lively = played(tube, SpringDynamics(), lambda time: jerk(tube, time), 0.4)
    stopped = round(0.1 / STEP)
    assert np.abs(frames[stopped] - balance).max() < 0.3 * np.abs(lively[stopped] - balance).max()


def poked(speed, iterations=8):
    """How far every ring of a long tube whose lowest rings were pulled out has moved, frame by frame, and where it is.

    Loose springs to the bone, so that waves run.
    """
    tube = make_tube(rings=62, sectors=48, bones=2, closed=False)  # edges alike in all directions
    skin = SpringDynamics(
        speed=speed, damping=0.0, stiffness={"radius": 0.1, "twist": 0.001, "bones": 0.0}, iterations=iterations
    )
    player = supple.player(tube, skin, fps=120.0)
    rest = Pose.rest(tube.skeleton)
    player.advance(rest)
    velocities = player._nodes[-1].state.memory.velocities.numpy()
    velocities[tube.points[:, 1] < 0.1, 1] = -0.2
    shifts = [tube.points[:, 1] - player.advance(rest)[:, 1] for _ in range(100)]
    return np.array(shifts).reshape(100, 62, 48).mean(axis=2), tube.points[::48, 1]


def test_a_wave_travels_along_the_skin_at_the_speed_asked_for():
    for speed in (1.0, 2.0):
        shifts, height = poked(speed)
        front = np.argmax(shifts > 0.3 * shifts.max(), axis=0) * STEP  # when it reaches every ring
        some = (height > 0.15) & (height < 0.45)
        measured = np.polyfit(front[some], height[some], 1)[0]
        assert 0.8 * speed < measured < 1.25 * speed
        ahead = height > 0.15 + 1.6 * speed * 20 * STEP
        assert np.abs(shifts[19, ahead]).max() < 0.02 * shifts[19].max()  # nothing arrives before it


def test_no_wave_outruns_the_mesh():
    """A speed that the step cannot carry is cut to one edge per sweep and stays finite."""
    swollen, _ = poked(1e6, iterations=2)
    assert np.isfinite(swollen).all()
    assert np.abs(swollen).max() < 0.25


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    speed=st.sampled_from([0.0, 1e-3, 1.0, 1e6]),
    inertia=st.sampled_from([0.0, 1.0]),
    damping=st.sampled_from([0.0, 5.0, 1e6]),
    stiffness=st.sampled_from([0.0, 1.0, 1e6, 1e12]),
)
def test_no_setting_makes_it_diverge(seed, speed, inertia, damping, stiffness):
    """Poses that jump at random every frame, a whole metre aside too."""
    tube = make_tube(rings=9, sectors=6, bones=3)
    skin = SpringDynamics(speed=speed, inertia=inertia, damping=damping, edges=stiffness, iterations=3)
    player = supple.player(tube, skin, fps=60.0)
    for frame in range(20):
        pose = random_pose(tube.skeleton, seed + frame, angle=1.0)
        aside = np.eye(4)
        aside[0, 3] = frame % 2
        points = player.advance(pose.moved(aside))
        assert np.isfinite(points).all()
        assert np.abs(points).max() < 6.0


def test_skin_that_is_not_loose_does_not_lag(tube):
    firm = tube.replace(maps={"jiggle": np.zeros(len(tube.points))})
    balance = supple.player(tube, SpringRig(iterations=500))
    lag = {}
    for name, character in (("firm", firm), ("loose", tube)):
        frames = played(character, SpringDynamics(), lambda time: jerk(tube, time), 0.1)
        lag[name] = np.abs(frames[-1] - balance.advance(jerk(tube, 0.1))).max()
    assert lag["firm"] < 0.3 * lag["loose"]


def test_it_goes_on_from_what_was_kept(tube):
    motion = Motion.from_poses(tube.skeleton, lambda time: jerk(tube, time), seconds=0.5, fps=60.0, name="jerk")
    whole, first, second = (supple.player(tube, SpringDynamics()) for _ in range(3))
    times = np.arange(20) / 60.0
    expected = [whole.play(motion, time) for time in times]
    for time in times[:10]:
        first.play(motion, time)
    second.restore(first.snapshot())
    again = [second.play(motion, time) for time in times[10:]]
    assert all(np.array_equal(a, b) for a, b in zip(expected[10:], again, strict=True))
