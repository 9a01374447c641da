"""How the skin is looked at: pixels of places, and rays through pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError

_WHERE = "View"
_UP = (0.0, 1.0, 0.0)
_AHEAD = (0.0, 0.0, 1.0)  # above in the picture where y runs straight into it, looking up; looking down, the other way


@dataclass(frozen=True)
class View:
    """From `position` [m] towards `target` [m]; `view_angle` [rad] from lower to upper edge; `size` in pixels.

    Pixels are (across, down) from the upper left corner; the middle of the first one is (0.5, 0.5). `up` is the
    direction that stands upright in the picture; a view straight along it has the front of the character (+z) below
    when it looks down, and above when it looks up. `lens` is what `from_matrices` found, rows (3, 4) from places as the
    eye sees them (right, up, back, 1) to pixels and what divides them; else it follows from the view angle.
    """

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    view_angle: float
    size: tuple[int, int]
    up: tuple[float, float, float] = _UP
    lens: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("position", "target", "up"):
            vector = frozen(getattr(self, name), np.float64, (3,), _WHERE, name)
            object.__setattr__(self, name, tuple(float(x) for x in vector))
        if not (len(self.size) == 2 and all(1 <= side <= 16384 for side in self.size)):
            raise InputError(_WHERE, f"size is {self.size}", "width and height are 1 to 16384", "try (720, 900)")
        if self.lens is None and not 0.0 < self.view_angle < math.pi:
            raise InputError(_WHERE, f"view_angle is {self.view_angle}", "0 to pi is needed", "try 0.4")
        if np.linalg.norm(np.subtract(self.position, self.target)) < 1e-12:
            raise InputError(_WHERE, "it looks at its own place", "it must look somewhere", "move it or its target")
        if np.linalg.norm(self.up) < 1e-12:
            raise InputError(_WHERE, f"up is {self.up}", "a direction is needed", "leave it out for +y")

    @classmethod
    def of(cls, camera: Any, size: tuple[int, int]) -> View:
        """The view of a camera, anything with `position`, `target` and `view_angle`, in a picture of `size`."""
        return cls(camera.position, camera.target, camera.view_angle, (int(size[0]), int(size[1])))

    @classmethod
    def orthographic(
        cls, position: ArrayLike, target: ArrayLike, *, height: float, size: tuple[int, int], up: ArrayLike = _UP
    ) -> View:
        """A view whose rays are all parallel, with `height` [m] from the lower to the upper edge of the picture."""
        if not (math.isfinite(height) and height > 0.0):
            raise InputError(_WHERE, f"height is {height}", "metres above zero are needed", "try the character's size")
        scale = size[1] / height
        lens = ((scale, 0.0, 0.0, size[0] / 2.0), (0.0, -scale, 0.0, size[1] / 2.0), (0.0, 0.0, 0.0, 1.0))
        eye, aim, upright = (tuple(np.asarray(place, dtype=np.float64).tolist()) for place in (position, target, up))
        return cls(eye, aim, 0.0, size, upright, lens)

    @classmethod
    def from_matrices(cls, eye_from_world: ArrayLike, projection: ArrayLike, size: tuple[int, int]) -> View:
        """From the matrices (4, 4) of a graphics program: the eye looks along its own -z, and the picture is -1 to 1.

        These are what OpenGL, WebGL, glTF and WebXR say (columns are vectors, y up). The projection may be perspective
        or orthographic, and lopsided as that of a headset's eye is; how it maps depths is of no account.
        """
        seen = frozen(eye_from_world, np.float64, (4, 4), _WHERE, "eye_from_world")
        clip = frozen(projection, np.float64, (4, 4), _WHERE, "projection")
        rotation = seen[:3, :3]
        rigid = np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-4 and np.linalg.det(rotation) > 0.0
        if not rigid or np.abs(seen[3] - [0.0, 0.0, 0.0, 1.0]).max() > 1e-9:
            raise InputError(
                _WHERE, "eye_from_world does more than turn and move", "it must be rigid", "take scales out of it"
            )
        last = np.round(clip[3], 6)
        if not (np.array_equal(last, [0.0, 0.0, -1.0, 0.0]) or np.array_equal(last, [0.0, 0.0, 0.0, 1.0])):
            raise InputError(
                _WHERE,
                f"the last row of the projection is {tuple(clip[3].tolist())}",
                "(0, 0, -1, 0), or (0, 0, 0, 1) for parallel rays, is needed",
                "use a projection as OpenGL has it, columns being vectors",
            )
        wide, high = int(size[0]), int(size[1])
        lens = np.stack([0.5 * wide * (last + clip[0]), 0.5 * high * (last - clip[1]), last])
        if abs(np.linalg.det(lens[:2, :2])) < 1e-12 * np.abs(lens[:2]).max() ** 2:
            raise InputError(_WHERE, "the projection is flat", "it must show width and height", "check its first rows")
        position = -rotation.T @ seen[:3, 3]
        angle = 0.0 if last[2] == 0.0 else 2.0 * math.atan(abs(1.0 / clip[1, 1]))
        rows = tuple(tuple(float(x) for x in row) for row in lens)
        eye, aim, upright = (tuple(x.tolist()) for x in (position, position - rotation[2], rotation[1]))
        return cls(eye, aim, angle, (wide, high), upright, rows)

    @cached_property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Unit vectors to the right, up, and back towards the viewer."""
        back = np.subtract(self.position, self.target)
        back = back / np.linalg.norm(back)
        upright = np.divide(self.up, np.linalg.norm(self.up))
        if np.linalg.norm(np.cross(upright, back)) < 1e-9:  # straight along it
            upright = np.asarray(_UP if abs(back[2]) > 0.9 else _AHEAD) * (-1.0 if back[1] > 0.9 else 1.0)
        right = np.cross(upright, back)
        right = right / np.linalg.norm(right)
        return right, np.cross(back, right), back

    @cached_property
    def rows(self) -> FloatArray:
        """What takes places as the eye sees them (right, up, back, 1) to pixels times w, and w: (3, 4)."""
        if self.lens is not None:
            return np.array(self.lens, dtype=np.float64)
        wide, high = self.size
        scale = high / (2.0 * math.tan(self.view_angle / 2.0))
        return np.array([[scale, 0.0, -wide / 2.0, 0.0], [0.0, -scale, -high / 2.0, 0.0], [0.0, 0.0, -1.0, 0.0]])

    @property
    def is_parallel(self) -> bool:
        """Whether all its rays run the same way."""
        return bool(self.rows[2, 2] == 0.0)

    @property
    def pixels_per_slope(self) -> float:
        """Pixels from the middle for a ray that goes one metre aside per metre ahead."""
        return 1.0 / float(self.pixel_size(1.0))

    def pixel_size(self, depth: ArrayLike) -> FloatArray:
        """How wide a pixel is (...) [m] at a distance ahead (...) [m]."""
        scale = math.sqrt(abs(float(np.linalg.det(self.rows[:2, :2]))))
        return np.asarray((self.rows[2, 3] - self.rows[2, 2] * np.asarray(depth, dtype=np.float64)) / scale)

    def towards_eye(self, points: ArrayLike) -> FloatArray:
        """Directions (..., 3) from places (..., 3) to the viewer, of any length."""
        given = np.asarray(points, dtype=np.float64)
        return np.broadcast_to(self.axes[2], given.shape) if self.is_parallel else self._eye - given

    @property
    def _eye(self) -> FloatArray:
        """Where all rays meet [m]; the view's position unless the projection moves it."""
        rows = self.rows
        seen = np.zeros(3)
        seen[2] = -rows[2, 3] / rows[2, 2]
        seen[:2] = np.linalg.solve(rows[:2, :2], -(rows[:2, 2] * seen[2] + rows[:2, 3]))
        return np.asarray(self.position + seen @ np.stack(self.axes))

    def project(self, points: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Pixels (..., 2) of points (..., 3), and how far ahead they are (...) [m]; behind the eye that is negative."""
        seen = (np.asarray(points, dtype=np.float64) - self.position) @ np.stack(self.axes, axis=1)
        spread = seen @ self.rows[:, :3].T + self.rows[:, 3]
        divisor = spread[..., 2:]
        safe = np.where(np.abs(divisor) > 1e-12, divisor, 1e-12)
        return spread[..., :2] / safe, -seen[..., 2]

    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> FloatArray:
        """The places (..., 3) [m] that `project` takes to pixels (..., 2), as far ahead as `depths` (...) [m] say."""
        given, ahead = np.asarray(pixels, dtype=np.float64), np.asarray(depths, dtype=np.float64)[..., None]
        rows = self.rows
        divisor = rows[2, 3] - rows[2, 2] * ahead
        aside = (given * divisor - rows[:2, 3] + rows[:2, 2] * ahead) @ np.linalg.inv(rows[:2, :2]).T
        right, up, back = self.axes
        return np.asarray(self.position + aside[..., :1] * right + aside[..., 1:] * up - ahead * back)

    def rays(self, pixels: ArrayLike) -> FloatArray:
        """Unit directions (..., 3) from the eye through pixels (..., 2)."""
        given = np.asarray(pixels, dtype=np.float64)
        ones = np.ones(given.shape[:-1])
        directions = self.unproject(given, 2.0 * ones) - self.unproject(given, ones)
        return np.asarray(directions / np.linalg.norm(directions, axis=-1, keepdims=True))

    def origins(self, pixels: ArrayLike) -> FloatArray:
        """Where the rays through pixels (..., 2) start (..., 3) [m]: at the eye, or side by side if parallel."""
        given = np.asarray(pixels, dtype=np.float64)
        if self.is_parallel:
            return self.unproject(given, np.zeros(given.shape[:-1]))
        return np.broadcast_to(self._eye, (*given.shape[:-1], 3))

    def on_plane(self, pixels: ArrayLike, point: ArrayLike, *, normal: ArrayLike | None = None) -> FloatArray:
        """Places (N, 3) [m] where rays through `pixels` (N, 2) meet the plane through `point` (3,).

        Without a `normal` the plane faces the viewer. A pixel whose ray misses the plane is refused.
        """
        given = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
        across = np.asarray(self.axes[2] if normal is None else normal, dtype=np.float64)
        directions, starts = self.rays(given), self.origins(given)
        slope = directions @ across
        away = (np.asarray(point, dtype=np.float64) - starts) @ across
        ahead = away / np.where(np.abs(slope) > 1e-12, slope, np.inf)
        if (ahead <= 0.0).any():
            pixel = given[int(np.argmax(ahead <= 0.0))]
            raise InputError(
                _WHERE,
                f"the ray through pixel ({pixel[0]:g}, {pixel[1]:g}) misses the plane",
                "a stroke must lie on it",
                "turn the plane towards the viewer",
            )
        return np.asarray(starts + ahead[:, None] * directions)
