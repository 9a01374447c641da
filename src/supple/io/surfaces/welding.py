"""Welding: vertices that a seam split become one control point again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray

_FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)  # odd numbers with evenly mixed bits


def weld(columns: list[FloatArray | IntArray]) -> tuple[IntArray, IntArray]:
    """Find rows that are equal in every one of `columns` (V, *), bit for bit, except that -0 is 0.

    Returns which row stands for each control point (C,), in order of first appearance, and the control point of each
    row (V,). Rows are compared through a 64-bit mix of their bits, and then in full, so a rare equal mix welds nothing
    that differs.
    """
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        for bits in _words(column):
            mixed = (mixed ^ bits) * np.uint64(_FACTORS[0])
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(_FACTORS[1])
            mixed ^= mixed >> np.uint64(32)
    first, group = _by_appearance(mixed)
    if all(np.array_equal(column, column[first[group]]) for column in columns):
        return first, group
    rows = np.concatenate([np.stack(list(_words(column)), axis=1) for column in columns], axis=1)
    _, exact = np.unique(rows, axis=0, return_inverse=True)
    return _by_appearance(exact.reshape(-1).astype(np.uint64))


def _words(column: FloatArray | IntArray) -> list[NDArray[np.uint64]]:
    if column.dtype.kind == "f":
        values = np.ascontiguousarray(column.T, dtype=np.float64) + 0.0
        return list(values.view(np.uint64))
    return list(np.ascontiguousarray(column.T, dtype=np.int64).view(np.uint64))


def _by_appearance(keys: NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return first[order].astype(np.int32), rank[group.reshape(-1)]


def rotate_and_scale(placement: FloatArray, vectors: FloatArray) -> FloatArray:
    """Vectors under the linear part; summed place by place, so that equal vectors stay equal to the last bit."""
    linear = placement[:3, :3]
    return vectors[:, :1] * linear[:, 0] + vectors[:, 1:2] * linear[:, 1] + vectors[:, 2:] * linear[:, 2]
