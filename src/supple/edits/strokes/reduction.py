"""From what a hand drew to a few points: samples without repeats, and the Ramer-Douglas-Peucker reduction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, frozen
from supple.errors import InputError

PIXELS = 8.0  # tolerance on a screen
MOST_SAMPLES = 1_000_000


def simplify(points: ArrayLike, tolerance: float) -> NDArray[np.intp]:
    """Numbers of the points (N, D) to keep, so that the line through them is within `tolerance` of all.

    The farthest point from the line between two kept ones is kept too, until none is farther than the tolerance. First
    and last are always kept.
    """
    where = "simplify"
    given = _check_samples(points, where)
    if not (np.isfinite(tolerance) and tolerance >= 0.0):
        raise InputError(where, f"tolerance is {tolerance}", "zero or more is needed", f"try {PIXELS} px or 0.01 m")
    keep = np.zeros(len(given), dtype=bool)
    keep[[0, -1]] = True
    open_spans = [(0, len(given) - 1)]
    while open_spans:  # a stack, not recursion: a spiral would go deeper than Python does
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        distances = _segment_distances(given[first + 1 : last], given[first], given[last])
        far = int(np.argmax(distances))
        if distances[far] > tolerance:
            middle = first + 1 + far
            keep[middle] = True
            open_spans += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


def resample(points: ArrayLike, spacing: float) -> FloatArray:
    """A line through `points` (N, D) as places at most `spacing` apart; all points are among them."""
    where = "resample"
    given = _check_samples(points, where)
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise InputError(where, f"spacing is {spacing}", "a distance above zero is needed", "try 1 px")
    lengths = np.linalg.norm(np.diff(given, axis=0), axis=1)
    counts = np.maximum(np.ceil(lengths / spacing), 1.0)
    if counts.sum() > MOST_SAMPLES:
        raise InputError(
            where, f"it would be {counts.sum():.0f} places", f"at most {MOST_SAMPLES} are made", "use a larger spacing"
        )
    steps = counts.astype(int)
    span = np.repeat(np.arange(len(lengths)), steps)
    fraction = (np.arange(len(span)) - np.repeat(np.cumsum(steps) - steps, steps)) / steps[span]
    positions = given[span] + fraction[:, None] * (given[span + 1] - given[span])
    return np.concatenate([positions, given[-1:]])


def _check_samples(points: ArrayLike, where: str) -> FloatArray:
    given = np.asarray(points)
    if given.ndim != 2 or given.shape[1] not in (2, 3) or not 1 <= len(given) <= MOST_SAMPLES:
        raise InputError(
            where,
            f"points have shape {given.shape}",
            f"(N, 2) or (N, 3) with 1 to {MOST_SAMPLES} rows is needed",
            "pass the samples of one stroke",
        )
    return frozen(given, np.float64, given.shape, where, "points")


def _segment_distances(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    direction = end - start
    square = float(direction @ direction)
    along = np.clip((points - start) @ direction / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.asarray(np.linalg.norm(points - start - along[:, None] * direction, axis=1))
