"""Many vectors at once, a column at a time: NumPy's own functions go along rows of three, in five times the time."""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats


def cross(a: Floats, b: Floats) -> Floats:
    """The cross products (N, 3) of vectors (N, 3)."""
    result = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[:, j], b[:, k], out=result[:, i])
        result[:, i] -= a[:, k] * b[:, j]
    return result


def lengths(vectors: Floats) -> Floats:
    """The lengths (N,) of vectors (N, 3)."""
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    return np.sqrt(x * x + y * y + z * z)
