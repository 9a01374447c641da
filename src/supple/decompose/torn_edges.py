"""Edges that a decomposition tears: weights of single vertices that follow other bones than all around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.decompose.blending import fewest
from supple.decompose.edges_together import Neighbourhood
from supple.decompose.frames import Frames
from supple.decompose.patches import Surface
from supple.decompose.rigid import Moments, fit_bones
from supple.geometry.topology import unique_edges

LIMIT = 2.5  # times as long as in the sequence: longer edges are torn
WIDEST = 2.9  # times as long: bones are drawn to edges that stay longer than this
_ROUNDS = 8  # over all torn edges
_WORTH = 0.97  # of the worst edge of a vertex: other weights must leave it shorter than this
_CHOICES = 6  # of all weights that would help, those that are looked at
_FITS = 8  # of bones to edges that stay torn
_COUNT = 0.02  # of a vertex: what such an edge counts at first, times how much shorter than most it is, squared
_SWEEPS = 5  # over the bones in every fit
_DEAREST = 1.15  # times the squared error: bones that lose more are not taken
_PRICE = 0.02  # of the squared error: what one torn edge may add to it
_TOGETHER = (1, 2, 1, 2)  # rings round an edge that are solved together, one time after the other
_STARTS = 4  # weights from which those that follow the edges are looked for
_SOLVES = 6  # from each of them
_LENGTHENED = 2.0  # times as long as in the sequence: from there on an edge counts more in the next solve


def mend(
    frames: Frames,
    bones: FloatArray,
    weights: FloatArray,
    triangles: IntArray,
    *,
    influences: int,
    surface: Surface | None = None,
    axes: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Bones (B, F, 3, 4) and weights (V, B) with which fewer edges are torn: `mend_edges`, and bones for its weights.

    What no weights can follow, since bones are elsewhere, counts when bones are fitted, twice as much every time that
    it is still torn. The first result without a torn edge is taken, or the one with the shortest worst edge, as long as
    bones lose little by it.
    """
    edges, truth = _known_edges(frames, triangles)
    lengths = np.linalg.norm(truth[edges[:, 0]] - truth[edges[:, 1]], axis=2)
    short = np.median(lengths) ** 2 / lengths.min(axis=1) ** 2
    counts, best, least = np.zeros(len(edges)), (bones, weights), np.inf
    dearest = np.inf
    for time in range(_FITS):
        weights = mend_edges(frames, bones, weights, triangles, influences=influences, surface=surface)
        off = _placed(frames, bones, weights) - truth
        ratio = _lengthened(truth + off, truth, edges)
        squared = float(np.square(off).sum())
        dearest = _DEAREST * squared if time == 0 else dearest
        if ratio.max(initial=0.0) < _WORTH * least and squared <= dearest:
            best, least = (bones, weights), float(ratio.max(initial=0.0))
        if least <= (LIMIT if time < 2 else WIDEST) or squared > dearest:
            break
        torn = (ratio > WIDEST) & (time > 0)  # weights that changed may be all that bones need
        counts = np.where(torn, np.maximum(2.0 * counts, _COUNT), counts)
        some = np.flatnonzero(counts)
        moments = Moments.from_frames(frames, weights)
        moments = moments.with_edges(frames, weights, edges[some], counts[some] * short[some])
        bones = fit_bones(moments, bones, free=np.ones(len(bones), dtype=bool), sweeps=_SWEEPS, axes=axes)
    return best


def mend_edges(
    frames: Frames,
    bones: FloatArray,
    weights: FloatArray,
    triangles: IntArray,
    *,
    influences: int,
    surface: Surface | None = None,
) -> FloatArray:
    """Weights (V, B) with which fewer edges are torn, and no vertex has a longer one than before.

    The ends of a torn edge, worst first, take the weights of a vertex within two rings of them, the mean of those
    beside them, or weights that are solved for the edges themselves (`_follow_edges`): those with the least error that
    leave no edge of the vertex torn, or else those with the shortest worst edge, if that helps. With a `surface` no
    bone gets skin on it that lies off its patch.
    """
    mended = weights.copy()
    edges, truth = _known_edges(frames, triangles)
    beside: dict[int, list[int]] = {}
    for one, other in edges.tolist():
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    placed = _placed(frames, bones, mended)
    for _ in range(_ROUNDS):
        ratio = _lengthened(placed, truth, edges)
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
            order = np.lexsort((np.where(whole, here.errors(tried), worst), ~whole))
            for best in order[worst[order] < _WORTH * worst[0]][:_CHOICES]:
                changed = mended.copy()
                changed[vertex] = tried[best]
                if surface is None or not surface.strays(changed).any():
                    mended, placed[vertex], helped = changed, here.spots(tried[best : best + 1])[0], True
                    break
        if not helped:
            break
    off = placed - truth
    return _mend_together(frames, bones, mended, edges, truth=truth, off=off, influences=influences, surface=surface)


def _mend_together(
    frames: Frames,
    bones: FloatArray,
    weights: FloatArray,
    edges: IntArray,
    *,
    truth: FloatArray,
    off: FloatArray,
    influences: int,
    surface: Surface | None,
) -> FloatArray:
    """Weights (V, B) in which what is still torn is solved anew, together with the skin round it.

    Where one vertex alone cannot help, since all beside it would have to go along. Of the solutions that add little to
    the squared error the one with the shortest worst edge is taken, if that is shorter than before.
    """
    total = float(np.square(off).sum())
    for rings in _TOGETHER:
        ratio = _lengthened(truth + off, truth, edges)
        for torn in np.flatnonzero(ratio > LIMIT)[np.argsort(-ratio[ratio > LIMIT], kind="stable")]:
            some = np.unique(edges[torn])
            for _ in range(rings):
                some = np.unique(edges[np.isin(edges, some).any(axis=1)])
            here = Neighbourhood(some, edges[np.isin(edges, some).any(axis=1)], off, truth, bones, frames.rest)
            worst, dearest = float(here.ratios(off).max()), float(np.square(off[some]).sum()) + _PRICE * total
            for found in here.solutions(weights[some], influences=influences):
                changed, there = weights.copy(), here.moved(found)
                changed[some] = found
                now = float(here.ratios(there).max())
                if np.square(there[some]).sum() > dearest:
                    continue
                if now < _WORTH * worst and (surface is None or not surface.strays(changed).any()):
                    weights, off, worst = changed, there, now
    return weights


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


def _known_edges(frames: Frames, triangles: IntArray) -> tuple[IntArray, FloatArray]:
    """The edges (E, 2) that are never without length, and where vertices are in the sequence (V, F, 3)."""
    truth = frames.rest[:, None, :3] + frames.moved.reshape(len(frames.rest), frames.count, 3)
    edges = unique_edges(triangles)
    shortest = np.min([_lengths(truth[:, frame], edges) for frame in range(frames.count)], axis=0)
    return edges[shortest > 0.0], truth


def _placed(frames: Frames, bones: FloatArray, weights: FloatArray) -> FloatArray:
    """Where bones and weights put the vertices (V, F, 3)."""
    placed = np.zeros((len(weights), frames.count, 3))
    for bone, share in zip(bones, weights.T, strict=True):
        placed += share[:, None, None] * np.einsum("fij,vj->vfi", bone, frames.rest)
    return placed


def _lengths(points: FloatArray, edges: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))


def _lengthened(placed: FloatArray, truth: FloatArray, edges: IntArray) -> FloatArray:
    """How many times as long as in the sequence every edge (E,) becomes in the frame in which it is the most."""
    ratios = [_lengths(placed[:, f], edges) / _lengths(truth[:, f], edges) for f in range(truth.shape[1])]
    return np.asarray(np.max(ratios, axis=0))


def _cut(weights: FloatArray, influences: int) -> FloatArray:
    """The largest so many of some weights (B,), of sum one."""
    kept = np.zeros_like(weights)
    largest = np.argsort(-weights, kind="stable")[:influences]
    kept[largest] = weights[largest]
    return np.asarray(kept / kept.sum())
