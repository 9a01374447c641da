"""Lenses: where a character is drawn larger while its mesh is made, so that hands and faces get smaller triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from supple.arrays import FloatArray


class Lens(Protocol):
    """Takes points of the drawing to points of the character; the identity outside its part of space."""

    def __call__(self, drawn: FloatArray) -> FloatArray:
        """Points (N, 3) of the character for points (N, 3) of the drawing [m]."""
        ...


@dataclass(frozen=True)
class EndLens:
    """Magnifies everything beyond a plane, about a line: the end of a limb, the head, the feet.

    The plane stands across `axis` (0, 1, 2 for x, y, z) at `origin`, and `slope` is the direction of the line, which
    leaves the plane on the magnified side (its component along `axis` is +1 or -1). The magnification rises from 1 to
    `power` over `width` [m]. A `mirrored` lens does the same on the side of negative x.
    """

    origin: tuple[float, float, float]
    axis: int
    slope: tuple[float, float, float]
    power: float
    width: float
    mirrored: bool = False

    def __call__(self, drawn: FloatArray) -> FloatArray:
        """Shrink what lies beyond the plane back to its true size."""
        points = drawn.copy()
        if self.mirrored:
            points[:, 0] = np.abs(points[:, 0])
        origin, slope = np.array(self.origin), np.array(self.slope)
        beyond = (points[:, self.axis] - origin[self.axis]) * slope[self.axis]
        far = beyond > 0.0
        depth = beyond[far]
        true_depth, scale = _shrunk(depth, self.power, self.width)
        off = points[far] - origin - depth[:, None] * slope
        points[far] = origin + true_depth[:, None] * slope + scale[:, None] * off
        if self.mirrored:
            points[:, 0] *= np.where(drawn[:, 0] < 0.0, -1.0, 1.0)
        return points


@dataclass(frozen=True)
class RadialLens:
    """Magnifies everything farther than `inner` [m] from the vertical axis, about a point at `height` [m]."""

    height: float
    inner: float
    power: float
    width: float

    def __call__(self, drawn: FloatArray) -> FloatArray:
        """Shrink what lies outside back to its true size."""
        radius = np.hypot(drawn[:, 0], drawn[:, 2])
        true_depth, _ = _shrunk(np.maximum(radius - self.inner, 0.0), self.power, self.width)
        scale = np.where(radius > self.inner, (self.inner + true_depth) / np.maximum(radius, 1e-9), 1.0)
        center = np.array([0.0, self.height, 0.0])
        return center + (drawn - center) * scale[:, None]


def through(lenses: tuple[Lens, ...], drawn: FloatArray) -> FloatArray:
    """Points of the character for points of the drawing, through all lenses."""
    for lens in lenses:
        drawn = lens(drawn)
    return drawn


def _shrunk(depth: FloatArray, power: float, width: float) -> tuple[FloatArray, FloatArray]:
    """True depth and scale at a drawn depth: the scale falls smoothly from 1 to 1 / power over `width`."""
    t = np.clip(depth / width, 0.0, 1.0)
    loss = 1.0 - 1.0 / power
    scale = 1.0 - loss * t * t * (3.0 - 2.0 * t)
    inside = width * (t - loss * (t**3 - 0.5 * t**4))
    return inside + np.maximum(depth - width, 0.0) / power, scale
