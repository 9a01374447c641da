"""The factor of a sparse symmetric positive matrix, for right sides that are vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.errors import InputError
from supple.geometry.cholesky.half_inverse import HalfInverse, multiplies_halves

_MOST_DENSE = 16384  # unknowns; a GPU keeps the whole inverse of smaller matrices, at most 1 GiB
_MANY = 8  # bodies from which a GPU multiplies by an inverse in numbers of 16 bits


@dataclass(frozen=True, eq=False)
class Factor:
    """L D L^T of a matrix (n, n), or its inverse, as kernels read it; unknown j stands at item `rows[j]`."""

    rows: IntArray
    arrays: tuple[Float32Array | IntArray, ...]
    is_dense: bool

    @classmethod
    def from_matrix(cls, matrix: Any, *, rows: IntArray, device: str) -> Factor:
        """Factor a sparse symmetric positive matrix for a device.

        A processor walks through the sparse factor. A GPU would wait for every step of that walk; it multiplies by the
        inverse instead, as long as that is not too large to keep.
        """
        n = matrix.shape[0]
        if matrix.shape != (n, n) or len(rows) != n:
            raise InputError(
                "Cholesky",
                f"the matrix is {matrix.shape}, there are {len(rows)} rows",
                "each unknown needs one",
                "pass a square matrix and where its unknowns stand",
            )
        items = np.asarray(rows, dtype=np.int32)
        if device != "cpu" and n <= _MOST_DENSE:
            return cls(items, (np.linalg.inv(matrix.toarray()).astype(np.float32).reshape(-1),), is_dense=True)
        return cls(*_sparse(matrix, items), is_dense=False)

    def __len__(self) -> int:
        return len(self.rows)


def factor_symmetric(matrix: Any) -> Any:
    """SciPy's factor of a sparse symmetric positive matrix, with `solve`: no rows are exchanged, ten times as fast."""
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True}
    return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def _sparse(matrix: Any, items: IntArray) -> tuple[IntArray, tuple[Float32Array | IntArray, ...]]:
    """The items of the unknowns in the order of the factor, and its columns."""
    factor = factor_symmetric(matrix)
    lower = factor.L.tocsc()
    lower.sort_indices()
    column = np.repeat(np.arange(len(items)), np.diff(lower.indptr))
    below = lower.indices > column
    starts = np.concatenate([[0], np.cumsum(np.bincount(column[below], minlength=len(items)))])
    order = np.argsort(factor.perm_c, kind="stable")
    return items[order], (
        starts.astype(np.int32),
        lower.indices[below].astype(np.int32),
        lower.data[below].astype(np.float32),
        (1.0 / factor.U.diagonal()).astype(np.float32),
    )


class Cholesky:
    """A factor on a device, for one state alone; it may be replaced by that of a matrix with the same entries.

    Each of `copies` bodies alike is `stride` items long. A processor gives each body a thread. Where `expected` says
    how long right sides are at most, A^-1 only has to be near and symmetric, as that of a preconditioner: a GPU takes
    it with 11 bits for many bodies.
    """

    def __init__(self, factor: Factor, *, stride: int, copies: int, device: str, expected: float | None = None) -> None:
        wp = devices.warp()
        self._device, self._stride, self._copies = device, stride, copies
        self._count, self._is_dense = len(factor), factor.is_dense
        self._rows = devices.to_device(factor.rows, wp.int32, device)
        self._half = self._in_halves(factor, expected)
        self._arrays = [
            wp.array(values, dtype=wp.int32 if values.dtype.kind == "i" else wp.float32, device=device)
            for values in (factor.arrays if self._half is None else ())
        ]
        self._work = wp.zeros(0 if self._is_dense else copies * self._count, dtype=wp.vec3f, device=device)

    def _in_halves(self, factor: Factor, expected: float | None) -> HalfInverse | None:
        """The inverse in numbers of 16 bits, where that is near enough and the device multiplies them."""
        if expected is None or not factor.is_dense or self._copies < _MANY or not multiplies_halves(self._device):
            return None
        inverse = HalfInverse(self._count, copies=self._copies, expected=expected, device=self._device)
        inverse.replace(np.asarray(factor.arrays[0], dtype=np.float32))
        return inverse

    def replace(self, factor: Factor) -> None:
        """Take another factor; launches that were recorded see it."""
        devices.write(self._rows, factor.rows)
        if self._half is not None:
            self._half.replace(np.asarray(factor.arrays[0], dtype=np.float32))
            return
        for array, values in zip(self._arrays, factor.arrays, strict=True):
            devices.write(array, values)

    def solving(self, sides: Any, answers: Any) -> devices.Calls:
        """Recorded: `answers` = A^-1 `sides`, vec3f on the device; items that are no unknowns stay as they are."""
        from supple.geometry.cholesky import inverse_kernels, kernels

        given = [self._stride, self._rows, *self._arrays]
        if not self._is_dense:
            inputs = [*given, sides, self._work, answers]
            return [devices.Launch(kernels.solve_sparse, self._copies, inputs, self._device, smallest=1)]
        if self._half is not None:
            return self._half.multiplying(self._stride, self._rows, sides, answers)
        lanes = int(inverse_kernels.LANES)
        count, inputs = self._copies * self._count * lanes, [*given, sides, answers]
        return [devices.Launch(inverse_kernels.multiply_row, count, inputs, self._device, block=lanes)]
