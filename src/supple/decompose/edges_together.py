"""Weights of the vertices round a torn edge, solved together so that their edges follow those of the sequence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray

_SOLVES = 12  # of one neighbourhood; edges that are too long count more in the next
_WIDE = 4  # of those in which a vertex may follow all bones round it
_LENGTHENED = 1.5  # times as long as in the sequence: from there on an edge counts more
_SUM = 1e4  # how much more than all else it counts that the weights of a vertex have the sum one
_RIDGE = 1e-10  # of the size of the matrix: bones that move alike share a weight


@dataclass(frozen=True)
class Neighbourhood:
    """Some vertices (K,), all edges (E, 2) that touch them, and how far off every vertex is (V, F, 3), in the sequence
    of `truth` (V, F, 3), where bones (B, F, 3, 4) carry points at `rest` (V, 4).
    """

    some: IntArray
    edges: IntArray
    off: FloatArray
    truth: FloatArray
    bones: FloatArray
    rest: FloatArray

    def ratios(self, off: FloatArray) -> FloatArray:
        """How many times as long as in the sequence edges (E, F) are where vertices are so far off (V, F, 3)."""
        one, other = self.edges.T
        true = self.truth[one] - self.truth[other]
        return np.asarray(np.linalg.norm(true + off[one] - off[other], axis=2) / np.linalg.norm(true, axis=2))

    def moved(self, weights: FloatArray) -> FloatArray:
        """How far off all vertices are (V, F, 3) where those of the neighbourhood have these weights (K, B)."""
        off = self.off.copy()
        for vertex, own in zip(self.some.tolist(), weights, strict=True):
            used = np.flatnonzero(own).astype(np.int32)
            off[vertex] = np.einsum("b,bfi->fi", own[used], self._away(vertex, used))
        return off

    def solutions(self, weights: FloatArray, *, influences: int) -> Iterator[FloatArray]:
        """Weights (K, B) to choose from: of the bones that each vertex has, and of those that the others have too.

        Of the latter so many are kept of each vertex as it had the most of when it might have had all.
        """
        yield from self._solutions(weights > 0.0)
        every = np.tile((weights > 0.0).any(axis=0), (len(weights), 1))
        *_, wide = self._solutions(every, solves=_WIDE)
        largest = np.argsort(np.argsort(-wide, axis=1, kind="stable"), axis=1, kind="stable") < influences
        yield from self._solutions(largest & (wide > 0.0))

    def _solutions(self, follows: BoolArray, *, solves: int = _SOLVES) -> Iterator[FloatArray]:
        """Weights (K, B) of the bones that each vertex follows (K, B), one after the other.

        With e_v how far a vertex is off, the sum over all frames of |e_v|² and of c |e_v - e_w|² over the edges is
        least, weights being above zero and of sum one. c is large for short edges, and grows where one is too long.
        """
        used = [np.flatnonzero(own).astype(np.int32) for own in follows]
        starts = np.concatenate([[0], np.cumsum([len(own) for own in used])])
        away = [self._away(v, own).reshape(len(own), -1) for v, own in zip(self.some.tolist(), used, strict=True)]
        place = {vertex: k for k, vertex in enumerate(self.some.tolist())}
        lengths = np.linalg.norm(self.truth[self.edges[:, 0]] - self.truth[self.edges[:, 1]], axis=2)
        count = np.median(lengths) ** 2 / lengths**2
        for _ in range(solves):
            matrix, toward = np.zeros((starts[-1], starts[-1])), np.zeros(starts[-1])
            own = [slice(*starts[k : k + 2]) for k in range(len(used))]
            for k, spread in enumerate(away):
                matrix[own[k], own[k]] += spread @ spread.T
            for (one, other), c in zip(self.edges.tolist(), np.repeat(count, 3, axis=1), strict=True):
                for here, there in ((one, other), (other, one)):
                    if here not in place:
                        continue
                    k = place[here]
                    weighed = away[k] * c
                    matrix[own[k], own[k]] += weighed @ away[k].T
                    if there in place:
                        matrix[own[k], own[place[there]]] -= weighed @ away[place[there]].T
                    else:
                        toward[own[k]] += weighed @ self.off[there].reshape(-1)
            shares = _least(matrix, toward, starts)
            found = np.zeros(follows.shape)
            for k, bones in enumerate(used):
                found[k, bones] = shares[own[k]]
            yield found
            count = count * np.maximum(self.ratios(self.moved(found)) / _LENGTHENED, 1.0) ** 2

    def _away(self, vertex: int, used: IntArray) -> FloatArray:
        """How far off some bones alone put a vertex (N, F, 3)."""
        carried = np.einsum("bfij,j->bfi", self.bones[used], self.rest[vertex])
        return np.asarray(carried - self.truth[vertex])


def _least(matrix: FloatArray, toward: FloatArray, starts: IntArray) -> FloatArray:
    """The least of w^T A w - 2 a^T w with w >= 0 and, between every two starts, of sum one."""
    from scipy.optimize import nnls

    size = float(np.trace(matrix)) / len(matrix) + 1e-30
    tied, wanted = matrix / size, toward / size
    for begin, end in itertools.pairwise(starts):
        tied[begin:end, begin:end] += _SUM
        wanted[begin:end] += _SUM
    factor = np.linalg.cholesky(tied + _RIDGE * _SUM * np.eye(len(tied)))
    found = nnls(factor.T, np.linalg.solve(factor, wanted))[0]
    sums = np.add.reduceat(found, starts[:-1])
    return np.asarray(found / np.repeat(np.maximum(sums, 1e-12), np.diff(starts)))
