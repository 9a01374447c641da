"""Springs in time: rest, laws, waves that travel, swinging that dies away, and memory that can be put back."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra
from test_kinematic_skins import moved, random_pose, random_rigid

import supple
from conftest import make_tube
from supple import Motion, Pose, SpringDynamics, SpringRig
from supple.geometry import quaternions
from supple.skins.springs.dynamics_state import DynamicsState

STEP = 1.0 / 120.0
STIFFNESS = {"relative_radius": 0.5, "radius": 2.0, "twist": 2.0}  # that of springs in time


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


@pytest.mark.parametrize("frequency", [0.0, 4.5, 60.0])
def test_at_rest_it_stays_at_rest(frequency, tube):
    frames = played(tube, SpringDynamics(frequency=frequency), lambda time: Pose.rest(tube.skeleton), 0.5)
    assert np.abs(frames - tube.points).max() < 1e-6


@pytest.mark.parametrize(
    "skin",
    [SpringDynamics(), SpringDynamics(frequency=0.0, stiffness={"radius": 4.0, "twist": 2.0})],
    ids=["swinging", "relaxing"],
)
def test_rigid_motion_in_rigid_motion_out(skin, tube):
    """The same motion played elsewhere is the same skin there, swinging and all."""
    carry = random_rigid(3)
    here = played(tube, skin, lambda time: jerk(tube, time), 0.3)
    there = played(tube, skin, lambda time: jerk(tube, time).moved(carry), 0.3)
    assert np.abs(there - moved(here.astype(np.float64), carry)).max() < 5e-5


@pytest.mark.parametrize("speed", [0.1, 3.0, 30.0])
def test_steady_travel_leaves_nothing_behind(speed, tube):
    """Inertia answers acceleration, not speed: skin that is on its way from the first frame on rests on its bones."""
    rest = tube.skeleton.world_from_joint

    def pose(time):
        world = rest.copy()
        world[:, 0, 3] += speed * time
        return Pose(world)

    frames = played(tube, SpringDynamics(), pose, 0.5)
    way = speed * STEP * np.arange(len(frames))
    assert np.abs(frames - way[:, None, None] * [1.0, 0.0, 0.0] - tube.points).max() < 1e-4


def stopped_suddenly(character, skin, *, speed=1.0, seconds=2.0):
    """Every vertex's offset (F, V, 3) [m] from its bones after a body that travelled evenly has stopped at once."""
    rest = character.skeleton.world_from_joint

    def pose(time):
        world = rest.copy()
        world[:, 2, 3] += speed * min(time, 0.25)
        return Pose(world)

    frames = played(character, skin, pose, 0.25 + seconds)[round(0.25 / STEP) :]
    return frames - [0.0, 0.0, 0.25 * speed] - character.points


def test_a_sudden_stop_swings_a_few_times_and_is_calm_within_a_second():
    hero = supple.character("hero", vertices=1500)
    belly = int(np.abs(hero.points - [0.0, 1.05, 0.15]).sum(axis=1).argmin())
    away = stopped_suddenly(hero, SpringDynamics())
    swing = away[:, belly, 2]
    assert swing.max() > 0.005  # it goes on where the body has stopped
    turns = [extreme for extreme in _extremes(swing) if abs(extreme) > 0.05 * swing.max()]
    assert 4 <= len(turns) <= 10  # two to four swings to and fro, and what is left of one
    assert all(a * b < 0.0 for a, b in itertools.pairwise(turns))
    assert np.abs(away[round(1.0 / STEP) :]).max() < 1e-3


def _extremes(values):
    inner = np.flatnonzero(np.diff(np.sign(np.diff(values)))) + 1
    return values[inner]


@pytest.mark.parametrize("frequency", [2.0, 4.5, 9.0])
def test_it_swings_at_the_frequency_asked_for(frequency):
    """A tube that stands swings as a whole: springs to the bone alone draw it back."""
    tube = make_tube(rings=41, sectors=24, bones=2)
    tube = tube.replace(maps={"jiggle": np.ones(len(tube.points))})
    skin = SpringDynamics(frequency=frequency, damping=0.05, stiffness={"radius": 1.0, "twist": 1.0, "bones": 0.0})
    middle = np.abs(tube.points[:, 1] - tube.points[:, 1].mean()) < 0.05
    swing = stopped_suddenly(tube, skin, speed=0.2, seconds=8.0 / frequency)[:, middle, 2].mean(axis=1)
    crossings = np.flatnonzero(np.sign(swing[:-1]) != np.sign(swing[1:]))
    period = 2.0 * STEP * np.diff(crossings[:7]).mean()
    assert 1.0 / period == pytest.approx(frequency, rel=0.15)


@pytest.mark.parametrize("sectors", [12, 96])
def test_a_fine_mesh_swings_at_the_same_pace(sectors):
    """Short edges have springs to the bone that are weak beside those along the skin: no step may make them slack."""
    tube = make_tube(rings=sectors // 2, sectors=sectors, bones=1, closed=False)
    tube = tube.replace(maps={"jiggle": np.ones(len(tube.points))})
    skin = SpringDynamics(damping=0.05, stiffness={"radius": 1.0, "twist": 1.0, "bones": 0.0})
    swing = stopped_suddenly(tube, skin, speed=0.2, seconds=1.0)[:, :, 2].mean(axis=1)
    crossings = np.flatnonzero(np.sign(swing[:-1]) != np.sign(swing[1:]))
    assert 0.5 / (STEP * np.diff(crossings[:6]).mean()) == pytest.approx(4.5, rel=0.15)


def test_it_depends_neither_on_the_step_nor_on_how_it_is_taken(monkeypatch):
    """Steps of half the length, and sweeps that look at all pulls eight times in a step, give the same swing."""
    hero = supple.character("hero", vertices=800)
    motion = supple.motion("run-and-stop", hero)
    still = [supple.player(hero, SpringRig(stiffness=STIFFNESS)).play(motion, frame / 60.0) for frame in range(48)]

    def swings(step):
        player = supple.player(hero, SpringDynamics(step=step))
        return np.array([player.play(motion, frame / 60.0) for frame in range(48)]) - still

    usual, half, quarter = (swings(step) for step in (1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0))
    monkeypatch.setattr(DynamicsState, "looks_once", False)
    by_sweeps = swings(1.0 / 240.0)

    def apart(one, other):
        return np.linalg.norm(one - other) / np.linalg.norm(by_sweeps)

    assert apart(usual, by_sweeps) < 0.15
    assert apart(half, by_sweeps) < 0.1
    assert apart(half, quarter) < 0.6 * apart(usual, quarter)  # finer steps converge


@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_it_does_not_depend_on_units(unit):
    hero = supple.character("hero", vertices=800)
    motion = supple.motion("run-and-stop", hero)
    scaled = np.diag([unit, unit, unit, 1.0])
    skeleton = hero.skeleton

    def resize(world):
        return scaled @ world @ np.linalg.inv(scaled)

    other = supple.Character(
        unit * hero.points,
        hero.triangles,
        type(skeleton)(skeleton.names, skeleton.parents, resize(skeleton.world_from_joint)),
        hero.weights,
    )
    plain = supple.Character(
        hero.points,
        hero.triangles,
        type(skeleton)(skeleton.names, skeleton.parents, skeleton.world_from_joint),
        hero.weights,
    )
    here, there = supple.player(plain, SpringDynamics()), supple.player(other, SpringDynamics())
    for frame in range(24):
        pose = motion.sample(frame / 60.0)
        small, large = here.advance(pose), there.advance(Pose(resize(pose.world_from_joint)))
    assert np.abs(large / unit - small).max() < 5e-5


def test_it_lags_swings_and_settles_where_springs_balance(tube):
    frames = played(tube, SpringDynamics(), lambda time: jerk(tube, time), 2.5)
    balance = supple.player(tube, SpringRig(iterations=2000, stiffness=STIFFNESS)).advance(jerk(tube, 1.0))
    away = np.linalg.norm(frames - balance, axis=2).max(axis=1)
    stopped = round(0.1 / STEP)
    assert away[stopped] > 0.01  # it lags when the bone stops
    assert away[-1] < 1e-3  # and is at rest in the end
    tip = np.linalg.norm(frames[stopped:] - frames[-1], axis=2).max(axis=1)
    assert (np.diff(np.sign(np.diff(tip))) != 0).sum() >= 2  # with swings between


def test_without_momentum_it_follows_at_once(tube):
    frames = played(tube, SpringDynamics(frequency=0.0), lambda time: jerk(tube, time), 0.4)
    balance = supple.player(tube, SpringRig(iterations=2000, stiffness=STIFFNESS)).advance(jerk(tube, 1.0))
    assert np.abs(frames[-1] - balance).max() < 1e-4
    lively = played(tube, SpringDynamics(), lambda time: jerk(tube, time), 0.4)
    stopped = round(0.1 / STEP)
    assert np.abs(frames[stopped] - balance).max() < 0.3 * np.abs(lively[stopped] - balance).max()


def poked(frequency, iterations=8, frames=100):
    """How far every ring of a long tube whose lowest rings were pulled out has moved, frame by frame, and where it is.

    Loose springs to the bone, so that waves run.
    """
    tube = make_tube(rings=62, sectors=48, bones=2, closed=False)  # edges alike in all directions
    tube = tube.replace(maps={"jiggle": np.ones(len(tube.points))})
    stiffness = {"radius": 0.1, "twist": 0.001, "bones": 0.0}
    skin = SpringDynamics(frequency=frequency, damping=0.0, stiffness=stiffness, iterations=iterations)
    player = supple.player(tube, skin, fps=120.0)
    rest = Pose.rest(tube.skeleton)
    player.advance(rest)
    velocities = player._nodes[-1].state.memory.velocities.numpy()
    velocities[tube.points[:, 1] < 0.1, 1] = -0.2
    shifts = [tube.points[:, 1] - player.advance(rest)[:, 1] for _ in range(frames)]
    return np.array(shifts).reshape(frames, 62, 48).mean(axis=2), tube


def test_a_wave_travels_along_the_skin_some_distances_from_the_bone_in_a_swing():
    """Springs along the skin of stiffness k carry waves at 2 pi f r sqrt(k / 8 k_bone), whatever the mesh."""
    to_bone, along = (0.1 + 2.0 * 0.001) / 3.0, 0.55 * (1.0 + 1.0)
    for wanted in (1.0, 2.0):
        _, tube = poked(1.0)
        radius = float(np.hypot(tube.points[:, 0], tube.points[:, 2]).mean())
        frequency = wanted / (2.0 * np.pi * radius * np.sqrt(along / (8.0 * to_bone)))
        shifts, _ = poked(frequency)
        height = tube.points[::48, 1]
        front = np.argmax(shifts > 0.3 * shifts.max(), axis=0) * STEP  # when it reaches every ring
        some = (height > 0.15) & (height < 0.45)
        measured = np.polyfit(front[some], height[some], 1)[0]
        assert 0.8 * wanted < measured < 1.25 * wanted
        ahead = height > 0.15 + 1.6 * wanted * 20 * STEP
        assert np.abs(shifts[19, ahead]).max() < 0.02 * shifts[19].max()  # nothing arrives before it


def test_a_wave_returns_from_the_end_of_the_skin():
    """Half way up, skin rises as the front passes, falls, and rises again when the front comes back from the top."""
    shifts, tube = poked(1.27, frames=130)  # four metres a second
    height = tube.points[::48, 1]
    middle = int(np.abs(height - 0.5 * height.max()).argmin())
    rise = shifts[6:] - shifts[:-6]  # in a twentieth of a second
    passes, top = rise[:, middle].argmax(), rise[:, -2].argmax()
    after = slice(top + (top - passes) // 2, None)
    returns = after.start + rise[after, middle].argmax()
    assert rise[passes, middle] > 0.3 * shifts[:, middle].max()
    assert rise[passes:returns, middle].min() < 0.0  # it had begun to fall
    assert rise[returns, middle] > 0.3 * rise[passes, middle]
    assert 0.7 * (top - passes) < returns - top < 2.0 * (top - passes)  # about as long down as up; it has spread out


def test_a_poke_into_a_belly_runs_round_the_body_and_comes_back():
    """In `cartoon`, flesh as soft as it is by itself: the farther skin is, the later it moves; then the poked place,
    which had come to rest, moves once more.
    """
    hero = supple.character("hero", vertices=2500)
    player = supple.player(hero, SpringDynamics.preset("cartoon"), fps=120.0)
    still, rest = player.advance(Pose.rest(hero.skeleton)).copy(), Pose.rest(hero.skeleton)
    belly = int(np.abs(hero.points - [0.0, 1.05, 0.15]).sum(axis=1).argmin())
    node = player._nodes[-1]
    away = dijkstra(node.binding.edge_graph, indices=belly)
    node.state.memory.velocities.numpy()[:, 2] -= 3.0 * np.clip(1.0 - away / 0.1, 0.0, 1.0)
    frames = np.array([player.advance(rest) for _ in range(90)])

    def felt(low, high):
        """How far (F,) [m] skin this far from the poke has moved, by root mean square."""
        band = (away >= low) & (away < high)
        return np.sqrt(np.square(frames[:, band] - still[band]).sum(axis=2).mean(axis=1))

    bands = [felt(low, low + 0.05) for low in (0.0, 0.1, 0.2, 0.3, 0.4)]
    arrivals = [int(np.argmax(band > 0.5 * band.max())) for band in bands]
    assert all(one < other for one, other in itertools.pairwise(arrivals))
    assert 0.05 < (arrivals[-1] - arrivals[0]) * STEP < 0.4  # one to eight metres a second over 40 cm
    assert bands[2].max() > 0.003
    assert bands[4].max() > 0.0015
    calm = int(bands[0][24:60].argmin()) + 24
    returned = bands[0][calm:].max()
    assert bands[0][calm] < 0.05 * bands[0].max()
    assert returned > 0.003
    assert returned > 2.0 * bands[0][calm]


def test_no_wave_outruns_the_mesh():
    """A pace that the step cannot carry is cut to one edge per sweep and stays finite."""
    swollen, _ = poked(60.0, iterations=2)
    assert np.isfinite(swollen).all()
    assert np.abs(swollen).max() < 0.25


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    frequency=st.sampled_from([0.0, 1e-3, 4.5, 60.0]),
    inertia=st.sampled_from([0.0, 1.0]),
    damping=st.sampled_from([0.0, 0.15, 10.0]),
    stiffness=st.sampled_from([0.0, 1.0, 1e6, 1e12]),
)
def test_no_setting_makes_it_diverge(seed, frequency, inertia, damping, stiffness):
    """Poses that jump at random every frame, a whole metre aside too."""
    tube = make_tube(rings=9, sectors=6, bones=3)
    skin = SpringDynamics(frequency=frequency, inertia=inertia, damping=damping, edges=stiffness, iterations=3)
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
    loose = tube.replace(maps={"jiggle": np.ones(len(tube.points))})
    balance = supple.player(tube, SpringRig(iterations=500, stiffness=STIFFNESS))
    lag = {}
    for name, character in (("firm", firm), ("loose", loose)):
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


def test_a_running_hero_keeps_its_head_and_its_skin_whole():
    hero = supple.character("hero", vertices=2000)
    motion = supple.motion("run-and-stop", hero)
    head = hero.weights.dense(len(hero.skeleton))[:, hero.skeleton.index("Head")] > 0.9
    off, edges = away_and_edges(hero, motion, SpringDynamics(), seconds=1.2)
    assert off[:, head].max() < 1e-3
    assert 0.005 < off.max() < 0.06
    assert edges[0] > 0.85
    assert edges[1] < 1.15


def away_and_edges(character, motion, skin, *, seconds):
    """How far (F, V) [m] skin is from its balance, and how short and long a hundredth of the edges become at most."""
    moving = supple.player(character, skin)
    still = supple.player(character, SpringRig(iterations=200, stiffness=STIFFNESS))
    one, other = np.unique(np.sort(character.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)), axis=0).T
    off, least, most = [], [], []
    for time in np.arange(0.0, seconds, 1.0 / 60.0):
        here, there = moving.play(motion, time), still.play(motion, time)
        off.append(np.linalg.norm(here - there, axis=1))
        ratio = np.linalg.norm(here[one] - here[other], axis=1) / np.linalg.norm(there[one] - there[other], axis=1)
        low, high = np.quantile(ratio, [0.01, 0.99])
        least.append(low)
        most.append(high)
    return np.array(off), (min(least), max(most))
