"""Place the joints of a finger, or of any measured limb, along it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.character.proportions.measurements import HANDS, Proportions
from supple.errors import InputError
from supple.geometry.quaternions import normalize
from supple.geometry.segments import distances_to_segments

_SECTIONS = 12  # steps along a limb
_ROUNDS = 8  # how often the axis is moved to the middle


def place_joints(
    limb: str, axis: ArrayLike, *, measured: Proportions = HANDS, at: Literal["mean", "least", "most"] = "mean"
) -> FloatArray:
    """Where the joints of a limb lie (S, 3) [m], its root first; the tip is the end of the `axis` and is not repeated.

    `axis` (K, 3) [m] runs from the root joint (of a finger: the knuckle) to the tip, straight from two points or
    through the middle of the limb (`limb_axis`). Joint k lies after the first k segments, each its mean share of the
    length of the axis: x_k = axis(L sum_{i<k} m_i). With "least" or "most" the first segment has that share of all
    people measured, and the others share the rest as their means do.
    """
    line = frozen(axis, np.float64, (-1, 3), "place_joints", "axis")
    length = _lengths_along(line)
    if length[-1] <= 0.0:
        raise InputError("place_joints", f"the axis of {limb} has no length", "root and tip must differ", "give both")
    statistics = measured.statistics(limb)
    fractions = np.array([segment.mean for segment in statistics])
    if at != "mean":
        first = statistics[0].least if at == "least" else statistics[0].most
        fractions[1:] *= (1.0 - first) / fractions[1:].sum()
        fractions[0] = first
    return _points_at(line, np.concatenate([[0.0], np.cumsum(fractions[:-1])]) * length[-1])


def limb_axis(points: ArrayLike, triangles: ArrayLike, *, root: ArrayLike) -> FloatArray:
    """The line (K, 3) [m] through the middle of a limb's own mesh, from the end near `root` (3,) [m] to its tip.

    The line starts along the longest direction of the limb. Again and again its points are moved, square to it, to the
    middle of the skin beside them, with areas as weights. Both its ends lie as far out as the skin does.

    Limits: for limbs that are several times as long as they are thick, and do not branch.
    """
    where = frozen(points, np.float64, (-1, 3), "limb_axis", "points")
    corners = where[frozen(triangles, np.int32, (-1, 3), "limb_axis", "triangles")]
    start = frozen(root, np.float64, (3,), "limb_axis", "root")
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if not areas.sum() > 0.0:
        raise InputError("limb_axis", "the limb has no skin", "triangles with an area are needed", "pass its mesh")
    middles = corners.mean(axis=1)
    center = areas @ middles / areas.sum()
    _, vectors = np.linalg.eigh(np.einsum("t,ti,tj->ij", areas, middles - center, middles - center))
    direction = vectors[:, -1] if vectors[:, -1] @ (start - center) <= 0.0 else -vectors[:, -1]
    along = (corners - center).reshape(-1, 3) @ direction
    line: FloatArray = center + np.linspace(along.min(), along.max(), _SECTIONS + 1)[:, None] * direction
    # Corners and middles together tell where the skin of a triangle is better than its middle alone.
    positions, weights = np.concatenate([middles, *np.moveaxis(corners, 1, 0)]), np.tile(areas, 4)
    for _ in range(_ROUNDS):
        line = _reaching(_through_middles(line, positions, weights), where)
    return line


def _through_middles(line: FloatArray, positions: FloatArray, weights: FloatArray) -> FloatArray:
    """Every point of a line moved, square to it, to the weighted middle of the skin beside it."""
    at = positions_along(line, positions)
    length = _lengths_along(line)
    width = length[-1] / _SECTIONS
    near = weights * np.exp(-0.5 * ((at - length[:, None]) / width) ** 2)
    shift = (near @ positions) / np.maximum(near.sum(axis=1, keepdims=True), 1e-300) - line
    tangent = normalize(np.gradient(line, axis=0))
    shift -= np.einsum("ki,ki->k", shift, tangent)[:, None] * tangent
    padded = np.concatenate([shift[:1], shift, shift[-1:]])
    return np.asarray(line + 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def _reaching(line: FloatArray, points: FloatArray) -> FloatArray:
    """A line in equal steps whose ends go straight on to where the skin ends.

    Near its ends the skin beside a point is cut off askew, so the outermost points are taken from those further in.
    """
    long = line.copy()
    for end, inner in ((0, (1, 2, 4)), (-1, (-2, -3, -5))):
        direction = normalize(line[inner[1]] - line[inner[2]])
        for index in (inner[0], end):
            long[index] = line[inner[1]] + ((line[index] - line[inner[1]]) @ direction) * direction
        beside = points[np.linalg.norm(points - line[end], axis=1) < np.linalg.norm(line[-1] - line[0]) / 2.0]
        long[end] = long[inner[1]] + float(((beside - long[inner[1]]) @ direction).max(initial=0.0)) * direction
    return _points_at(long, np.linspace(0.0, _lengths_along(long)[-1], len(line)))


def positions_along(line: FloatArray, positions: FloatArray) -> FloatArray:
    """How far along a line [m] places (N, 3) lie, by its nearest point."""
    gap, fraction = distances_to_segments(positions, line[:-1], line[1:])
    nearest = gap.argmin(axis=1)
    length = _lengths_along(line)
    inside = np.clip(fraction[np.arange(len(positions)), nearest], 0.0, 1.0)
    return np.asarray(length[nearest] + inside * np.diff(length)[nearest])


def _lengths_along(line: FloatArray) -> FloatArray:
    """How far along a line (K, 3) [m] each of its points lies (K,)."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])


def _points_at(line: FloatArray, lengths: FloatArray) -> FloatArray:
    """The points (N, 3) of a line that lie so far along it (N,) [m]."""
    length = _lengths_along(line)
    return np.stack([np.interp(lengths, length, line[:, k]) for k in range(3)], axis=1)
