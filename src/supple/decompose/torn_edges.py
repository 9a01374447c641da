"""Edges that a decomposition tears: weights of single vertices that follow other bones than all around them."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.decompose.blending import fewest
from supple.decompose.frames import Frames
from supple.geometry.topology import unique_edges

LIMIT = 2.5  # times as long as in the sequence: longer edges are torn
_ROUNDS = 6  # over all torn edges
_WORTH = 0.95  # of the worst edge of a vertex: other weights must leave it shorter than this


def mend_edges(
    frames: Frames, bones: FloatArray, weights: FloatArray, triangles: IntArray, *, influences: int
) -> FloatArray:
    """Weights (V, B) with which fewer edges are torn, and no vertex has a longer one than before.

    The ends of a torn edge, worst first, take the weights of a vertex beside them, the mean of all those, or weights
    that are solved for the edges themselves (`_follow_edges`), whichever leaves the shortest worst edge, if that helps.
    """
    mended = weights.copy()
    truth = frames.rest[:, None, :3] + frames.moved.reshape(len(mended), frames.count, 3)
    edges = unique_edges(triangles)
    shortest = np.min([_lengths(truth[:, frame], edges) for frame in range(frames.count)], axis=0)
    edges = edges[shortest > 0.0]
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
            carried = np.einsum("bfij,j->bfi", bones, frames.rest[vertex])
            true = np.linalg.norm(truth[near] - truth[vertex], axis=2)
            tried = np.stack([mended[vertex], _cut(mended[near].mean(axis=0), influences), *mended[near]])
            goals = placed[near] + truth[vertex] - truth[near]
            used = np.asarray((tried > 0.0).any(axis=0))
            solved = _follow_edges(carried, truth[vertex], goals, true, tried, used, influences=influences)
            tried = np.concatenate([tried, solved])
            spots = np.einsum("kb,bfi->kfi", tried, carried)
            worst = (np.linalg.norm(placed[near][None] - spots[:, None], axis=3) / true).max(axis=(1, 2))
            best = int(np.argmin(worst))
            if worst[best] < _WORTH * worst[0]:
                mended[vertex], placed[vertex], helped = tried[best], spots[best], True
        if not helped:
            break
    return mended


def _follow_edges(
    carried: FloatArray,
    truth: FloatArray,
    goals: FloatArray,
    lengths: FloatArray,
    starts: FloatArray,
    used: BoolArray,
    *,
    influences: int,
) -> FloatArray:
    """Weights (K, B) of a vertex for which its edges are as in the sequence, from each of some starts (K, B).

    What bones make of the vertex, `carried` (B, F, 3), shall be near `truth` (F, 3) and near `goals` (N, F, 3), where
    each vertex beside it wants it; those count the more the shorter an edge is, `lengths` (N, F), so that an edge
    that the sequence draws together is followed before others. Bones that are `used` (B,) here may come in.
    """
    share = np.median(lengths) ** 2 / lengths**2
    away = carried - truth
    matrix = np.einsum("bfi,cfi->bc", away, away)
    for goal, weight in zip(goals, share, strict=True):
        away = carried - goal
        matrix += np.einsum("bfi,f,cfi->bc", away, weight, away, optimize=True)
    many = np.tile(matrix, (len(starts), 1, 1))
    return fewest(many, starts, influences=influences, allowed=np.tile(used, (len(starts), 1)))


def _lengths(points: FloatArray, edges: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))


def _cut(weights: FloatArray, influences: int) -> FloatArray:
    """The largest so many of some weights (B,), of sum one."""
    kept = np.zeros_like(weights)
    largest = np.argsort(-weights, kind="stable")[:influences]
    kept[largest] = weights[largest]
    return np.asarray(kept / kept.sum())
