"""Many vectors at once, a column at a time: NumPy's own functions go along rows of three, in five times the time.

And many numbers at once: a smooth step from 0 to 1.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray

Real = TypeVar("Real", np.float32, np.float64)


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """The cross products (N, 3) of vectors (N, 3)."""
    result = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[:, j], b[:, k], out=result[:, i])
        result[:, i] -= a[:, k] * b[:, j]
    return result


def lengths(vectors: NDArray[Real]) -> NDArray[Real]:
    """The lengths (N,) of vectors (N, 3)."""
    x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
    found: NDArray[Real] = np.sqrt(x * x + y * y + z * z)
    return found


def smoothstep(values: FloatArray, low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    """0 up to `low`, 1 from `high` on, smooth between: 3 t^2 - 2 t^3 with t from 0 to 1."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    t = np.clip(0.5 + 0.5 * (values - middle) / half, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
