"""Lattice shape matching against the slow oracle, and what one region does in every position there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import lattice as oracle
from supple import device as devices
from supple.geometry import quaternions
from supple.geometry.voxels import VoxelGrid
from supple.skins.lattice.shape_matching.regions import Regions, window
from supple.skins.lattice.shape_matching.solver import ShapeMatching
from supple.skins.lattice.voxelize.cells import Lattice

SIDE = 0.1


def blob(seed=0, shape=(5, 4, 6), share=0.75):
    """Cells of a box with holes in it, so that chains are of all lengths."""
    filled = np.random.default_rng(seed).random(shape) < share
    filled[0, 0, 0] = True
    return Lattice.from_cells(VoxelGrid(np.zeros(3), SIDE, shape), np.argwhere(filled).astype(np.int32))


def box(shape):
    return Lattice.from_cells(VoxelGrid(np.zeros(3), SIDE, shape), np.argwhere(np.ones(shape)).astype(np.int32))


class Fit:
    """One pass of matching, from points to moved points."""

    def __init__(self, lattice, width, *, newton_steps=60, prefix_sums=None, stiffness=1.0):
        wp = devices.warp()
        count = len(lattice)
        self.frames = wp.array(np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)), dtype=wp.quatf, device="cpu")
        self.rotations = wp.clone(self.frames)
        layers = wp.ones(count, dtype=wp.int32, device="cpu")
        table = wp.array(np.array([0.0, stiffness]), dtype=wp.float32, device="cpu")
        nodes = (self.frames, self.rotations, layers, table)
        regions = Regions.from_chains(lattice.chains, width)
        matching = ShapeMatching(
            regions,
            lattice.side,
            nodes,
            constants=devices.Constants("cpu"),
            newton_steps=newton_steps,
            prefix_sums=prefix_sums,
        )
        self.points, self.moved = (wp.zeros(count, dtype=wp.vec3f, device="cpu") for _ in range(2))
        self.launches = matching.launches(self.points, self.moved)

    def __call__(self, points):
        devices.write(self.points, points)
        for launch in self.launches:
            launch()
        return self.moved.numpy().copy()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("prefix_sums", [False, True])
def test_goals_are_those_of_the_oracle(width, prefix_sums):
    lattice = blob()
    rng = np.random.default_rng(1)
    points = lattice.points + 0.3 * SIDE * rng.normal(size=(len(lattice), 3))
    wanted, rotations = oracle.goals(lattice.chains, width, SIDE, points, np.tile(np.eye(3), (len(lattice), 1, 1)))
    fit = Fit(lattice, width, prefix_sums=prefix_sums)
    assert np.abs(fit(points) - wanted).max() < 2e-6
    found = quaternions.matrix_from_quat(fit.rotations.numpy().astype(float))
    assert np.abs(found - rotations).max() < 2e-3  # thin regions hardly know their turn
    assert (np.abs(found - rotations).max(axis=(1, 2)) < 1e-5).mean() > 0.9


@pytest.mark.parametrize("width", [2, 3, 4, 7, 12])
def test_running_sums_equal_walks_whatever_the_width(width):
    lattice = blob(3, (9, 8, 14), 0.9)
    points = lattice.points + 0.2 * SIDE * np.random.default_rng(2).normal(size=(len(lattice), 3))
    walked, ran = (Fit(lattice, width, prefix_sums=prefix_sums)(points) for prefix_sums in (False, True))
    assert np.abs(walked - lattice.points).max() > 1e-3
    assert np.abs(walked - ran).max() < 1e-6


def test_regions_know_their_middle_and_who_they_share():
    lattice = blob(5)
    for width in (2, 3):
        regions = Regions.from_chains(lattice.chains, width)
        lists = [oracle.region(lattice.chains, node, width) for node in range(len(lattice))]
        count = np.bincount(np.concatenate([nodes for nodes, _ in lists]), minlength=len(lattice))
        np.testing.assert_allclose(regions.masses, 1.0 / count)
        for node, (nodes, steps) in enumerate(lists):
            assert len(set(nodes.tolist())) == len(nodes)
            np.testing.assert_array_equal(lattice.cells[nodes] - lattice.cells[node], steps)
            mass = regions.masses[nodes]
            np.testing.assert_allclose(regions.region_masses[node], mass.sum())
            np.testing.assert_allclose(regions.centers[node], mass @ steps / mass.sum(), atol=1e-12)


def test_windows_are_centred_where_they_can_be():
    assert [window(width) for width in (1, 2, 3, 4, 5)] == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("prefix_sums", [False, True])
def test_rest_in_rest_out_and_rigid_in_rigid_out(prefix_sums):
    lattice = blob(7)
    fit = Fit(lattice, 3, prefix_sums=prefix_sums, newton_steps=8)
    assert np.abs(fit(lattice.points) - lattice.points).max() < 1e-6
    carry = quaternions.compose(np.array([0.4, -0.2, 0.7]), quaternions.quat_from_axis_angle([1.0, 2.0, -0.5], 1.9))
    there = lattice.points @ carry[:3, :3].T + carry[:3, 3]
    devices.write(fit.frames, np.tile(quaternions.quat_from_axis_angle([1.0, 2.0, -0.5], 1.9), (len(lattice), 1)))
    assert np.abs(fit(there) - there).max() < 2e-6
    assert np.abs(fit.rotations.numpy() - [0.0, 0.0, 0.0, 1.0]).max() < 1e-5  # flesh adds nothing to what the bones do


def test_flesh_that_turns_against_its_bones_is_hardly_held_back():
    """The turn of the bones decides only where a region has none of its own."""
    lattice = box((4, 4, 4))
    carry = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([1.0, 2.0, -0.5], 1.9))
    there = lattice.points @ carry.T
    assert np.abs(Fit(lattice, 3)(there) - there).max() < 2e-3 * SIDE
    line = Lattice.from_cells(lattice.grid, lattice.cells[(lattice.cells[:, :2] == 0).all(axis=1)])
    fit = Fit(line, 3)
    twist = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.7)
    devices.write(fit.frames, np.tile(twist, (len(line), 1)))
    fit(line.points)
    np.testing.assert_allclose(fit.rotations.numpy(), np.tile([0.0, 0.0, 0.0, 1.0], (len(line), 1)), atol=1e-4)


def test_momentum_is_kept():
    """Regions pull nodes together without moving the whole: the masses are those that make it so."""
    lattice = blob(8)
    points = lattice.points + 0.3 * SIDE * np.random.default_rng(3).normal(size=(len(lattice), 3))
    for width in (2, 3):
        moved = Fit(lattice, width)(points)
        assert np.abs((moved - points).mean(axis=0)).max() < 1e-7
        assert np.abs(moved - points).max() > 0.01


def test_stiffness_is_the_share_of_the_way():
    lattice = blob(9)
    points = lattice.points + 0.2 * SIDE * np.random.default_rng(4).normal(size=(len(lattice), 3))
    whole, half = (Fit(lattice, 3, stiffness=share)(points) for share in (1.0, 0.5))
    np.testing.assert_allclose(half - points, 0.5 * (whole - points), atol=1e-6)


# One region


def extract(matrices, starts=None, newton_steps=40):
    """Rotations of matrices (N, 3, 3) by the kernels' own function."""
    wp = devices.warp()
    count = len(matrices)
    given = wp.array(np.asarray(matrices, dtype=np.float32), dtype=wp.mat33f, device="cpu")
    begin = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)) if starts is None else starts
    rotations = wp.array(np.asarray(begin, dtype=np.float32), dtype=wp.quatf, device="cpu")
    wp.launch(_extraction(), dim=count, inputs=[newton_steps, given, rotations], device="cpu")
    return quaternions.matrix_from_quat(rotations.numpy().astype(float)), rotations.numpy()


def _extraction():
    from extraction_kernels import extract_all

    return extract_all


def score(rotations, matrices):
    return np.einsum("nij,nij->n", rotations, matrices)


def test_rotations_of_random_matrices_are_those_of_singular_values():
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(3000, 3, 3))  # half of them are inverted
    found, quats = extract(matrices)
    wanted = np.array([oracle.nearest_rotation(m) for m in matrices])
    np.testing.assert_allclose(np.linalg.norm(quats, axis=1), 1.0, atol=1e-6)
    singular = np.linalg.svd(matrices, compute_uv=False)
    signs = np.sign(np.linalg.det(matrices))
    clear = (singular[:, 1] + signs * singular[:, 2]) / singular[:, 0] > 0.02  # else two answers are equally good
    assert clear.mean() > 0.9
    assert np.abs(found - wanted)[clear].max() < 1e-4
    assert (score(wanted, matrices) - score(found, matrices)).max() < 1e-4 * 5.0


@pytest.mark.parametrize("kind", ["flat", "line", "point", "mirrored", "scaled"])
def test_rotations_are_proper_for_regions_without_a_clear_one(kind):
    rng = np.random.default_rng(5)
    rotations = quaternions.matrix_from_quat(rng.normal(size=(500, 4)))
    sizes = {
        "flat": [1, 0.7, 0],
        "line": [1, 0, 0],
        "point": [0, 0, 0],
        "mirrored": [1, 0.8, -0.5],
        "scaled": [9, 4, 1],
    }
    matrices = (
        rotations
        @ np.diag(np.array(sizes[kind], dtype=float))
        @ np.swapaxes(quaternions.matrix_from_quat(rng.normal(size=(500, 4))), 1, 2)
    )
    found, quats = extract(matrices)
    assert np.isfinite(quats).all()
    assert np.abs(np.linalg.det(found) - 1.0).max() < 1e-6
    best = np.array([score(oracle.nearest_rotation(m)[None], m[None])[0] for m in matrices])
    assert (best - score(found, matrices)).max() < 1e-4 * sizes[kind][0] + 1e-12


def test_a_rotation_is_found_from_a_half_turn_away():
    about = np.array([quaternions.quat_from_axis_angle(axis, np.pi) for axis in np.eye(3)])
    found, _ = extract(np.tile(np.eye(3), (3, 1, 1)), about)
    assert np.abs(found - np.eye(3)).max() < 1e-6


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=9, max_size=9), st.integers(1, 5))
def test_no_matrix_makes_a_rotation_fail(values, newton_steps):
    _, quats = extract(np.array(values).reshape(1, 3, 3), newton_steps=newton_steps)
    assert np.isfinite(quats).all()
    assert abs(np.linalg.norm(quats) - 1.0) < 1e-5
