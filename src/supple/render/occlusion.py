"""How much of the surroundings each place on the skin sees: dark folds and armpits, the same in every run.

The renderer has an effect for this on the screen, but its noise differs from frame to frame, so films would shimmer.
"""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import Floats, Ints
from supple.geometry.rotations import perpendicular
from supple.render.quality import PICTURE

_LEAST_COSINE = 0.12  # directions closer to the surface than this see their own triangle


def openness(
    places: Floats,
    normals: Floats,
    triangles: Ints,
    *,
    blockers: Floats,
    height: float,
    directions: int = PICTURE.directions,
    cells: int = PICTURE.cells,
) -> Floats:
    """Share (N,) of the hemisphere above each place that is open, weighted by the cosine to its normal.

        o = 1 - sum_d max(n . d, 0) b_d / sum_d max(n . d, 0)

    For each of `directions` d spread over the sphere, the `blockers` (S, 3), points all over the skin, are sorted
    into a grid of `cells` by `cells` seen along d; b_d is how near above the place the outermost of them lies, from 1
    (close) to 0 (a third of `height` [m] away). `triangles` (T, 3) join the places and smooth the result over
    neighbours.
    """
    if len(blockers) == 0:
        return np.ones(len(places))
    middle = (blockers.max(axis=0) + blockers.min(axis=0)) / 2.0
    radius = float(np.linalg.norm(blockers - middle, axis=1).max(initial=1e-9))
    cell = 2.0 * radius / (cells - 4)
    seen_from = places + 1.6 * cell * normals
    reach = height / 3.0
    blocked, total = np.zeros(len(places)), np.zeros(len(places))
    for toward in _spread_directions(directions):
        cosine = normals @ toward
        facing = np.flatnonzero(cosine > _LEAST_COSINE)
        first = perpendicular(toward)
        plane = np.stack([first, np.cross(toward, first)], axis=1)
        outermost = np.full(cells * cells, -np.inf)
        np.maximum.at(outermost, _cells(blockers - middle, plane, cell, cells), blockers @ toward)
        above = outermost[_cells(seen_from[facing] - middle, plane, cell, cells)] - seen_from[facing] @ toward
        near = np.where(above > 0.8 * cell, np.clip(1.0 - above / reach, 0.0, 1.0), 0.0)
        blocked[facing] += cosine[facing] * near
        total[facing] += cosine[facing]
    open_share = 1.0 - blocked / np.maximum(total, 1e-12)
    for _ in range(2):
        open_share = _smoothed(open_share, triangles)
    return open_share


def _cells(points: Floats, plane: Floats, cell: float, cells: int) -> Ints:
    spot = np.clip(np.floor(points @ plane / cell + cells / 2.0), 0, cells - 1).astype(np.int32)
    return spot[:, 0] * cells + spot[:, 1]


def _spread_directions(count: int) -> Floats:
    """Unit vectors evenly over the sphere, along a spiral that turns by the golden angle."""
    turn = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    y = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    ring = np.sqrt(1.0 - y * y)
    return np.stack([ring * np.cos(turn), y, ring * np.sin(turn)], axis=1)


def _smoothed(values: Floats, triangles: Ints) -> Floats:
    corners = triangles.ravel()
    sums = np.bincount(corners, np.repeat(values[triangles].mean(axis=1), 3), minlength=len(values))
    counts = np.bincount(corners, minlength=len(values))
    return np.where(counts > 0, sums / np.maximum(counts, 1), values)
