"""Smooth skinning decomposition: known bones come back, every step helps, and the result is a rig like any other."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import supple
from conftest import make_tube
from supple import FormatError, InputError, LinearBlend, Motion, PointSequence, Pose, decompose
from supple.cli.main import main as run
from supple.decompose import read_sequence
from supple.decompose.blending import Distances, blended, fewest
from supple.decompose.clusters import clustered
from supple.decompose.frames import Frames, surroundings
from supple.decompose.rigid import STILL, Moments, fitted
from supple.geometry import rotations

FPS = 24.0


def rigid(random, count, *, turn=0.8, move=0.4):
    """Rigid transforms (count, 4, 4)."""
    matrix = np.tile(np.eye(4), (count, 1, 1))
    matrix[:, :3, :3] = Rotation.from_rotvec(turn * random.normal(size=(count, 3))).as_matrix()
    matrix[:, :3, 3] = move * random.normal(size=(count, 3))
    return matrix


def carried(rest, weights, transforms):
    """Linear blend, written out: (F, V, 3) of weights (V, B) and transforms (F, B, 4, 4)."""
    each = np.einsum("fbij,vj->fbvi", transforms[..., :3, :3], rest) + transforms[..., None, :3, 3]
    return np.einsum("vb,fbvi->fvi", weights, each)


def made_by(bones, *, frames=16, seed=0):
    """A tube moved by known bones, and the weights and transforms that moved it."""
    tube = make_tube(rings=25, sectors=10, bones=bones)
    random = np.random.default_rng(seed)
    transforms = rigid(random, frames * bones, turn=0.5, move=0.1).reshape(frames, bones, 4, 4)
    weights = tube.weights.dense(bones)
    return tube, weights, carried(tube.points, weights, transforms)


def sequence_of(tube, points, **more):
    return PointSequence(points, rest=tube.points, triangles=tube.triangles, fps=FPS, **more)


@pytest.fixture(scope="module")
def bake():
    """A tube of three bones that bends and twists under dual quaternions, which no linear blend follows by itself."""
    tube = make_tube(rings=21, sectors=10, bones=3).replace(parts={"low": np.arange(60), "high": np.arange(150, 210)})

    def pose(time):
        bend = rotations.quaternion_about([0.0, 0.0, 1.0], 1.2 * np.sin(6.0 * time))
        twist = rotations.quaternion_about([0.0, 1.0, 0.0], 2.0 * np.sin(4.0 * time))
        return Pose.from_rotations(tube.skeleton, {"bone1": bend, "bone2": twist})

    motion = Motion.from_poses(tube.skeleton, pose, seconds=0.8, fps=FPS, name="wave")
    return supple.bake(tube, motion, supple.DualQuaternion())


@pytest.fixture(scope="module")
def found(bake):
    return decompose(bake, bones=6)


# What is known comes back


@pytest.mark.parametrize("bones", [2, 3, 4])
def test_a_sequence_made_by_bones_is_given_back(bones):
    tube, _, points = made_by(bones)
    result = decompose(sequence_of(tube, points), bones=bones, rounds=400)
    assert result.error.rms < 1e-6
    assert np.abs(result.points - points).max() < 2e-5


def test_a_rigid_sequence_is_one_bone_without_error():
    tube = make_tube(rings=9, sectors=8)
    points = carried(tube.points, np.ones((len(tube.points), 1)), rigid(np.random.default_rng(1), 5, move=3.0)[:, None])
    for bones in (1, 3):
        result = decompose(sequence_of(tube, points), bones=bones)
        assert result.error.rms < 1e-6
        assert len(result.skeleton) == bones


def test_where_the_character_is_carried_changes_nothing(bake):
    """Another rigid motion of the whole in every frame moves the bones along and leaves weights and errors alone."""
    carry = rigid(np.random.default_rng(2), len(bake), turn=2.0, move=2.0)
    there = np.einsum("fij,fvj->fvi", carry[:, :3, :3], bake.points) + carry[:, None, :3, 3]
    plain = PointSequence(bake.points, rest=bake.rest, triangles=bake.triangles)
    one = decompose(plain, bones=4, rounds=10)
    two = decompose(plain.replace(points=there), bones=4, rounds=10)
    assert two.error.rms == pytest.approx(one.error.rms, rel=1e-3)
    assert np.abs(two.weights.dense(4) - one.weights.dense(4)).max() < 1e-2
    bones = one.world_from_joint @ one.skeleton.joint_from_world
    moved = two.world_from_joint @ two.skeleton.joint_from_world
    assert np.abs(carried(bake.rest, one.weights.dense(4), carry[:, None] @ bones) - two.points).max() < 1e-3
    assert np.abs(moved - carry[:, None] @ bones).max() < 2e-2


def test_the_pivot_of_a_hinge_is_found():
    """Two halves that turn about a point between them: that point is where the second bone stands."""
    tube, random = make_tube(rings=21, sectors=10, bones=2), np.random.default_rng(3)
    hinge = np.array([0.05, 1.1, -0.1])
    swing = rigid(random, 12, turn=0.7, move=0.0)
    swing[:, :3, 3] = hinge - swing[:, :3, :3] @ hinge
    transforms = np.stack([np.tile(np.eye(4), (12, 1, 1)), swing], axis=1)
    upper = (tube.points[:, 1] > 1.1).astype(float)
    points = carried(tube.points, np.stack([1.0 - upper, upper], axis=1), transforms)
    result = decompose(sequence_of(tube, points), bones=2)
    assert result.error.rms < 1e-6
    child = int(np.argmax(result.skeleton.parents))
    assert np.linalg.norm(result.skeleton.heads[child] - hinge) < 0.01


# Every step helps


def test_the_error_never_rises_and_is_what_is_left(bake, found):
    history = np.array(found.history)
    assert len(history) > 3
    assert (np.diff(history) <= 1e-9).all()
    assert history[-1] < 0.9 * history[0]
    distance = np.linalg.norm(found.points.astype(np.float64) - bake.points, axis=2)
    assert found.error.rms <= history[-1] + 1e-7
    assert found.error.rms == pytest.approx(np.sqrt(np.mean(distance**2)), rel=1e-3)
    assert found.error.thousandths == pytest.approx(1000.0 * found.error.rms / np.sqrt(3.0))
    assert found.error.worst == pytest.approx(distance.max(), rel=1e-3)
    assert found.error.by_frame == pytest.approx(np.sqrt(np.mean(distance**2, axis=1)), rel=1e-2, abs=1e-6)
    assert found.error.by_vertex == pytest.approx(np.sqrt(np.mean(distance**2, axis=0)), rel=1e-2, abs=1e-6)
    low = np.sqrt(np.mean(distance[:, bake.character.parts["low"]] ** 2))
    assert set(found.error.by_part) == {"low", "high"}
    assert found.error.by_part["low"] == pytest.approx(low, rel=1e-2)


def test_more_bones_and_more_influences_leave_less_error(bake, found):
    assert decompose(bake, bones=2).error.rms > 1.5 * found.error.rms
    assert decompose(bake, bones=6, influences=1).error.rms > 1.5 * found.error.rms


def test_more_bones_than_patches_still_make_a_rig():
    """Bones without use are put elsewhere or stay idle; the rig is valid either way."""
    tube, _, points = made_by(2)
    result = decompose(sequence_of(tube, points), bones=12, rounds=20)
    assert len(result.skeleton) == 12
    assert result.error.rms < 1e-3
    assert np.isfinite(result.world_from_joint).all()


def test_smoothness_evens_the_weights(bake, found):
    near = surroundings(np.asarray(bake.rest), bake.triangles)

    def rough(result):
        dense = result.weights.dense(len(result.skeleton))
        return np.linalg.norm(dense - near @ dense)

    smooth = decompose(bake, bones=6, smoothness=1e-3)
    assert rough(smooth) < 0.9 * rough(found)
    assert smooth.error.rms > found.error.rms


def test_the_same_seed_gives_the_same_bones(bake, found):
    again = decompose(bake, bones=6)
    assert np.array_equal(again.world_from_joint, found.world_from_joint)
    assert np.array_equal(again.weights.values, found.weights.values)
    other = decompose(bake, bones=6, seed=1)
    assert not np.array_equal(other.world_from_joint, found.world_from_joint)


def test_watching_hears_every_round(bake):
    heard = []
    result = decompose(bake, bones=3, rounds=5, watch=heard.append)
    assert [step.rms for step in heard] == list(result.history)
    assert [step.round for step in heard] == list(range(1, len(heard) + 1))
    assert {step.rounds for step in heard} == {5}


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


@pytest.mark.parametrize("influences", [1, 2, 4])
def test_no_vertex_has_more_influences_than_asked_for(bake, influences):
    result = decompose(bake, bones=5, influences=influences, rounds=5)
    assert result.weights.influences <= influences
    assert result.weights.values.sum(axis=1) == pytest.approx(1.0)


def test_the_matrices_of_distances_are_those_written_out(bake):
    frames = Frames.of(np.asarray(bake.rest), bake.points)
    random = np.random.default_rng(7)
    bones = np.swapaxes(rigid(random, 3 * frames.count).reshape(frames.count, 3, 4, 4), 0, 1)[:, :, :3]
    places = frames.rest[:, :3] + frames.moved.reshape(len(frames.rest), frames.count, 3).swapaxes(0, 1)
    away = np.einsum("bfij,vj->vbfi", bones, frames.rest) - places.swapaxes(0, 1)[:, None]
    written = np.einsum("vbfi,vcfi->vbc", away, away)
    distances = Distances.of(frames, bones)
    assert distances.matrices(slice(0, None)) == pytest.approx(written, rel=1e-9)
    assert distances.alone() == pytest.approx(np.einsum("vbb->vb", written), rel=1e-9)


# Bones


def test_one_bone_is_fitted_as_two_sets_of_points_are_aligned():
    random = np.random.default_rng(8)
    rest = random.normal(size=(30, 3))
    points = rest + 0.3 * random.normal(size=(4, 30, 3))
    share = random.uniform(0.1, 1.0, 30)
    frames = Frames.of(rest, points)
    start = np.tile(STILL, (1, 4, 1, 1))
    moments = Moments.of(frames, np.ones((30, 1)))
    found = frames.transforms(fitted(moments, start, free=np.ones(1, dtype=bool), sweeps=1))[:, 0]
    for frame in range(4):
        turn, _ = Rotation.align_vectors(points[frame] - points[frame].mean(axis=0), rest - rest.mean(axis=0))
        assert found[frame, :3, :3] == pytest.approx(turn.as_matrix(), abs=1e-6)
        assert found[frame, :3, :3] @ rest.mean(axis=0) + found[frame, :3, 3] == pytest.approx(
            points[frame].mean(axis=0), abs=1e-9
        )
    assert not np.allclose(share, 1.0)


def test_a_fitted_bone_cannot_be_moved_to_lower_the_error():
    """Both bones in turn, the other held: no small turn or move makes any frame better."""
    random = np.random.default_rng(9)
    rest = random.normal(size=(40, 3))
    points = rest + 0.3 * random.normal(size=(3, 40, 3))
    share = random.random((40, 1))
    weights = np.concatenate([share, 1.0 - share], axis=1)
    frames = Frames.of(rest, points)
    state = np.swapaxes(rigid(random, 6, turn=0.2).reshape(3, 2, 4, 4), 0, 1)[:, :, :3]

    def errors(bones):
        away = np.einsum("vb,bfij,vj->fvi", weights, bones, frames.rest)
        goal = frames.rest[:, :3] + frames.moved.reshape(40, 3, 3).swapaxes(0, 1)
        return np.sum((away - goal) ** 2, axis=(1, 2))

    moments = Moments.of(frames, weights)
    for bone in (0, 1):
        better = fitted(moments, state, free=np.arange(2) == bone, sweeps=1)
        assert np.array_equal(better[1 - bone], state[1 - bone])
        assert (errors(better) < errors(state)).all()
        for _ in range(20):
            nudged = better.copy()
            nudged[bone] = rigid(random, 3, turn=0.01, move=0.01)[:, :3, :3] @ nudged[bone]
            nudged[bone, :, :, 3] += 0.01 * random.normal(size=(3, 3))
            assert (errors(nudged) > errors(better)).all()
        state = better


def test_a_bone_of_one_vertex_still_turns_in_some_way():
    """A single vertex says nothing of how its bone turns: it keeps the turn it had, and follows the vertex."""
    random = np.random.default_rng(10)
    rest = random.normal(size=(6, 3))
    frames = Frames.of(rest, rest + 0.1 * random.normal(size=(3, 6, 3)))
    only = np.zeros((6, 1))
    only[2] = 1.0
    start = rigid(random, 3)[None, :, :3]
    found = fitted(Moments.of(frames, only), start, free=np.ones(1, dtype=bool), sweeps=1)
    assert found[0, :, :, :3] == pytest.approx(start[0, :, :, :3], abs=1e-4)
    there = frames.rest[2, :3] + frames.moved[2].reshape(3, 3)
    assert np.einsum("fij,j->fi", found[0], frames.rest[2]) == pytest.approx(there, abs=1e-9)


def test_patches_hang_together_and_follow_the_known_bones():
    tube = make_tube(rings=25, sectors=10, bones=2)
    transforms = rigid(np.random.default_rng(11), 20, turn=0.5).reshape(10, 2, 4, 4)
    upper = (tube.points[:, 1] > 1.0).astype(float)
    points = carried(tube.points, np.stack([1.0 - upper, upper], axis=1), transforms)
    frames = Frames.of(tube.points, points)
    _, tied = clustered(frames, surroundings(frames.rest, tube.triangles), bones=2, seed=0)
    same = tied[:, 0] == upper
    assert max(same.mean(), 1.0 - same.mean()) > 0.9


def test_transforms_go_to_the_solver_and_back():
    random = np.random.default_rng(12)
    rest = 5.0 + random.normal(size=(20, 3))
    frames = Frames.of(rest, rest + random.normal(size=(4, 20, 3)))
    transforms = rigid(random, 12).reshape(4, 3, 4, 4)
    assert frames.transforms(frames.bones(transforms)) == pytest.approx(transforms, abs=1e-9)


def test_blended_errors_are_those_of_the_points(bake):
    frames = Frames.of(np.asarray(bake.rest), bake.points)
    bones, tied = clustered(frames, surroundings(frames.rest, bake.triangles), bones=3, seed=0)
    weights, error = blended(frames, bones, tied, influences=2)
    shown = carried(np.asarray(bake.rest), weights, frames.transforms(bones))
    written = np.sum((shown - bake.points) ** 2, axis=(0, 2))
    assert error * frames.size**2 == pytest.approx(written, rel=1e-5, abs=1e-9)


# The character's own skeleton


def test_a_kept_skeleton_moves_as_it_did_and_helpers_take_the_rest(bake):
    joints = len(bake.skeleton)
    result = decompose(bake, bones=4, keep_skeleton=True)
    assert result.skeleton.names[:joints] == bake.skeleton.names
    assert np.array_equal(result.skeleton.parents[:joints], bake.skeleton.parents)
    assert result.world_from_joint[:, :joints] == pytest.approx(bake.poses, abs=1e-12)
    assert (result.skeleton.parents[joints:] >= 0).all()
    assert (result.skeleton.parents[joints:] < joints).all()
    on = [bake.skeleton.names[parent] for parent in result.skeleton.parents[joints:]]
    assert all(
        name.startswith(f"{joint}_helper") for name, joint in zip(result.skeleton.names[joints:], on, strict=True)
    )
    assert (np.diff(result.history) <= 1e-9).all()
    plain = supple.bake(bake.character, _motion_of(bake), LinearBlend())
    without = np.sqrt(np.mean(np.sum((plain.points - bake.points) ** 2, axis=2)))
    assert result.error.rms < 0.3 * without
    assert result.weights.influences <= 4


def _motion_of(bake):
    return Motion.from_poses(
        bake.skeleton, lambda at: bake.pose(round(at * FPS)), seconds=(len(bake) - 1) / FPS, fps=FPS
    )


def test_helpers_ride_on_the_joint_they_follow(bake):
    """At rest everything is at rest, and a turn of the whole rig turns the whole skin, helpers and all."""
    result = decompose(bake, bones=3, keep_skeleton=True, rounds=5)
    body = result.character()
    player = supple.player(body, LinearBlend())
    assert player.advance(Pose.rest(body.skeleton)) == pytest.approx(body.points, abs=1e-5)
    quarter = rotations.quaternion_about([0.0, 0.0, 1.0], np.pi / 2.0)
    turned = player.advance(Pose.from_rotations(body.skeleton, {"bone0": quarter}))
    about = body.skeleton.heads[0]
    assert turned == pytest.approx(
        (body.points - about) @ rotations.matrix_from_quaternion(quarter).T + about, abs=1e-5
    )


def test_vertices_follow_no_joint_that_is_far_from_theirs():
    """Two ends that swing alike do not borrow each other's joints: only neighbours in the skeleton may come in."""
    tube = make_tube(rings=33, sectors=8, bones=6)

    def pose(time):
        bend = rotations.quaternion_about([0.0, 0.0, 1.0], np.sin(5.0 * time))
        return Pose.from_rotations(tube.skeleton, {"bone1": bend, "bone4": rotations.conjugate(bend)})

    motion = Motion.from_poses(tube.skeleton, pose, seconds=0.5, fps=FPS)
    result = decompose(supple.bake(tube, motion, supple.DualQuaternion()), bones=2, keep_skeleton=True, rounds=6)
    dense = result.weights.dense(8)[:, :6]
    own = tube.weights.dense(6) > 0.0
    near = own.copy()
    near[:, 1:] |= own[:, :-1]
    near[:, :-1] |= own[:, 1:]
    assert not (dense > 0.0)[~near].any()


# A rig like any other


def test_the_result_is_a_character_that_linear_blend_moves(bake, found):
    body = found.character()
    assert body.parts.keys() == bake.character.parts.keys()
    assert np.array_equal(body.triangles, bake.triangles)
    assert (body.skeleton.parents < 0).sum() == 1
    motion = body.motions["wave"]
    assert motion.frames == len(bake)
    shown = supple.bake(body, motion, LinearBlend(), fps=FPS)
    assert np.abs(shown.points - found.points).max() < 1e-5
    assert "6 bones" in repr(found)


@pytest.mark.parametrize("name", ["body.glb", "body.usda"])
def test_it_is_written_and_read_back(found, name, tmp_path):
    if name.endswith("usda"):
        pytest.importorskip("pxr")
    supple.save(found.character(), tmp_path / name)
    body = supple.load(tmp_path / name)
    motion = next(iter(body.motions.values()))
    shown = supple.bake(body, motion, LinearBlend(), fps=FPS)
    assert np.abs(shown.points - found.points).max() < 1e-4


def test_plain_points_need_a_mesh_only_for_a_character(bake):
    result = decompose(bake.points, bones=3, rounds=5)
    assert result.error.rms < 0.1
    with pytest.raises(InputError, match="no triangles"):
        result.character()


def test_captured_frames_of_another_program(data_file):
    """Dem Bones' own example with as many bones: 0.0099 there, cut to four influences."""
    with np.load(data_file("sequences/dembones_bone_anim.npz")) as file:
        sequence = PointSequence(file["V"], polygons=file["quads"])
    result = decompose(sequence, bones=20, rounds=12)
    assert result.error.rms < 0.006
    assert result.weights.influences <= 4
    assert len(result.skeleton) == 20


# The door


def test_what_cannot_be_taken_apart_is_refused(bake):
    points = np.array(bake.points)
    broken = points.copy()
    broken[3, 5, 1] = np.nan
    for given_, words in [
        (points[:1], "there is 1 frame"),
        (points[:0], "no frames"),
        (points[:, :0], "no points"),
        (points[0], "shape"),
        (broken, "not finite"),
    ]:
        with pytest.raises(InputError, match=words):
            decompose(given_, bones=1)
    for options, words in [
        ({"bones": 0}, "0 bones"),
        ({"bones": points.shape[1] + 1}, "bones were asked for"),
        ({"bones": 2, "influences": 0}, "influences is 0"),
        ({"bones": 2, "influences": 17}, "influences is 17"),
        ({"bones": 2, "rounds": 0}, "rounds is 0"),
        ({"bones": 2, "smoothness": -1.0}, "smoothness"),
        ({"bones": 2, "smoothness": np.nan}, "smoothness"),
        ({"bones": 2, "seed": -1}, "seed"),
        ({"bones": 2, "keep_skeleton": True}, "without a skeleton"),
    ]:
        with pytest.raises(InputError, match=words):
            decompose(points, **options)
    bare = bake.character.replace(weights=None)
    with pytest.raises(InputError, match="no skin weights"):
        decompose(PointSequence(points, character=bare, poses=bake.poses), bones=2, keep_skeleton=True)
    with pytest.raises(InputError, match="triangles name point"):
        PointSequence(points, triangles=[[0, 1, 999]])
    with pytest.raises(InputError, match="triangles name point -1"):
        PointSequence(points, triangles=[[0, 1, -1]])
    with pytest.raises(InputError, match="fps"):
        PointSequence(points, fps=0.0)
    with pytest.raises(InputError, match="rest"):
        PointSequence(points, rest=points[0, 1:])
    with pytest.raises(InputError, match="poses"):
        PointSequence(points, character=bake.character, poses=bake.poses[1:])
    assert repr(PointSequence(points, name="run")).startswith("PointSequence('run'")


def test_as_many_bones_as_vertices_is_the_limit():
    random = np.random.default_rng(13)
    result = decompose(random.normal(size=(4, 5, 3)), bones=5, rounds=3)
    assert len(result.skeleton) == 5
    assert result.weights.values.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("suffix", [".supple", ".npz", ".pc2", ".mdd"])
def test_points_are_read_as_they_were_written(bake, suffix, tmp_path):
    path = tmp_path / f"wave{suffix}"
    if suffix == ".supple":
        path.write_bytes(bake.path.read_bytes())
    else:
        bake.save(path)
    mesh = bake.character if suffix in (".pc2", ".mdd") else None
    sequence = read_sequence(path, mesh=mesh)
    assert np.array_equal(sequence.points, bake.points)
    assert sequence.rest_points == pytest.approx(bake.rest)
    assert np.array_equal(sequence.triangles, bake.triangles)
    assert sequence.fps == pytest.approx(30.0 if suffix == ".pc2" else FPS)
    assert read_sequence(path, mesh=mesh, fps=50.0).fps == 50.0
    with pytest.raises(InputError, match="use the mesh that was baked"):
        read_sequence(path, mesh=make_tube(rings=4))


def test_an_archive_may_call_its_arrays_as_others_do(tmp_path):
    tube = make_tube(rings=4, sectors=4, closed=False)
    points = np.stack([tube.points, tube.points + 0.1])
    np.savez(tmp_path / "a.npz", V=points, quads=np.array([[0, 1, 5, 4], [4, 5, 9, -1]]), fps=25)
    sequence = read_sequence(tmp_path / "a.npz")
    assert sequence.points == pytest.approx(points)
    assert sequence.triangles.tolist() == [[0, 1, 5], [0, 5, 4], [4, 5, 9]]
    assert sequence.fps == 25.0


def test_files_that_are_no_sequence_are_refused(bake, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_sequence(tmp_path / "none.npz")
    with pytest.raises(InputError, match="suffix"):
        read_sequence(tmp_path / "points.txt")
    for name in ("a.npz", "a.pc2", "a.mdd"):
        (tmp_path / name).write_bytes(b"no")
        with pytest.raises(FormatError):
            read_sequence(tmp_path / name)
    for name in ("b.pc2", "b.mdd"):
        bake.save(tmp_path / name)
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-1])
        with pytest.raises(FormatError, match="bytes"):
            read_sequence(tmp_path / name)
    np.savez(tmp_path / "c.npz", other=np.zeros(3))
    with pytest.raises(FormatError, match="holds other"):
        read_sequence(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", points=bake.points, fps=np.zeros(2))
    with pytest.raises(FormatError, match="fps"):
        read_sequence(tmp_path / "d.npz")


def test_the_command_writes_a_rig_and_says_how_far_off_it_is(bake, found, tmp_path, capsys):
    path = tmp_path / "wave.supple"
    path.write_bytes(bake.path.read_bytes())
    output = tmp_path / "wave.glb"
    assert run(["decompose", str(path), "--bones", "6", "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["error"]["rms"] == pytest.approx(found.error.rms)
    assert set(told["error"]["by_part"]) == {"low", "high"}
    assert told["joints"] == list(found.skeleton.names)
    assert len(supple.load(output).skeleton) == 6
    words = ["--bones", "2", "--influences", "3", "--keep-skeleton", "--rounds", "4", "--smoothness", "1e-4"]
    assert run(["decompose", str(path), *words, "-o", str(output)]) == 0
    said = capsys.readouterr().out
    assert "5 joints (2 found), 3 influences" in said
    assert "low:" in said
    assert "mm RMS" in said


def test_the_command_ends_with_2_on_bad_input(bake, tmp_path, capsys):
    bake.save(tmp_path / "wave.pc2")
    supple.save(bake.character, tmp_path / "tube.glb")
    points, mesh = str(tmp_path / "wave.pc2"), str(tmp_path / "tube.glb")
    out = ["-o", str(tmp_path / "out.glb")]
    for words in (
        [str(tmp_path / "none.supple"), "--bones", "3", *out],
        [points, "--bones", "0", "--mesh", mesh, *out],
        [points, "--bones", "2", "--mesh", mesh, "-o", str(tmp_path / "out.bvh")],
        [points, "--bones", "2", *out],  # no mesh
        [points, *out],
    ):
        assert run(["decompose", *words]) == 2, words
        assert not (tmp_path / "out.glb").exists()
        assert capsys.readouterr().err
    assert run(["decompose", points, "--bones", "2", "--rounds", "2", "--mesh", mesh, "--fps", "24", *out]) == 0
    assert next(iter(supple.load(tmp_path / "out.glb").motions.values())).fps == pytest.approx(24.0)
