"""How the skin is looked at: pixels of places, and rays through pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError

_WHERE = "View"


@dataclass(frozen=True)
class View:
    """From `position` [m] towards `target` [m], y up; `view_angle` [rad] from lower to upper edge; `size` in pixels.

    Pixels are (across, down) from the upper left corner; the middle of the first one is (0.5, 0.5).
    """

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    view_angle: float
    size: tuple[int, int]

    def __post_init__(self) -> None:
        for name in ("position", "target"):
            position = frozen(getattr(self, name), np.float64, (3,), _WHERE, name)
            object.__setattr__(self, name, tuple(float(x) for x in position))
        if not (len(self.size) == 2 and all(1 <= side <= 16384 for side in self.size)):
            raise InputError(_WHERE, f"size is {self.size}", "width and height are 1 to 16384", "try (720, 900)")
        if not 0.0 < self.view_angle < math.pi:
            raise InputError(_WHERE, f"view_angle is {self.view_angle}", "0 to pi is needed", "try 0.4")
        across = np.cross(np.subtract(self.position, self.target), [0.0, 1.0, 0.0])
        if np.linalg.norm(across) < 1e-9:
            raise InputError(_WHERE, "it looks straight up or down, or at itself", "up must be seen", "move it aside")

    @classmethod
    def of(cls, camera: Any, size: tuple[int, int]) -> View:
        """The view of a camera, anything with `position`, `target` and `view_angle`, in a picture of `size`."""
        return cls(camera.position, camera.target, camera.view_angle, (int(size[0]), int(size[1])))

    @property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Unit vectors to the right, up, and back towards the viewer."""
        back = np.subtract(self.position, self.target)
        back = back / np.linalg.norm(back)
        right = np.cross([0.0, 1.0, 0.0], back)
        right = right / np.linalg.norm(right)
        return right, np.cross(back, right), back

    @property
    def pixels_per_slope(self) -> float:
        """Pixels from the middle for a ray that goes one metre aside per metre ahead."""
        return self.size[1] / (2.0 * math.tan(self.view_angle / 2.0))

    def project(self, points: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Pixels (..., 2) of points (..., 3), and how far ahead they are (...) [m]; behind the eye that is negative."""
        right, up, back = self.axes
        seen = np.asarray(points, dtype=np.float64) - self.position
        depth = -(seen @ back)
        safe = np.where(np.abs(depth) > 1e-12, depth, 1e-12)
        across = self.size[0] / 2.0 + self.pixels_per_slope * (seen @ right) / safe
        down = self.size[1] / 2.0 - self.pixels_per_slope * (seen @ up) / safe
        return np.stack([across, down], axis=-1), depth

    def rays(self, pixels: ArrayLike) -> FloatArray:
        """Unit directions (..., 3) from the eye through pixels (..., 2)."""
        right, up, back = self.axes
        given = np.asarray(pixels, dtype=np.float64)
        across = (given[..., 0, None] - self.size[0] / 2.0) / self.pixels_per_slope
        down = (given[..., 1, None] - self.size[1] / 2.0) / self.pixels_per_slope
        directions = across * right - down * up - back
        return np.asarray(directions / np.linalg.norm(directions, axis=-1, keepdims=True))

    def on_plane(self, pixels: ArrayLike, point: ArrayLike, *, normal: ArrayLike | None = None) -> FloatArray:
        """Places (N, 3) [m] where rays through `pixels` (N, 2) meet the plane through `point` (3,).

        Without a `normal` the plane faces the viewer. A pixel whose ray misses the plane is refused.
        """
        given = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
        across = np.asarray(self.axes[2] if normal is None else normal, dtype=np.float64)
        directions = self.rays(given)
        slope = directions @ across
        away = float((np.asarray(point, dtype=np.float64) - self.position) @ across)
        ahead = away / np.where(np.abs(slope) > 1e-12, slope, np.inf)
        if (ahead <= 0.0).any():
            pixel = given[int(np.argmax(ahead <= 0.0))]
            raise InputError(
                _WHERE,
                f"the ray through pixel ({pixel[0]:g}, {pixel[1]:g}) misses the plane",
                "a stroke must lie on it",
                "turn the plane towards the viewer",
            )
        return np.asarray(self.position + ahead[:, None] * directions)
