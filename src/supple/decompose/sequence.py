"""What is taken apart: points over time, and what is known of the body they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.topology import triangulate
from supple.graph.cache import Cache

WHERE = "PointSequence"


@dataclass(frozen=True, eq=False, repr=False)
class PointSequence:
    """Points (F, V, 3) [m] at `fps` frames a second, from any program.

    `rest` (V, 3) is the shape in which the new bones are bound, the first frame if not given. `triangles` (T, 3) or
    `polygons` (P, 4; -1 in the last place of a triangle) say which vertices are beside each other; without either they
    are taken from distances at rest, and no character can be made of the result. `character` and `poses`
    (F, J, 4, 4) are the rig that the points were made with, where there was one.
    """

    points: Float32Array
    rest: FloatArray | None = field(default=None, kw_only=True)
    triangles: IntArray | None = field(default=None, kw_only=True)
    polygons: IntArray | None = field(default=None, kw_only=True)
    fps: float = field(default=30.0, kw_only=True)
    name: str = field(default="sequence", kw_only=True)
    character: Character | None = field(default=None, kw_only=True)
    poses: FloatArray | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        points = frozen(self.points, np.float32, (-1, -1, 3), WHERE, "points")
        count, vertices = points.shape[:2]
        if count < 2:
            raise InputError(
                WHERE,
                f"there is {count} frame" if count else "there are no frames",
                "a motion has two or more",
                "bake more frames",
            )
        if vertices == 0:
            raise InputError(WHERE, "the frames have no points", "at least one is needed", "check the export")
        if not (np.isfinite(self.fps) and self.fps > 0.0):
            raise InputError(WHERE, f"fps is {self.fps}", "a rate above zero is needed", "use 24, 30 or 60")
        object.__setattr__(self, "points", points)
        if self.rest is not None:
            object.__setattr__(self, "rest", frozen(self.rest, np.float64, (vertices, 3), WHERE, "rest"))
        self._freeze_faces(vertices)
        if self.poses is not None:
            joints = -1 if self.character is None else len(self.character.skeleton)
            object.__setattr__(self, "poses", frozen(self.poses, np.float64, (count, joints, 4, 4), WHERE, "poses"))

    def _freeze_faces(self, vertices: int) -> None:
        if self.polygons is not None:
            polygons = frozen(self.polygons, np.int32, (-1, 4), WHERE, "polygons")
            object.__setattr__(self, "polygons", polygons)
            if self.triangles is None:
                object.__setattr__(self, "triangles", triangulate(polygons))
        if self.triangles is None:
            return
        triangles = frozen(self.triangles, np.int32, (-1, 3), WHERE, "triangles")
        if triangles.size and (int(triangles.min()) < 0 or int(triangles.max()) >= vertices):
            worst = int(triangles.max()) if int(triangles.min()) >= 0 else int(triangles.min())
            raise InputError(
                WHERE,
                f"triangles name point {worst}",
                f"there are {vertices} (0 to {vertices - 1})",
                "use the mesh that these points move",
            )
        object.__setattr__(self, "triangles", triangles)

    @classmethod
    def of(cls, source: Cache | PointSequence | ArrayLike) -> PointSequence:
        """A bake, a sequence, or plain points (F, V, 3)."""
        if isinstance(source, PointSequence):
            return source
        if not isinstance(source, Cache):
            return cls(np.asarray(source))
        if not source.finished:
            given = f"{source.ready} of {len(source)} frames are there"
            raise InputError(str(source.path), given, "only a finished bake is taken apart", "let the bake go on first")
        character = source.character
        return cls(
            source.points,
            rest=character.points,
            triangles=character.triangles,
            polygons=character.polygons,
            fps=source.fps,
            name=str(source.info["motion_name"]),
            character=character,
            poses=source.poses,
        )

    @property
    def rest_points(self) -> FloatArray:
        """The points (V, 3) [m] in which the bones are bound."""
        return np.asarray(self.points[0] if self.rest is None else self.rest, dtype=np.float64)

    def require_triangles(self) -> IntArray:
        """The triangles (T, 3), or a sentence that says how to get some."""
        if self.triangles is None:
            raise InputError(
                self.name,
                "the sequence has points and no triangles",
                "a character has a mesh",
                "pass triangles or polygons with the points, or name a mesh",
            )
        return self.triangles

    def replace(self, **changes: Any) -> PointSequence:
        """Another sequence that differs in the named fields and shares the rest."""
        return replace(self, **changes)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"PointSequence({self.name!r}: {len(self)} frames at {self.fps:g} fps, {self.points.shape[1]} points)"
