"""What a processor does for eight vertices at a time is what kernels say that take them one by one."""

import numpy as np
import pytest
from scipy.sparse import diags_array, eye_array

import supple
from conftest import make_tube
from supple import IncrementalRotation, SpringDynamics, SpringRig
from supple import device as devices
from supple.geometry.cholesky import SplitCholesky, SplitFactor
from supple.skins.springs.kernels import incremental, lanes_in_time
from supple.skins.springs.kernels import springs as kernels
from supple.skins.springs.newton import NewtonSolver
from supple.skins.springs.step import pose_springs, rotate_incrementally


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1500)


@pytest.fixture(scope="module")
def running(hero):
    return supple.motion("run-and-stop", hero).sample(0.3)


def twisted(character, angle, stretch):
    """Every joint turned by an angle about an axis of its own, and set farther from its parent."""
    random = np.random.default_rng(1)
    axes = random.normal(size=(len(character.skeleton), 3))
    turns = {
        name: supple.geometry.quaternions.quat_from_axis_angle(axis / np.linalg.norm(axis), angle)
        for name, axis in zip(character.skeleton.names, axes, strict=True)
    }
    joints = supple.Pose.from_rotations(character.skeleton, turns).world_from_joint.copy()
    joints[:, :3, 3] *= stretch
    return supple.Pose(joints)


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.1])
@pytest.mark.parametrize("stretch", [1.0, 1.3])
@pytest.mark.parametrize("body", ["hero", "tube"])
def test_skin_is_posed_alike(body, angle, stretch, hero):
    """On several bones for each vertex and on one, with stretch and without, up to half a turn from bone to bone."""
    character = hero if body == "hero" else make_tube(rings=33, sectors=13, bones=3)
    skin = IncrementalRotation(squash=1.0)
    state = skin.allocate(skin.bind(character, "cpu"))
    assert len(character.points) % 8 != 0
    rotate_incrementally(state, twisted(character, angle, stretch))
    names = ("attachment_points", "scale_vectors", "posed")
    by_eight = [getattr(state.posing, name).numpy().copy() for name in names]
    devices.Launch(incremental.pose, state.count, [state.posing], "cpu")()
    for name, found in zip(names, by_eight, strict=True):
        wanted = getattr(state.posing, name).numpy()
        assert np.abs(found - wanted).max() < 3e-6 * np.ptp(character.points, axis=0).max(), name


def test_places_are_measured_alike(hero, running):
    """Also of a vertex that is on its bone, where it has no direction of its own."""
    springs = SpringRig().allocate(SpringRig().bind(hero, "cpu")).springs
    pose_springs(springs, running)
    shape = springs.attached.posed.numpy().copy()
    shape[7] = springs.attached.attachment_points.numpy()[7]
    devices.write(springs.points[1], shape)
    springs.begin(springs.points[1])()
    one_by_one = springs.polars[0].numpy().copy()
    devices.write(springs.points[1], shape)
    NewtonSolver(springs).begin(springs.points[1])
    assert np.abs(springs.polars[0].numpy() - one_by_one).max() < 1e-6
    assert (springs.points[0].numpy() == shape).all()


def test_edges_hold_velocities_back_alike(hero, running):
    state = SpringDynamics().allocate(SpringDynamics().bind(hero, "cpu"))
    springs, memory, random = state.springs, state.memory, np.random.default_rng(0)
    pose_springs(springs, running)
    count = springs.count
    looseness = devices.to_device(random.random(count).astype(np.float32), devices.warp().float32, "cpu")
    parameters = devices.to_device(np.full(7, 0.1, dtype=np.float32), devices.warp().float32, "cpu")
    devices.write(springs.points[0], springs.attached.posed.numpy() + 0.01 * random.normal(size=(count, 3)))
    devices.write(memory.velocities, random.normal(size=(count, 3)))
    blank, wp = springs.binding.constants.blank, devices.warp()
    found, wanted, swings, homes = (
        blank(count, wp.vec3f),
        blank(count, wp.vec3f),
        blank(8 * count, float),
        blank(4 * count, float),
    )
    now = [springs.points[0], memory.velocities]
    taken = [springs.all, looseness, memory.rooms, *now, swings, homes]
    devices.Launch(lanes_in_time.take_swings, count, taken, "cpu")()
    every = NewtonSolver(springs).all.pulled
    groups, inputs = -(-count // 8), [every, springs.all, parameters, swings, homes, found]
    devices.Launch(lanes_in_time.limit_stretch, groups, inputs, "cpu")()
    inputs = [springs.all, looseness, memory.rooms, parameters, *now, wanted]
    devices.Launch(kernels.limit_stretch, count, inputs, "cpu")()
    assert np.abs(wanted.numpy() - memory.velocities.numpy()).max() > 0.1
    assert np.abs(found.numpy() - wanted.numpy()).max() < 1e-5


def test_lists_hold_who_is_pulled_and_the_ones_beside_them(hero, running):
    springs = SpringRig().allocate(SpringRig().bind(hero, "cpu")).springs
    pose_springs(springs, running)
    solver = NewtonSolver(springs)
    solver.begin(springs.attached.posed)
    solver._counts[1] = springs.count
    solver._list_pulled()
    rounds, around = solver._some, springs.binding.around
    above = np.flatnonzero(rounds.residuals.numpy() > 1.0)
    ring = [np.asarray(around.indices[around.starts[i] : around.starts[i + 1]]) for i in above]
    count = int(rounds.counts.numpy()[0])
    listed = rounds.pulled.numpy()
    assert 0 < len(above) < springs.count
    assert sorted(listed[:count].tolist()) == sorted({*above.tolist(), *np.concatenate(ring).tolist()})
    assert (listed[count : count + 8] == -1).all()
    rings = np.diff(around.starts)
    slots = rounds.slots.numpy()
    for group in range(count // 8):
        assert slots[group + 1] - slots[group] == rings[listed[8 * group : 8 * group + 8]].max()


def test_a_split_factor_solves_as_a_dense_matrix_does():
    size = 900
    ring = diags_array([np.ones(size - 1), np.ones(size - 30)], offsets=[1, 30], shape=(size, size))
    matrix = (5.0 * eye_array(size) - ring - ring.T).tocsr()
    sides = np.random.default_rng(0).normal(size=(size, 3)).astype(np.float32)
    wp = devices.warp()
    given, found = (devices.to_device(array, wp.vec3f, "cpu") for array in (sides, np.zeros_like(sides)))
    SplitCholesky(SplitFactor.from_matrix(matrix)).solving(given, found)()
    assert np.abs(found.numpy() - np.linalg.solve(matrix.toarray(), sides)).max() < 1e-5
