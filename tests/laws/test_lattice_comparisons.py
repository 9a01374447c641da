"""What the layers are for: each taken away in turn, as the source does, with a measure that tells the difference."""

import numpy as np
import pytest

import supple
from supple import Character, LayeredLattice, Pose, Skeleton, Weights
from supple.geometry import quaternions
from supple.geometry.surface_nets import polygonize
from supple.geometry.topology import triangulate
from supple.geometry.voxels import VoxelGrid
from supple.measure.jitter import vibration
from supple.motion.live import NoisyMotion
from supple.skins.lattice.voxelize.appendages import appendage_freedom
from supple.skins.lattice.voxelize.cells import Lattice

FPS = 60.0
RESOLUTION = 48
NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


def _eared(points):
    """Distance [m] to a stout body with a head like a ball and two long ears."""
    head = np.linalg.norm(points - (0.0, 1.45, 0.0), axis=1) - 0.27
    belly = np.linalg.norm((points - (0.0, 0.6, 0.0)) * (1.0, 0.7, 1.0), axis=1) - 0.42
    ears = [
        np.maximum(np.hypot(points[:, 0] - side, points[:, 2]) - 0.05, np.abs(points[:, 1] - 1.9) - 0.4)
        for side in (-0.12, 0.12)
    ]
    return np.minimum.reduce([head, belly, *ears])


@pytest.fixture(scope="module")
def eared():
    """Its ears have no joints: they are weighted to the head, and nothing but their shape tells what they are."""
    points, quads = polygonize(_eared, np.array([-0.6, -0.2, -0.6]), np.array([0.6, 2.5, 0.6]), cell=0.04)
    skeleton = Skeleton.from_heads(
        ["Hips", "Spine", "Head"], [-1, 0, 1], [[0.0, 0.4, 0.0], [0.0, 0.8, 0.0], [0.0, 1.3, 0.0]]
    )
    head = np.clip((points[:, 1] - 1.1) / 0.2, 0.0, 1.0)
    spine = np.clip((points[:, 1] - 0.5) / 0.4, 0.0, 1.0) * (1.0 - head)
    dense = np.stack([1.0 - head - spine, spine, head], axis=1)
    return Character(points, triangulate(quads), skeleton, Weights.from_dense(dense, influences=3), name="eared")


class Hopping:
    """Half a second up and down, twice, by 0.3 m, with a nod of the whole body; then it stands."""

    def __init__(self, skeleton):
        self.skeleton = skeleton

    def sample(self, time):
        phase = np.pi * np.clip(time - 0.1, 0.0, 1.0) / 0.5
        position = np.array([0.0, 0.3 * abs(np.sin(phase)), 0.1 * np.sin(phase)])
        nod = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.2 * np.sin(phase))
        return Pose.rest(self.skeleton).moved(quaternions.compose(position, nod))


def played(character, skin, source, seconds=1.5):
    player = supple.player(character, skin)
    return np.array([player.play(source, frame / FPS) for frame in range(round(seconds * FPS))])


def parts(eared):
    """Which vertices are ears, well above their base, which the face, and which the belly."""
    points = eared.points
    ears = (points[:, 1] > 1.95) & (np.hypot(np.abs(points[:, 0]) - 0.12, points[:, 2]) < 0.08)
    face = (points[:, 2] > 0.1) & (np.abs(points[:, 1] - 1.5) < 0.1)
    belly = (points[:, 2] > 0.2) & (np.abs(points[:, 1] - 0.6) < 0.2)
    return ears, face, belly


def jiggle(frames, kinematic, which):
    """Mean motion of its own of some skin, between 1 and 10 Hz [m]."""
    return float(vibration((frames - kinematic)[:, which], fps=FPS).jiggle.mean())


def edges_of(character, which):
    pairs = np.concatenate([character.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    return pairs[which[pairs].all(axis=1)]


def stretch(character, frames, which):
    """Root mean square of how much edges among some vertices are too long or too short, as a share, over all frames."""
    a, b = edges_of(character, which).T
    rest = np.linalg.norm(character.points[a] - character.points[b], axis=1)
    lengths = np.linalg.norm(frames[:, a] - frames[:, b], axis=2)
    return float(np.sqrt(np.mean((lengths / rest - 1.0) ** 2)))


# No secondary motion


def test_without_secondary_motion_belly_and_ears_are_dead(eared):
    source = Hopping(eared.skeleton)
    ears, _, belly = parts(eared)
    kinematic = played(eared, supple.LinearBlend(), source)
    lively = played(eared, LayeredLattice(resolution=RESOLUTION), source)
    dead = played(eared, LayeredLattice(resolution=RESOLUTION, secondary=False), source)
    for which in (ears, belly):
        assert jiggle(dead, kinematic, which) < 1e-6
        assert jiggle(lively, kinematic, which) > 0.003


def test_ears_swing_at_a_natural_pace_and_bend_rather_than_stretch_and_the_face_is_still(eared):
    source = Hopping(eared.skeleton)
    ears, face, _ = parts(eared)
    kinematic = played(eared, supple.LinearBlend(), source, 3.0)
    frames = played(eared, LayeredLattice(resolution=RESOLUTION), source, 3.0)
    away = (frames - kinematic)[:, ears].mean(axis=1)
    swing = away[round(1.15 * FPS) :]  # the body stands
    power = (np.abs(np.fft.rfft(swing * np.hanning(len(swing))[:, None], n=4096, axis=0)) ** 2).sum(axis=1)
    pace = np.fft.rfftfreq(4096, 1.0 / FPS)[np.argmax(power)]
    assert 2.0 < pace < 4.5
    assert np.linalg.norm(away, axis=1).max() > 0.02
    assert np.linalg.norm((frames - kinematic)[:, face], axis=2).max() < 1e-3
    assert stretch(eared, frames, ears) < 0.1
    assert np.linalg.norm(away[-1]) < 2e-3  # and they come to rest


# One layer of one stiffness


def _one_layer(stiffness):
    """The plain lattice: one kind of flesh that bones drive through the lattice alone, without distances or volumes."""
    return LayeredLattice.preset(
        "bunny",
        layers="flesh=1",
        skin_layer=False,
        stiffness=stiffness,
        velocity_retention="0.9",
        follow="0",
        stretch=0.0,
        volume=0.0,
        resolution=RESOLUTION,
    )


def lag(frames, kinematic):
    return float(np.linalg.norm(frames - kinematic, axis=2).max())


def test_one_soft_layer_is_left_behind(hero):
    jump = supple.motion("jump", hero)
    kinematic = played(hero, supple.LinearBlend(), jump)
    soft = lag(played(hero, _one_layer("0.2"), jump), kinematic)
    layered = lag(played(hero, LayeredLattice(resolution=RESOLUTION), jump), kinematic)
    assert soft > 0.2
    assert layered < 0.5 * soft


def test_one_stiff_layer_overshoots_where_layers_do_not_and_nothing_diverges(hero):
    """Large gains are read as ratios here, so they stay finite; what is left of them is a body that rings."""
    jump = supple.motion("jump", hero)
    kinematic = played(hero, supple.LinearBlend(), jump)
    stiff = played(hero, _one_layer("3.2"), jump)
    layered = played(hero, LayeredLattice(resolution=RESOLUTION), jump)
    assert np.isfinite(stiff).all()
    assert lag(stiff, kinematic) < 2.0
    assert lag(layered, kinematic) < 0.5 * lag(stiff, kinematic)


# Without the skin layer


def test_the_skin_layer_keeps_the_surface_in_shape(eared):
    """Faces and ears are left to the lattice here: nothing is firm."""
    source = Hopping(eared.skeleton)
    ears, face, _ = parts(eared)
    found = {}
    for skin_layer in (True, False):
        frames = played(eared, LayeredLattice(skin_layer=skin_layer, firm_parts=False, resolution=RESOLUTION), source)
        found[skin_layer] = [stretch(eared, frames, which) for which in (face, ears)]
    for with_skin, without in zip(found[True], found[False], strict=True):
        assert without > 1.2 * with_skin


# Noise


def test_a_steady_lattice_stays_smooth_when_every_joint_shakes_by_five_centimetres(hero):
    walk = supple.motion("walk", hero)
    noisy = NoisyMotion(walk, position=0.05, rate=30.0)
    clean = played(hero, supple.LinearBlend(), walk)
    jitter = {}
    for name, skin in {
        "linear": supple.LinearBlend(),
        "lattice": LayeredLattice(resolution=32),
        "steady": LayeredLattice(resolution=32, steady=3.0),
    }.items():
        away = played(hero, skin, noisy) - clean
        jitter[name] = float(vibration(away, fps=FPS).jitter[12:].mean())
    assert jitter["linear"] > 0.02
    assert jitter["lattice"] < 1.2 * jitter["linear"]  # flesh does not make it worse
    assert jitter["steady"] < 0.1 * jitter["linear"]


class Sliding:
    """Stands until 0.5 s, then moves along x at one metre a second."""

    def __init__(self, skeleton):
        self.skeleton = skeleton

    def sample(self, time):
        move = np.array([max(time - 0.5, 0.0), 0.0, 0.0])
        return Pose.rest(self.skeleton).moved(quaternions.compose(move, NO_TURN))


@pytest.mark.parametrize("frequency", [2.0, 4.0])
def test_a_steady_lattice_is_late_by_what_it_says(hero, frequency):
    frames = played(hero, LayeredLattice(resolution=24, steady=frequency), Sliding(hero.skeleton), 2.0)
    rest = hero.points[:, 0].mean()
    late = (len(frames) - 1) / FPS - 0.5 - (frames[-1][:, 0].mean() - rest)
    assert late == pytest.approx(1.0 / (np.pi * frequency), abs=0.6 / FPS)


def test_a_steady_lattice_rests_in_a_pose_that_rests_and_goes_on_from_a_snapshot(hero):
    pose = supple.motion("kick", hero).sample(0.4)
    skins = [LayeredLattice(resolution=24, steady=steady) for steady in (0.0, 3.0)]
    players = [supple.player(hero, skin) for skin in skins]
    for _ in range(90):
        plain, steady = (player.advance(pose) for player in players)
    assert np.abs(plain - steady).max() < 1e-5
    walk = supple.motion("walk", hero)
    one, other = supple.player(hero, skins[1]), supple.player(hero, skins[1])
    for frame in range(20):
        one.play(walk, frame / FPS)
    other.restore(one.snapshot())
    np.testing.assert_array_equal(one.play(walk, 0.4), other.play(walk, 0.4))


# Free ends


def test_free_ends_are_what_is_long_and_thin_and_leads_nowhere():
    """A box on a neck, with an ear of eight voxels and a nose of two."""
    filled = np.zeros((9, 30, 9), dtype=bool)
    filled[:, 10:19] = True  # the head
    filled[3:6, :10, 3:6] = True  # the neck, and below it the body
    filled[4, 19:27, 4] = True  # the ear
    filled[4, 14, 9:] = True
    cells = np.argwhere(filled).astype(np.int32)
    lattice = Lattice.from_cells(VoxelGrid(np.zeros(3), 0.1, filled.shape), cells)
    depth = np.minimum.reduce([cells[:, 0], 8 - cells[:, 0], cells[:, 2], 8 - cells[:, 2]]).astype(float)
    depth = np.minimum(depth, np.minimum(np.abs(cells[:, 1] - 10), np.abs(18 - cells[:, 1])))
    depth[(cells[:, 1] < 10) | (cells[:, 1] > 18)] = 0.0
    part = cells[:, 1] >= 6  # some of the neck is called head
    free = appendage_freedom(lattice, part, depth)
    assert set(np.flatnonzero(free)) <= set(np.flatnonzero(cells[:, 1] > 18))
    order = np.argsort(cells[free > 0.0, 1])
    assert (free > 0.0).sum() >= 5
    assert (np.diff(free[free > 0.0][order]) > 0.0).all()
    assert free.max() == pytest.approx(0.5 * (8 - 2 + 0.5), abs=1.5)
    short = part & (cells[:, 1] < 21)  # an ear of two voxels is a nose
    assert appendage_freedom(lattice, short, depth).max() == 0.0


def test_free_ends_of_nothing_are_nothing():
    lattice = Lattice.from_cells(
        VoxelGrid(np.zeros(3), 0.1, (3, 3, 3)), np.argwhere(np.ones((3, 3, 3))).astype(np.int32)
    )
    assert appendage_freedom(lattice, np.zeros(27, dtype=bool), np.zeros(27)).max() == 0.0
