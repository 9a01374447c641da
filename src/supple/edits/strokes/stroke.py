"""A stroke: a smooth curve through a few knots, measured by its length, with a frame and a time at every place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.edits.strokes.reduction import simplify
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.vectors import cross

_WHERE = "Stroke"
_CELLS = 16  # pieces of a Bézier segment in which its length is tabled
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(6)
MOST_KNOTS = 10_000
_TOLERANCE = 0.01  # of the size of what was drawn
_PRESSURE = 0.02  # by how much pressure between knots may be off
_TIMING = 0.01  # of the whole time, or of the length, that the course of a hand may be off by
_MOST_STEPS = 60  # halvings alone are as fine as numbers are after these
_AT_ONCE = 1024  # points whose way to the whole curve is looked at together


@dataclass(frozen=True, eq=False)
class Stroke:
    """A composite cubic Bézier curve through `knots` (K, 3) [m], drawn at `times` (K,) [s].

    Position, direction and curvature match where segments meet (the natural cubic spline over chord lengths). Places on
    it are shares t of its length, 0 to 1. `pressures` (K,), 0 to 1, are how hard the pen was pressed; None for a device
    that does not say.
    """

    knots: FloatArray
    times: FloatArray
    pressures: FloatArray | None = None

    def __post_init__(self) -> None:
        knots = frozen(self.knots, np.float64, (-1, 3), _WHERE, "knots")
        times = frozen(self.times, np.float64, (len(knots),), _WHERE, "times")
        if not 2 <= len(knots) <= MOST_KNOTS:
            raise InputError(
                _WHERE,
                f"there are {len(knots)} knots",
                f"2 to {MOST_KNOTS} are needed",
                "draw a longer stroke, or reduce it",
            )
        if (np.abs(np.diff(knots, axis=0)).max(axis=1) == 0.0).any():
            raise InputError(_WHERE, "two knots after each other are in one place", "they must differ", "drop one")
        if (np.diff(times) < 0.0).any():
            raise InputError(_WHERE, "its times go back", "a stroke is drawn forward in time", "sort the samples")
        object.__setattr__(self, "knots", knots)
        object.__setattr__(self, "times", times)
        if self.pressures is not None:
            object.__setattr__(self, "pressures", check_pressures(self.pressures, len(knots), _WHERE))

    @classmethod
    def from_samples(
        cls,
        samples: ArrayLike,
        *,
        times: ArrayLike | None = None,
        pressures: ArrayLike | None = None,
        tolerance: float | None = None,
        keep_times: bool = False,
    ) -> Stroke:
        """From what a device recorded, `samples` (N, 3) [m], reduced to knots within `tolerance` [m].

        Without `times` (N,) [s] it was drawn in one second; without a tolerance that is a hundredth of its own size.
        Knots are also kept where `pressures` (N,), 0 to 1, would be off by more than 0.02, and with `keep_times` where
        the hand was faster or slower, for timing by gesture.
        """
        given = frozen(samples, np.float64, (-1, 3), _WHERE, "samples")
        when = np.linspace(0.0, 1.0, len(given)) if times is None else times
        clock = frozen(when, np.float64, (len(given),), _WHERE, "times")
        if len(given) == 0:
            raise InputError(_WHERE, "there are no samples", "at least two places are needed", "draw a stroke")
        moved = np.concatenate([[True], np.abs(np.diff(given, axis=0)).max(axis=1) > 0.0])
        given, clock = given[moved], clock[moved]
        size = float(np.ptp(given, axis=0).max())
        keep = simplify(given, _TOLERANCE * size if tolerance is None else tolerance)
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(given, axis=0), axis=1))])
        along /= max(float(along[-1]), 1e-300)
        if keep_times:
            course = np.stack([along, (clock - clock[0]) / max(float(np.ptp(clock)), 1e-300)], axis=1)
            keep = np.union1d(keep, simplify(course, _TIMING))
        if pressures is None:
            return cls(given[keep], clock[keep])
        hard = check_pressures(pressures, len(moved), _WHERE)[moved]
        keep = np.union1d(keep, simplify(np.stack([along, hard], axis=1), _PRESSURE))
        return cls(given[keep], clock[keep], hard[keep])

    def with_knot(self, number: int, position: ArrayLike) -> Stroke:
        """With one knot dragged to another place (3,) [m]."""
        knots = self.knots.copy()
        knots[self._check_knot(number, "move")] = frozen(position, np.float64, (3,), _WHERE, "place")
        return replace(self, knots=knots)

    def at_pace(self, speed: float) -> Stroke:
        """As if it had been drawn at one speed [m/s] from end to end, from time 0 on."""
        if not speed > 0.0 or not np.isfinite(speed):
            raise InputError(_WHERE, f"speed is {speed}", "it must be above 0", "use metres per second")
        return replace(self, times=self.knot_fractions * self.length / speed)

    def insert_knot(self, t: float) -> Stroke:
        """With one more knot, on the curve at a share t of its length; the curve stays nearly as it is."""
        u = float(self._parameter(t))
        after = int(np.floor(u)) + 1
        if not 0.0 < t < 1.0 or float(np.abs(self.at(t) - self.knots).max(axis=1).min()) <= 1e-9 * self.length:
            raise InputError(_WHERE, f"a knot was to go to {t}", "there is one already", "choose a place between knots")
        pressures = None if self.pressures is None else np.insert(self.pressures, after, self.pressure_at(t))
        times = np.insert(self.times, after, self.time_at(t))
        return Stroke(np.insert(self.knots, after, self.at(t), axis=0), times, pressures)

    def delete_knot(self, number: int) -> Stroke:
        """Without one of its knots; two are the least."""
        keep = np.arange(len(self.knots)) != self._check_knot(number, "go")
        pressures = None if self.pressures is None else self.pressures[keep]
        return Stroke(self.knots[keep], self.times[keep], pressures)

    def move(self, offset: ArrayLike) -> Stroke:
        """All of it moved by an offset (3,) [m]."""
        return replace(self, knots=self.knots + frozen(offset, np.float64, (3,), _WHERE, "offset"))

    def _check_knot(self, number: int, what: str) -> int:
        if not 0 <= number < len(self.knots):
            raise InputError(
                _WHERE,
                f"knot {number} was to {what}",
                f"there are knots 0 to {len(self.knots) - 1}",
                "choose one of those",
            )
        return number

    @cached_property
    def bezier(self) -> FloatArray:
        """Control points (K - 1, 4, 3) of the segments."""
        chords = np.linalg.norm(np.diff(self.knots, axis=0), axis=1)
        if len(self.knots) == 2:
            slopes = np.repeat((self.knots[1:] - self.knots[:1]) / chords[0], 2, axis=0)
        else:
            from scipy.interpolate import CubicSpline

            positions = np.concatenate([[0.0], np.cumsum(chords)])
            slopes = CubicSpline(positions, self.knots, bc_type="natural")(positions, 1)
        third = chords[:, None] / 3.0
        start, end = self.knots[:-1], self.knots[1:]
        return np.stack([start, start + third * slopes[:-1], end - third * slopes[1:], end], axis=1)

    @cached_property
    def _table(self) -> FloatArray:
        """Length (cells + 1,) [m] up to every cell's border."""
        borders = np.linspace(0.0, len(self.bezier), len(self.bezier) * _CELLS + 1)
        return np.concatenate([[0.0], np.cumsum(self._spans(borders[:-1], borders[1:]))])

    @property
    def length(self) -> float:
        """Its length [m]."""
        return float(self._table[-1])

    @property
    def knot_fractions(self) -> FloatArray:
        """Shares (K,) of its length at which its knots are."""
        return self._fraction(np.arange(len(self.knots), dtype=np.float64))

    def at(self, t: ArrayLike) -> FloatArray:
        """Places (..., 3) [m] at shares `t` (...) of its length."""
        return self._curve(self._parameter(t), 0)

    def time_at(self, t: ArrayLike) -> FloatArray:
        """When it was drawn there (...) [s]; between knots the hand went evenly."""
        return np.asarray(np.interp(np.asarray(t, dtype=np.float64), self.knot_fractions, self.times))

    def pressure_at(self, t: ArrayLike) -> FloatArray:
        """How hard the pen was pressed there (...), 0 to 1; 1 throughout where the device did not say."""
        u = self._parameter(t)
        if self.pressures is None:
            return np.ones(np.shape(u))
        return np.asarray(np.interp(u, np.arange(len(self.knots)), self.pressures))

    def heights(self, points: ArrayLike, height: float) -> FloatArray:
        """Heights (N,) [m] for `raised`: `height` [m] times the pressure at the nearest places to `points` (N, 3)."""
        return height * self.pressure_at(self.nearest(points)[0])

    def tangents(self, t: ArrayLike) -> FloatArray:
        """Unit directions (..., 3)."""
        return self._directions(self._parameter(t))

    def frames(self, t: ArrayLike, *, normal: ArrayLike | None = None) -> FloatArray:
        """Rotations (..., 3, 3) whose columns are direction, normal and binormal at shares `t`.

        They turn about the curve as little as they can (Frenet's are not there on straight stretches and flip where the
        curve bends the other way). `normal` (3,) is the one at the start; without it, one is chosen.
        """
        frames = self._frames(np.atleast_1d(self._parameter(t)), normal)
        return frames.reshape(*np.shape(t), 3, 3)

    def _frames(self, u: FloatArray, normal: ArrayLike | None = None) -> FloatArray:
        """The frames (N, 3, 3) at parameters (N,)."""
        grid, positions, directions = self._grid
        first = quaternions.perpendicular(directions[0]) if normal is None else np.asarray(normal, dtype=np.float64)
        aside = first - (first @ directions[0]) * directions[0]
        if not np.linalg.norm(aside) > 1e-6 * np.linalg.norm(first):
            raise InputError(_WHERE, "normal lies along the stroke", "it must point aside", "use another one")
        # Whatever the first normal is, all others keep their angle to those that start from another one.
        normals, binormals = self._transported
        cosine, sine = quaternions.normalize(aside) @ normals[0], quaternions.normalize(aside) @ binormals[0]
        cell = np.clip(np.searchsorted(grid, u, side="right") - 1, 0, len(grid) - 2)
        here = self._curve(u, 0), self._directions(u)
        aside = _transport_normal(
            cosine * normals[cell] + sine * binormals[cell],
            positions[cell],
            directions[cell],
            position=here[0],
            direction=here[1],
        )
        return np.stack([here[1], aside, cross(here[1], aside)], axis=-1)

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Parameters (G,) of the cells' borders, and the places and unit directions (G, 3) there."""
        grid = np.linspace(0.0, len(self.bezier), len(self.bezier) * _CELLS + 1)
        return grid, self._curve(grid, 0), self._directions(grid)

    @cached_property
    def _transported(self) -> tuple[FloatArray, FloatArray]:
        """Normals and binormals (G, 3) on the grid, carried along from one at the start."""
        _, positions, directions = self._grid
        steps = _transport_normal(
            np.broadcast_to(np.eye(3)[:, None], (3, len(positions) - 1, 3)),
            positions[:-1],
            directions[:-1],
            position=positions[1:],
            direction=directions[1:],
            upright=False,
        )
        normals = np.empty_like(directions)
        normals[0] = quaternions.perpendicular(directions[0])
        for n, step in enumerate(np.ascontiguousarray(np.moveaxis(steps, 0, 1))):
            normals[n + 1] = normals[n] @ step
        normals = quaternions.normalize(normals - np.sum(normals * directions, axis=1, keepdims=True) * directions)
        return normals, cross(directions, normals)

    def nearest(self, points: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The share t (N,) of the nearest place on the stroke to each of `points` (N, 3), and how far it is [m]."""
        u, distances = self.nearest_parameters(points)
        return self._fraction(u), distances

    def nearest_parameters(self, points: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The same by the curve's own parameters u (N,): the segment's number and how far through it the place is."""
        given = frozen(points, np.float64, (-1, 3), _WHERE, "points")
        if len(given) == 0:
            return np.zeros(0), np.zeros(0)
        grid, positions, _ = self._grid
        owner, start = self._valleys(given, positions)
        aims = given[owner]
        u = self._descend(grid[np.maximum(start - 1, 0)], grid[np.minimum(start + 1, len(grid) - 1)], grid[start], aims)
        squares = self._squares(u, aims)
        order = np.lexsort((squares, owner))  # the best valley of each point comes first
        first = order[np.searchsorted(owner[order], np.arange(len(given)))]
        return u[first], np.sqrt(squares[first])

    def _descend(self, low: FloatArray, high: FloatArray, u: FloatArray, points: FloatArray) -> FloatArray:
        """Parameters (M,) of the nearest places to `points` (M, 3) between two others, from `u` on.

        By Newton's method on the slope of the squared distance; a step that leaves what is left is a halving.
        """
        for _ in range(_MOST_STEPS):
            away, speed = self._curve(u, 0) - points, self._curve(u, 1)
            slope = np.einsum("ni,ni->n", away, speed)
            bend = np.einsum("ni,ni->n", speed, speed) + np.einsum("ni,ni->n", away, self._curve(u, 2))
            low, high = np.where(slope < 0.0, u, low), np.where(slope > 0.0, u, high)
            step = u - slope / np.where(bend > 0.0, bend, 1.0)
            beyond = (bend <= 0.0) | (step < low) | (step > high)
            following = np.where(slope == 0.0, u, np.where(beyond, 0.5 * (low + high), step))
            settled = np.abs(following - u).max() <= 1e-14 * len(self.bezier)
            u = following
            if settled:
                break
        return u

    def _valleys(self, points: FloatArray, positions: FloatArray) -> tuple[IntArray, IntArray]:
        """Points and grid places (M,) where the nearest place may be: every valley that could still be the deepest."""
        longest = float(np.diff(self._table).max())
        owners, starts = [], []
        for first in range(0, len(points), _AT_ONCE):
            some = points[first : first + _AT_ONCE]
            away = np.linalg.norm(positions - some[:, None], axis=2)
            padded = np.pad(away, ((0, 0), (1, 1)), constant_values=np.inf)
            deep = away <= away.min(axis=1, keepdims=True) + longest
            owner, start = np.nonzero((away <= padded[:, :-2]) & (away <= padded[:, 2:]) & deep)
            owners.append(first + owner)
            starts.append(start)
        return np.concatenate(owners).astype(np.int32), np.concatenate(starts).astype(np.int32)

    def _squares(self, u: FloatArray, points: FloatArray) -> FloatArray:
        return np.asarray(np.sum((self._curve(u, 0) - points) ** 2, axis=1))

    def _curve(self, u: FloatArray, order: int) -> FloatArray:
        """The curve or one of its first two derivatives at parameters `u` (...): the whole part names the segment."""
        segment = np.clip(np.floor(u).astype(int), 0, len(self.bezier) - 1)
        v = (u - segment)[..., None]
        control = self.bezier[segment]
        a, b, c, d = control[..., 0, :], control[..., 1, :], control[..., 2, :], control[..., 3, :]
        w = 1.0 - v
        if order == 0:
            return np.asarray(w**3 * a + 3.0 * w * w * v * b + 3.0 * w * v * v * c + v**3 * d)
        if order == 2:
            return np.asarray(6.0 * (w * (c - 2.0 * b + a) + v * (d - 2.0 * c + b)))
        return np.asarray(3.0 * (w * w * (b - a) + 2.0 * w * v * (c - b) + v * v * (d - c)))

    def _directions(self, u: FloatArray) -> FloatArray:
        """Unit tangents; at a cusp, where the derivative vanishes, that of a place close by."""
        directions = self._curve(u, 1)
        size = np.linalg.norm(directions, axis=-1, keepdims=True)
        beside = np.where(u < 0.5, u + 1e-4, u - 1e-4)
        return quaternions.normalize(np.where(size > 1e-9 * self.length, directions, self._curve(beside, 1)))

    def _spans(self, start: FloatArray, end: FloatArray) -> FloatArray:
        """Lengths [m] between parameters within one segment, by Gauss's rule."""
        segment = np.minimum(np.floor(start), len(self.bezier) - 1)  # the end may be the next one's start
        half = 0.5 * (end - start)
        at = 0.5 * (start + end)[..., None] + half[..., None] * _GAUSS_NODES
        inside = np.clip(at, segment[..., None], np.nextafter(segment[..., None] + 1.0, 0.0))
        return np.asarray(half * (np.linalg.norm(self._curve(inside, 1), axis=-1) @ _GAUSS_WEIGHTS))

    def _fraction(self, u: FloatArray) -> FloatArray:
        """Share of the length (...) at parameters."""
        cell = np.clip(np.floor(u * _CELLS).astype(int), 0, len(self._table) - 2)
        lengths = self._table[cell] + self._spans(cell / _CELLS, u)
        return np.clip(lengths / self.length, 0.0, 1.0)  # rounding may lead past the end

    def _parameter(self, t: ArrayLike) -> FloatArray:
        """Parameters (...) at shares of the length, by Newton's method from the table."""
        fraction = np.asarray(t, dtype=np.float64)
        if not np.isfinite(fraction).all() or (fraction < 0.0).any() or (fraction > 1.0).any():
            raise InputError(
                _WHERE, "a share of its length lies outside 0 to 1", "0 is its start and 1 its end", "clip it"
            )
        wanted = fraction * self.length
        cell = np.clip(np.searchsorted(self._table, wanted, side="right") - 1, 0, len(self._table) - 2)
        start, size = cell / _CELLS, np.maximum(self._table[cell + 1] - self._table[cell], 1e-300)
        u = start + (wanted - self._table[cell]) / size / _CELLS
        for _ in range(4):
            speed = np.maximum(np.linalg.norm(self._curve(u, 1), axis=-1), 1e-9 * self.length)
            u = u - (self._table[cell] + self._spans(start, u) - wanted) / speed
            u = np.clip(u, start, start + 1.0 / _CELLS)
        return np.asarray(u)


def check_pressures(pressures: ArrayLike, count: int, where: str) -> FloatArray:
    """One pressure for each of `count` samples, 0 to 1."""
    given = frozen(pressures, np.float64, (count,), where, "pressures")
    if len(given) and (given.min() < 0.0 or given.max() > 1.0):
        raise InputError(
            where, f"pressures go from {given.min():g} to {given.max():g}", "0 to 1 is needed", "clip them"
        )
    return given


def _transport_normal(
    normal: FloatArray,
    start: FloatArray,
    before: FloatArray,
    *,
    position: FloatArray,
    direction: FloatArray,
    upright: bool = True,
) -> FloatArray:
    """The normal taken from `start` to `place` without turning about the curve: two reflections [Wang2008].

    Being `upright` to the curve and of length one is then made sure of; any vector that is not stays as it is without.
    """
    step = position - start
    square = np.sum(step * step, axis=-1, keepdims=True)
    half = np.where(square > 0.0, 2.0 / np.where(square > 0.0, square, 1.0), 0.0)
    mirrored = normal - half * np.sum(step * normal, axis=-1, keepdims=True) * step
    ahead = before - half * np.sum(step * before, axis=-1, keepdims=True) * step
    rest = direction - ahead
    square = np.sum(rest * rest, axis=-1, keepdims=True)
    half = np.where(square > 1e-24, 2.0 / np.where(square > 1e-24, square, 1.0), 0.0)
    found = mirrored - half * np.sum(rest * mirrored, axis=-1, keepdims=True) * rest
    if not upright:
        return np.asarray(found)
    return quaternions.normalize(found - np.sum(found * direction, axis=-1, keepdims=True) * direction)


def carry_along(baseline: Stroke, offset: Stroke, points: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Where `points` (N, 3) go when `baseline` becomes `offset`: o(t) + R d, and the turns R (N, 3, 3).

    t is the nearest place on the baseline, d the way from there; R is the turn between the two frames at t
    [Toothman2020, Sec. 7.2]. The offset's frames start as the baseline's, turned to its first direction by the least
    turn, so that equal strokes move nothing.
    """
    given = frozen(points, np.float64, (-1, 3), "carry_along", "points")
    return carry_from(baseline, offset, given, parameters=baseline.nearest_parameters(given)[0])


def carry_from(
    baseline: Stroke, offset: Stroke, points: FloatArray, *, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same where the nearest places are known already, by the baseline's `parameters` (N,)."""
    start = baseline._frames(np.zeros(1))[0]
    rotation = quaternions.matrix_from_quat(quaternions.rotation_between(start[:, 0], offset._grid[2][0]))
    there = offset._parameter(baseline._fraction(parameters))
    before, after = baseline._frames(parameters), offset._frames(there, rotation @ start[:, 1])
    rotations = after @ np.swapaxes(before, -1, -2)
    away = points - baseline._curve(parameters, 0)
    return offset._curve(there, 0) + np.einsum("nij,nj->ni", rotations, away), rotations
