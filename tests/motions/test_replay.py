"""A motion over a bad line: the line does what it says, and what listens to it stays calm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple import Motion, Pose, Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live import LiveMotion, NoisyMotion, NoisyReplay
from supple.motion.live.steady import SteadyMotion
from supple.motion.relative import RelativePose, beyond, mix_poses, rotation_vectors, rotations_from_vectors

SKELETON = Skeleton.from_heads(["root", "mid", "tip"], [-1, 0, 1], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])


def nod(time: float) -> Pose:
    """Bends steadily and moves ahead, one radian and one metre a second."""
    rotation = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], time)
    return Pose.from_rotations(SKELETON, {"mid": rotation}, move=[0.0, 0.0, time])


def sway(time: float) -> Pose:
    """Swings to and fro, twice a second."""
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.5 * np.sin(4.0 * np.pi * time))
    return Pose.from_rotations(SKELETON, {"mid": rotation}, move=[0.3 * np.sin(2.0 * np.pi * time), 0.0, 0.0])


NOD = Motion.from_poses(SKELETON, nod, seconds=2.0, fps=100.0)


HERO = supple.character("hero", vertices=2000)
WALK = supple.motion("walk", HERO)


class Playing:
    """A function of time as a source."""

    def __init__(self, poses, skeleton=SKELETON):
        self.poses, self.skeleton = poses, skeleton

    def sample(self, time: float) -> Pose:
        return self.poses(time)


def world(pose: Pose) -> np.ndarray:
    return pose.world_from_joint


# The line


def test_a_perfect_line_delivers_everything_at_once_in_order():
    found = list(NoisyReplay(NOD, rate=10.0).arrivals(1.0))
    np.testing.assert_allclose([arrival.sent for arrival in found], np.arange(11) / 10.0)
    assert all(arrival.time == arrival.sent for arrival in found)
    for arrival in found:
        np.testing.assert_array_equal(world(arrival.pose), world(NOD.sample(arrival.sent)))


BAD = {"rate": 50.0, "jitter": 0.03, "loss": 0.2, "doubled": 0.1, "late": 0.05, "lateness": 0.5}


def test_a_bad_line_is_as_bad_as_it_says():
    """2001 poses: shares are known to about one percent, five of which are allowed."""
    found = list(NoisyReplay(NOD, **BAD, seed=3).arrivals(40.0))
    times, sent = (np.array([getattr(arrival, name) for arrival in found]) for name in ("time", "sent"))
    assert (np.diff(times) >= 0.0).all()
    assert (times >= sent).all()
    assert (np.diff(sent) < 0.0).any()  # some overtook others
    once, copies = np.unique(sent, return_counts=True)
    assert abs(len(once) / 2001 - 0.8) < 0.05
    assert abs((copies == 2).mean() - 0.1) < 0.05
    assert copies.max() == 2
    late = times - sent > 0.5
    assert abs(late.mean() - 0.05) < 0.025
    assert abs((times - sent)[~late].mean() - 0.03) < 0.005


def test_the_line_is_the_same_each_time_and_another_by_seed():
    one, again, other = (
        [(arrival.time, arrival.sent) for arrival in NoisyReplay(NOD, **BAD, seed=seed).arrivals(4.0)]
        for seed in (5, 5, 6)
    )
    assert one == again
    assert one != other
    shorter = {(arrival.time, arrival.sent) for arrival in NoisyReplay(NOD, **BAD, seed=5).arrivals(2.0)}
    assert shorter == {pair for pair in one if pair[1] <= 2.0 + 1e-9}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rate": 0.0}, "rate is 0"),
        ({"jitter": -1.0}, "jitter is -1"),
        ({"loss": 1.5}, "loss is 1.5"),
        ({"doubled": np.nan}, "doubled is nan"),
        ({"late": -0.1}, "late is -0.1"),
        ({"lateness": 61.0}, "lateness is 61"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_the_line_refuses(options, says):
    with pytest.raises(InputError, match=f"NoisyReplay: {says}"):
        NoisyReplay(NOD, **options)


@pytest.mark.parametrize("seconds", [-1.0, np.nan, np.inf])
def test_a_replay_ends(seconds):
    assert len(list(NoisyReplay(NOD).arrivals(0.0))) == 1
    with pytest.raises(InputError, match="NoisyReplay: seconds is"):
        list(NoisyReplay(NOD).arrivals(seconds))


# Poses taken apart


@given(st.floats(-3.0, 3.0))
def test_poses_are_put_together_again(time):
    apart = RelativePose.from_pose(SKELETON, nod(time))
    np.testing.assert_allclose(world(apart.pose(SKELETON)), world(nod(time)), atol=1e-12)
    np.testing.assert_allclose(rotations_from_vectors(rotation_vectors(apart.rotations)), apart.rotations, atol=1e-12)


@given(st.floats(0.0, 1.0), st.floats(1.0, 3.0))
def test_going_on_goes_on_evenly(start, fraction):
    pair = [RelativePose.from_pose(SKELETON, nod(time)) for time in (start, start + 0.5)]
    on = beyond(*pair, fraction).pose(SKELETON)
    np.testing.assert_allclose(world(on), world(nod(start + 0.5 * fraction)), atol=1e-9)


def test_opposite_quaternions_are_one_turn():
    apart = RelativePose.from_pose(SKELETON, nod(0.4))
    flipped = RelativePose(apart.moves, -apart.rotations, apart.scales, apart.shapes)
    both = mix_poses([apart, flipped], np.array([0.5, 0.5]))
    np.testing.assert_allclose(world(both.pose(SKELETON)), world(nod(0.4)), atol=1e-12)


# Smoothing


def received(poses, times, **options) -> LiveMotion:
    live = LiveMotion(SKELETON, keep=4096, **options)
    for time in times:
        live.push(poses(time), time)
    return live


@given(st.floats(0.1, 0.9), st.sampled_from([0.05, 0.2, 0.7]), st.integers(0, 5))
def test_a_steady_movement_passes_smoothing_unchanged_and_without_lag(time, width, seed):
    """Also where poses are missing and unevenly spaced. Turns are means of quaternions, hence not quite exact."""
    times = np.sort(np.random.default_rng(seed).uniform(0.0, 1.0, 40))
    live = received(nod, [0.0, *times, 1.0], smoothing=width)
    assert live.delay == width
    found = world(live.sample(time + width))
    np.testing.assert_allclose(found[0, 2, 3], time, atol=1e-9)
    np.testing.assert_allclose(found, world(nod(time)), atol=0.02 * width)


def test_smoothing_of_nothing_is_none():
    times = np.linspace(0.0, 2.0, 41)
    plain, coasting = received(sway, times), received(sway, times, coast=0.1)
    for time in np.linspace(-0.5, 2.0, 77):
        np.testing.assert_allclose(world(coasting.sample(time)), world(plain.sample(time)), atol=2e-3)
    for time in times:
        np.testing.assert_allclose(world(coasting.sample(time)), world(plain.sample(time)), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"smoothing": 0.1}, {"coast": 0.1}])
def test_a_pose_taken_apart_is_the_pose(options):
    live = LiveMotion(SKELETON, **options)
    for count in range(30):
        for time in (-1.0, 0.33, 0.7, 2.0):
            apart = live.relative(time).pose(SKELETON)
            np.testing.assert_allclose(world(apart), world(live.sample(time)), atol=1e-12)
        live.push(sway(0.05 * count), 0.05 * count)
    with pytest.raises(InputError, match="LiveMotion: time is nan"):
        live.relative(np.nan)


def test_smoothing_runs_on_without_jumps_over_gaps_and_ends():
    """Poses come and go from the window, gaps are wider than it, and still nothing jumps."""
    times = [*np.arange(0.0, 1.0, 0.033), *np.arange(2.0, 2.5, 0.033), 3.0, 3.5, *np.arange(4.0, 5.0, 0.01)]
    live = received(sway, times, smoothing=0.15)
    shown = np.array([world(live.sample(time + 0.15)) for time in np.arange(-0.2, 5.3, 0.001)])
    positions = shown[..., :3, 3]
    assert np.abs(np.diff(positions, axis=0)).max() < 0.001 * 20.0  # the tip of the swing itself goes up to 8 m/s
    assert np.abs(np.diff(shown[:100], axis=0)).max() == 0.0  # held before the first ...
    assert np.abs(np.diff(shown[-100:], axis=0)).max() == 0.0  # ... and after the last


def noise_and_error(width: float, delay: float) -> tuple[float, float]:
    """Mean acceleration [m/s^2] and mean error [m] of all joints of a walking hero under 5 cm of noise at 30 Hz."""
    noisy = NoisyMotion(WALK, position=0.05, rate=30.0, seed=2)
    live = LiveMotion(HERO.skeleton, delay=delay, smoothing=width)
    waiting = iter(NoisyReplay(noisy, rate=30.0).arrivals(4.0))
    coming = next(waiting)
    shown, clean = [], []
    for time in np.arange(1.0, 3.0, 1.0 / 60.0):
        while coming.time <= time:
            live.push(coming.pose, coming.sent)
            coming = next(waiting)
        shown.append(world(live.sample(time))[:, :3, 3])
        clean.append(world(WALK.sample(time - live.delay))[:, :3, 3])
    shake = np.diff(np.array(shown) - clean, n=2, axis=0) * 3600.0
    return float(np.linalg.norm(shake, axis=-1).mean()), float(np.linalg.norm(np.array(shown) - clean, axis=-1).mean())


def test_smoothing_takes_noise_out_of_a_walk():
    rough, error = noise_and_error(0.0, 0.15)
    calm, calm_error = noise_and_error(0.15, 0.15)
    assert calm < rough / 10.0
    assert calm_error < 0.6 * error
    assert noise_and_error(0.15, 0.0) == (calm, calm_error)  # it waits as long as it has to


@pytest.mark.parametrize("name", ["smoothing", "coast"])
@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, 11.0])
def test_live_motion_refuses_more_options(name, value):
    LiveMotion(SKELETON, **{name: 10.0})
    with pytest.raises(InputError, match=f"LiveMotion: {name} is {value}, but 0 to 10 seconds"):
        LiveMotion(SKELETON, **{name: value})


# Coming to rest


def test_a_body_whose_sender_stops_comes_to_rest():
    live = received(nod, np.linspace(0.0, 1.0, 31), coast=0.1)
    times = np.linspace(0.9, 3.0, 2101)
    ahead = np.array([world(live.sample(time))[0, 2, 3] for time in times])
    speed = np.diff(ahead) / np.diff(times)
    np.testing.assert_allclose(speed[:99], 1.0, atol=1e-6)
    assert (np.diff(speed[102:]) <= 1e-9).all()  # only ever slower
    assert abs(ahead[-1] - 1.1) < 1e-6  # by the speed times the time
    np.testing.assert_allclose(world(live.sample(1e6)), world(nod(1.1)), atol=1e-9)  # turns too


# Nothing pops


def test_a_source_that_keeps_its_word_is_shown_exactly():
    steady = SteadyMotion(Playing(sway))
    for time in np.arange(0.0, 3.0, 0.017):
        np.testing.assert_allclose(world(steady.sample(time)), world(sway(time)), atol=1e-12)


def test_a_change_of_mind_is_eased_in():
    """At one second the source finds that it should always have been elsewhere."""
    now = {"place": 0.0}
    steady = SteadyMotion(
        Playing(lambda time: Pose.from_rotations(SKELETON, {}, move=[now["place"], 0.0, 0.0])), ease=0.2
    )
    times = np.arange(0.0, 2.0, 0.01)
    shown = []
    for time in times:
        now["place"] = 0.0 if time < 0.995 else 1.0
        shown.append(world(steady.sample(time))[0, 0, 3])
    shown = np.array(shown)
    known = 1.0 - (1.0 + 4.74 / 0.2 * (times - 0.99)) * np.exp(-4.74 / 0.2 * (times - 0.99))  # a damped spring
    np.testing.assert_allclose(shown, np.where(times < 0.995, 0.0, known), atol=1e-9)
    assert shown[(times > 1.19)][0] > 0.95
    assert (np.diff(shown) >= 0.0).all()  # it does not swing over


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=20, max_size=60), st.floats(0.001, 0.1))
def test_no_joint_is_faster_than_allowed_whatever_the_source_does(choices, step):
    kinds = [sway(0.0), nod(3.0), nod(-2.0), Pose.from_rotations(SKELETON, {}, move=[900.0, -900.0, 0.0])]
    current = {"pose": kinds[0]}
    steady = SteadyMotion(Playing(lambda _: current["pose"]), top_speed=5.0, top_angular_speed=10.0)
    last = None
    for count, choice in enumerate(choices):
        current["pose"] = kinds[choice]
        apart = RelativePose.from_pose(SKELETON, steady.sample(count * step))
        assert np.isfinite(apart.moves).all()
        if last is not None:
            assert np.linalg.norm(apart.moves - last.moves, axis=1).max() <= 5.0 * step + 1e-9
            turned = rotation_vectors(quaternions.quat_multiply(quaternions.conjugate(last.rotations), apart.rotations))
            assert np.linalg.norm(turned, axis=1).max() <= 10.0 * step + 1e-9
        last = apart


def test_it_arrives_however_far_it_is():
    current = {"move": [0.0, 0.0, 0.0]}
    steady = SteadyMotion(Playing(lambda _: Pose.from_rotations(SKELETON, {}, move=current["move"])), top_speed=20.0)
    steady.sample(0.0)
    current["move"] = [100.0, 0.0, 0.0]
    shown = [world(steady.sample(time))[0, 0, 3] for time in np.arange(0.02, 8.0, 0.02)]
    assert shown[-1] == pytest.approx(100.0, abs=1e-3)
    assert shown[245] < 100.0  # not before the five seconds that it takes


def test_what_was_shown_stays_shown():
    steady = SteadyMotion(Playing(sway))
    times = np.arange(0.0, 1.0, 0.02)
    shown = {time: world(steady.sample(time)) for time in times}
    for time in (0.5, 0.02, 0.98):
        np.testing.assert_array_equal(world(steady.sample(time)), shown[time])
    np.testing.assert_allclose(world(steady.sample(0.51)), world(sway(0.51)), atol=1e-3)
    np.testing.assert_array_equal(world(steady.sample(-1.0)), shown[0.0])


@pytest.mark.parametrize("name", ["ease", "top_speed", "top_angular_speed"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_steady_motion_refuses(name, value):
    SteadyMotion(NOD, **{name: 1.0})
    with pytest.raises(InputError, match=f"SteadyMotion: {name} is {value}, but a number above zero"):
        SteadyMotion(NOD, **{name: value})
    with pytest.raises(InputError, match="SteadyMotion: time is"):
        SteadyMotion(NOD).sample(np.nan)


def test_live_poses_over_a_bad_line_do_not_shake():
    """With a delay that covers the jitter, what is shown is the motion; with too little, it is late but calm."""
    clean = Motion.from_poses(SKELETON, sway, seconds=10.0, fps=200.0)
    line = NoisyReplay(clean, rate=60.0, jitter=0.01, loss=0.05, doubled=0.05, late=0.02, lateness=0.2, seed=8)
    # Three poses lost in a row leave a gap g of 4 / 60 s; the tip, at 91 m/s^2, leaves the line over it by a g^2 / 8.
    for delay, error, rush in ((0.3, 0.05, 1.5), (0.02, 0.3, 3.0)):
        steady = SteadyMotion(live := LiveMotion(SKELETON, delay=delay, coast=0.05))
        arrivals = iter(line.arrivals(10.0))
        coming = next(arrivals)
        shown, known = [], []
        for time in np.arange(1.0, 9.0, 0.01):
            while coming.time <= time:
                live.push(coming.pose, coming.sent)
                coming = next(arrivals)
            shown.append(world(steady.sample(time))[..., :3, 3])
            known.append(world(sway(time - delay))[..., :3, 3])
        fastest = np.abs(np.diff(known, axis=0)).max()
        assert np.abs(np.array(shown) - known).max() < error
        assert np.abs(np.diff(shown, axis=0)).max() < rush * fastest
