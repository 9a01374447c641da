"""Planar binding: planes at the joints cut the skin into the pieces that hang on each segment.

A plane stands at every joint between the segment before and each one after it, and between every two segments that
leave a joint together. It contains the half-vector of the two segments and the direction across both, so it cuts the
angle between them in half [Toothman2020, Sec. 3.2]. Planes may be moved and turned by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry import quaternions
from supple.skins.springs.attachment.segments import NONE, Segments, find_segments

_STEPS = 64  # segments that a vertex may pass on its way to its own


@dataclass(frozen=True, eq=False)
class Divider:
    """A plane between segment `one` and segment `other`, through `point` (3,) [m]; `normal` (3,) points to `other`."""

    one: int
    other: int
    point: FloatArray
    normal: FloatArray

    def __post_init__(self) -> None:
        point = frozen(self.point, np.float64, (3,), "Divider", "point")
        normal = frozen(self.normal, np.float64, (3,), "Divider", "normal")
        if not normal.any():
            raise InputError("Divider", "its normal is zero", "a direction is needed", "point it at the other segment")
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "normal", frozen(quaternions.normalize(normal), np.float64, (3,), "Divider", "normal"))

    def moved(self, by: ArrayLike) -> Divider:
        """The same plane elsewhere, `by` (3,) [m]."""
        return replace(self, point=self.point + np.asarray(by, dtype=np.float64))

    def rotated(self, quaternion: ArrayLike) -> Divider:
        """The same plane turned about its point by a quaternion x y z w."""
        return replace(self, normal=quaternions.matrix_from_quat(quaternion) @ self.normal)

    def signed_distances(self, points: FloatArray) -> FloatArray:
        """How far points (..., 3) lie on the side of `other` [m]; negative on the side of `one`."""
        return np.asarray((points - self.point) @ self.normal)


def dividers_of(character: Character) -> tuple[Divider, ...]:
    """The dividers with which planar binding begins; give some of them back, moved, to `attach`."""
    return _place_dividers(find_segments(character))


def _place_dividers(segments: Segments) -> tuple[Divider, ...]:
    found = []
    directions = segments.directions
    for segment in range(len(segments)):
        before = int(segments.before[segment])
        if before != NONE:
            across = directions[before] + directions[segment]
            normal = across if np.linalg.norm(across) > 1e-6 else directions[before]
            found.append(Divider(before, segment, segments.starts[segment], normal))
    for one in range(len(segments)):
        for other in _siblings(segments, one):
            apart = directions[other] - directions[one]
            if other > one and np.linalg.norm(apart) > 1e-6:
                found.append(Divider(one, other, segments.starts[one], apart))
    return tuple(found)


def _siblings(segments: Segments, segment: int) -> list[int]:
    """Other segments that leave the same joint."""
    return [int(k) for k in np.flatnonzero(segments.joints == segments.joints[segment]) if k != segment]


def divide(
    points: FloatArray, segments: Segments, nearest: IntArray, *, dividers: Sequence[Divider] | None
) -> tuple[IntArray, FloatArray]:
    """Segment (V,) and place along it (V,) between the dividers; `nearest` (V,) is where each vertex starts to look.

    A vertex on the far side of one of its segment's dividers goes over to the segment there, until no divider is left
    to pass (or it is back where it was). Then t = d_p / (d_p + d_c) with the distances to the dividers at the two ends
    [Toothman2020, Eq. 13]; where an end has none, a plane straight across the segment takes its place.
    """
    given = _place_dividers(segments) if dividers is None else tuple(dividers)
    outside = [d for d in given if not (0 <= d.one < len(segments) and 0 <= d.other < len(segments))]
    if outside:
        raise InputError(
            "attach",
            f"a divider stands between segments {outside[0].one} and {outside[0].other}",
            f"there are segments 0 to {len(segments) - 1}",
            "use dividers_of(character)",
        )
    segment = np.asarray(nearest, dtype=np.int32).copy()
    passed = np.zeros((len(points), len(segments)), dtype=bool)
    passed[np.arange(len(points)), segment] = True
    for _ in range(_STEPS):
        wanted = _next_segments(points, segment, given)
        going = np.flatnonzero((wanted != NONE) & ~passed[np.arange(len(points)), np.maximum(wanted, 0)])
        if len(going) == 0:
            break
        segment[going] = wanted[going]
        passed[going, segment[going]] = True
    return segment, _fractions(points, segments, segment, given)


def _next_segments(points: FloatArray, segment: IntArray, dividers: Sequence[Divider]) -> IntArray:
    """The segment (V,) on the far side of the divider that each vertex is farthest beyond; -1 if it is beyond none."""
    wanted = np.full(len(points), NONE, dtype=np.int32)
    farthest = np.zeros(len(points))
    for divider in dividers:
        for own, other, sign in ((divider.one, divider.other, 1.0), (divider.other, divider.one, -1.0)):
            rows = np.flatnonzero(segment == own)
            far = sign * divider.signed_distances(points[rows])
            more = far > np.maximum(farthest[rows], 1e-12)
            wanted[rows[more]], farthest[rows[more]] = other, far[more]
    return wanted


def _fractions(points: FloatArray, segments: Segments, segment: IntArray, dividers: Sequence[Divider]) -> FloatArray:
    """How far along its segment (V,), 0 to 1, each vertex is between the dividers at both ends."""
    along = np.zeros(len(points))
    for own in np.unique(segment):
        rows = np.flatnonzero(segment == own)
        own_direction = segments.directions[own]
        start = [d.signed_distances(points[rows]) for d in dividers if d.other == own and segments.before[own] == d.one]
        end = [-d.signed_distances(points[rows]) for d in dividers if d.one == own and segments.before[d.other] == own]
        from_start = np.min(start, axis=0) if start else (points[rows] - segments.starts[own]) @ own_direction
        from_end = np.min(end, axis=0) if end else (segments.ends[own] - points[rows]) @ own_direction
        from_start, from_end = np.maximum(from_start, 0.0), np.maximum(from_end, 0.0)
        total = from_start + from_end
        along[rows] = np.where(total > 0.0, from_start / np.where(total > 0.0, total, 1.0), 0.5)
    return along
