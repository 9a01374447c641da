"""The place of a mesh that is nearest to a point."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray


def nearest_on_mesh(
    positions: FloatArray, points: FloatArray, triangles: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The corners (N, 3) of the triangle nearest to every position, the place in it (N, 3), and how far it is [m]."""
    import igl

    faces = np.ascontiguousarray(triangles, dtype=np.int64)
    squared, face, nearest = igl.point_mesh_squared_distance(positions, points, faces)
    corners = triangles[face]
    a, b, c = np.moveaxis(points[corners], 1, 0)
    place = np.nan_to_num(igl.barycentric_coordinates(nearest, a, b, c), nan=1.0 / 3.0, posinf=0.0, neginf=0.0)
    place = np.clip(place, 0.0, 1.0)
    return corners, place / np.maximum(place.sum(axis=1, keepdims=True), 1e-300), np.sqrt(squared)
