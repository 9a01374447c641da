"""The region of interest: what is held in the hand, what follows, and the ring that stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.topology import Neighbors, neighbors, unique_edges

RINGS = 4
_WHERE = "region_round"


@dataclass(frozen=True)
class Region:
    """Vertices of an edit, three sorted lists without any in common.

    `handles` go where they are put, `passive` ones follow, `static` ones are the ring round them that stays.
    """

    handles: IntArray
    passive: IntArray
    static: IntArray

    @property
    def vertices(self) -> IntArray:
        """All of them, sorted."""
        return np.sort(np.concatenate([self.handles, self.passive, self.static]))


def region_round(
    triangles: ArrayLike,
    handles: ArrayLike,
    *,
    rings: int = RINGS,
    points: ArrayLike | None = None,
    reach: float | None = None,
) -> Region:
    """The region round `handles`: breadth first over the edges, `rings` of them passive and the next one static.

    With `points` (V, 3) and a `reach` [m], passive vertices are those that can be reached along edges no longer than
    that together, whatever the number of rings. On a closed piece that is passive as a whole nothing is static.
    """
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    count = int(faces.max(initial=-1)) + 1 if points is None else len(np.asarray(points))
    held = np.unique(frozen(handles, np.int32, (-1,), _WHERE, "handles"))
    if len(held) == 0 or held[0] < 0 or held[-1] >= count:
        given = f"handles name {len(held)} vertices" + (f" from {held[0]} to {held[-1]}" if len(held) else "")
        raise InputError(_WHERE, given, f"some of 0 to {count - 1} are needed", "pick vertices of this mesh")
    if not 0 <= rings <= 10_000:
        raise InputError(_WHERE, f"rings is {rings}", "the range is 0 to 10000", f"try {RINGS}")
    if reach is not None and not (np.isfinite(reach) and reach >= 0.0 and points is not None):
        raise InputError(_WHERE, f"reach is {reach}", "metres, zero or more, and the points are needed", "pass both")
    around = neighbors(faces, count)
    inside = np.zeros(count, dtype=bool)
    inside[held] = True
    if reach is None:
        for _ in range(rings):
            inside |= _dilate(inside, around)
    else:
        inside |= _geodesic_distances(np.asarray(points, dtype=np.float64), faces, held) <= reach
    static = _dilate(inside, around) & ~inside
    inside[held] = False
    return Region(held, np.flatnonzero(inside).astype(np.int32), np.flatnonzero(static).astype(np.int32))


def _dilate(inside: BoolArray, around: Neighbors) -> BoolArray:
    """Vertices (V,) with a neighbour inside."""
    owner = np.repeat(np.arange(len(inside)), np.diff(around.starts))
    found = np.zeros(len(inside), dtype=bool)
    found[owner[inside[around.indices]]] = True
    return found


def _geodesic_distances(points: FloatArray, faces: IntArray, sources: IntArray) -> FloatArray:
    """How far along edges every vertex is from the nearest source [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    edges = unique_edges(faces)
    lengths = np.maximum(np.linalg.norm(np.subtract(*points[edges.T]), axis=1), 1e-300)  # 0 would be no edge
    graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(len(points), len(points)))
    return np.asarray(dijkstra(graph, directed=False, indices=sources, min_only=True), dtype=np.float64)
