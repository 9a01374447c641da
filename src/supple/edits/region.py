"""The region of interest: what is held in the hand, what follows, and the ring that stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.topology import kept_edges

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
    edges = kept_edges(faces)
    inside = np.zeros(count, dtype=bool)
    inside[held] = True
    if reach is None:
        for _ in range(rings):
            inside[_border(inside, edges)] = True
    else:
        where = frozen(np.asarray(points), np.float64, (-1, 3), _WHERE, "points")
        inside[vertices_within(reach, where, edges, held)] = True
    static = _border(inside, edges)
    inside[held] = False
    return Region(held, np.flatnonzero(inside).astype(np.int32), static)


def reach_of(triangles: ArrayLike, points: ArrayLike, region: Region) -> float:
    """How far [m] edges lead from a region's handles to its passive vertices, at most; zero where there are none.

    With it as `reach`, `region_round` finds the same vertices again, where they are all that edges lead to.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    where = frozen(np.asarray(points), np.float64, (-1, 3), _WHERE, "points")
    if not len(region.passive):
        return 0.0
    own = np.union1d(region.handles, region.passive)
    local = np.full(len(where), -1, dtype=np.int32)
    local[own] = np.arange(len(own))
    edges = local[kept_edges(faces[(local[faces] >= 0).sum(axis=1) >= 2])]
    edges = edges[(edges >= 0).all(axis=1)]
    lengths = np.maximum(np.linalg.norm(np.subtract(*where[own][edges.T]), axis=1), 1e-300)
    graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(len(own), len(own))).tocsr()
    away = np.asarray(dijkstra(graph, directed=False, indices=local[region.handles], min_only=True))
    reached = away[local[region.passive]]
    return float(reached[np.isfinite(reached)].max(initial=0.0))


def _border(inside: BoolArray, edges: IntArray) -> IntArray:
    """Vertices outside, sorted, that share an edge with one inside."""
    one, other = edges.T
    crossing = inside[one] != inside[other]
    one, other = one[crossing], other[crossing]
    return np.unique(np.where(inside[one], other, one)).astype(np.int32)


def vertices_within(reach: float, points: FloatArray, edges: IntArray, sources: IntArray) -> IntArray:
    """Vertices that edges no longer than `reach` [m] together join to one of the sources.

    Such a way cannot leave the sources' box by more than its own length, so nothing else is looked at.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    room = reach + 1e-9 * float(np.abs(points).max())
    low, high = points[sources].min(axis=0) - room, points[sources].max(axis=0) + room
    near = ((points >= low) & (points <= high)).all(axis=1)
    vertices = np.flatnonzero(near)
    local = np.zeros(len(points), dtype=np.int32)
    local[vertices] = np.arange(len(vertices))
    own = edges[near[edges[:, 0]] & near[edges[:, 1]]]
    lengths = np.maximum(np.linalg.norm(np.subtract(*points[own.T]), axis=1), 1e-300)  # 0 would be no edge
    both = (np.concatenate([own[:, 0], own[:, 1]]), np.concatenate([own[:, 1], own[:, 0]]))
    graph = coo_array((np.tile(lengths, 2), (local[both[0]], local[both[1]])), shape=(len(vertices), len(vertices)))
    away = dijkstra(graph.tocsr(), indices=local[sources], min_only=True, limit=reach)
    return vertices[np.asarray(away) <= reach].astype(np.int32)
