"""Edges that a decomposition tears: weights of single vertices that follow other bones than all around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.decompose.blending import fewest
from supple.decompose.frames import Frames
from supple.geometry.topology import unique_edges

LIMIT = 2.5  # times as long as in the sequence: longer edges are torn
_ROUNDS = 8  # over all torn edges
_WORTH = 0.97  # of the worst edge of a vertex: other weights must leave it shorter than this
_STARTS = 4  # weights from which those that follow the edges are looked for
_SOLVES = 6  # from each of them
_LENGTHENED = 2.0  # times as long as in the sequence: from there on an edge counts more in the next solve


def mend_edges(
    frames: Frames, bones: FloatArray, weights: FloatArray, triangles: IntArray, *, influences: int
) -> FloatArray:
    """Weights (V, B) with which fewer edges are torn, and no vertex has a longer one than before.

    The ends of a torn edge, worst first, take the weights of a vertex within two rings of them, the mean of those
    beside them, or weights that are solved for the edges themselves (`_follow_edges`): those with the least error that
    leave no edge of the vertex torn, or else those with the shortest worst edge, if that helps.
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
            ring = sorted({other for one in near for other in beside[one]} - {vertex})
            here = _Surroundings(
                np.einsum("bfij,j->bfi", bones, frames.rest[vertex]), truth[vertex], truth[near], placed[near]
            )
            tried = np.stack([mended[vertex], _cut(mended[near].mean(axis=0), influences), *mended[ring]])
            tried = np.concatenate([tried, *_follow_edges(here, tried, influences=influences)])
            worst = here.ratios(tried).max(axis=(1, 2))
            whole = worst <= LIMIT
            best = int(np.argmin(np.where(whole, here.errors(tried), np.inf) if whole.any() else worst))
            if worst[best] < _WORTH * worst[0]:
                mended[vertex], placed[vertex], helped = tried[best], here.spots(tried[best : best + 1])[0], True
        if not helped:
            break
    return mended


@dataclass(frozen=True)
class _Surroundings:
    """A vertex and those beside it: what every bone makes of it, `carried` (B, F, 3), where it is in the sequence,
    `truth` (F, 3), where those beside it are there, `others` (N, F, 3), and where bones put these, `placed` (N, F, 3).
    """

    carried: FloatArray
    truth: FloatArray
    others: FloatArray
    placed: FloatArray

    @property
    def lengths(self) -> FloatArray:
        """How long its edges are in the sequence (N, F)."""
        return np.asarray(np.linalg.norm(self.others - self.truth, axis=2))

    def spots(self, weights: FloatArray) -> FloatArray:
        """Where some weights (K, B) put the vertex (K, F, 3)."""
        return np.asarray(np.einsum("kb,bfi->kfi", weights, self.carried))

    def ratios(self, weights: FloatArray) -> FloatArray:
        """How many times as long as in the sequence some weights (K, B) make the edges (K, N, F)."""
        apart = np.linalg.norm(self.placed[None] - self.spots(weights)[:, None], axis=3)
        return np.asarray(apart / self.lengths)

    def errors(self, weights: FloatArray) -> FloatArray:
        """The squared error (K,) of some weights (K, B), summed over the frames."""
        return np.asarray(np.square(self.spots(weights) - self.truth).sum(axis=(1, 2)))


def _follow_edges(here: _Surroundings, tried: FloatArray, *, influences: int) -> list[FloatArray]:
    """Weights of a vertex for which its edges are as in the sequence, from the best of those `tried` (K, B).

    What bones make of the vertex shall be near where it is, and near where each vertex beside it wants it for the edge
    to be the one of the sequence; those count the more the shorter an edge is. Least squares do not look at the worst
    edge. So they are solved a few times, and an edge that is too long in a frame counts more there in the next one.
    """
    best = np.argsort(here.ratios(tried).max(axis=(1, 2)), kind="stable")[:_STARTS]
    weights = tried[np.unique(np.append(best, 0))]
    lengths = here.lengths
    away = here.carried - here.truth
    still = np.einsum("bfi,cfi->bc", away, away)
    goals = here.placed + here.truth - here.others
    apart = np.moveaxis(here.carried[None] - goals[:, None], 1, 0).reshape(len(here.carried), -1)
    count = np.tile(np.median(lengths) ** 2 / lengths**2, (len(weights), 1, 1))
    allowed = np.tile((tried > 0.0).any(axis=0), (len(weights), 1))
    found = []
    for _ in range(_SOLVES):
        each = np.repeat(count.reshape(len(weights), -1), 3, axis=1)
        matrices = still + np.stack([(apart * one) @ apart.T for one in each])
        weights = fewest(matrices, weights, influences=influences, allowed=allowed)
        found.append(weights)
        count = count * np.maximum(here.ratios(weights) / _LENGTHENED, 1.0) ** 2
    return found


def _lengths(points: FloatArray, edges: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))


def _cut(weights: FloatArray, influences: int) -> FloatArray:
    """The largest so many of some weights (B,), of sum one."""
    kept = np.zeros_like(weights)
    largest = np.argsort(-weights, kind="stable")[:influences]
    kept[largest] = weights[largest]
    return np.asarray(kept / kept.sum())
