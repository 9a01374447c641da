"""A sparse factor for one body that the threads of a processor share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.geometry.cholesky.cholesky import Factor
from supple.geometry.cholesky.elimination import PARTS, cut_elimination_tree


@dataclass(frozen=True, eq=False)
class SplitFactor:
    """L D L^T of a sparse symmetric positive matrix (n, n), its columns part by part; unknown j is item `rows[j]`."""

    rows: IntArray
    bounds: IntArray
    starts: IntArray
    targets: IntArray
    lower: Float32Array
    inverse_pivots: Float32Array

    @classmethod
    def from_matrix(cls, matrix: Any) -> SplitFactor:
        """Factor a matrix."""
        factor = Factor.from_matrix(matrix, rows=np.arange(matrix.shape[0]), device="cpu")
        starts, below = (np.asarray(array, dtype=np.int32) for array in factor.arrays[:2])
        lower, inverse_pivots = (np.asarray(array, dtype=np.float32) for array in factor.arrays[2:])
        cut = cut_elimination_tree(starts, below)
        index = np.empty(len(cut.order), dtype=np.int32)
        index[cut.order] = np.arange(len(cut.order))
        columns, rows = np.repeat(index, np.diff(starts)), index[below]
        sorting = np.lexsort((rows, columns))
        starts = np.concatenate([[0], np.cumsum(np.diff(starts)[cut.order])]).astype(np.int32)
        targets = cut.targets(starts, rows[sorting])
        return cls(factor.rows[cut.order], cut.bounds, starts, targets, lower[sorting], inverse_pivots[cut.order])

    def __len__(self) -> int:
        return len(self.rows)


class SplitCholesky:
    """A split factor with room to solve in, on a processor."""

    def __init__(self, factor: SplitFactor) -> None:
        wp = devices.warp()
        self._count, self._top = len(factor), int(factor.bounds[-1])
        self._bounds, self._rows, self._starts, self._targets = (
            wp.array(values, dtype=wp.int32, device="cpu")
            for values in (factor.bounds, factor.rows, factor.starts, factor.targets)
        )
        self._lower = wp.array(factor.lower, dtype=wp.float32, device="cpu")
        self._inverse_pivots = wp.array(factor.inverse_pivots, dtype=wp.float32, device="cpu")
        self._work = wp.zeros(self._count + PARTS * (self._count - self._top), dtype=wp.vec4f, device="cpu")

    def solving(self, sides: Any, answers: Any) -> devices.Chain:
        """Recorded: `answers` = A^-1 `sides`, vec3f in the processor's memory."""
        from supple.geometry.cholesky import kernels

        def launch(kernel: Any, count: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, count, list(inputs), "cpu", smallest=1)

        top, columns = self._top, (self._rows, self._starts, self._targets, self._lower)
        back = (*columns, self._inverse_pivots, self._work, answers)
        calls = [
            launch(kernels.down_parts, PARTS, top, self._bounds, *columns, sides, self._work),
            launch(kernels.add_up_top, 1, PARTS, top, self._rows, sides, self._work),
            launch(kernels.solve_top, 1, top, *back),
            launch(kernels.up_parts, PARTS, top, self._bounds, *back),
        ]
        return devices.Chain(calls, "cpu")
