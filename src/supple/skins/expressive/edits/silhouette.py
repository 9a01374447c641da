"""The outline of a skin as it is seen, and edits that draw it anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Bools, Floats, Ints, frozen
from supple.errors import InputError
from supple.geometry.topology import area_vectors
from supple.skins.expressive.strokes.picking import NONE, id_buffer
from supple.skins.expressive.strokes.reduction import evenly
from supple.skins.expressive.strokes.view import View

_WHERE = "silhouette"
_NEAR = 1  # pixels from an edge in which its own triangles must be seen


def silhouette_edges(points: ArrayLike, triangles: ArrayLike, eye: ArrayLike) -> Ints:
    """Edges (E, 2) where the skin turns away from an eye at (3,): one side is seen from its front, the other is not.

    A border of a side that is seen from its front counts too. Whether something stands before it is not asked.
    """
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    facing = (
        np.einsum("ti,ti->t", area_vectors(where, faces), np.asarray(eye, dtype=np.float64) - where[faces[:, 0]]) > 0
    )
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1).astype(np.int64)
    keys, index = np.unique(sides[:, 0] * len(where) + sides[:, 1], return_inverse=True)
    front = np.bincount(index, np.tile(facing, 3), len(keys))
    total = np.bincount(index, minlength=len(keys))
    turning = keys[(front > 0) & ((front < total) | (total == 1))]
    return np.stack([turning // len(where), turning % len(where)], axis=1).astype(np.int32)


def outline(points: ArrayLike, triangles: ArrayLike, view: View) -> Ints:
    """The edges (E, 2) of the silhouette that are seen in a view: next to them, their own triangles are."""
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    edges = silhouette_edges(where, faces, view.position)
    ids = id_buffer(where, faces, view)
    pixels, depth = view.project(0.5 * (where[edges[:, 0]] + where[edges[:, 1]]))
    seen = np.zeros(len(edges), dtype=bool)
    place = np.floor(np.clip(pixels, -10.0, 20_000.0)).astype(int)
    for down in range(-_NEAR, _NEAR + 1):
        for across in range(-_NEAR, _NEAR + 1):
            seen |= _own_triangle(edges, faces, ids, column=place[:, 0] + across, row=place[:, 1] + down)
    return edges[seen & (depth > 0.0)]


def _own_triangle(edges: Ints, faces: Ints, ids: Ints, *, column: Ints, row: Ints) -> Bools:
    """Whether the triangle seen in a pixel (E,) touches an end of the edge."""
    inside = (column >= 0) & (row >= 0) & (column < ids.shape[1]) & (row < ids.shape[0])
    found = np.full(len(edges), NONE, dtype=np.int32)
    found[inside] = ids[row[inside], column[inside]]
    corners = faces[found]
    touching = (corners[:, :, None] == edges[:, None, :]).any(axis=(1, 2))
    return np.asarray(touching & (found != NONE))


def redrawn_silhouette(
    points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike
) -> tuple[Ints, Floats]:
    """Handles (H,) along the outline under a stroke through `pixels` (N, 2), and where the stroke wants them (H, 3).

    The outline between the places nearest to the stroke's start and end is laid on the stroke by shares of their
    lengths in the picture; vertices keep their distance from the viewer.
    """
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    line = evenly(pixels, 1.0)
    edges = outline(where, triangles, view)
    if len(edges) == 0:
        raise InputError(_WHERE, "no outline is seen", "the skin must be in view", "move the view")
    vertices = np.unique(edges)
    seen, depth = view.project(where)
    ends = [vertices[int(np.argmin(np.linalg.norm(seen[vertices] - line[end], axis=1)))] for end in (0, -1)]
    path = _path(edges, seen, start=int(ends[0]), end=int(ends[1]))
    steps = np.linalg.norm(np.diff(seen[path], axis=0), axis=1)
    share = np.concatenate([[0.0], np.cumsum(steps)]) / max(float(steps.sum()), 1e-12)
    drawn = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    wanted = np.stack([np.interp(share * drawn[-1], drawn, line[:, k]) for k in range(2)], axis=1)
    ways = view.rays(wanted)
    ahead = depth[path] / (ways @ -view.axes[2])
    targets = np.asarray(view.position + ahead[:, None] * ways)
    order = np.argsort(path)
    return path[order].astype(np.int32), targets[order]


def _path(edges: Ints, seen: Floats, *, start: int, end: int) -> Ints:
    """Vertices from `start` to `end` along edges, the shortest way in the picture."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    if start == end:
        raise InputError(_WHERE, "the stroke starts and ends at the same vertex of the outline",
                         "it must go along the outline", "draw a longer one")  # fmt: skip
    lengths = np.linalg.norm(seen[edges[:, 0]] - seen[edges[:, 1]], axis=1) + 1e-6
    count = len(seen)
    graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(count, count))
    before = dijkstra(graph, directed=False, indices=np.array([start]), return_predecessors=True)[1][0]
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
        if path[-1] < 0:
            raise InputError(_WHERE, "the outline is broken between the stroke's ends",
                             "both ends must be on one piece of it", "draw along a piece seen whole")  # fmt: skip
    return np.array(path[::-1], dtype=np.int32)
