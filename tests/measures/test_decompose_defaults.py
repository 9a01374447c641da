"""What a decomposition does unless it is told otherwise: bones stretch, each moves one patch, and no edge is torn."""

from __future__ import annotations

import numpy as np
import pytest
from decompose_scenes import waving_bake

import supple
from supple import decompose
from supple.decompose import PointSequence
from supple.decompose.edges_together import Neighbourhood
from supple.decompose.frames import Frames, surroundings
from supple.decompose.patches import Surface
from supple.decompose.rigid import STILL, Moments
from supple.decompose.torn_edges import LIMIT, mend
from supple.geometry.topology import unique_edges


@pytest.fixture(scope="module")
def bake():
    return waving_bake()


def edge_lengths(points, triangles):
    edges = unique_edges(triangles)
    return np.linalg.norm(points[:, edges[:, 0]] - points[:, edges[:, 1]], axis=2)


def longest(found):
    """How many times as long as in the sequence the worst edge is in any frame."""
    given = found.sequence
    ours, true = (edge_lengths(np.asarray(p, dtype=float), given.triangles) for p in (found.points, given.points))
    return float((ours / true).max())


@pytest.mark.slow
def test_a_galloping_horse_by_ten_bones(data_file):
    """E below 3.0 in the first frame as rest, each bone one patch, and no edge three times as long as it should be."""
    horse = supple.load(data_file("gltf/horse-animations.glb"))
    gallop = supple.bake(horse, horse.motions["Run"], supple.PositionBased(), fps=120.0)
    found = decompose(gallop, bones=10, influences=4, rest="first")
    assert len(found.sequence) == 49
    assert found.weights.influences <= 4
    assert found.error.thousandths < 3.0
    assert found.strays == 0.0
    assert longest(found) < 3.0


@pytest.mark.slow
def test_captured_frames_by_twenty_bones(data_file):
    with np.load(data_file("sequences/dembones_bone_anim.npz")) as file:
        sequence = PointSequence(file["V"], polygons=file["quads"])
    found = decompose(sequence, bones=20, tries=3, rounds=60)
    assert found.error.thousandths < 0.57
    assert found.strays == 0.0
    assert longest(found) < 1.5


def test_bones_stretch_and_keep_to_one_patch(bake):
    found = decompose(bake, bones=5, tries=2)
    assert found.strays == 0.0
    assert longest(found) < LIMIT
    assert found.skeleton.names[0] == "body"
    assert found.error.rms < decompose(bake, bones=5, tries=2, stretch=False).error.rms
    kept = decompose(bake, bones=2, keep_skeleton=True, rounds=3)  # which stays rigid
    assert kept.skeleton.names[: len(bake.skeleton)] == bake.skeleton.names


def test_what_an_edge_is_off_by_is_in_the_moments(bake):
    frames = Frames.from_points(np.asarray(bake.rest), bake.points)
    random = np.random.default_rng(4)
    weights = random.dirichlet(np.ones(3), size=len(frames.rest))
    bones = STILL + 0.3 * random.normal(size=(3, frames.count, 3, 4))
    edges, counts = unique_edges(bake.triangles)[::7], random.uniform(0.5, 2.0, len(unique_edges(bake.triangles)[::7]))

    def energy(moments):
        """What is left, but for the squares of how far vertices and edges have moved."""
        away = bones - STILL
        square = np.einsum("bfki,bicj,cfkj->", away, moments.inertia, away, optimize=True)
        return square - 2.0 * np.einsum("bfki,bifk->", away, moments.pull, optimize=True)

    plain = Moments.from_frames(frames, weights)
    more = energy(plain.with_edges(frames, weights, edges, counts)) - energy(plain)
    placed = np.einsum("vb,bfij,vj->vfi", weights, bones, frames.rest) - frames.rest[:, None, :3]
    moved = frames.moved.reshape(len(frames.rest), frames.count, 3)
    ours, true = (where[edges[:, 0]] - where[edges[:, 1]] for where in (placed, moved))
    wanted = np.sum(counts[:, None, None] * (np.square(ours - true) - np.square(true)))
    assert more == pytest.approx(wanted, rel=1e-9)


def test_skin_round_a_torn_edge_is_solved_together(bake):
    """Weights stay weights, of no more bones than they may be, and the first solution is the least of what it says."""
    found = decompose(bake, bones=5, tries=1, rounds=8, stretch=False)
    frames = Frames.from_points(found.sequence.rest_points, found.sequence.points)
    poses = found.world_from_joint @ found.skeleton.joint_from_world
    bones, weights = frames.bones(poses), found.weights.dense(5)
    truth = frames.rest[:, None, :3] + frames.moved.reshape(len(weights), frames.count, 3)
    off = np.einsum("vb,bfij,vj->vfi", weights, bones, frames.rest) - truth
    edges = unique_edges(bake.triangles)
    some = np.unique(edges[np.isin(edges, [40]).any(axis=1)])
    here = Neighbourhood(some, edges[np.isin(edges, some).any(axis=1)], off, truth, bones, frames.rest)
    lengths = np.linalg.norm(truth[here.edges[:, 0]] - truth[here.edges[:, 1]], axis=2)
    count = np.median(lengths) ** 2 / lengths**2

    def left(own):
        there = here.moved(own)
        apart = there[here.edges[:, 0]] - there[here.edges[:, 1]]
        return np.square(there[some]).sum() + np.sum(count * np.square(apart).sum(axis=2))

    solutions = list(here.solutions(weights[some], influences=3))
    for own in solutions:
        assert (own >= 0.0).all()
        np.testing.assert_allclose(own.sum(axis=1), 1.0)
    for own in solutions[len(solutions) // 2 :]:
        assert ((own > 0.0).sum(axis=1) <= 3).all()
    least = left(solutions[0])
    assert least <= left(weights[some]) * (1.0 + 1e-6)
    random = np.random.default_rng(5)
    for _ in range(20):
        other = np.where(weights[some] > 0.0, solutions[0] + 0.02 * random.random(solutions[0].shape), 0.0)
        assert least <= left(other / other.sum(axis=1, keepdims=True)) * (1.0 + 1e-6)


def test_mending_leaves_one_patch_one_patch_and_costs_little(bake):
    frames = Frames.from_points(np.asarray(bake.rest), bake.points)
    surface = Surface.from_frames(frames, surroundings(frames.rest, bake.triangles))
    found = decompose(bake, bones=5, tries=1, rounds=12, stretch=False)
    bones = frames.bones(found.world_from_joint @ found.skeleton.joint_from_world)
    weights = found.weights.dense(5)
    ends = np.unique(np.argsort(weights.max(axis=1))[:3])
    torn = weights.copy()
    torn[ends] = np.eye(5)[np.argsort(weights[ends], axis=1)[:, -2]]
    before = surface.strays(torn).sum()
    _, mended = mend(frames, bones, torn, bake.triangles, influences=4, surface=surface)
    assert surface.strays(mended).sum() <= before
    np.testing.assert_allclose(mended.sum(axis=1), 1.0)
