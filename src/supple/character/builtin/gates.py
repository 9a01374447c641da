"""Gates: functions of space that rise smoothly from 0 to 1, from which skin weights are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from supple.arrays import FloatArray
from supple.geometry.vectors import smoothstep

Point = tuple[float, float, float]


class Gate(Protocol):
    """How much of a point belongs to whatever the gate lets in."""

    def __call__(self, points: FloatArray) -> FloatArray:
        """Values (N,) from 0 to 1 for points (N, 3)."""
        ...


@dataclass(frozen=True)
class Beyond:
    """Lets in what lies beyond a plane through `point` across `normal`; the rise is twice `width` [m] long."""

    point: Point
    normal: Point
    width: float

    def __call__(self, points: FloatArray) -> FloatArray:
        """1 well beyond the plane, 0 well before it."""
        normal = np.array(self.normal) / np.linalg.norm(self.normal)
        return rise((points - np.array(self.point)) @ normal, self.width)


@dataclass(frozen=True)
class Near:
    """Lets in what lies nearer than `inner` [m] to the line from `start` to `end`, and nothing past `outer` [m]."""

    start: Point
    end: Point
    inner: float
    outer: float

    def __call__(self, points: FloatArray) -> FloatArray:
        """1 near the line, 0 far off."""
        away = distance_to_segment(points, np.array(self.start), np.array(self.end))
        half = 0.5 * (self.outer - self.inner)
        return rise(self.inner + half - away, half)


@dataclass(frozen=True)
class Both:
    """Lets in what both gates let in."""

    one: Gate
    other: Gate

    def __call__(self, points: FloatArray) -> FloatArray:
        """The product of the two."""
        return self.one(points) * self.other(points)


def rise(distance: FloatArray, width: FloatArray | float) -> FloatArray:
    """0 below -width, 1 above +width, smooth between."""
    return smoothstep(distance, -width, width)


def distance_to_segment(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distance [m] of points (N, 3) from the line between two points."""
    along = end - start
    t = np.clip((points - start) @ along / max(float(along @ along), 1e-18), 0.0, 1.0)
    return np.linalg.norm(points - start - t[:, None] * along, axis=1)
