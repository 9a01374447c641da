"""Skin weights: which joints move a vertex, and how much each of them counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, IntArray, by_fields, frozen
from supple.errors import InputError

_ALIKE = 1e-9  # weights that differ by less are alike, and the lower joint comes first: rounding may not decide
SUM_TOLERANCE = 1e-2  # exporters round weights to bytes: off by up to half of 1/255 per influence


def largest_first(values: FloatArray) -> NDArray[np.int64]:
    """The order of each row of values (V, K), largest first; of values alike, the first in the row."""
    steps = np.where(values > 0.0, np.maximum(np.round(values / _ALIKE), 1.0), 0.0)
    return np.argsort(-steps, axis=1, kind="stable")


@dataclass(frozen=True, eq=False)
class Weights:
    """Joint indices and values (V, K), any number K of influences, largest first, rows of sum one.

    Unused places have value 0, so a loop over influences may stop at the first zero.
    """

    joints: IntArray
    values: FloatArray

    def __post_init__(self) -> None:
        where = "Weights"
        joints = frozen(self.joints, np.int32, (-1, -1), where, "joints")
        values = frozen(self.values, np.float64, joints.shape, where, "values")
        if joints.shape[1] == 0:
            raise InputError(
                where,
                "there are no influences",
                "every vertex needs at least one",
                "compute some with supple.automatic_weights",
            )
        if (values < 0.0).any():
            vertex = int(np.argmax((values < 0.0).any(axis=1)))
            raise InputError(
                where,
                f"vertex {vertex} has weight {values[vertex].min():g}",
                "weights are zero or more",
                "clamp them, or use Weights.repaired",
            )
        sums = values.sum(axis=1)
        off = np.abs(sums - 1.0) > SUM_TOLERANCE
        if off.any():
            vertex = int(np.argmax(off))
            raise InputError(
                where,
                f"{int(off.sum())} vertices have weights that do not sum to one (vertex {vertex} has {sums[vertex]:g})",
                "every row must sum to one",
                "normalise them, or use Weights.repaired",
            )
        if (joints < 0).any():
            vertex = int(np.argmax((joints < 0).any(axis=1)))
            raise InputError(
                where,
                f"vertex {vertex} names joint {joints[vertex].min()}",
                "joint numbers start at 0",
                "use 0 with weight 0 for unused places",
            )
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "values", values)
        self._sort(sums)

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)

    def _sort(self, sums: FloatArray) -> None:
        """Largest influence first and sums exact; already sorted rows are kept as they are, uncopied."""
        if (np.diff(self.values, axis=1) > _ALIKE).any() or not np.allclose(sums, 1.0, atol=1e-7, rtol=0.0):
            order = largest_first(self.values)
            values = np.minimum.accumulate(np.take_along_axis(self.values, order, axis=1) / sums[:, None], axis=1)
            joints = np.take_along_axis(self.joints, order, axis=1)
            object.__setattr__(self, "joints", frozen(joints, np.int32, joints.shape, "Weights", "joints"))
            object.__setattr__(self, "values", frozen(values, np.float64, values.shape, "Weights", "values"))

    @classmethod
    def from_dense(cls, matrix: ArrayLike, *, influences: int | None = None) -> Weights:
        """Weights of a full (V, J) matrix; `influences` keeps only that many of the largest and renormalises."""
        full = frozen(matrix, np.float64, (-1, -1), "Weights", "matrix")
        if influences is not None:
            _check_limit(influences)
        most = max(int((full > 0.0).sum(axis=1).max(initial=1)), 1)
        keep = min(most, full.shape[1]) if influences is None else min(influences, full.shape[1])
        order = largest_first(full)[:, :keep]
        values = np.minimum.accumulate(np.take_along_axis(full, order, axis=1), axis=1)
        if influences is not None:
            sums = values.sum(axis=1, keepdims=True)
            values = values / np.where(sums > 0.0, sums, 1.0)
        return cls(np.where(values > 0.0, order, 0), values)

    @classmethod
    def repaired(cls, joints: ArrayLike, values: ArrayLike, *, joint_count: int) -> tuple[Weights, tuple[str, ...]]:
        """Make weights usable whatever they are, and say in words what was changed.

        Values that are negative or not finite, and those of joints that do not exist, become zero; rows are
        renormalised; a vertex left with nothing follows joint 0.
        """
        where = "Weights.repaired"
        if joint_count < 1:
            raise InputError(where, f"joint_count is {joint_count}", "at least one joint is needed", "add a root joint")
        index = frozen(joints, np.int32, (-1, -1), where, "joints").copy()
        value = np.array(values, dtype=np.float64)
        if value.shape != index.shape:
            raise InputError(where, f"values have shape {value.shape}", f"{index.shape} is needed", "make them alike")
        report: list[str] = []

        def clear(bad: np.ndarray, what: str) -> None:
            if bad.any():
                value[bad] = 0.0
                index[bad] = 0
                report.append(f"{int(bad.sum())} weights {what} set to zero")

        clear(~np.isfinite(value), "that were not finite")
        clear(value < 0.0, "that were negative")
        clear(((index < 0) | (index >= joint_count)) & (value != 0.0), "of joints that do not exist")
        index[(index < 0) | (index >= joint_count)] = 0
        largest = value.max(axis=1, initial=0.0)
        sums = value.sum(axis=1)
        empty = largest <= 0.0
        if empty.any():
            value[empty, 0], index[empty, 0] = 1.0, 0
            report.append(f"{int(empty.sum())} vertices without weights tied to joint 0")
        off = ~empty & (np.abs(sums - 1.0) > SUM_TOLERANCE)
        if off.any():
            report.append(f"{int(off.sum())} vertices renormalised")
        value /= value.max(axis=1, keepdims=True)  # first, because the sum of huge values overflows
        return cls(index, value / value.sum(axis=1, keepdims=True)), tuple(report)

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def influences(self) -> int:
        """Most influences of any vertex."""
        return int((self.values > 0.0).sum(axis=1).max(initial=1))

    def dense(self, joint_count: int) -> FloatArray:
        """The full (V, J) matrix; for small meshes and tests."""
        used = self.joints[self.values > 0.0]
        if used.size and used.max() >= joint_count:
            raise InputError(
                "Weights",
                f"weights name joint {used.max()}",
                f"the matrix has room for {joint_count} joints",
                "pass the skeleton's number of joints",
            )
        full = np.zeros((len(self), joint_count))
        joints = np.where(self.values > 0.0, self.joints, 0)
        np.add.at(full, (np.arange(len(self))[:, None], joints), self.values)
        return full

    def limited(self, influences: int) -> Weights:
        """Keep the `influences` largest of every vertex, renormalised."""
        _check_limit(influences)
        values = self.values[:, :influences]
        return Weights(self.joints[:, :influences], values / values.sum(axis=1, keepdims=True))


def _check_limit(influences: int) -> None:
    if influences < 1:
        raise InputError("Weights", f"influences is {influences}", "at least one is needed", "use 4 for most engines")
