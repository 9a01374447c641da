"""The factor of the flesh: made once, solved with several times in every step.

L D L^T in blocks of 3x3, one for each pair of nodes. Nodes that do not reach each other but through others can be
solved for at the same time: the tree of elimination is cut into a few parts, of about equal work, and a top that joins
them. Reading the factor is what a solve costs, so it is kept once and read by all threads, each its own part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.geometry.cholesky.elimination import PARTS, cut_elimination_tree

_SMALL = 40_000  # blocks below which waking another thread costs more than it saves


@dataclass(frozen=True, eq=False)
class FactorArrays:
    """The factor of a symmetric positive matrix (3 n, 3 n), cut into parts, as kernels read it.

    Column j is node `order[j]`; its blocks are `values[starts[j]:starts[j + 1]]`, which go to `targets` of the work
    space. Part p goes from `bounds[p]` to `bounds[p + 1]`, the top from the last bound on. `inverses` (n, 3, 3) of D.
    """

    order: IntArray
    bounds: IntArray
    starts: IntArray
    targets: IntArray
    values: FloatArray
    inverses: FloatArray

    @classmethod
    def from_matrix(cls, matrix: Any) -> FactorArrays:
        """Factor a sparse matrix."""
        blocks = _factorize(matrix)
        cut = cut_elimination_tree(blocks.starts, blocks.rows)
        blocks = blocks.reorder(cut.order)
        targets = cut.targets(blocks.starts, blocks.rows)
        return cls(
            blocks.order,
            cut.bounds,
            blocks.starts,
            targets,
            np.ascontiguousarray(blocks.values),
            np.asarray(np.linalg.inv(blocks.diagonal), dtype=np.float64),
        )


class FleshFactor:
    """A factor with room to solve in.

    `solve` answers what it is given; `between` makes the call that every step makes, on arrays that stay. It works on
    the processor's own memory, also where everything else is on another device.
    """

    def __init__(self, factor: FactorArrays, constants: devices.Constants | None = None) -> None:
        from supple.skins.contact.dynamics.factor_kernels import Factor

        wp, put = devices.warp(), (constants or devices.Constants("cpu")).put
        n, top = len(factor.order), int(factor.bounds[-1])
        self._is_small = len(factor.targets) <= _SMALL
        struct = self._factor = Factor()
        struct.count, struct.top, struct.parts = n, top, PARTS
        struct.bounds, struct.order = put(factor.bounds, wp.int32), put(factor.order, wp.int32)
        struct.starts, struct.targets = put(factor.starts, wp.int32), put(factor.targets, wp.int32)
        struct.blocks, struct.inverses = put(factor.values, wp.mat33d), put(factor.inverses, wp.mat33d)
        struct.work = wp.zeros(n + PARTS * (n - top), dtype=wp.vec3d, device="cpu")
        rhs, solution = (wp.zeros(n, dtype=wp.vec3d, device="cpu") for _ in range(2))
        self._rhs, self._solution = devices.HostSide(rhs), devices.HostSide(solution)
        self._solve = self._record(rhs, solution, None)

    def between(self, rhs: Any, solution: Any, *, onto: Any = None) -> Callable[[], None]:
        """A call that solves for a right side (n,) of a device and leaves the `solution` there, added `onto` another.

        All are arrays of vec3d on one device; their contents may change from call to call.
        """
        if rhs.device.is_cpu:
            return self._record(rhs, solution, onto)

        def solve() -> None:
            found = self.solve(devices.to_host(rhs).reshape(-1)).reshape(-1, 3)
            devices.write(solution, found if onto is None else devices.to_host(onto) + found)

        return solve

    def solve(self, rhs: FloatArray) -> FloatArray:
        """The solution (3 n,) or (3 n, c) for right sides of that shape."""
        given = np.asarray(rhs, dtype=np.float64)
        if given.ndim == 2:
            return np.stack([self.solve(column) for column in given.T], axis=1)
        self._rhs.write(given.reshape(-1, 3))
        self._solve()
        solution: FloatArray = self._solution.read().reshape(-1).copy()
        return solution

    def _record(self, rhs: Any, solution: Any, onto: Any) -> Callable[[], None]:
        """All launches of a solve: three where several threads are worth waking, else one."""
        from supple.skins.contact.dynamics import factor_kernels as kernels

        def launch(kernel: Any, count: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, count, [self._factor, *inputs], "cpu", smallest=1)

        ends = [int(onto is not None), solution if onto is None else onto, solution]
        if self._is_small:
            return launch(kernels.solve_all, 1, rhs, *ends)
        down, up = launch(kernels.down_parts, PARTS, rhs), launch(kernels.up_parts, PARTS, *ends)
        return devices.Chain([down, launch(kernels.solve_top, 1, rhs, *ends), up], "cpu")


@dataclass(frozen=True, eq=False)
class _Blocks:
    """L D L^T in 3x3 blocks: column j has `values[starts[j] : starts[j + 1]]` at `rows`, all below it, and D_j.

    Column j is node `order[j]`.
    """

    order: IntArray
    starts: IntArray
    rows: IntArray
    values: FloatArray
    diagonal: FloatArray

    def reorder(self, order: IntArray) -> _Blocks:
        """The same with columns in another order, in which every one still comes before those that it reaches."""
        index = np.empty(len(order), dtype=np.int32)
        index[order] = np.arange(len(order))
        columns = np.repeat(index, np.diff(self.starts))
        rows = index[self.rows]
        sorting = np.lexsort((rows, columns))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[order])])
        return _Blocks(
            self.order[order], starts.astype(np.int32), rows[sorting], self.values[sorting], self.diagonal[order]
        )


def _factorize(matrix: Any) -> _Blocks:
    """Factor a symmetric positive matrix (3 n, 3 n), in an order of its nodes that keeps it sparse."""
    from scipy.sparse import bsr_array, csc_array, diags_array
    from scipy.sparse.linalg import splu

    n = matrix.shape[0] // 3
    options = {"SymmetricMode": True}
    blocks = bsr_array(matrix, blocksize=(3, 3))
    graph = csc_array((np.full(len(blocks.indices), -1.0), blocks.indices, blocks.indptr), shape=(n, n))
    graph = (graph + diags_array(np.diff(blocks.indptr) + 1.0)).tocsc()
    sparse = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    nodes = np.argsort(sparse.perm_c, kind="stable")
    unknowns = (3 * nodes[:, None] + np.arange(3)).ravel()
    ordered = matrix.tocsr()[unknowns][:, unknowns].tocsc()
    factor = splu(ordered, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
    order = np.argsort(factor.perm_c, kind="stable")
    lower = bsr_array(factor.L.tocsr(), blocksize=(3, 3))
    pivots = factor.U.diagonal().reshape(n, 3)
    rows = np.repeat(np.arange(n), np.diff(lower.indptr))
    columns = lower.indices
    own = rows == columns
    units = np.empty((n, 3, 3))
    units[columns[own]] = lower.data[own]
    below = np.flatnonzero(~own)
    sorting = below[np.lexsort((rows[below], columns[below]))]
    values = lower.data[sorting] @ np.linalg.inv(units)[columns[sorting]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns[below], minlength=n))])
    diagonal = np.einsum("nab,nb,ncb->nac", units, pivots, units)
    found = nodes[order[::3] // 3].astype(np.int32)
    return _Blocks(found, starts.astype(np.int32), rows[sorting].astype(np.int32), values, diagonal)
