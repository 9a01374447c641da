"""How much of the skin goes along with a hand: by the way over the surface from the place it holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.topology import ring_areas, unique_edges
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DETOUR = 1.1  # a way along edges is about this much longer than one straight over the surface
_SMALLEST = 1.5  # edges: a smaller grip would tear at single vertices


@dataclass(frozen=True, eq=False)
class Grip:
    """What one hand holds: `falloff` (V,) of the skin around its place, one at the place itself, and that skin's area.

    The place lies among `vertices` (K,) by `barycentric` (K,); `area` [m²] counts skin by how much it goes along.
    """

    vertices: IntArray
    barycentric: FloatArray
    falloff: FloatArray
    area: float


class SurfaceWays:
    """Ways over one skin at rest; what only lies close by is far away."""

    def __init__(self, points: FloatArray, triangles: IntArray) -> None:
        self._points, self._triangles = points, triangles

    def edge_size(self, vertices: IntArray) -> float:
        """The mean length [m] of the edges round some vertices; 0 where there are none."""
        around = self._edges[vertices].data
        return float(around.mean()) if len(around) else 0.0

    def from_place(self, vertices: IntArray, shares: FloatArray, *, radius: float) -> FloatArray:
        """How far (V,) [m] the skin is from a place that lies among vertices (K,) by shares (K,).

        Right up to `radius` [m]; what is farther away may be infinitely far.
        """
        from scipy.sparse.csgraph import dijkstra

        straight = np.linalg.norm(self._points - shares @ self._points[vertices], axis=1)
        path = dijkstra(self._edges, directed=False, indices=vertices, min_only=True, limit=_DETOUR * 1.5 * radius)
        return np.asarray(straight + np.maximum(path / _DETOUR - straight, 0.0))

    @cached_property
    def _edges(self) -> csr_array:
        from scipy.sparse import csr_array

        ends = unique_edges(self._triangles)
        lengths = np.maximum(np.linalg.norm(self._points[ends[:, 0]] - self._points[ends[:, 1]], axis=1), 1e-12)
        return csr_array((lengths, (ends[:, 0], ends[:, 1])), shape=(len(self._points),) * 2)


class SurfaceGrips:
    """Grips on one skin, which spread over its surface at rest."""

    def __init__(self, character: Character) -> None:
        self._points, self._triangles = character.points, character.triangles
        self._ways = SurfaceWays(character.points, character.triangles)
        self.size = float(character.size.max())

    @cached_property
    def _areas(self) -> FloatArray:
        return ring_areas(self._points, self._triangles) / 3.0

    def grip(self, pull: Pull) -> Grip:
        """What a hand takes hold of: nothing that only lies close by.

        With d the way [m] over the surface from the place, and r the radius, a vertex goes along by (1 - d² / r²)²,
        times what makes it one for the place itself.
        """
        vertices, shares = pull.indices, pull.barycentric
        radius = max(pull.radius_for(self.size), _SMALLEST * self._ways.edge_size(vertices))
        away = self._ways.from_place(vertices, shares, radius=radius)
        falloff = np.where(away < radius, (1.0 - (away / radius) ** 2) ** 2, 0.0)
        falloff[vertices] = np.maximum(falloff[vertices], 1e-6)
        falloff /= shares @ falloff[vertices]
        return Grip(vertices, shares, falloff, float(self._areas @ falloff))
