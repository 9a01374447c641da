"""As-rigid-as-possible and Laplacian editing: laws, differences, and libigl on the same problem."""

import igl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import make_tube
from supple.errors import InputError
from supple.geometry.arap import Arap
from supple.geometry.laplacian import LaplacianEditing, SmoothOffsets, held, weighted_edges
from supple.geometry.quaternions import matrix_from_quat, nearest_rotation, quat_from_axis_angle
from supple.skins.springs.attachment.attachment import attach

TUBE = make_tube(rings=17, sectors=12)
POINTS, FACES = TUBE.points, TUBE.triangles
ENDS = np.flatnonzero((POINTS[:, 1] < 0.2) | (POINTS[:, 1] > 1.8)).astype(np.int32)


def bent(angle=0.8, shift=(0.1, -0.05, 0.2)):
    """Targets of the ends: the upper one turned and moved."""
    rotation = matrix_from_quat(quat_from_axis_angle([0.3, 0.2, 1.0], angle))
    targets = POINTS[ENDS].copy()
    upper = targets[:, 1] > 1.0
    targets[upper] = (targets[upper] - [0.0, 1.0, 0.0]) @ rotation.T + [0.0, 1.0, 0.0] + shift
    return targets


def tube_and_wobble(seed=1, size=0.03):
    return POINTS + size * np.random.default_rng(seed).standard_normal(POINTS.shape)


def test_cotangent_laplacian_is_that_of_libigl():
    ours = weighted_edges(POINTS, FACES).laplacian()
    assert abs(ours + igl.cotmatrix(POINTS, FACES.astype(np.int64))).max() < 1e-12


def test_uniform_laplacian_counts_neighbours():
    matrix = weighted_edges(POINTS, FACES, weights="uniform").laplacian().toarray()
    linked = np.zeros_like(matrix)
    for a, b, c in FACES:
        linked[[a, b, c, b, c, a], [b, c, a, a, b, c]] = 1.0
    assert np.array_equal(matrix, np.diag(linked.sum(axis=1)) - linked)


def test_slivers_have_finite_weights():
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 1e-14, 0], [0.5, 1.0, 0]])
    edges = weighted_edges(flat, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))
    assert np.isfinite(edges.weights).all()


@pytest.mark.parametrize(("iterations", "apart"), [(1, 5e-6), (10, 5e-5), (1000, 1e-5)])
def test_arap_takes_the_same_steps_as_libigl(iterations, apart):
    """libigl fits its rotations in single precision: steps drift by 2e-6 each, and its end lies a little higher."""
    targets, arap = bent(), Arap(POINTS, FACES, ENDS)
    other = igl.ARAPData()
    other.max_iter, other.energy = iterations, igl.ARAP_ENERGY_TYPE_SPOKES
    igl.arap_precomputation(POINTS, FACES.astype(np.int64), 3, ENDS, other)
    theirs = igl.arap_solve(targets, other, POINTS)
    ours = arap.solve(targets, iterations=iterations)
    assert np.abs(ours - theirs).max() < apart
    assert arap.energy(ours) == pytest.approx(arap.energy(theirs), rel=1e-4)
    if iterations == 1000:
        assert arap.energy(ours) <= arap.energy(theirs)


def test_arap_turns_are_the_nearest_rotations():
    arap, shape = Arap(POINTS, FACES, ENDS), tube_and_wobble(size=0.2)
    edges = weighted_edges(POINTS, FACES)
    spread = np.zeros((len(POINTS), 3, 3))
    for (i, j), w in zip(edges.ends, edges.weights, strict=True):
        outer = w * np.outer(shape[i] - shape[j], POINTS[i] - POINTS[j])
        spread[i] += outer
        spread[j] += outer
    assert np.abs(arap.rotations(shape) - nearest_rotation(spread)).max() < 1e-9


@given(st.integers(0, 10_000), st.sampled_from([1.0, 1e-3, 0.0]), st.booleans())
def test_turns_of_thin_and_mirrored_rings(seed, thin, mirrored):
    """One vertex with three neighbours: its ring may be flattened, turned inside out, and of any size."""
    random = np.random.default_rng(seed)
    rest = np.vstack([np.zeros(3), np.eye(3)])
    change = np.diag([1.0, 1.0, -thin if mirrored else thin]) @ random.standard_normal((3, 3))
    arap = Arap(rest, [[0, 1, 2], [0, 2, 3], [0, 3, 1]], [1], weights="uniform")
    rotation = arap.rotations(rest @ change.T * 10.0 ** random.uniform(-6, 6))[0]
    assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-9
    assert np.linalg.det(rotation) > 0.0
    best = nearest_rotation(change)
    assert np.trace(rotation.T @ change) >= np.trace(best.T @ change) - 1e-9 * np.linalg.norm(change)


@pytest.mark.parametrize("angle", [0.5, 3.0])
def test_rigid_handles_move_arap_rigidly(angle):
    rotation = matrix_from_quat(quat_from_axis_angle([1.0, 2.0, -0.5], angle))
    moved = POINTS @ rotation.T + [0.3, 0.1, -2.0]
    arap = Arap(POINTS, FACES, ENDS)
    assert np.abs(arap.solve(moved[ENDS], start=moved) - moved).max() < 1e-9
    assert arap.energy(moved) < 1e-12
    found = arap.solve(moved[ENDS], iterations=400)
    assert arap.energy(found) < 1e-2 * arap.energy(arap.solve(moved[ENDS], iterations=1))


def test_arap_energy_never_rises():
    arap, targets = Arap(POINTS, FACES, ENDS), bent(2.0)
    energies = [arap.energy(arap.solve(targets, iterations=count)) for count in (1, 2, 3, 5, 8, 20, 60)]
    assert (np.diff(energies) <= 1e-12).all()
    assert energies[-1] < 0.8 * energies[0]


def test_arap_gradient_is_the_difference_quotient():
    arap, shape = Arap(POINTS, FACES, ENDS), tube_and_wobble()
    direction = np.random.default_rng(5).standard_normal(shape.shape)
    step = 1e-5
    quotient = (arap.energy(shape + step * direction) - arap.energy(shape - step * direction)) / (2.0 * step)
    assert np.sum(arap.gradient(shape) * direction) == pytest.approx(quotient, rel=1e-6)


def test_converged_arap_has_no_gradient_where_it_is_free():
    arap, targets = Arap(POINTS, FACES, ENDS), bent(0.4)
    shape = arap.solve(targets, iterations=3000)
    free = np.setdiff1d(np.arange(len(POINTS)), ENDS)
    assert np.abs(arap.gradient(shape)[free]).max() < 1e-6
    assert np.abs(arap.gradient(tube_and_wobble())[free]).max() > 1e-2


def test_a_factor_serves_all_places_of_the_handles_and_keeps_no_memory():
    arap = Arap(POINTS, FACES, ENDS)
    first = arap.solve(bent(0.5))
    arap.solve(bent(-1.5))
    assert np.array_equal(arap.solve(bent(0.5)), first)
    assert np.array_equal(first[ENDS], bent(0.5))


def test_pieces_without_handles_and_lone_vertices_stay():
    points = np.vstack([POINTS, np.add(POINTS, [3.0, 0.0, 0.0]), [9.0, 9.0, 9.0]])
    faces = np.concatenate([FACES, FACES + len(POINTS)])
    for kind in (Arap, LaplacianEditing, SmoothOffsets):
        found = kind(points, faces, ENDS).solve(bent())
        assert np.array_equal(found[len(POINTS) :], points[len(POINTS) :])
        assert np.abs(found[: len(POINTS)] - POINTS).max() > 0.1
    assert len(held(ENDS, weighted_edges(points, faces))) == len(ENDS) + len(POINTS) + 1


def test_everything_fixed_is_where_it_was_put():
    every = np.arange(len(POINTS))
    for kind in (Arap, LaplacianEditing, SmoothOffsets):
        assert np.array_equal(kind(POINTS, FACES, every).solve(tube_and_wobble()), tube_and_wobble())


def test_arap_of_scale_vectors_with_the_turns_of_bones():
    """Equation 19: scale vectors of a bent limb, from the turns of the bones; with one turn it is that turn."""
    attachment = attach(TUBE)
    vectors = attachment.scale_vectors
    arap = Arap(POINTS, FACES, ENDS, vectors=vectors)
    rotation = matrix_from_quat(quat_from_axis_angle([0.0, 0.0, 1.0], 1.2))
    one = arap.solve_with_rotations(np.broadcast_to(rotation, (len(POINTS), 3, 3)), vectors[ENDS] @ rotation.T)
    assert np.abs(one - vectors @ rotation.T).max() < 1e-9
    bones = np.stack([np.eye(3), rotation])[attachment.segment]
    rigid = np.einsum("vij,vj->vi", bones, vectors)
    bend = arap.solve_with_rotations(bones, rigid[ENDS])
    left = weighted_edges(POINTS, FACES).laplacian() @ bend
    right = np.zeros_like(vectors)
    edges = weighted_edges(POINTS, FACES)
    for (i, j), w in zip(edges.ends, edges.weights, strict=True):
        mean = 0.5 * w * (bones[i] + bones[j]) @ (vectors[i] - vectors[j])
        right[i] += mean
        right[j] -= mean
    free = np.setdiff1d(np.arange(len(POINTS)), ENDS)
    assert np.abs(left - right)[free].max() < 1e-9
    jump = np.linalg.norm(np.diff(rigid[:-2].reshape(17, 12, 3), axis=0), axis=2).max()
    assert np.linalg.norm(np.diff(bend[:-2].reshape(17, 12, 3), axis=0), axis=2).max() < 0.5 * jump


# Laplacian editing


@given(st.floats(0.3, 3.0), st.lists(st.floats(-0.4, 0.4), min_size=3, max_size=3), st.floats(-5.0, 5.0))
def test_laplacian_editing_follows_size_small_turns_and_moves_exactly(size, axis, move):
    moved = size * POINTS + np.cross(axis, POINTS) + [move, 0.0, 1.0]
    found = LaplacianEditing(POINTS, FACES, ENDS).solve(moved[ENDS], rounds=0)
    assert np.abs(found - moved).max() < 1e-6 * max(1.0, abs(move))
    assert LaplacianEditing(POINTS, FACES, ENDS).energy(moved) < 1e-16 * max(1.0, move * move)


def test_laplacian_editing_follows_any_affine_map_of_a_flat_sheet():
    rows, columns = np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 9), indexing="ij")
    sheet = np.stack([rows, 0.0 * rows, columns], axis=2).reshape(-1, 3)
    corner = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
    faces = np.concatenate(
        [np.stack([corner, corner + 1, corner + 10], 1), np.stack([corner, corner + 10, corner + 9], 1)]
    )
    inside = np.minimum(np.minimum(rows, 1.0 - rows), np.minimum(columns, 1.0 - columns))
    edge = np.flatnonzero(inside.ravel() < 0.2)  # two rings: a border vertex has its neighbours on one side only
    change = np.array([[1.5, 0.2, 0.4], [0.3, 1.0, -0.8], [0.0, 0.1, 0.6]])
    inner = LaplacianEditing(sheet, faces, edge, weights="cotangent").solve((sheet @ change.T)[edge])
    assert np.abs(inner - sheet @ change.T).max() < 1e-9


def test_rounds_bring_laplacian_editing_to_true_rotations():
    rotation = matrix_from_quat(quat_from_axis_angle([0.2, 1.0, 0.4], 0.7))
    editing = LaplacianEditing(POINTS, FACES, ENDS)
    errors = [
        np.abs(editing.solve(POINTS[ENDS] @ rotation.T, rounds=r) - POINTS @ rotation.T).max() for r in (0, 2, 20, 300)
    ]
    assert errors[0] > 1e-2
    assert errors[0] > errors[1] > errors[2] > errors[3]
    assert errors[3] < 1e-4


def test_the_first_solve_of_laplacian_editing_is_the_least_energy():
    editing = LaplacianEditing(POINTS, FACES, ENDS)
    shape = editing.solve(bent(), rounds=0)
    free = np.setdiff1d(np.arange(len(POINTS)), ENDS)
    nudge = np.zeros_like(shape)
    nudge[free] = np.random.default_rng(2).standard_normal((len(free), 3))
    least = editing.energy(shape)
    for step in (1e-3, -1e-3):
        assert editing.energy(shape + step * nudge) > least
    slope = (editing.energy(shape + 1e-4 * nudge) - editing.energy(shape - 1e-4 * nudge)) / 2e-4
    assert abs(slope) < 1e-5


def test_smooth_offsets_are_the_biharmonic_field_of_libigls_matrices():
    border = np.flatnonzero((POINTS[:, 1] < 0.3) | (POINTS[:, 1] > 1.7)).astype(np.int64)
    targets = POINTS[border] + 0.1 * np.sin(7.0 * POINTS[border][:, [1, 2, 0]])
    ours = SmoothOffsets(POINTS, FACES, border).solve(targets)
    mass = igl.massmatrix(POINTS, FACES.astype(np.int64), igl.MASSMATRIX_TYPE_BARYCENTRIC)
    laplacian = igl.cotmatrix(POINTS, FACES.astype(np.int64))
    plate = laplacian @ np.diag(1.0 / mass.diagonal()) @ laplacian.toarray()
    free = np.setdiff1d(np.arange(len(POINTS)), border)
    theirs = np.linalg.solve(plate[np.ix_(free, free)], -plate[np.ix_(free, border)] @ (targets - POINTS[border]))
    assert np.abs((ours - POINTS)[free] - theirs).max() < 1e-9
    other = igl.harmonic(POINTS, FACES.astype(np.int64), border, targets - POINTS[border], 2)
    assert np.abs(ours - POINTS - other).max() < 2e-3  # it measures areas in another way


def test_smooth_offsets_reproduce_moves_that_are_harmonic():
    moved = np.add(POINTS, [0.3, -1.0, 2.0])
    assert np.abs(SmoothOffsets(POINTS, FACES, ENDS).solve(moved[ENDS]) - moved).max() < 1e-9


def test_rest_in_rest_out_and_handles_exactly():
    for kind in (Arap, LaplacianEditing, SmoothOffsets):
        editing = kind(POINTS, FACES, ENDS)
        assert np.abs(editing.solve(POINTS[ENDS]) - POINTS).max() < 1e-9
        assert np.array_equal(editing.solve(bent())[ENDS], bent())


def test_one_fixed_vertex_is_enough():
    for kind in (Arap, LaplacianEditing, SmoothOffsets):
        found = kind(POINTS, FACES, [5]).solve(POINTS[[5]] + [0.1, 0.0, 0.0])
        assert np.isfinite(found).all()
        assert found[5, 0] == POINTS[5, 0] + 0.1


@pytest.mark.parametrize("fixed", [[], [-1], [10**6], [3, 3], [0.5]])
@pytest.mark.parametrize("kind", [Arap, LaplacianEditing, SmoothOffsets])
def test_strange_fixed_vertices_are_refused(kind, fixed):
    with pytest.raises(InputError):
        kind(POINTS, FACES, fixed)


@pytest.mark.parametrize("kind", [Arap, LaplacianEditing])
def test_strange_targets_settings_and_weights_are_refused(kind):
    editing = kind(POINTS, FACES, ENDS)
    with pytest.raises(InputError, match="targets"):
        editing.solve(POINTS[:3])
    count = {Arap: "iterations", LaplacianEditing: "rounds"}[kind]
    with pytest.raises(InputError, match=count):
        editing.solve(POINTS[ENDS], **{count: -1})
    with pytest.raises(InputError, match="weights"):
        kind(POINTS, FACES, ENDS, weights="heavy")
    with pytest.raises(InputError, match="targets"):
        SmoothOffsets(POINTS, FACES, ENDS).solve(POINTS[:3])
