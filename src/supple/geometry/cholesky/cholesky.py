"""The factor of a sparse symmetric positive matrix, for right sides that are vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Ints, Singles
from supple.errors import InputError

_MOST_DENSE = 16384  # unknowns; a GPU keeps the whole inverse of smaller matrices, at most 1 GiB


class Cholesky:
    """L D L^T of a matrix (n, n), on a device.

    Each of `copies` bodies alike is `stride` items long and has its unknown j at item `rows[j]`. A processor walks
    through the sparse factor, one thread for each body. A GPU would wait for every step of that walk; it multiplies by
    the inverse instead, as long as that is not too large to keep.
    """

    def __init__(self, matrix: Any, *, rows: Ints, stride: int, copies: int, device: str) -> None:
        wp = devices.warp()
        n = matrix.shape[0]
        if matrix.shape != (n, n) or len(rows) != n:
            raise InputError(
                "Cholesky", f"the matrix is {matrix.shape}, there are {len(rows)} rows", "each unknown needs one",
                "pass a square matrix and where its unknowns stand",
            )  # fmt: skip
        self._device, self._stride, self._copies, self._count = device, stride, copies, n
        self._is_dense = device != "cpu" and n <= _MOST_DENSE
        self._rows = np.asarray(rows, dtype=np.int32)
        self._arrays = [
            wp.array(values, dtype=wp.int32 if values.dtype.kind == "i" else wp.float32, device=device)
            for values in self._values(matrix)
        ]
        self._work = wp.zeros(0 if self._is_dense else copies * n, dtype=wp.vec3f, device=device)

    def refactor(self, matrix: Any) -> None:
        """Take another matrix with entries in the same places; launches that were recorded see it."""
        for array, values in zip(self._arrays, self._values(matrix), strict=True):
            devices.write(array, values)

    def solving(self, sides: Any, answers: Any) -> devices.Launch:
        """Recorded: `answers` = A^-1 `sides`, vec3f on the device; items that are no unknowns stay as they are."""
        from supple.geometry.cholesky import kernels

        given = [self._stride, *self._arrays]
        if self._is_dense:
            inputs = [*given, sides, answers]
            return devices.Launch(kernels.multiply_inverse, self._copies * self._count, inputs, self._device)
        inputs = [*given, sides, self._work, answers]
        return devices.Launch(kernels.solve_sparse, self._copies, inputs, self._device, smallest=1)

    def _values(self, matrix: Any) -> list[Singles | Ints]:
        """What the kernels read, in their order."""
        if self._is_dense:
            return [self._rows, np.linalg.inv(matrix.toarray()).astype(np.float32).reshape(-1)]
        from scipy.sparse.linalg import splu

        options = {"SymmetricMode": True}
        factor = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        lower = factor.L.tocsc()
        lower.sort_indices()
        column = np.repeat(np.arange(self._count), np.diff(lower.indptr))
        below = lower.indices > column
        starts = np.concatenate([[0], np.cumsum(np.bincount(column[below], minlength=self._count))])
        order = np.argsort(factor.perm_c, kind="stable")
        return [
            self._rows[order],
            starts.astype(np.int32),
            lower.indices[below].astype(np.int32),
            lower.data[below].astype(np.float32),
            (1.0 / factor.U.diagonal()).astype(np.float32),
        ]
