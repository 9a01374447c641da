"""The outline of a skin as it is seen, and edits that draw it anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.edits.strokes.picking import depth_buffer
from supple.edits.strokes.reduction import resample
from supple.edits.strokes.view import View
from supple.errors import InputError
from supple.geometry.topology import area_vectors, unique_edges

_WHERE = "silhouette"
_NEAR = 1  # pixels round an edge that are asked
_PIXELS = 4.0  # widths of a pixel by which what is beside an edge may be nearer than it, because skin curves away
_HIDDEN, _INSIDE = 3.0, 10.0  # how much longer a way counts along a hidden outline, and off the outline


def silhouette_edges(points: ArrayLike, triangles: ArrayLike, eye: ArrayLike) -> IntArray:
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


def outline(points: ArrayLike, triangles: ArrayLike, view: View) -> IntArray:
    """The edges (E, 2) of the silhouette that are seen in a view.

    Beside an edge that is seen, something is as far as it or farther; where all round it is nearer, it is hidden.
    """
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    edges = silhouette_edges(where, faces, view.position)
    return edges[_find_visible(edges, where, view, depths=depth_buffer(where, faces, view))]


def _find_visible(edges: IntArray, points: FloatArray, view: View, *, depths: FloatArray) -> BoolArray:
    pixels, depth = view.project(0.5 * (points[edges[:, 0]] + points[edges[:, 1]]))
    column, row = np.floor(np.clip(pixels, -10.0, 20_000.0)).astype(int).T
    inside = (column >= 0) & (row >= 0) & (column < view.size[0]) & (row < view.size[1]) & (depth > 0.0)
    padded = np.pad(depths, _NEAR, mode="edge")
    farthest = np.zeros(len(edges))
    for down in range(2 * _NEAR + 1):
        for across in range(2 * _NEAR + 1):
            there = padded[np.where(inside, row, 0) + down, np.where(inside, column, 0) + across]
            farthest = np.maximum(farthest, there)
    return np.asarray(inside & (farthest >= depth - _PIXELS * depth / view.pixels_per_slope))


def redrawn_silhouette(
    points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike
) -> tuple[IntArray, FloatArray]:
    """Handles (H,) along the outline under a stroke through `pixels` (N, 2), and where the stroke wants them (H, 3).

    The outline between the places nearest to the stroke's start and end is laid on the stroke by shares of their
    lengths in the picture; vertices keep their distance from the viewer. Small gaps of the outline are crossed.
    """
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    line = resample(pixels, 1.0)
    edges = outline(where, faces, view)
    if len(edges) == 0:
        raise InputError(_WHERE, "no outline is seen", "the skin must be in view", "move the view")
    vertices = np.unique(edges)
    seen, depth = view.project(where)
    ends = [vertices[int(np.argmin(np.linalg.norm(seen[vertices] - line[end], axis=1)))] for end in (0, -1)]
    every = [edges, silhouette_edges(where, faces, view.position), unique_edges(faces)]
    path = _shortest_path(every, seen, start=int(ends[0]), end=int(ends[1]))
    steps = np.linalg.norm(np.diff(seen[path], axis=0), axis=1)
    fraction = np.concatenate([[0.0], np.cumsum(steps)]) / max(float(steps.sum()), 1e-12)
    drawn = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    wanted = np.stack([np.interp(fraction * drawn[-1], drawn, line[:, k]) for k in range(2)], axis=1)
    directions = view.rays(wanted)
    ahead = depth[path] / (directions @ -view.axes[2])
    targets = np.asarray(view.position + ahead[:, None] * directions)
    order = np.argsort(path, kind="stable")
    return path[order].astype(np.int32), targets[order]


def _shortest_path(edges: list[IntArray], seen: FloatArray, *, start: int, end: int) -> IntArray:
    """Vertices from `start` to `end`, the shortest way in the picture; along what is seen of the outline it is short,
    along what is hidden longer, and along other edges longest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    if start == end:
        raise InputError(
            _WHERE,
            "the stroke starts and ends at the same vertex of the outline",
            "it must go along the outline",
            "draw a longer one",
        )
    links = np.concatenate(edges).astype(np.int64)
    dear = np.repeat([1.0, _HIDDEN, _INSIDE], [len(kind) for kind in edges])
    count = len(seen)
    _, first = np.unique(links[:, 0] * count + links[:, 1], return_index=True)  # the cheapest kind comes first
    links, dear = links[first], dear[first]
    lengths = dear * (np.linalg.norm(seen[links[:, 0]] - seen[links[:, 1]], axis=1) + 1e-6)
    graph = coo_array((lengths, (links[:, 0], links[:, 1])), shape=(count, count))
    before = dijkstra(graph, directed=False, indices=np.array([start]), return_predecessors=True)[1][0]
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
        if path[-1] < 0:
            raise InputError(
                _WHERE,
                "the stroke's ends lie on different pieces of the mesh",
                "both ends must be on one piece",
                "draw along one of them",
            )
    return np.array(path[::-1], dtype=np.int32)
