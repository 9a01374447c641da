"""Tetrahedra or voxels turned inside out: flesh that a solver has pulled through itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.measure.frames import check_indices, chunks, frames_of


@dataclass(frozen=True)
class Tetrahedra:
    """The flesh of a skin over time: `points` (F, N, 3) and `rest_points` (N, 3) [m], `corners` (M, 4) of each."""

    points: ArrayLike
    rest_points: ArrayLike
    corners: ArrayLike


def inverted(flesh: Tetrahedra) -> IntArray:
    """How many tetrahedra have changed the sign of their volume since rest, in every frame (F,); 0 is good.

    det(b - a, c - a, d - a) has the other sign or is 0. Those without volume at rest are left out.
    """
    rest = frozen(flesh.rest_points, np.float64, (-1, 3), "inverted", "rest_points")
    corners = frozen(flesh.corners, np.int32, (-1, 4), "inverted", "corners")
    check_indices(corners, len(rest), "inverted", "corners")
    frames = frames_of(flesh.points, "inverted", vertices=len(rest))
    before = _six_volumes(rest[None], corners)[0]
    kept = before != 0.0
    counts = np.zeros(len(frames), dtype=np.int32)
    for rows in chunks(len(frames)):
        counts[rows] = (_six_volumes(frames[rows], corners[kept]) * np.sign(before[kept]) <= 0.0).sum(axis=1)
    return counts


def _six_volumes(points: np.ndarray, corners: IntArray) -> FloatArray:
    at = points[:, corners].astype(np.float64)
    sides = at[:, :, 1:] - at[:, :, :1]
    return np.einsum("fmi,fmi->fm", sides[:, :, 0], np.cross(sides[:, :, 1], sides[:, :, 2]))
