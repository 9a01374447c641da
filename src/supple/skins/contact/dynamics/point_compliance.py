"""How softly flesh yields where it is touched: the blocks of M~s^-1 at and near its diagonal.

A push on one node moves its neighbors too, but ever less with the distance: the columns of the inverse fade within a
few edges. So nodes that are far from each other are pushed at the same time, and each is told the answers around it
[Tang2012].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray

_READ = 2  # edges: how far around a pushed node answers are read
_APART = 4  # edges: nodes no farther from each other are not pushed at the same time
_LEAST = 1e-3  # of its largest: the least compliance of a point in any direction


@dataclass(frozen=True, eq=False)
class NearInverse:
    """Blocks (m, 3, 3) [1/kg] of M~s^-1 for pairs of nodes `ones` and `others` (m,) near each other, both ways round.

    The first n pairs are the n nodes with themselves.
    """

    nodes: int
    ones: IntArray
    others: IntArray
    blocks: FloatArray

    @classmethod
    def from_matrix(cls, matrix: Any, solve: Callable[[FloatArray], FloatArray] | None) -> NearInverse:
        """That of a sparse matrix (3 n, 3 n) in whose factor `solve` (3 n,) goes up and down."""
        n = matrix.shape[0] // 3
        if solve is None or n == 0:
            few = np.zeros(0, dtype=np.int32)
            return cls(0, few, few, np.zeros((0, 3, 3)))
        joined = _joined(matrix)
        around, colors = _within(joined, _READ), _color(_within(joined, _APART))
        order = np.argsort(colors, kind="stable")
        ones, others, blocks = [], [], []
        for same in np.split(order, np.flatnonzero(np.diff(colors[order])) + 1):
            answers = np.empty((n, 3, 3))
            for axis in range(3):
                pushed = np.zeros((n, 3))
                pushed[same, axis] = 1.0
                answers[:, :, axis] = solve(pushed.ravel()).reshape(n, 3)
            near = around[same].tocoo()
            ones.append(near.col)
            others.append(same[near.row])
            blocks.append(answers[near.col])
        one, other = (np.concatenate(some).astype(np.int32) for some in (ones, others))
        order = np.lexsort((other, one, one != other))
        one, other, block = one[order], other[order], np.concatenate(blocks)[order]
        back = np.lexsort((one, other, one != other))  # of every pair the one the other way round
        return cls(n, one, other, 0.5 * (block + np.swapaxes(block[back], 1, 2)))

    def at_points(self, starts: IntArray, nodes: IntArray, shares: FloatArray) -> FloatArray:
        """How points (V, 3, 3) [1/kg] yield that hang on nodes by shares a, those of v from `starts[v]` on.

        C = sum_ij a_i a_j G_ij, as far as nodes are near each other; zero where no node carries a point.
        """
        from scipy.sparse import csr_array

        count = len(starts) - 1
        found = np.zeros((count, 3, 3))
        if self.nodes and len(nodes):
            carried = csr_array((shares, nodes, starts), shape=(count, self.nodes))
            for a in range(3):
                for b in range(3):
                    inverse = csr_array((self.blocks[:, a, b], (self.ones, self.others)), shape=(self.nodes,) * 2)
                    found[:, a, b] = (carried @ inverse).multiply(carried).sum(axis=1)
        return _positive(found)

    def at_nodes(self) -> FloatArray:
        """How nodes (n, 3, 3) [1/kg] yield, each for itself."""
        return _positive(self.blocks[: self.nodes])


def _positive(blocks: FloatArray) -> FloatArray:
    """Blocks (m, 3, 3) that yield a little in every direction in which rounding and what is left out say nothing."""
    values, axes = np.linalg.eigh(0.5 * (blocks + np.swapaxes(blocks, 1, 2)))
    values = np.maximum(values, _LEAST * np.maximum(values[:, -1:], 0.0))
    return np.asarray(np.einsum("mab,mb,mcb->mac", axes, values, axes))


def _joined(matrix: Any) -> Any:
    """Which nodes (n, n) are coupled, each with itself."""
    from scipy.sparse import csr_array

    blocks = matrix.tobsr((3, 3))
    count = matrix.shape[0] // 3
    joined = csr_array((np.ones(len(blocks.indices), dtype=np.int8), blocks.indices, blocks.indptr), shape=(count,) * 2)
    joined.sort_indices()
    return joined


def _within(joined: Any, edges: int) -> Any:
    """Which nodes (n, n) are at most so many edges from each other."""
    found = joined
    for _ in range(edges - 1):
        found = found @ joined
        found.data[:] = 1
    found.sort_indices()
    return found


def _color(near: Any) -> IntArray:
    """Numbers (n,) of which no two nodes have the same that are `near` each other: the least that is free, in order."""
    count = near.shape[0]
    colors = np.full(count, -1, dtype=np.int32)
    starts, others = near.indptr, near.indices
    for j in range(count):
        taken = colors[others[starts[j] : starts[j + 1]]]
        free = np.ones(len(taken) + 1, dtype=bool)
        free[taken[(taken >= 0) & (taken < len(free))]] = False
        colors[j] = int(np.argmax(free))
    return colors
