"""The two halves of the decomposition against oracles: weights for given bones, bones for given weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from decompose_scenes import carried, rigid, waving_bake
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from conftest import make_tube
from supple.decompose.blending import Distances, blended, fewest
from supple.decompose.clusters import cluster
from supple.decompose.frames import Frames, surroundings
from supple.decompose.rigid import STILL, Moments, fit_bones


@pytest.fixture(scope="module")
def bake():
    return waving_bake()


# Weights


def problems(random, count, bones, rows):
    """Random least squares problems |sum_b w_b x_b - p|^2, with the answer sometimes inside and sometimes not."""
    basis = random.normal(size=(count, bones, rows))
    inside = random.dirichlet(np.full(bones, 0.5), size=count)
    goal = np.einsum("vb,vbr->vr", inside, basis) + random.uniform(0.0, 1.5, (count, 1)) * random.normal(
        size=(count, rows)
    )
    away = basis - goal[:, None]
    return np.einsum("vbr,vcr->vbc", away, away), away


def first_bone(count, bones):
    start = np.zeros((count, bones))
    start[:, 0] = 1.0
    return start


def exact(away):
    """The oracle: the sum is held at one by a heavy row, then made exact on the bones that are in use."""
    bones = len(away)
    heavy = 1e4 * np.ones((1, bones))
    used = nnls(np.concatenate([away.T, heavy]), np.concatenate([np.zeros(away.shape[1]), [1e4]]))[0] > 1e-9
    gram = away[used] @ away[used].T
    system = np.block([[gram, np.ones((used.sum(), 1))], [np.ones((1, used.sum())), np.zeros((1, 1))]])
    weights = np.zeros(bones)
    weights[used] = np.linalg.solve(system, np.append(np.zeros(used.sum()), 1.0))[:-1]
    return weights


@pytest.mark.parametrize(("bones", "rows"), [(1, 4), (2, 5), (5, 12), (9, 30)])
def test_all_weights_at_once_are_those_of_one_at_a_time(bones, rows):
    matrices, away = problems(np.random.default_rng(bones), 60, bones, rows)
    found = fewest(matrices, first_bone(60, bones), influences=bones)
    assert found == pytest.approx(np.stack([exact(one) for one in away]), abs=1e-7)


def test_a_linear_part_draws_the_weights():
    """w^T A w - 2 a^T w with A = I + 1 1^T draws to the projection of a on weights of sum one."""
    random = np.random.default_rng(5)
    toward = random.normal(size=(40, 6))
    found = fewest(np.tile(np.eye(6), (40, 1, 1)), first_bone(40, 6), influences=6, linear=toward)
    away = np.eye(6)[None] - toward[:, None]
    assert found == pytest.approx(np.stack([exact(one) for one in away]), abs=1e-7)


def test_few_influences_are_nearly_always_the_best_few():
    random = np.random.default_rng(6)
    matrices, away = problems(random, 60, 7, 20)
    found = fewest(matrices, first_bone(60, 7), influences=3)
    assert (np.count_nonzero(found, axis=1) <= 3).all()
    reached = np.einsum("vb,vbc,vc->v", found, matrices, found)
    best = []
    for matrix, one in zip(matrices, away, strict=True):
        trials = [(list(chosen), exact(one[list(chosen)])) for chosen in itertools.combinations(range(7), 3)]
        best.append(min(weights @ matrix[np.ix_(chosen, chosen)] @ weights for chosen, weights in trials))
    assert (reached >= np.array(best) - 1e-9).all()
    assert np.mean(reached <= np.array(best) * (1.0 + 1e-9)) > 0.8
    assert reached.sum() < 1.05 * np.sum(best)


@given(
    bones=st.integers(1, 7),
    influences=st.integers(1, 5),
    rank=st.integers(0, 8),
    scale=st.sampled_from([1e-12, 1.0, 1e9]),
    seed=st.integers(0, 10_000),
)
def test_weights_are_always_valid_and_never_worse(bones, influences, rank, scale, seed):
    random = np.random.default_rng(seed)
    away = scale * random.normal(size=(8, bones, rank))
    if bones > 1 and seed % 3 == 0:
        away[:, 1] = away[:, 0]  # two bones that move alike
    matrices = np.einsum("vbr,vcr->vbc", away, away)
    start = np.zeros((8, bones))
    start[np.arange(8), random.integers(0, bones, 8)] = 1.0
    allowed = random.random((8, bones)) < 0.7
    found = fewest(matrices, start, influences=influences, allowed=allowed)
    assert np.isfinite(found).all()
    assert (found >= 0.0).all()
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    assert (np.count_nonzero(found, axis=1) <= influences).all()
    assert not (found > 0.0)[~allowed & (start == 0.0)].any()
    before, after = (np.einsum("vb,vbc,vc->v", w, matrices, w) for w in (start, found))
    assert (after <= before * (1.0 + 1e-9) + 1e-20).all()


def test_the_matrices_of_distances_are_those_written_out(bake):
    frames = Frames.from_points(np.asarray(bake.rest), bake.points)
    random = np.random.default_rng(7)
    bones = np.swapaxes(rigid(random, 3 * frames.count).reshape(frames.count, 3, 4, 4), 0, 1)[:, :, :3]
    positions = frames.rest[:, :3] + frames.moved.reshape(len(frames.rest), frames.count, 3).swapaxes(0, 1)
    away = np.einsum("bfij,vj->vbfi", bones, frames.rest) - positions.swapaxes(0, 1)[:, None]
    written = np.einsum("vbfi,vcfi->vbc", away, away)
    distances = Distances.from_frames(frames, bones)
    assert distances.matrices(slice(0, None)) == pytest.approx(written, rel=1e-9)
    assert distances.alone() == pytest.approx(np.einsum("vbb->vb", written), rel=1e-9)


# Bones


def test_one_bone_is_fitted_as_two_sets_of_points_are_aligned():
    random = np.random.default_rng(8)
    rest = random.normal(size=(30, 3))
    points = rest + 0.3 * random.normal(size=(4, 30, 3))
    frames = Frames.from_points(rest, points)
    start = np.tile(STILL, (1, 4, 1, 1))
    moments = Moments.from_frames(frames, np.ones((30, 1)))
    found = frames.transforms(fit_bones(moments, start, free=np.ones(1, dtype=bool), sweeps=1))[:, 0]
    for frame in range(4):
        rotation, _ = Rotation.align_vectors(points[frame] - points[frame].mean(axis=0), rest - rest.mean(axis=0))
        assert found[frame, :3, :3] == pytest.approx(rotation.as_matrix(), abs=1e-6)
        assert found[frame, :3, :3] @ rest.mean(axis=0) + found[frame, :3, 3] == pytest.approx(
            points[frame].mean(axis=0), abs=1e-9
        )


def test_a_fitted_bone_cannot_be_moved_to_lower_the_error():
    """Both bones in turn, the other held: no small turn or move makes any frame better."""
    random = np.random.default_rng(9)
    rest = random.normal(size=(40, 3))
    points = rest + 0.3 * random.normal(size=(3, 40, 3))
    share = random.random((40, 1))
    weights = np.concatenate([share, 1.0 - share], axis=1)
    frames = Frames.from_points(rest, points)
    state = np.swapaxes(rigid(random, 6, rotation=0.2).reshape(3, 2, 4, 4), 0, 1)[:, :, :3]

    def errors(bones):
        away = np.einsum("vb,bfij,vj->fvi", weights, bones, frames.rest)
        goal = frames.rest[:, :3] + frames.moved.reshape(40, 3, 3).swapaxes(0, 1)
        return np.sum((away - goal) ** 2, axis=(1, 2))

    moments = Moments.from_frames(frames, weights)
    for bone in (0, 1):
        better = fit_bones(moments, state, free=np.arange(2) == bone, sweeps=1)
        assert np.array_equal(better[1 - bone], state[1 - bone])
        assert (errors(better) < errors(state)).all()
        for _ in range(20):
            nudged = better.copy()
            nudged[bone] = rigid(random, 3, rotation=0.01, move=0.01)[:, :3, :3] @ nudged[bone]
            nudged[bone, :, :, 3] += 0.01 * random.normal(size=(3, 3))
            assert (errors(nudged) > errors(better)).all()
        state = better


def test_a_bone_of_one_vertex_still_turns_in_some_way():
    """A single vertex says nothing of how its bone turns: it keeps the turn it had, and follows the vertex."""
    random = np.random.default_rng(10)
    rest = random.normal(size=(6, 3))
    frames = Frames.from_points(rest, rest + 0.1 * random.normal(size=(3, 6, 3)))
    only = np.zeros((6, 1))
    only[2] = 1.0
    start = rigid(random, 3)[None, :, :3]
    found = fit_bones(Moments.from_frames(frames, only), start, free=np.ones(1, dtype=bool), sweeps=1)
    assert found[0, :, :, :3] == pytest.approx(start[0, :, :, :3], abs=1e-4)
    there = frames.rest[2, :3] + frames.moved[2].reshape(3, 3)
    assert np.einsum("fij,j->fi", found[0], frames.rest[2]) == pytest.approx(there, abs=1e-9)


def test_patches_hang_together_and_follow_the_known_bones():
    tube = make_tube(rings=25, sectors=10, bones=2)
    transforms = rigid(np.random.default_rng(11), 20, rotation=0.5).reshape(10, 2, 4, 4)
    upper = (tube.points[:, 1] > 1.0).astype(float)
    points = carried(tube.points, np.stack([1.0 - upper, upper], axis=1), transforms)
    frames = Frames.from_points(tube.points, points)
    _, tied = cluster(frames, surroundings(frames.rest, tube.triangles), bones=2, seed=0)
    same = tied[:, 0] == upper
    assert max(same.mean(), 1.0 - same.mean()) > 0.9


def test_transforms_go_to_the_solver_and_back():
    random = np.random.default_rng(12)
    rest = 5.0 + random.normal(size=(20, 3))
    frames = Frames.from_points(rest, rest + random.normal(size=(4, 20, 3)))
    transforms = rigid(random, 12).reshape(4, 3, 4, 4)
    assert frames.transforms(frames.bones(transforms)) == pytest.approx(transforms, abs=1e-9)


def test_blended_errors_are_those_of_the_points(bake):
    frames = Frames.from_points(np.asarray(bake.rest), bake.points)
    bones, tied = cluster(frames, surroundings(frames.rest, bake.triangles), bones=3, seed=0)
    weights, error = blended(frames, bones, tied, influences=2)
    shown = carried(np.asarray(bake.rest), weights, frames.transforms(bones))
    written = np.sum((shown - bake.points) ** 2, axis=(0, 2))
    assert error * frames.size**2 == pytest.approx(written, rel=1e-5, abs=1e-9)
