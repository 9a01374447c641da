"""Triangles that cross, decided for all pairs in exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np


def exact_pairs(points: np.ndarray, triangles: np.ndarray) -> set[tuple[int, int]]:
    """All pairs of triangles without a common vertex that pass through each other.

    Each has corners on both sides of the other's plane, and a side of one goes through the other.
    """
    positions = [tuple(Fraction(float(x)) for x in np.float32(point)) for point in points]
    low, high = points[triangles].min(axis=1), points[triangles].max(axis=1)
    found = set()
    for a, b in combinations(range(len(triangles)), 2):
        if (low[a] > high[b]).any() or (low[b] > high[a]).any() or set(triangles[a]) & set(triangles[b]):
            continue
        one, other = [positions[v] for v in triangles[a]], [positions[v] for v in triangles[b]]
        straddle = _straddles(one, other) and _straddles(other, one)
        if straddle and (_side_through(one, other) or _side_through(other, one)):
            found.add((a, b))
    return found


def _straddles(one, other) -> bool:
    a, b, c = other
    normal = _cross(_minus(b, a), _minus(c, a))
    heights = [_dot(normal, _minus(corner, a)) for corner in one]
    return min(heights) < 0 < max(heights)


def _side_through(one, other) -> bool:
    return any(_segment_through(one[k], one[(k + 1) % 3], other) for k in range(3))


def _segment_through(p, q, triangle) -> bool:
    """Where the segment meets the triangle's plane, in barycentric coordinates."""
    a, b, c = triangle
    normal = _cross(_minus(b, a), _minus(c, a))
    height_p, height_q = _dot(normal, _minus(p, a)), _dot(normal, _minus(q, a))
    if height_p * height_q >= 0:
        return False
    share = height_p / (height_p - height_q)
    at = tuple(x + share * (y - x) for x, y in zip(p, q, strict=True))
    parts = [_dot(normal, _cross(_minus(v, u), _minus(at, u))) for u, v in ((a, b), (b, c), (c, a))]
    return all(part >= 0 for part in parts)


def _minus(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
