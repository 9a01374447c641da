"""Weights from bones: for every vertex the few bones, and the share of each, that follow it best.

Many small problems are solved at once. Each is a quadratic one over the weights w of one vertex,

    least of w^T A w - 2 a^T w   with w >= 0, sum(w) = 1, and at most K weights above zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray
from supple.decompose.frames import Frames
from supple.decompose.rigid import STILL

Indices = NDArray[np.intp]

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
    form: FloatArray
    lean: FloatArray
    square: FloatArray

    @classmethod
    def from_frames(cls, frames: Frames, bones: FloatArray) -> Distances:
        """For bones (B, F, 3, 4)."""
        count = len(bones)
        flat = (bones - STILL).reshape(count, -1, 4)  # (B, 3F, 4)
        tall = np.moveaxis(flat, 1, 0).reshape(-1, 4 * count)
        form = (tall.T @ tall).reshape(count, 4, count, 4).transpose(1, 3, 0, 2).reshape(16, count * count)
        lean = (tall.T @ frames.moved.T).reshape(count, 4, -1).transpose(1, 0, 2)
        return cls(
            frames,
            np.ascontiguousarray(form),
            np.ascontiguousarray(lean),
            np.einsum("vf,vf->v", frames.moved, frames.moved),
        )

    def matrices(self, rows: slice) -> FloatArray:
        """The matrices (n, B, B) of some vertices."""
        rest = self.frames.rest[rows]
        count = self.lean.shape[1]
        outer = (rest[:, :, None] * rest[:, None, :]).reshape(-1, 16)
        matrix = (outer @ self.form).reshape(-1, count, count)
        toward = np.einsum("va,abv->vb", rest, self.lean[:, :, rows], optimize=True)
        toward -= 0.5 * self.square[rows, None]
        matrix -= toward[:, :, None]
        matrix -= toward[:, None, :]
        matrix.reshape(len(rest), -1)[:, :: count + 1] += _ROUNDING * self.square[rows, None]
        return matrix

    def alone(self) -> FloatArray:
        """The squared distance (V, B) of every vertex from each bone alone, summed over the frames."""
        count = self.lean.shape[1]
        rest = self.frames.rest
        outer = (rest[:, :, None] * rest[:, None, :]).reshape(-1, 16)
        own = self.form[:, np.arange(count) * (count + 1)]
        toward = np.einsum("va,abv->vb", rest, self.lean, optimize=True)
        return np.maximum(outer @ own - 2.0 * toward + self.square[:, None], 0.0)


def blended(
    frames: Frames,
    bones: FloatArray,
    weights: FloatArray,
    *,
    influences: int,
    allowed: BoolArray | None = None,
    nearby: FloatArray | None = None,
    smoothness: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Better weights (V, B) for these bones, and the squared error (V,) they leave, summed over the frames.

    They start from `weights`, whose rows are valid, and never do worse. Only bones that are `allowed` (V, B) come in
    (all, if not given). `smoothness`, times the number of frames, draws weights to those of `nearby` (V, B).
    """
    distances = Distances.from_frames(frames, bones)
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
    matrices: FloatArray,
    start: FloatArray,
    *,
    influences: int,
    linear: FloatArray | None = None,
    allowed: BoolArray | None = None,
) -> FloatArray:
    """Weights (n, B) of at most `influences` bones that make w^T A w - 2 a^T w small, from valid ones.

    An active set method on all problems at once [LawsonHanson1974, with the sum held at one]: the bone that
    promises most comes in, bones that would go below zero go out. Where a vertex has all the bones it may have, the
    newcomer takes the place of the one whose going leaves the least error, if that is less than before. With as many
    influences as bones this is the exact minimum; with fewer, no exchange of one bone for the most promising one
    makes it better.
    """
    count, bones = start.shape
    problems = _Problems(matrices, np.zeros((count, bones)) if linear is None else linear)
    scale = np.einsum("vbb->v", matrices) / bones + _NOTHING
    weights = limit_influences(start, influences)
    rows = np.arange(count)
    weights = problems.solve_active_set(rows, weights, weights > 0.0)
    for _ in range(_LONGEST):
        here = weights[rows]
        slope, level = problems.slopes(rows, here)
        slope[here > 0.0] = np.inf
        if allowed is not None:
            slope[~allowed[rows]] = np.inf
        newcomer = np.argmin(slope, axis=1)
        gain = level - slope[np.arange(len(rows)), newcomer]
        promising = gain > _GAIN * np.maximum(np.abs(level), 1e-6 * scale[rows])
        rows, here, newcomer = rows[promising], here[promising], newcomer[promising]
        if len(rows) == 0:
            break
        full = np.count_nonzero(here, axis=1) >= influences
        moved = np.zeros(len(rows), dtype=bool)
        for some, step in ((np.flatnonzero(~full), problems.with_bone), (np.flatnonzero(full), problems.with_exchange)):
            if len(some):
                better = step(rows[some], here[some], newcomer[some])
                less = problems.values(rows[some], better) < problems.values(rows[some], here[some])
                weights[rows[some[less]]] = better[less]
                moved[some] = less
        rows = rows[moved]
    return weights


@dataclass(frozen=True)
class _Problems:
    """Matrices A (n, B, B) and vectors a (n, B); every verb takes the numbers of the problems it is about.

    Only the rows and columns of bones in use are ever fetched: most of a matrix stays where it is.
    """

    matrices: FloatArray
    linear: FloatArray

    def slopes(self, rows: Indices, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Half the derivatives A w - a (N, B), and their mean (N,) under the weights."""
        index, used = _positions(weights > 0.0)
        passive_weights = np.where(used, np.take_along_axis(weights, index, axis=1), 0.0)
        slope = (passive_weights[:, None, :] @ self.matrices[rows[:, None], index])[:, 0] - self.linear[rows]
        return slope, np.einsum("vb,vb->v", weights, slope)

    def values(self, rows: Indices, weights: FloatArray) -> FloatArray:
        """w^T A w - 2 a^T w of each."""
        index, used = _positions(weights > 0.0)
        passive_weights = np.where(used, np.take_along_axis(weights, index, axis=1), 0.0)
        square = passive_weights[:, None, :] @ self._cut(rows, index) @ passive_weights[:, :, None]
        return square[:, 0, 0] - 2.0 * np.einsum("vb,vb->v", self.linear[rows], weights)

    def with_bone(self, rows: Indices, weights: FloatArray, newcomer: Indices) -> FloatArray:
        """The best weights with one more bone."""
        passive = weights > 0.0
        passive[np.arange(len(weights)), newcomer] = True
        return self.solve_active_set(rows, weights, passive)

    def with_exchange(self, rows: Indices, weights: FloatArray, newcomer: Indices) -> FloatArray:
        """The best of all weights in which the newcomer takes over from one of the bones there are."""
        leaving = _positions(weights > 0.0)[0]
        count, most = leaving.shape
        again, each = np.repeat(rows, most), np.arange(count * most)
        trial = np.repeat(weights, most, axis=0)
        trial[each, np.repeat(newcomer, most)] = trial[each, leaving.ravel()]
        trial[each, leaving.ravel()] = 0.0
        trial = self.solve_active_set(again, trial, trial > 0.0)
        best = np.argmin(self.values(again, trial).reshape(count, most), axis=1)
        return trial.reshape(count, most, -1)[np.arange(count), best]

    def solve_active_set(self, rows: Indices, weights: FloatArray, passive: BoolArray) -> FloatArray:
        """The minimum over the bones in `passive` (N, B), without those that would go below zero on the way to it."""
        weights, passive = weights.copy(), passive.copy()
        open_ = np.arange(len(weights))
        while len(open_):
            goal = self._solve_unbounded(rows[open_], passive[open_])
            below = passive[open_] & (goal <= 0.0)
            blocked = below.any(axis=1)
            weights[open_[~blocked]] = goal[~blocked]
            open_, goal, below = open_[blocked], goal[blocked], below[blocked]
            here = weights[open_]
            step = np.where(below, here / np.where(below, here - goal, 1.0), np.inf)
            step[below & (here <= 0.0)] = 0.0
            length = step.min(axis=1, initial=np.inf, keepdims=True)
            gone = below & (step <= length)
            here = np.where(gone, 0.0, np.maximum(here + length * (goal - here), 0.0))
            weights[open_] = here / here.sum(axis=1, keepdims=True)
            passive[open_] &= ~gone
        return weights

    def _solve_unbounded(self, rows: Indices, passive: BoolArray) -> FloatArray:
        """The minimum over weights of sum one that are zero outside `passive` (N, B), and may come out below zero.

        With A and a cut to the passive bones, w = A^-1 (a + m 1), and m such that the sum is one.
        """
        index, used = _positions(passive)
        cut = self._cut(rows, index)
        scale = np.einsum("vbb->v", np.where(used[:, :, None], cut, 0.0)) + _NOTHING
        one = np.eye(index.shape[1])
        cut = np.where(used[:, :, None] & used[:, None, :], cut / scale[:, None, None] + _RIDGE * one, one)
        toward = np.where(used, np.take_along_axis(self.linear[rows], index, axis=1) / scale[:, None], 0.0)
        solved = np.linalg.solve(cut, np.stack([toward, used], axis=2))
        total, ones_sum = solved.sum(axis=1).T
        found = solved[:, :, 0] + ((1.0 - total) / ones_sum)[:, None] * solved[:, :, 1]
        full = np.zeros(passive.shape)
        full[passive] = found[used]
        return full

    def _cut(self, rows: Indices, index: Indices) -> FloatArray:
        return self.matrices[rows[:, None, None], index[:, :, None], index[:, None, :]]


def _positions(passive: BoolArray) -> tuple[Indices, BoolArray]:
    """Where the passive bones of every row are, as (N, K) numbers, and which of these places are in use."""
    row, bone = np.nonzero(passive)
    sizes = np.bincount(row, minlength=len(passive))
    used = np.arange(int(sizes.max(initial=1))) < sizes[:, None]
    index = np.zeros(used.shape, dtype=np.intp)
    index[used] = bone
    return index, used


def limit_influences(weights: FloatArray, influences: int) -> FloatArray:
    """Only the largest `influences` of every row, of sum one."""
    if weights.shape[1] <= influences or int(np.count_nonzero(weights, axis=1).max()) <= influences:
        return weights
    order = np.argsort(-weights, axis=1, kind="stable")[:, influences:]
    cut = weights.copy()
    np.put_along_axis(cut, order, 0.0, axis=1)
    return cut / cut.sum(axis=1, keepdims=True)
