"""Weights from bones: for every vertex the few bones, and the share of each, that follow it best.

Many small problems are solved at once. Each is a quadratic one over the weights w of one vertex,

    least of w^T A w - 2 a^T w   with w >= 0, sum(w) = 1, and at most K weights above zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import Bools, Floats, Ints
from supple.decompose.frames import Frames
from supple.decompose.rigid import STILL

_CHUNK = 1024  # vertices at once: their matrices stay near the processor
_ROUNDING = 1e-14  # what differences of large squares may be off by, of those squares
_RIDGE = 1e-13  # of the matrix's own size: two bones that move alike then share a weight
_NOTHING = 1e-30  # added to sizes that may be zero, so that they divide
_GAIN = 1e-10  # a bone comes in if it promises to lower the error by more than this, of the error's own size
_LONGEST = 200  # steps of one problem; each lowers its error, so the last is the best


@dataclass(frozen=True)
class Distances:
    """How far every bone alone carries vertices from where they were, as forms in the rest point.

    `form` (16, B * B) and `lean` (4, B, V) give the sum over frames of (T_b u - p) . (T_c u - p).
    """

    frames: Frames
    form: Floats
    lean: Floats
    square: Floats

    @classmethod
    def of(cls, frames: Frames, bones: Floats) -> Distances:
        """For bones (B, F, 3, 4)."""
        count = len(bones)
        flat = (bones - STILL).reshape(count, -1, 4)  # (B, 3F, 4)
        tall = np.moveaxis(flat, 1, 0).reshape(-1, 4 * count)
        form = (tall.T @ tall).reshape(count, 4, count, 4).transpose(1, 3, 0, 2).reshape(16, count * count)
        lean = (tall.T @ frames.moved.T).reshape(count, 4, -1).transpose(1, 0, 2)
        return cls(frames, np.ascontiguousarray(form), np.ascontiguousarray(lean),
                   np.einsum("vf,vf->v", frames.moved, frames.moved))  # fmt: skip

    def matrices(self, rows: slice) -> Floats:
        """The matrices (n, B, B) of some vertices."""
        rest = self.frames.rest[rows]
        count = self.lean.shape[1]
        outer = (rest[:, :, None] * rest[:, None, :]).reshape(-1, 16)
        matrix = (outer @ self.form).reshape(-1, count, count)
        toward = np.einsum("va,abv->vb", rest, self.lean[:, :, rows], optimize=True)
        matrix -= toward[:, :, None]
        matrix -= toward[:, None, :]
        matrix += self.square[rows, None, None]
        matrix += (_ROUNDING * self.square[rows])[:, None, None] * np.eye(count)
        return matrix

    def alone(self) -> Floats:
        """The squared distance (V, B) of every vertex from each bone alone, summed over the frames."""
        count = self.lean.shape[1]
        rest = self.frames.rest
        outer = (rest[:, :, None] * rest[:, None, :]).reshape(-1, 16)
        own = self.form[:, np.arange(count) * (count + 1)]
        toward = np.einsum("va,abv->vb", rest, self.lean, optimize=True)
        return np.maximum(outer @ own - 2.0 * toward + self.square[:, None], 0.0)


def blended(
    frames: Frames,
    bones: Floats,
    weights: Floats,
    *,
    influences: int,
    allowed: Bools | None = None,
    nearby: Floats | None = None,
    smoothness: float = 0.0,
) -> tuple[Floats, Floats]:
    """Better weights (V, B) for these bones, and the squared error (V,) they leave, summed over the frames.

    They start from `weights`, whose rows are valid, and never do worse. Only bones that are `allowed` (V, B) come in
    (all, if not given). `smoothness`, times the number of frames, draws weights to those of `nearby` (V, B).
    """
    distances = Distances.of(frames, bones)
    result, error = np.empty_like(weights), np.empty(len(weights))
    for begin in range(0, len(weights), _CHUNK):
        rows = slice(begin, min(begin + _CHUNK, len(weights)))
        matrices = distances.matrices(rows)
        pull = smoothness * frames.count
        may = None if allowed is None else allowed[rows]
        if nearby is not None and pull > 0.0:
            drawn, linear = matrices + pull * np.eye(matrices.shape[1]), pull * nearby[rows]
            result[rows] = fewest(drawn, weights[rows], influences=influences, linear=linear, allowed=may)
        else:
            result[rows] = fewest(matrices, weights[rows], influences=influences, allowed=may)
        error[rows] = np.maximum(np.einsum("vb,vbc,vc->v", result[rows], matrices, result[rows], optimize=True), 0.0)
    return result, error


def fewest(
    matrices: Floats,
    start: Floats,
    *,
    influences: int,
    linear: Floats | None = None,
    allowed: Bools | None = None,
) -> Floats:
    """Weights (n, B) of at most `influences` bones that make w^T A w - 2 a^T w small, from valid ones.

    An active set method on all problems at once [Lawson and Hanson 1974, with the sum held at one]: the bone that
    promises most comes in, bones that would go below zero go out. Where a vertex has all the bones it may have, the
    newcomer takes the place of the one whose going leaves the least error, if that is less than before. With as many
    influences as bones this is the exact minimum; with fewer, no exchange of one bone for the most promising one
    makes it better.
    """
    count, bones = start.shape
    toward = np.zeros((count, bones)) if linear is None else linear
    scale = np.einsum("vbb->v", matrices) / bones + _NOTHING
    matrices = matrices + (_RIDGE * scale)[:, None, None] * np.eye(bones)
    weights = _limited(start, influences)
    weights = _settled(matrices, toward, weights, weights > 0.0)
    open_ = np.arange(count)
    for _ in range(_LONGEST):
        matrix, here = matrices[open_], weights[open_]
        slope = np.einsum("vbc,vc->vb", matrix, here, optimize=True) - toward[open_]
        level = np.einsum("vb,vb->v", here, slope)
        outside = np.where(here > 0.0, np.inf, slope)
        if allowed is not None:
            outside[~allowed[open_]] = np.inf
        newcomer = np.argmin(outside, axis=1)
        gain = level - outside[np.arange(len(open_)), newcomer]
        promising = gain > _GAIN * np.maximum(np.abs(level), 1e-6 * scale[open_])
        open_, here, newcomer = open_[promising], here[promising], newcomer[promising]
        if len(open_) == 0:
            break
        full = np.count_nonzero(here, axis=1) >= influences
        moved = np.empty(len(open_), dtype=bool)
        for rows, step in ((np.flatnonzero(~full), _joined), (np.flatnonzero(full), _exchanged)):
            if len(rows):
                at = open_[rows]
                better = step(matrices[at], toward[at], here[rows], newcomer[rows])
                less = _value(matrices[at], toward[at], better) < _value(matrices[at], toward[at], here[rows])
                weights[at[less]] = better[less]
                moved[rows] = less
        open_ = open_[moved]
    return weights


def _joined(matrices: Floats, linear: Floats, weights: Floats, newcomer: Ints) -> Floats:
    passive = weights > 0.0
    passive[np.arange(len(weights)), newcomer] = True
    return _settled(matrices, linear, weights, passive)


def _exchanged(matrices: Floats, linear: Floats, weights: Floats, newcomer: Ints) -> Floats:
    """The best of all weights in which the newcomer takes over from one of the bones there are."""
    count = len(weights)
    row = np.arange(count)
    best, least = weights.copy(), np.full(count, np.inf)
    most = int(np.count_nonzero(weights, axis=1).max())
    present = np.argsort(-weights, axis=1, kind="stable")[:, :most]
    for leaving in present.T:
        trial = weights.copy()
        trial[row, newcomer] = trial[row, leaving]
        trial[row, leaving] = 0.0
        trial = _settled(matrices, linear, trial, trial > 0.0)
        value = _value(matrices, linear, trial)
        lower = value < least
        best[lower], least[lower] = trial[lower], value[lower]
    return best


def _settled(matrices: Floats, linear: Floats, weights: Floats, passive: Bools) -> Floats:
    """The minimum over bones in `passive` (n, B), without those that would have to go below zero on the way to it."""
    weights, passive = weights.copy(), passive.copy()
    open_ = np.arange(len(weights))
    while len(open_):
        goal = _unbounded(matrices[open_], linear[open_], passive[open_])
        here = weights[open_]
        below = passive[open_] & (goal <= 0.0)
        blocked = below.any(axis=1)
        weights[open_[~blocked]] = goal[~blocked]
        open_, goal, here, below = open_[blocked], goal[blocked], here[blocked], below[blocked]
        if len(open_) == 0:
            break
        step = np.where(below, here / np.where(below, here - goal, 1.0), np.inf)
        step[below & (here <= 0.0)] = 0.0
        length = step.min(axis=1, keepdims=True)
        here = here + length * (goal - here)
        gone = below & (step <= length)
        here[gone] = 0.0
        here = np.maximum(here, 0.0)
        weights[open_] = here / here.sum(axis=1, keepdims=True)
        passive[open_] &= ~gone
    return weights


def _unbounded(matrices: Floats, linear: Floats, passive: Bools) -> Floats:
    """The minimum over weights of sum one outside `passive` (n, B) zero, which may come out below zero.

    With A and a cut to the passive bones, w = A^-1 (a + m 1), and m such that the sum is one.
    """
    size = int(np.count_nonzero(passive, axis=1).max())
    index = np.argsort(~passive, axis=1, kind="stable")[:, :size]
    used = np.take_along_axis(passive, index, axis=1)
    row = np.arange(len(index))
    cut = matrices[row[:, None, None], index[:, :, None], index[:, None, :]]
    both = used[:, :, None] & used[:, None, :]
    scale = np.einsum("vbb->v", cut) / size
    cut = np.where(both, cut / scale[:, None, None], np.eye(size))
    right = np.stack([np.where(used, np.take_along_axis(linear, index, axis=1) / scale[:, None], 0.0), used], axis=2)
    solved = np.linalg.solve(cut, right)
    total, share = solved.sum(axis=1).T
    found = solved[:, :, 0] + ((1.0 - total) / share)[:, None] * solved[:, :, 1]
    full = np.zeros(passive.shape)
    np.put_along_axis(full, index, np.where(used, found, 0.0), axis=1)
    return full


def _value(matrices: Floats, linear: Floats, weights: Floats) -> Floats:
    return np.einsum("vb,vbc,vc->v", weights, matrices, weights, optimize=True) - 2.0 * np.einsum(
        "vb,vb->v", linear, weights
    )


def _limited(weights: Floats, influences: int) -> Floats:
    """Only the largest `influences` of every row, of sum one."""
    if weights.shape[1] <= influences or int(np.count_nonzero(weights, axis=1).max()) <= influences:
        return weights
    order = np.argsort(-weights, axis=1, kind="stable")[:, influences:]
    cut = weights.copy()
    np.put_along_axis(cut, order, 0.0, axis=1)
    return cut / cut.sum(axis=1, keepdims=True)
