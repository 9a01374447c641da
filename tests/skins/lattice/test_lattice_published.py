"""The lattice as it was published: what it keeps, and that it is left behind where the paper's method is."""

import numpy as np
import pytest

import supple
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.lattice.published import TABLE_1, PublishedLattice, PublishedModel
from supple.skins.lattice.shape_matching.regions import Regions

STEP = 1.0 / 30.0
MODEL = PublishedModel(16, 3, (1.0, 0.5, 0.9), (0.6, 0.5, 0.4), 0, 0.0)
STIFF = PublishedModel(16, 3, (1.0, 1.0, 1.0), (1.0, 1.0, 1.0), 0, 0.0)


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube", vertices=600)


def test_rest_in_rest_out(tube):
    lattice, rest = PublishedLattice(tube, MODEL), Pose.rest(tube.skeleton)
    np.testing.assert_allclose(lattice.start(rest), tube.points, atol=1e-9)
    for _ in range(5):
        np.testing.assert_allclose(lattice.advance(rest, STEP), tube.points, atol=1e-7)


def test_a_rigid_motion_of_the_first_pose_is_one_of_the_skin(tube):
    turn = quaternions.compose(np.array([0.3, 1.0, -0.2]), quaternions.quat_from_axis_angle([0.2, 1.0, 0.1], 2.0))
    lattice = PublishedLattice(tube, STIFF)
    skin = lattice.start(Pose.rest(tube.skeleton).moved(turn))
    np.testing.assert_allclose(skin, tube.points @ turn[:3, :3].T + turn[:3, 3], atol=1e-7)


def test_bone_goes_with_the_bones_and_nothing_diverges(tube):
    twist = supple.motion("bend", tube, seconds=1.0)
    for name in TABLE_1:
        model = PublishedModel(16, TABLE_1[name].width, TABLE_1[name].stiffness, TABLE_1[name].damping, 0, 0.0)
        lattice = PublishedLattice(tube, model)
        lattice.start(twist.sample(0.0))
        for frame in range(1, 25):
            pose = twist.sample(frame * STEP)
            skin = lattice.advance(pose, STEP)
        np.testing.assert_allclose(lattice.x[lattice.bone], lattice.carried(pose)[lattice.bone], atol=1e-9)
        assert np.abs(skin).max() < 3.0 * np.abs(tube.points).max()


def test_volumes_and_distances_come_nearer_to_what_they_were(tube):
    lattice = PublishedLattice(tube, MODEL)
    lattice.start(Pose.rest(tube.skeleton))
    lattice.bone[:], lattice.near_skin[:] = False, 1.0
    lattice.x = lattice.rest * [0.9, 1.0, 1.0]
    inner = (lattice.chains >= 0).all(axis=1)

    def volumes(x):
        ends = lattice.chains[inner]
        a, b, c = (0.5 * (x[ends[:, 2 * k + 1]] - x[ends[:, 2 * k]]) for k in range(3))
        return np.einsum("ni,ni->n", a, np.cross(b, c)) / lattice.volumes[inner]

    i, j = lattice.pairs

    def wrong(x):
        return np.abs(np.linalg.norm(x[i] - x[j], axis=1) - lattice.lengths).mean()

    squeezed = volumes(lattice.x).mean()
    assert squeezed == pytest.approx(0.9)
    assert squeezed < volumes(lattice.x + lattice.volume()).mean() < 1.0
    assert wrong(lattice.x + lattice.stretch()) < 0.95 * wrong(lattice.x)  # the mean of many wishes is a short way


def test_regions_are_those_of_the_fast_lattice(tube):
    lattice = PublishedLattice(tube, MODEL)
    fast = Regions.from_chains(lattice.chains, 3)
    np.testing.assert_allclose(1.0 / lattice.count, fast.masses)
    np.testing.assert_allclose(lattice.regions @ (1.0 / lattice.count), fast.region_masses)


def test_without_following_the_flesh_is_left_behind(tube):
    lattice = PublishedLattice(tube, MODEL)
    lattice.start(Pose.rest(tube.skeleton))
    for frame in range(1, 11):
        move = quaternions.compose(np.array([0.1 * frame, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
        pose = Pose.rest(tube.skeleton).moved(move)
        lattice.advance(pose, STEP)
    behind = (lattice.carried(pose) - lattice.x)[~lattice.bone, 0]
    assert behind.max() > 0.02
    assert np.abs(lattice.x - lattice.carried(pose))[lattice.bone].max() < 1e-9
