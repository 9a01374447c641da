"""Another character as a thing of the world: its baked skin, which moves and bends and is not pushed back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.obstacles.shapes import RigidBody, check_closed, check_number


@dataclass(frozen=True, kw_only=True, eq=False)
class BakedSkin(RigidBody):
    """A closed skin of `frames` (F, V, 3) [m] at `fps`, the first at `start` [s], and `triangles` (T, 3).

    Between frames its points are blended; before the first and after the last it stands still. `at` moves it as a
    whole. It cannot be `free`: nothing pushes it.
    """

    frames: Float32Array = field(repr=False)
    triangles: IntArray = field(repr=False)
    fps: float
    start: float = 0.0

    kind: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        frames = frozen(self.frames, np.float32, (-1, -1, 3), "BakedSkin", "frames")
        if len(frames) == 0:
            raise InputError("BakedSkin", "it has no frames", "at least one is needed", "bake the character first")
        check_number("BakedSkin", "fps", self.fps)
        if not np.isfinite(self.start):
            raise InputError("BakedSkin", f"start is {self.start}", "a finite time is needed", "pass seconds")
        if self.free is not None:
            raise InputError("BakedSkin", "it is free", "a bake goes where it was baked", "simulate both characters")
        triangles = check_closed(self.triangles, frames[0].astype(np.float64), "BakedSkin")
        object.__setattr__(self, "frames", frames)
        object.__setattr__(self, "triangles", triangles)

    @classmethod
    def of(cls, cache: Any, *, at: ArrayLike = (0.0, 0.0, 0.0), friction: float = 0.0) -> BakedSkin:
        """The skin of a finished bake (`supple.Cache`); its times are those of the bake."""
        return cls(
            frames=cache.points,
            triangles=cache.triangles,
            fps=cache.fps,
            start=float(cache.times[0]),
            at=at,
            friction=friction,
        )

    def points_at(self, time: float) -> FloatArray:
        """Its points (V, 3) [m] in its own frame at a time [s]."""
        frame = min(max((time - self.start) * self.fps, 0.0), float(len(self.frames) - 1))
        first = min(int(frame), max(len(self.frames) - 2, 0))
        last = min(first + 1, len(self.frames) - 1)
        one, two = self.frames[first].astype(np.float64), self.frames[last].astype(np.float64)
        result: FloatArray = one + (frame - first) * (two - one)
        return result

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """The box round all its frames."""
        return (self.frames.min(axis=(0, 1)).astype(np.float64), self.frames.max(axis=(0, 1)).astype(np.float64))

    def bounds(self, time: float) -> tuple[FloatArray, FloatArray]:
        """The box round its points at a time [s]."""
        matrix = self.world_from_body(time)
        points = self.points_at(time) @ matrix[:3, :3].T + matrix[:3, 3]
        return points.min(axis=0), points.max(axis=0)

    def velocities(self, points: ArrayLike, time: float = 0.0, *, dt: float = 1e-4) -> FloatArray:
        """How fast (P, 3) [m/s] the skin nearest to points (P, 3) moves, bending included."""
        import igl

        positions = frozen(points, np.float64, (-1, 3), "BakedSkin", "points")
        moments = []
        for moment in (time - dt, time):
            matrix = self.world_from_body(moment)
            moments.append(self.points_at(moment) @ matrix[:3, :3].T + matrix[:3, 3])
        earlier, now = moments
        faces = self.triangles.astype(np.int64)
        _, nearest, closest = igl.point_mesh_squared_distance(positions, now, faces)
        a, b, c = (now[faces[nearest, k]] for k in range(3))
        barycentric = igl.barycentric_coordinates(closest, a, b, c)
        result: FloatArray = np.einsum("pk,pkd->pd", barycentric, (now - earlier)[faces[nearest]]) / dt
        return result
