"""Measures per vertex, to be painted on the skin: stretch, distance from linear blend, depth inside."""

from __future__ import annotations

import numpy as np

from supple.arrays import Float32Array
from supple.errors import InputError
from supple.geometry.collision.self_intersection import CrossingFinder
from supple.geometry.topology import ring_areas
from supple.graph.cache import Cache
from supple.measure.kinematic import kinematic_frames

VERTEX_MEASURES = {
    "stretch": "how much the triangles round a vertex have grown or shrunk: |area / rest area - 1|",
    "moved": "distance from linear blend of the same pose [m]",
    "depth": "how deep a vertex lies inside the skin [m]",
    "pressure": "how hard a vertex is pressed by what it touches [Pa]",
}
"""What can be painted, by name."""


def measure_vertices(cache: Cache, what: str) -> Float32Array:
    """A value for every vertex in every frame, (F, V)."""
    if what not in VERTEX_MEASURES:
        raise InputError(
            "painted", f"{what!r} was asked for", f"there are {', '.join(VERTEX_MEASURES)}", "choose one of those"
        )
    if what == "pressure":
        pressure = cache.pressure
        if pressure is None:
            given = "the pressure of a skin that feels none was asked for"
            raise InputError("painted", given, "a bake of the skin contact is needed", "choose another measure")
        return pressure
    points = cache.points
    values = np.zeros(points.shape[:2], dtype=np.float32)
    if what == "stretch":
        rest = ring_areas(cache.rest, cache.triangles)
        for frame, here in enumerate(points):
            values[frame] = np.abs(ring_areas(here, cache.triangles) / np.where(rest > 0.0, rest, 1.0) - 1.0)
    elif what == "moved":
        poses = (cache.pose(frame) for frame in range(len(points)))
        for frame, plain in enumerate(kinematic_frames(cache.character, poses)):
            values[frame] = np.linalg.norm(points[frame] - plain, axis=1)
    else:
        finder = CrossingFinder(cache.rest, cache.triangles)
        for frame, here in enumerate(points):
            inside, depth = finder.vertex_depths(here)
            values[frame] = np.where(inside, depth, 0.0)
    return values
