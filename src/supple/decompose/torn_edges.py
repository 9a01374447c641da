"""Edges that a decomposition tears: weights of single vertices that follow other bones than all around them."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.decompose.frames import Frames
from supple.geometry.topology import unique_edges

LIMIT = 2.5  # times as long as in the sequence: longer edges are torn
_ROUNDS = 6  # over all torn edges
_WORTH = 0.95  # of the worst edge of a vertex: other weights must leave it shorter than this


def mend_edges(
    frames: Frames, bones: FloatArray, weights: FloatArray, triangles: IntArray, *, influences: int
) -> FloatArray:
    """Weights (V, B) with which fewer edges are torn, and no vertex has a longer one than before.

    The ends of a torn edge, worst first, take the weights of a vertex beside them or the mean of all those, whichever
    leaves the shortest worst edge, if that helps. Edges that the sequence itself shortens by more than the limit do not
    count: rigid bones cannot follow them.
    """
    mended = weights.copy()
    truth = frames.rest[:, None, :3] + frames.moved.reshape(len(mended), frames.count, 3)
    edges = unique_edges(triangles)
    at_rest = np.linalg.norm(frames.rest[edges[:, 0], :3] - frames.rest[edges[:, 1], :3], axis=1)
    shortest = np.min([_lengths(truth[:, frame], edges) for frame in range(frames.count)], axis=0)
    edges = edges[(shortest > at_rest / LIMIT) & (shortest > 0.0)]
    beside: dict[int, list[int]] = {}
    for one, other in edges.tolist():
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    placed = np.zeros_like(truth)
    for bone, share in zip(bones, mended.T, strict=True):
        placed += share[:, None, None] * np.einsum("fij,vj->vfi", bone, frames.rest)
    for _ in range(_ROUNDS):
        ratio = np.max(
            [_lengths(placed[:, f], edges) / _lengths(truth[:, f], edges) for f in range(frames.count)], axis=0
        )
        torn = np.flatnonzero(ratio > LIMIT)
        ends = edges[torn[np.argsort(-ratio[torn], kind="stable")]].ravel()
        helped = False
        for vertex in dict.fromkeys(ends.tolist()):
            near = beside[vertex]
            tried = np.stack([mended[vertex], _cut(mended[near].mean(axis=0), influences), *mended[near]])
            spots = np.einsum("kb,bfij,j->kfi", tried, bones, frames.rest[vertex])
            true = np.linalg.norm(truth[near] - truth[vertex], axis=2)
            worst = (np.linalg.norm(placed[near][None] - spots[:, None], axis=3) / true).max(axis=(1, 2))
            best = int(np.argmin(worst))
            if worst[best] < _WORTH * worst[0]:
                mended[vertex], placed[vertex], helped = tried[best], spots[best], True
        if not helped:
            break
    return mended


def _lengths(points: FloatArray, edges: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))


def _cut(weights: FloatArray, influences: int) -> FloatArray:
    """The largest so many of some weights (B,), of sum one."""
    kept = np.zeros_like(weights)
    largest = np.argsort(-weights, kind="stable")[:influences]
    kept[largest] = weights[largest]
    return np.asarray(kept / kept.sum())
