"""Where the picture is taken from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError

_WHERE = "Camera"
THREE_QUARTERS = (0.55, 0.16, 1.0)
"""From the front, a little to the character's left and a little above."""


@dataclass(frozen=True)
class Camera:
    """A camera at `position` [m] that looks at `target` [m], y up; `view_angle` [rad] is from lower to upper edge."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    view_angle: float = math.radians(24.0)

    def __post_init__(self) -> None:
        position = frozen(self.position, np.float64, (3,), _WHERE, "position")
        target = frozen(self.target, np.float64, (3,), _WHERE, "target")
        if not 0.0 < self.view_angle < math.pi:
            given = f"view_angle is {self.view_angle}"
            raise InputError(_WHERE, given, "an angle between 0 and pi is needed", "try 0.4")
        if np.linalg.norm(np.cross(position - target, [0.0, 1.0, 0.0])) < 1e-9 * (1.0 + np.abs(position).max()):
            raise InputError(
                _WHERE, "it looks straight up or down, or at itself", "up must be seen in the picture", "move it aside"
            )
        object.__setattr__(self, "position", tuple(float(x) for x in position))
        object.__setattr__(self, "target", tuple(float(x) for x in target))

    @classmethod
    def framing(
        cls,
        points: ArrayLike,
        *,
        size: tuple[int, int],
        direction: tuple[float, float, float] = THREE_QUARTERS,
        margin: float = 1.08,
        view_angle: float = math.radians(24.0),
    ) -> Camera:
        """The camera nearest to all `points` (..., 3), of one frame or of a whole motion, that sees them all.

        `direction` leads from the character to the camera; `size` is the picture's width and height. `margin` is how
        much wider than the points the picture is.
        """
        cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if len(cloud) == 0 or not np.isfinite(cloud).all():
            raise InputError(_WHERE, "there is nothing to frame", "finite points are needed", "pass the frames")
        if margin <= 0.0:
            raise InputError(_WHERE, f"margin is {margin}", "a factor above zero is needed", "try 1.08")
        start = cls(direction, (0.0, 0.0, 0.0), view_angle)
        right, up, back = start.axes
        x, y, z = cloud @ right, cloud @ up, cloud @ back
        # In view at distance d from the origin: |y - cy| <= (d - z) t for every point, and the same for x; both the
        # middle c and the least d follow from the outermost planes.
        tall = math.tan(view_angle / 2.0) / margin
        wide = tall * size[0] / size[1]
        middle_x = (np.max(x + z * wide) + np.min(x - z * wide)) / 2.0
        middle_y = (np.max(y + z * tall) + np.min(y - z * tall)) / 2.0
        distance = max(
            (np.max(x + z * wide) - np.min(x - z * wide)) / (2.0 * wide),
            (np.max(y + z * tall) - np.min(y - z * tall)) / (2.0 * tall),
        )
        middle_z = (z.max() + z.min()) / 2.0
        aside = middle_x * right + middle_y * up
        reach = max(distance, middle_z + 1e-3)  # a single point still has a camera in front of it
        return cls(tuple(aside + reach * back), tuple(aside + middle_z * back), view_angle)

    @property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Unit vectors to the right, up, and back towards the viewer."""
        back = np.subtract(self.position, self.target)
        back /= np.linalg.norm(back)
        right = np.cross([0.0, 1.0, 0.0], back)
        right /= np.linalg.norm(right)
        return right, np.cross(back, right), back

    @property
    def distance(self) -> float:
        """From the camera to what it looks at [m]."""
        return float(np.linalg.norm(np.subtract(self.position, self.target)))

    def moved(self, offset: ArrayLike) -> Camera:
        """The same view from a place shifted by `offset` (3,) [m], to walk along with someone."""
        by = np.asarray(offset, dtype=np.float64)
        return Camera(tuple(self.position + by), tuple(self.target + by), self.view_angle)

    def project(self, points: ArrayLike, *, size: tuple[int, int]) -> FloatArray:
        """Where points (..., 3) land in a picture of `size`: pixels (..., 2) from its upper left corner."""
        right, up, back = self.axes
        seen = np.asarray(points, dtype=np.float64) - self.position
        depth = -(seen @ back)
        scale = size[1] / (2.0 * math.tan(self.view_angle / 2.0))
        across = size[0] / 2.0 + scale * (seen @ right) / depth
        down = size[1] / 2.0 - scale * (seen @ up) / depth
        return np.stack([across, down], axis=-1)
