"""The mesh as drawing programs want it: one normal at every drawn vertex, split at seams and creases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.shading import Shading, shading_of
from supple.io.surfaces.surface import Surface, distinct_pairs


@dataclass(frozen=True, eq=False)
class DisplayMesh:
    """Drawn vertices (D,): the control point each stands on, its texture coordinate and its normal.

    `triangles` (T, 3) name drawn vertices and lie on the character's own triangles, one for one.
    """

    control_points: IntArray
    triangles: IntArray
    uvs: FloatArray | None
    attributes: dict[str, Float32Array]
    normal_of_vertex: IntArray
    shading: Shading

    @classmethod
    def from_character(cls, character: Character) -> DisplayMesh:
        """Split the control points where texture coordinates or normals differ between triangles."""
        shading = shading_of(character)
        display = character.display
        seams = character.triangles if display is None else display.triangles
        vertex, normal, label = distinct_pairs(seams.ravel(), shading.normal_of_corner.ravel())
        attributes = {} if display is None else {name: rows[vertex] for name, rows in display.attributes.items()}
        uvs = None if display is None or display.uvs is None else display.uvs[vertex]
        control = vertex if display is None else display.control_points[vertex]
        return cls(control, label.reshape(-1, 3), uvs, attributes, normal, shading)

    def positions(self, points: ArrayLike) -> Float32Array:
        """Places (D, 3) [m] of the drawn vertices."""
        return np.asarray(points, dtype=np.float32)[self.control_points]

    def normals(self, points: ArrayLike) -> Float32Array:
        """Unit normals (D, 3) of the drawn vertices; where all triangles are flat, up."""
        return _unit(self.shading.normals(points))[self.normal_of_vertex]


@dataclass(frozen=True, eq=False)
class CornerNormals:
    """Normals for formats that hold faces of any length: one a point where nothing is creased, else by corner.

    By corner, `rows` (C,) names the normal of every corner, the same in every frame, so that a mesh with a few creases
    takes hardly more room than one without.
    """

    shading: Shading
    rows: IntArray
    per_point: bool

    @classmethod
    def from_character(cls, character: Character, surface: Surface) -> CornerNormals:
        """Decide at rest which corners share a normal."""
        shading = shading_of(character)
        count = len(character.points)
        if len(np.unique(shading.vertex_of_normal)) == len(shading) == count:
            rows = np.empty(count, dtype=np.int32)
            rows[shading.vertex_of_normal] = np.arange(count)
            return cls(shading, rows, per_point=True)
        rows = np.zeros(len(surface.corners), dtype=np.int32)
        rows[surface.triangle_corners().ravel()] = shading.normal_of_corner.ravel()
        return cls(shading, rows, per_point=False)

    def __call__(self, points: ArrayLike) -> Float32Array:
        """Unit normals of the points as they are now: (V, 3), or (N, 3) for `rows` to choose from."""
        return self.chosen(self.shading.normals(points))

    def chosen(self, normals: FloatArray) -> Float32Array:
        """The same of the normals (N, 3) that the shading has now."""
        found = _unit(normals)
        return found[self.rows] if self.per_point else found


def _unit(given: FloatArray) -> Float32Array:
    found = given.astype(np.float32)
    found[(found == 0.0).all(axis=1)] = [0.0, 1.0, 0.0]
    return found
