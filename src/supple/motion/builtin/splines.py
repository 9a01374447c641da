"""Cubics through keys. SciPy has them too, but loading that part of it takes as long as all of a motion's poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Cubic:
    """A curve that is a cubic from key to key: `times` (N,) [s] in order, `values` and `slopes` (N, ...) there."""

    times: FloatArray
    values: FloatArray
    slopes: FloatArray

    def __call__(self, time: float) -> FloatArray:
        """The value at a time [s] from the first key to the last."""
        k = min(max(int(np.searchsorted(self.times, time, side="right")) - 1, 0), len(self.times) - 2)
        seconds = self.times[k + 1] - self.times[k]
        (start, end), (leaving, arriving) = self.values[k : k + 2], self.slopes[k : k + 2]
        return hermite(start, leaving, end, arriving, seconds=seconds, s=(time - self.times[k]) / seconds)


def hermite(
    start: FloatArray, speed: FloatArray, end: FloatArray, end_speed: FloatArray, *, seconds: float, s: float
) -> FloatArray:
    """A cubic from `start` to `end` that leaves and arrives with the given speeds; `s` is the share of `seconds`."""
    left, right = 1.0 - s, s
    return (
        start * (left * left * (1.0 + 2.0 * s))
        + speed * (seconds * s * left * left)
        + end * (right * right * (3.0 - 2.0 * s))
        - end_speed * (seconds * right * right * left)
    )


def clamped(times: Sequence[float], values: ArrayLike, leaving: ArrayLike, arriving: ArrayLike) -> Cubic:
    """The curve without a jump in its second derivative that has the given slopes at its ends."""
    t, v = np.array(times), np.array(values, dtype=np.float64)
    count = len(t)
    matrix, right = np.eye(count), np.zeros_like(v)
    right[0], right[-1] = leaving, arriving
    for k in range(1, count - 1):
        _smooth_at(matrix, right, (k - 1, k, k + 1), np.diff(t)[k - 1 : k + 1], np.diff(v, axis=0)[k - 1 : k + 1])
    slopes = np.linalg.solve(matrix, right.reshape(count, -1))
    return Cubic(t, v, slopes.astype(np.float64, copy=False).reshape(v.shape))


def periodic(times: Sequence[float], values: Sequence[float]) -> Cubic:
    """The curve without a jump in its second derivative that ends as it begins, in value and slope."""
    t, v = np.array(times), np.array(values, dtype=np.float64)
    count = len(t) - 1
    matrix, right = np.zeros((count, count)), np.zeros(count)
    for k in range(count):
        around = ((k - 1) % count, k, (k + 1) % count)
        _smooth_at(matrix, right, around, np.diff(t)[[k - 1, k]], np.diff(v)[[k - 1, k]])
    slopes = np.linalg.solve(matrix, right)
    return Cubic(t, v, np.append(slopes, slopes[0]))


def level(times: Sequence[float], values: Sequence[float]) -> Cubic:
    """The curve that is level at both ends and at every peak and never beyond the keys it is between.

    Between two rises of one sign the slope is their harmonic mean, weighted as Fritsch and Butland (1984) do.
    """
    t, v = np.array(times), np.array(values, dtype=np.float64)
    seconds, slopes = np.diff(t), np.zeros(len(t))
    rises = np.diff(v) / seconds
    for k in range(1, len(t) - 1):
        before, after = rises[k - 1], rises[k]
        if before * after > 0.0:
            one, two = 2.0 * seconds[k] + seconds[k - 1], seconds[k] + 2.0 * seconds[k - 1]
            slopes[k] = (one + two) / (one / before + two / after)
    return Cubic(t, v, slopes)


def _smooth_at(
    matrix: FloatArray, right: FloatArray, around: tuple[int, int, int], seconds: FloatArray, rises: FloatArray
) -> None:
    """Ask for one second derivative on both sides of a key, given the seconds and rises before and after it."""
    key = around[1]
    matrix[key] = 0.0
    for index, share in zip(around, (seconds[1], 2.0 * seconds.sum(), seconds[0]), strict=True):
        matrix[key, index] += share
    right[key] = 3.0 * (seconds[1] * rises[0] / seconds[0] + seconds[0] * rises[1] / seconds[1])
