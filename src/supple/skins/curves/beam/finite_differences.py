"""What every beam shares: ends held in place and direction, fourth differences, and one factor for all curves.

A curve has N intervals and N + 1 nodes at v = 0, 1/N, ..., 1. Its ends are clamped: q(0), q'(0), q(1) and q'(1) are
given. Two virtual nodes beyond the ends carry the slopes, so that all differences are central:
    q[-1] = q[1] - (2/N) q'(0),    q[N+1] = q[N-1] + (2/N) q'(1).
All curves and coordinates with the same number of nodes are solved together, as columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError

FEWEST_NODES = 5  # below this the two ends meet in one difference
_WIDTH = 2  # bands on either side of the diagonal


@dataclass(frozen=True, eq=False)
class Clamps:
    """Where the two ends of curves are held, and in which direction: values and slopes dq/dv, each (2, ...).

    The first row is the end v = 0, the second v = 1. The axes after it are those of the shapes: coordinates, or curves
    and coordinates. Slopes are per unit of v, not of length, and both point from v = 0 towards v = 1.
    """

    values: FloatArray
    slopes: FloatArray

    def __post_init__(self) -> None:
        for name in ("values", "slopes"):
            object.__setattr__(self, name, check_rows(getattr(self, name), 2, "Clamps", name))
        if self.values.shape != self.slopes.shape:
            given = f"values are {self.values.shape} and slopes {self.slopes.shape}"
            raise InputError("Clamps", given, "both have one shape", "give a slope for every value")

    @classmethod
    def from_shape(cls, shape: ArrayLike) -> Clamps:
        """The clamps that hold a shape (nodes, ...) as it is; slopes by second-order differences from inside."""
        nodes = check_rows(shape, -1, "Clamps.from_shape", "shape")
        count = check_nodes(len(nodes), "Clamps.from_shape")
        low = -1.5 * nodes[0] + 2.0 * nodes[1] - 0.5 * nodes[2]
        high = 1.5 * nodes[-1] - 2.0 * nodes[-2] + 0.5 * nodes[-3]
        return cls(np.stack([nodes[0], nodes[-1]]), np.stack([low, high]) * (count - 1))

    @classmethod
    def zero(cls, columns: tuple[int, ...]) -> Clamps:
        """Ends that stay at zero with slope zero, for shapes (nodes, *columns)."""
        return cls(np.zeros((2, *columns)), np.zeros((2, *columns)))

    def scale(self, factor: float) -> Clamps:
        """Everything multiplied by one number."""
        return Clamps(self.values * factor, self.slopes * factor)

    def lerp(self, other: Clamps, alpha: float) -> Clamps:
        """These clamps moved towards others: alpha 0 is here, 1 is there."""
        values = self.values + alpha * (other.values - self.values)
        return Clamps(values, self.slopes + alpha * (other.slopes - self.slopes))


@dataclass(frozen=True, eq=False)
class BandedMatrix:
    """The symmetric five-banded matrix of the inner nodes, b D4 + c D2 + d I, and its factor.

    b = `fourth` N^4 weighs (1, -4, 6, -4, 1), c = `second` N^2 weighs (1, -2, 1), d = `diagonal`; all three are per
    node. The matrix has no row for the ends: what they contribute is `boundary_load`.
    """

    nodes: int
    fourth: float
    second: float = 0.0
    diagonal: float = 0.0

    @property
    def inner(self) -> int:
        """How many nodes are solved for."""
        return self.nodes - 2

    @cached_property
    def diagonals(self) -> FloatArray:
        """The matrix as its diagonal and the first and second band beside it, (3, inner)."""
        b, c = self._weights
        diagonals = np.empty((3, self.inner))
        diagonals[0], diagonals[1], diagonals[2] = 6.0 * b - 2.0 * c + self.diagonal, c - 4.0 * b, b
        diagonals[0, [0, -1]] += b  # the virtual nodes
        return diagonals

    @cached_property
    def eigenvalues(self) -> FloatArray:
        """All eigenvalues, lowest first."""
        from scipy.linalg import eig_banded

        return np.asarray(eig_banded(self.diagonals, lower=True, eigvals_only=True))

    def boundary_load(self, clamps: Clamps) -> FloatArray:
        """What the given ends add to the equations of the inner nodes, (inner, ...)."""
        b, c = self._weights
        load = np.zeros((self.inner, *clamps.values.shape[1:]))
        twice = 2.0 / (self.nodes - 1)
        load[0] += (c - 4.0 * b) * clamps.values[0] - b * twice * clamps.slopes[0]
        load[-1] += (c - 4.0 * b) * clamps.values[1] + b * twice * clamps.slopes[1]
        load[1] += b * clamps.values[0]
        load[-2] += b * clamps.values[1]
        return load

    def multiply(self, inner: FloatArray) -> FloatArray:
        """The matrix times columns (inner, ...)."""
        first, second = self.diagonals[1, 0], self.diagonals[2, 0]
        product = self.diagonals[0].reshape(-1, *[1] * (inner.ndim - 1)) * inner
        product[1:] += first * inner[:-1]
        product[:-1] += first * inner[1:]
        product[2:] += second * inner[:-2]
        product[:-2] += second * inner[2:]
        return product

    def solve(self, columns: FloatArray) -> FloatArray:
        """Columns (inner, ...) whose product with the matrix is the given columns."""
        from scipy.linalg.lapack import dgbtrs

        flat = columns.reshape(self.inner, -1)
        if flat.shape[1] == 0:
            return columns.copy()
        solved, _ = dgbtrs(self._factor[0], _WIDTH, _WIDTH, flat, self._factor[1])
        return np.ascontiguousarray(solved).reshape(columns.shape)

    @cached_property
    def ldlt_rows(self) -> FloatArray:
        """The factor L D L^T in the order in which a walk along a curve reads it, (inner, 5).

        For each inner node: its two entries of L on the way forth, one over D, and its two of L^T on the way back.
        Only where the matrix is positive definite, which it is up to the first buckling load: no rows are exchanged.
        """
        from scipy.linalg import cholesky_banded

        lower = cholesky_banded(self.diagonals, lower=True)
        below = lower[1:] / lower[0]
        rows = np.zeros((self.inner, 5))
        rows[1:, 0], rows[2:, 1] = below[0, :-1], below[1, :-2]
        rows[:, 2] = 1.0 / lower[0] ** 2
        rows[:-1, 3], rows[:-2, 4] = below[0, :-1], below[1, :-2]
        return rows

    @property
    def _weights(self) -> tuple[float, float]:
        intervals = float(self.nodes - 1)
        return self.fourth * intervals**4, self.second * intervals**2

    @cached_property
    def _factor(self) -> tuple[Any, Any]:
        """LU with row exchanges: the matrix is not definite beyond a buckling load."""
        from scipy.linalg.lapack import dgbtrf

        band = np.zeros((3 * _WIDTH + 1, self.inner))
        band[4] = self.diagonals[0]
        for offset in (1, 2):
            band[4 - offset, offset:] = band[4 + offset, :-offset] = self.diagonals[offset, :-offset]
        lu, pivots, _ = dgbtrf(band, _WIDTH, _WIDTH)
        return lu, pivots


def check_rows(value: ArrayLike, rows: int, where: str, what: str) -> FloatArray:
    """Numbers with `rows` rows (-1 for any) and any axes after them, checked and frozen."""
    try:
        axes = np.ndim(value)
    except ValueError:  # ragged: `frozen` says so
        axes = 1
    return frozen(value, np.float64, (rows, *[-1] * (axes - 1)), where, what)


def check_nodes(nodes: int, where: str) -> int:
    """Refuse curves that are too short to bend."""
    if nodes < FEWEST_NODES:
        given = f"a curve has {nodes} nodes"
        raise InputError(where, given, f"at least {FEWEST_NODES} are needed", "divide the curve more finely")
    return nodes


def check_positive(value: float, where: str, what: str, *, allow_zero: bool = False) -> None:
    """Refuse numbers that are not finite, below zero, or zero."""
    if not np.isfinite(value) or value < 0.0 or (value == 0.0 and not allow_zero):
        least = "zero or more" if allow_zero else "above zero"
        raise InputError(where, f"{what} is {value}", f"a finite number {least} is needed", f"change {what}")


def check_same_columns(force: FloatArray, clamps: Clamps, where: str) -> None:
    """Refuse clamps for other columns than those of the forces or shapes."""
    if force.shape[1:] != clamps.values.shape[1:]:
        given = f"the clamps are for columns {clamps.values.shape[1:]} and the rest for {force.shape[1:]}"
        raise InputError(
            where, given, "both have the same curves and coordinates", "make the clamps from the same curves"
        )
