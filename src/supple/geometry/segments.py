"""Distances from points to straight segments, such as bones."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray


def distances_to_segments(points: FloatArray, starts: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far every point is from every segment [m], and where along the segment: two arrays (P, S).

    The second is u = (p - s).(e - s) / |e - s|^2 as it comes: below 0 before the start, above 1 past the end. The
    distance is to the segment itself, so to one of its ends there. A segment without length is a point, with u = 0.
    """
    points = np.asarray(points, dtype=np.float64)
    distances = np.empty((len(points), len(starts)))
    along = np.empty_like(distances)
    for segment, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis = end - start
        square = float(axis @ axis)
        offset = points - start
        u = offset @ axis / square if square > 0.0 else np.zeros(len(points))
        along[:, segment] = u
        distances[:, segment] = np.linalg.norm(offset - np.clip(u, 0.0, 1.0)[:, None] * axis, axis=1)
    return distances, along
