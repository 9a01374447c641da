"""How much of the surroundings each place on the skin sees: dark folds and armpits, the same in every run.

The renderer has an effect for this on the screen, but its noise differs from frame to frame, so films would shimmer.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.geometry.quaternions import perpendicular
from supple.geometry.vectors import lengths
from supple.render.quality import PICTURE

_LEAST_COSINE = 0.12  # directions closer to the surface than this see their own triangle
_AT_ONCE = 8  # directions, so that what is worked on stays in the cache


def ambient_visibility(
    positions: FloatArray,
    normals: FloatArray,
    triangles: IntArray,
    *,
    blockers: FloatArray,
    height: float,
    directions: int = PICTURE.directions,
    cells: int = PICTURE.cells,
) -> FloatArray:
    """Share (N,) of the hemisphere above each place that is open, weighted by the cosine to its normal.

        o = 1 - sum_d max(n . d, 0) b_d / sum_d max(n . d, 0)

    For each of `directions` d spread over the sphere, the `blockers` (S, 3), points all over the skin, are sorted
    into a grid of `cells` by `cells` seen along d; b_d is how near above the place the outermost of them lies, from 1
    (close) to 0 (a third of `height` [m] away). `triangles` (T, 3) join the places and smooth the result over
    neighbours.
    """
    if len(blockers) == 0:
        return np.ones(len(positions))
    middle = (blockers.max(axis=0) + blockers.min(axis=0)) / 2.0
    radius = float(lengths(blockers - middle).max(initial=1e-9))
    cell = 2.0 * radius / (cells - 4)
    seen_from = _columns(positions + 1.6 * cell * normals - middle)
    outside, facing = _columns(blockers - middle), _columns(normals)
    reach, floor = np.float32(height / 3.0), np.float32(0.8 * cell)
    blocked, total = np.zeros(len(positions), dtype=np.float32), np.zeros(len(positions), dtype=np.float32)
    toward, planes = _spread_directions(directions)
    for first in range(0, directions, _AT_ONCE):
        some, across = toward[first : first + _AT_ONCE], planes[first : first + _AT_ONCE] / np.float32(cell)
        outermost = np.full(len(some) * cells * cells, -np.inf, dtype=np.float32)
        np.maximum.at(outermost, _cells(outside, across, cells).ravel(), _along(some, outside).ravel())
        above = outermost[_cells(seen_from, across, cells)] - _along(some, seen_from)
        near = np.where(above > floor, np.clip(1.0 - above / reach, 0.0, 1.0), np.float32(0.0))
        cosine = _along(some, facing)
        cosine[cosine <= _LEAST_COSINE] = 0.0
        total += cosine.sum(axis=0)
        blocked += np.multiply(cosine, near, out=near).sum(axis=0)
    open_share = (1.0 - blocked / np.maximum(total, 1e-12)).astype(np.float64)
    for _ in range(2):
        open_share = _smooth(open_share, triangles)
    return open_share


def _columns(points: FloatArray) -> Float32Array:
    return np.ascontiguousarray(points.T, dtype=np.float32)


def _along(directions: Float32Array, columns: Float32Array) -> Float32Array:
    """How far (D, N) points, given as columns (3, N), lie along each of the ways (D, 3).

    Not as a product of matrices: BLAS would wake threads for it, which cost more than the product where cores are busy.
    """
    result = directions[:, 0, None] * columns[0]
    for axis in (1, 2):
        result += directions[:, axis, None] * columns[axis]
    return result


def _cells(columns: Float32Array, planes: Float32Array, cells: int) -> NDArray[np.int32]:
    """The numbers (D, N) of the cells that points, given as columns (3, N), are seen in along each of D directions.

    `planes` (D, 2, 3) span what is seen along them, one cell long. Each direction has `cells` by `cells` of its own.
    """
    spot = _along(planes.reshape(-1, 3), columns).reshape(len(planes), 2, -1)
    spot += np.float32(cells / 2.0)
    np.clip(spot, 0, cells - 1, out=spot)
    whole = spot.astype(np.int32)
    own = cells * cells * np.arange(len(planes), dtype=np.int32)[:, None]
    return np.asarray(whole[:, 0] * cells + whole[:, 1] + own)


@cache
def _spread_directions(count: int) -> tuple[Float32Array, Float32Array]:
    """Unit vectors (D, 3) evenly over the sphere, along a spiral that turns by the golden angle; and two (D, 2, 3)
    across each."""
    rotation = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    y = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    ring = np.sqrt(1.0 - y * y)
    toward = np.stack([ring * np.cos(rotation), y, ring * np.sin(rotation)], axis=1)
    first = perpendicular(toward)
    planes = np.stack([first, np.cross(toward, first)], axis=1)
    return toward.astype(np.float32), planes.astype(np.float32)


def _smooth(values: FloatArray, triangles: IntArray) -> FloatArray:
    corners = triangles.ravel()
    sums = np.bincount(corners, np.repeat(values[triangles].mean(axis=1), 3), minlength=len(values))
    counts = np.bincount(corners, minlength=len(values))
    return np.where(counts > 0, sums / np.maximum(counts, 1), values)
