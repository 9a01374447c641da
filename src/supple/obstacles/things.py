"""Things beside the character as meshes: what it meets, as it is shown and saved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.obstacles.shapes import Box, Capsule, MovingMesh, Plane, RigidBody, Sphere

_ROUND = 48  # corners around a ball
_SPACING = 0.03  # [m] between the corners of a flat side, which throw its shadow

_SQUARE = np.array([[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])  # seen from above


@dataclass(frozen=True, eq=False)
class Thing:
    """A mesh in its own frame: `points` (V, 3) [m] and `triangles` (T, 3); `name` says what it is."""

    points: FloatArray
    triangles: IntArray
    name: str = ""


def thing_of(body: RigidBody, *, spacing: float = _SPACING, floor: float | None = None) -> Thing | None:
    """A body's mesh; None for floors, walls and what has no mesh of its own that stays the same.

    `spacing` [m] is that between corners of a flat side. With `floor` [m], floors and walls are squares of that side.
    """
    if isinstance(body, Sphere):
        return Thing(*_capsule(body.radius, 0.0), body.name)
    if isinstance(body, Capsule):
        return Thing(*_capsule(body.radius, body.length), body.name)
    if isinstance(body, Box):
        return Thing(*_box(body.sides, spacing), body.name)
    if isinstance(body, Plane) and floor is not None:
        return Thing(0.5 * floor * _SQUARE, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32), body.name)
    if isinstance(body, MovingMesh):
        return Thing(body.points, body.triangles, body.name)
    return None


def _capsule(radius: float, length: float) -> tuple[FloatArray, IntArray]:
    """A ball cut in half, its halves moved apart along y by `length`."""
    rows, around = _ROUND // 2 + 1, _ROUND
    polar = np.linspace(0.0, np.pi, rows)
    if length > 0.0:  # the rim twice
        polar = np.insert(polar, rows // 2, polar[rows // 2])
    upper = np.arange(len(polar)) <= (len(polar) - 1) // 2
    angle = np.arange(around) * 2.0 * np.pi / around
    ring = radius * np.sin(polar)[:, None]
    height = radius * np.cos(polar) + np.where(upper, 0.5 * length, -0.5 * length)
    points = np.stack(
        [ring * np.sin(angle), np.broadcast_to(height[:, None], (len(polar), around)), ring * np.cos(angle)], axis=-1
    )
    return points.reshape(-1, 3), _grid(len(polar), around, closed=True)


def _box(sides: FloatArray, spacing: float) -> tuple[FloatArray, IntArray]:
    """Six sides, each a grid of its own, so that edges stay sharp."""
    points, triangles, count = [], [], 0
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        steps = [max(int(sides[other] / spacing), 1) + 1 for other in (one, two)]
        for sign in (1.0, -1.0):
            grid = np.zeros((steps[0], steps[1], 3))
            grid[..., axis] = 0.5 * sign * sides[axis]
            grid[..., one] = np.linspace(-0.5, 0.5, steps[0])[:, None] * sides[one] * sign
            grid[..., two] = np.linspace(-0.5, 0.5, steps[1])[None] * sides[two]
            points.append(grid.reshape(-1, 3))
            triangles.append(count + _grid(steps[0], steps[1], closed=False))
            count += steps[0] * steps[1]
    return np.concatenate(points), np.concatenate(triangles)


def _grid(rows: int, columns: int, *, closed: bool) -> IntArray:
    """Triangles over rows of points; `closed` joins the last of a row to its first."""
    row, column = (n.ravel() for n in np.mgrid[: rows - 1, : columns if closed else columns - 1])
    after = (column + 1) % columns
    a, b, c, d = (r * columns + k for r, k in ((row, column), (row + 1, column), (row + 1, after), (row, after)))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.int32)
