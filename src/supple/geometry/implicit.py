"""Bodies described by a function that is negative inside: lofted blobs, blended where they should be.

A blob is a loft: cross-sections strung along a straight axis, each with its own place, width and depth, closed by
round caps. With one section it is an ellipsoid, with two a round cone, with many a torso or a leg. Blobs of one part
melt into each other; parts melt only near the joint that ties them, so a thigh never grows into the other thigh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray
from supple.geometry.vectors import lengths

_TINY = 1e-9
_CHUNK = 1 << 15  # points at a time, so that the intermediate arrays stay in cache


@dataclass(frozen=True, eq=False)
class Loft:
    """Cross-sections along an axis.

    `axes` (3, 3) holds the unit directions side, front and along in its rows; `stations` (S,) [m] are places along the
    axis in rising order, and `sections` (S, 5) [m] say there: how far the middle lies to the side and to the front,
    half the width, and the depth to the front and to the back. Between stations the sections follow a cubic spline.
    `caps` are the lengths [m] of the round ends. `power` 2 makes sections elliptic, more makes them boxy.
    """

    origin: FloatArray
    axes: FloatArray
    stations: FloatArray
    sections: FloatArray
    caps: tuple[float, float]
    power: float = 2.0

    @cached_property
    def _coefficients(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Linear, quadratic and cubic terms of every span between stations."""
        if len(self.stations) == 1:
            zero = np.zeros((1, 5))
            return zero, zero, zero
        step = np.diff(self.stations)[:, None]
        slope = np.diff(self.sections, axis=0) / step
        tangent = _spline_tangents(step, slope)
        cubic = (tangent[:-1] + tangent[1:] - 2.0 * slope) / step**2
        square = (3.0 * slope - 2.0 * tangent[:-1] - tangent[1:]) / step
        return tangent[:-1], square, cubic

    def sections_at(self, along: FloatArray) -> FloatArray:
        """The sections (N, 5) at places `along` (N,) the axis, held constant beyond the ends."""
        position = np.clip(along, self.stations[0], self.stations[-1])
        return np.stack([np.broadcast_to(column, position.shape) for column in self._columns_at(position)], axis=1)

    def _columns_at(self, position: FloatArray) -> list[FloatArray | float]:
        """The five numbers of the sections at places (N,) between the ends; those that never change, as one number."""
        span: Any = 0
        if len(self.stations) > 2:
            span = np.searchsorted(self.stations[1:-1], position, side="right")
        t = position - self.stations[span]
        columns: list[FloatArray | float] = []
        for polynomial in self._polynomials:
            if isinstance(polynomial, int | float):
                columns.append(columns[polynomial] if isinstance(polynomial, int) else polynomial)
            else:
                value, linear, square, cubic = (term[span] for term in polynomial)
                columns.append(value + t * (linear + t * (square + t * cubic)))
        return columns

    @cached_property
    def _polynomials(self) -> list[int | float | tuple[FloatArray, ...]]:
        """Of the five numbers of a section: the terms of every span, the number if it never changes, or which earlier
        one it is always the same as, such as the depth of a circle and its width."""
        terms = (self.sections, *self._coefficients)
        found: list[int | float | tuple[FloatArray, ...]] = []
        for number in range(5):
            own = tuple(np.ascontiguousarray(term[:, number]) for term in terms)
            twin = next((i for i in range(number) if self._alike(i, number)), None)
            if (own[0] == own[0][0]).all() and not any(slope.any() for slope in own[1:]):
                found.append(float(own[0][0]))
            else:
                found.append(own if twin is None else twin)
        return found

    def _alike(self, one: int, other: int) -> bool:
        """Whether two of the five numbers of a section are the same all along the loft."""
        return all(np.array_equal(term[:, one], term[:, other]) for term in (self.sections, *self._coefficients))

    @cached_property
    def _is_even(self) -> bool:
        """Whether it is as deep to the front as to the back."""
        return self._alike(3, 4)

    def distance(self, points: FloatArray) -> FloatArray:
        """Roughly the distance [m] from the surface, negative inside: f = rho (rho - 1) / |rho grad rho|.

        rho is the gauge of the section (1 on its rim). The distance is right to first order at the surface, up to
        the slope of the loft itself: where sections change quickly along the axis it is too long.
        """
        local = (points - self.origin) @ self.axes.T
        position = np.clip(local[:, 2], self.stations[0], self.stations[-1])
        aside, ahead, width, before, behind = self._columns_at(position)
        over = local[:, 2] - position
        side, front = local[:, 0] - aside, local[:, 1] - ahead
        depth = before if self._is_even else np.where(front > 0.0, before, behind)
        cap = self.caps[0] if self.caps[0] == self.caps[1] else np.where(over > 0.0, self.caps[1], self.caps[0])
        u, v, w = np.abs(side) / width, np.abs(front) / depth, over / cap
        if self.power == 2.0:
            flat, du, dv = u * u + v * v, u, v
        else:
            total = u**self.power + v**self.power + _TINY
            flat = total ** (2.0 / self.power)
            du, dv = (flat / total * x ** (self.power - 1.0) for x in (u, v))
        gauge = np.sqrt(flat + w * w)
        slope = np.sqrt((du / width) ** 2 + (dv / depth) ** 2 + (w / cap) ** 2)
        # At the very middle both vanish: their ratio tends to the half-width.
        return (gauge * (gauge - 1.0) - _TINY) / (slope + _TINY / width)

    def clearance(self, points: FloatArray) -> FloatArray:
        """Distance [m] from a box around the loft along its own axes: never more than the distance from the loft."""
        low, high = self._local_box
        local = (points - self.origin) @ self.axes.T
        return lengths(np.maximum(np.maximum(low - local, local - high), 0.0))

    @cached_property
    def _local_box(self) -> tuple[FloatArray, FloatArray]:
        dense = np.linspace(self.stations[0], self.stations[-1], 8 * len(self.stations))
        s = self.sections_at(dense)
        low = np.stack([s[:, 0] - s[:, 2], s[:, 1] - s[:, 4]], axis=1).min(axis=0)
        high = np.stack([s[:, 0] + s[:, 2], s[:, 1] + s[:, 3]], axis=1).max(axis=0)
        return np.array([*low, self.stations[0] - self.caps[0]]), np.array([*high, self.stations[-1] + self.caps[1]])

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of a box around the loft."""
        local_low, local_high = self._local_box
        middle, half = 0.5 * (local_low + local_high), 0.5 * (local_high - local_low)
        center = self.origin + middle @ self.axes
        reach = half @ np.abs(self.axes)
        return center - reach, center + reach


@dataclass(frozen=True, eq=False)
class Blob:
    """A loft that melts into (or, carved, is scooped out of) what came before it, over about `blend` [m]."""

    loft: Loft
    blend: float = 0.0
    carve: bool = False

    @cached_property
    def is_detail(self) -> bool:
        """Whether it only changes what is already there: a hollow, or a bump of a few centimetres."""
        low, high = self.loft.box
        return self.carve or float(np.linalg.norm(high - low)) < 0.06


@dataclass(frozen=True, eq=False)
class Part:
    """Blobs that belong together; the part melts into the body over `blend` [m] within `reach` [m] of `joint`."""

    blobs: tuple[Blob, ...]
    blend: float = 0.0
    joint: tuple[float, float, float] = (0.0, 0.0, 0.0)
    reach: float = 1.0

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of a box around all blobs that add flesh."""
        boxes = [blob.loft.box for blob in self.blobs if not blob.carve]
        return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)

    def distance(self, points: FloatArray, beyond: float) -> FloatArray:
        """Blend the blobs in order; points farther than `beyond` [m] from all of them count as just that far."""
        result, columns = np.full(len(points), np.inf), np.ascontiguousarray(points.T)
        for blob in self.blobs:
            near = _inside(columns, blob.loft.box, 1.1 * blob.blend + 0.01 if blob.is_detail else beyond)
            if not len(near):
                continue
            value, before = blob.loft.distance(points.take(near, axis=0)), result[near]
            if blob.carve:
                result[near] = -smooth_minimum(-before, value, blob.blend)
            else:
                result[near] = smooth_minimum(before, value, blob.blend)
        return np.minimum(result, beyond)


@dataclass(frozen=True, eq=False)
class Body:
    """Parts joined one after the other. A `mirrored` body is given by its left half (x >= 0)."""

    parts: tuple[Part, ...]
    mirrored: bool = field(default=False, kw_only=True)
    crease: float = field(default=0.004, kw_only=True)  # over how many metres the halves round into each other

    @cached_property
    def beyond(self) -> float:
        """Farther off than this [m] distances are only estimated; no blend reaches so far."""
        blends = [part.blend for part in self.parts] + [blob.blend for part in self.parts for blob in part.blobs]
        return 1.1 * max(blends) + 0.02

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of a box around the body."""
        low = np.min([part.box[0] for part in self.parts], axis=0)
        high = np.max([part.box[1] for part in self.parts], axis=0)
        if self.mirrored:
            low[0] = -high[0]
        return low, high

    def distance(self, points: FloatArray) -> FloatArray:
        """Roughly the signed distance [m] of points (N, 3) from the skin; past `beyond`, a lower bound of it."""
        given = np.asarray(points, dtype=np.float64)
        pieces = [self._distance(given[i : i + _CHUNK]) for i in range(0, len(given), _CHUNK)]
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def _distance(self, points: FloatArray) -> FloatArray:
        if self.mirrored:
            points = points.copy()
            points[:, 0] = np.sqrt(points[:, 0] ** 2 + self.crease**2)
        result, columns = np.full(len(points), np.inf), np.ascontiguousarray(points.T)
        for part in self.parts:
            near = _inside(columns, part.box, self.beyond)
            value = part.distance(points.take(near, axis=0), self.beyond)
            near, value = near[value < self.beyond], value[value < self.beyond]
            away = lengths(points[near] - np.asarray(part.joint)) / part.reach
            result[near] = smooth_minimum(result[near], value, part.blend * _fall(away))
        far = np.flatnonzero(np.isinf(result))
        result[far] = np.maximum(self._clearance(points[far]), self.beyond)
        return result

    def _clearance(self, points: FloatArray) -> FloatArray:
        """A lower bound [m] for the distance of points far from the body."""
        bounds = [
            part.blobs[0].loft.clearance(points) if len(part.blobs) == 1 else _box_distance(points, part.box)
            for part in self.parts
        ]
        return np.min(bounds, axis=0)


def loft(
    start: ArrayLike,
    end: ArrayLike,
    stations: Sequence[Sequence[float]],
    *,
    front: ArrayLike = (0.0, 0.0, 1.0),
    caps: tuple[float, float] | None = None,
    power: float = 2.0,
) -> Loft:
    """A loft along the line from `start` to `end`; each station is (fraction of the line, side, front, width, depths).

    A station may be cut short: (t, radius) is a circle, (t, width, depth) an ellipse, (t, width, front, back) a
    lopsided one, and (t, side, front, width, front depth, back depth) says everything. `front` tells which way the
    depths point. Caps are as long as the end sections are wide unless given.
    """
    begin, finish = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(finish - begin))
    along = (finish - begin) / length
    ahead = np.asarray(front, dtype=np.float64)
    ahead = ahead - along * (ahead @ along)
    ahead /= np.linalg.norm(ahead)
    rows = np.array([_section(station) for station in stations])
    ends = caps if caps is not None else (float(rows[0, 3:6].mean()), float(rows[-1, 3:6].mean()))
    axes = np.stack([np.cross(ahead, along), ahead, along])
    return Loft(begin, axes, rows[:, 0] * length, rows[:, 1:], ends, power)


def ellipsoid(center: ArrayLike, radii: tuple[float, float, float], *, rotation: FloatArray | None = None) -> Loft:
    """An ellipsoid with radii [m] along x, y and z, or along the rows of the rotation `turn` (3, 3)."""
    middle = np.asarray(center, dtype=np.float64)
    axes = np.eye(3) if rotation is None else np.asarray(rotation, dtype=np.float64)
    section = np.array([[0.0, 0.0, radii[0], radii[2], radii[2]]])
    return Loft(middle, np.stack([axes[0], axes[2], axes[1]]), np.zeros(1), section, (radii[1], radii[1]))


def smooth_minimum(a: FloatArray, b: FloatArray, blend: FloatArray | float) -> FloatArray:
    """The smaller of two distances, rounded off where they differ by less than `blend` [m].

    min(a, b) - h^3 k / 6 with h = max(k - |a - b|, 0) / k: twice differentiable, and plain minimum farther off.
    """
    width = np.maximum(blend, 1e-9)
    h = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.minimum(a, b) - h * h * h * width / 6.0


def _section(station: Sequence[float]) -> tuple[float, ...]:
    t, *rest = station
    if len(rest) == 1:
        return (t, 0.0, 0.0, rest[0], rest[0], rest[0])
    if len(rest) == 2:
        return (t, 0.0, 0.0, rest[0], rest[1], rest[1])
    if len(rest) == 3:
        return (t, 0.0, 0.0, rest[0], rest[1], rest[2])
    return (t, *rest)


def _spline_tangents(step: FloatArray, slope: FloatArray) -> FloatArray:
    """Slopes at the stations of the cubic spline through them, which is twice differentiable.

    Widths and depths end flat, where the caps take over; the middle line ends in the direction it had.
    """
    count = len(step) + 1
    system, right = np.eye(count), np.zeros((count, slope.shape[1]))
    right[0, :2], right[-1, :2] = slope[0, :2], slope[-1, :2]
    for i in range(1, count - 1):
        before, after = step[i - 1, 0], step[i, 0]
        system[i, i - 1 : i + 2] = after, 2.0 * (before + after), before
        right[i] = 3.0 * (after * slope[i - 1] + before * slope[i])
    return np.linalg.solve(system, right).astype(np.float64, copy=False)


def _box_distance(points: FloatArray, box: tuple[FloatArray, FloatArray]) -> FloatArray:
    low, high = box
    return lengths(np.maximum(np.maximum(low - points, points - high), 0.0))


def _inside(columns: FloatArray, box: tuple[FloatArray, FloatArray], margin: float) -> NDArray[np.intp]:
    """Which points, given as columns (3, N), lie in a box or less than `margin` [m] beside it."""
    result = np.ones(columns.shape[1], dtype=bool)
    for column, low, high in zip(columns, *box, strict=True):
        result &= column > low - margin
        result &= column < high + margin
    return np.flatnonzero(result)


def _fall(away: FloatArray) -> FloatArray:
    """One up to half the reach, zero beyond it, smooth between."""
    t = np.clip(2.0 * away - 1.0, 0.0, 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)
