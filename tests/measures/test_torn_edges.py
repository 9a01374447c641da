"""Edges that a decomposition tears are mended where the sequence can be followed at all."""

import numpy as np

import supple
from conftest import make_tube
from supple.decompose.frames import Frames
from supple.decompose.torn_edges import LIMIT, mend_edges
from supple.geometry.topology import unique_edges


def test_single_vertices_that_follow_other_bones_are_mended():
    """A tube bent by two bones: some vertices are given the weights of the other end, and torn edges come together."""
    tube = make_tube(rings=21, sectors=10, bones=2)
    bend = supple.motion("bend", tube, joint="bone1", angle=1.0, seconds=0.5)
    bake = supple.bake(tube, bend, supple.LinearBlend(), fps=10.0)
    frames = Frames.from_points(tube.points, bake.points)
    poses = np.stack([bake.pose(f).world_from_joint for f in range(len(bake))])
    bones = frames.bones(poses @ tube.skeleton.joint_from_world)
    weights = tube.weights.dense(len(tube.skeleton))
    wrong = weights.copy()
    odd = [3, 57, 150]
    wrong[odd] = np.eye(weights.shape[1])[(weights[odd].argmax(axis=1) + 1) % weights.shape[1]]

    def longest(shares):
        placed = sum(
            w[:, None, None] * np.einsum("fij,vj->vfi", b, frames.rest) for b, w in zip(bones, shares.T, strict=True)
        )
        truth = frames.rest[:, None, :3] + frames.moved.reshape(len(shares), frames.count, 3)
        edges = unique_edges(tube.triangles)
        ours, true = (np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=2) for p in (placed, truth))
        return float((ours / true).max())

    mended = mend_edges(frames, bones, wrong, tube.triangles, influences=2)
    assert longest(wrong) > LIMIT
    assert longest(mended) < LIMIT
    np.testing.assert_allclose(mended.sum(axis=1), 1.0)
    assert ((mended > 0.0).sum(axis=1) <= 2).all()
    others = np.setdiff1d(np.arange(len(weights)), odd)
    assert (mended[others] == wrong[others]).all(axis=1).mean() > 0.9
    np.testing.assert_array_equal(mend_edges(frames, bones, weights, tube.triangles, influences=2), weights)
