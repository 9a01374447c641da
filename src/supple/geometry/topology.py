"""How a mesh hangs together: edges, neighbours, borders, shells and volume, from its faces alone.

Faces are triangles (T, 3), or polygons (P, 4) whose last place is -1 where the face is a triangle. Every function
takes faces as they come, broken ones too; the counts say what is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray, remembered
from supple.geometry.vectors import cross


@dataclass(frozen=True)
class Neighbors:
    """The vertices around every vertex: those of vertex v are `indices[starts[v]:starts[v + 1]]`, in rising order."""

    starts: IntArray
    indices: IntArray

    def of(self, vertex: int) -> IntArray:
        """The vertices that share an edge with `vertex`."""
        return self.indices[self.starts[vertex] : self.starts[vertex + 1]]

    @property
    def valences(self) -> IntArray:
        """How many neighbours every vertex has."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class EdgeLinks:
    """Every edge of a triangle mesh once, and what meets in it.

    `edges` (E, 2) are as `unique_edges` gives them; side s of triangle t, which runs from corner s to corner s + 1, is
    edge `edge_of_side[s T + t]`. The edges at vertex v are `rows[starts[v]:starts[v + 1]]`, and lead to the vertices in
    the same places of `ends`.
    """

    edges: IntArray
    edge_of_side: IntArray
    starts: IntArray
    ends: IntArray
    rows: IntArray

    def graph(self, lengths: FloatArray) -> Any:
        """The sparse symmetric matrix (V, V) with the length (E,) of every edge."""
        from scipy.sparse import csr_array

        count = len(self.starts) - 1
        return csr_array((lengths[self.rows], self.ends, self.starts), shape=(count, count))


@dataclass(frozen=True)
class Census:
    """What kind of surface some triangles make.

    `border_edges` have one triangle, `crowded_edges` more than two; `flipped_edges` have two that run the same way
    round, so one of them is inside out; `pinched_vertices` hold fans together that share no edge. `euler` is
    V - E + F over the vertices in use: 2 for every closed shell without handles.
    """

    shells: int
    euler: int
    border_edges: int
    crowded_edges: int
    flipped_edges: int
    pinched_vertices: int

    @property
    def is_manifold(self) -> bool:
        """Every edge has one or two triangles and every vertex one fan."""
        return self.crowded_edges == 0 and self.pinched_vertices == 0

    @property
    def is_closed(self) -> bool:
        """A manifold without border whose triangles all turn the same way round."""
        return self.is_manifold and self.border_edges == 0 and self.flipped_edges == 0


def directed_edges(faces: IntArray) -> IntArray:
    """The sides (3T or more, 2) of all faces, in the direction in which each face runs; the last place varies slowest.

    For triangles, side s of triangle t is row `s * T + t` and runs from corner s to corner s + 1.
    """
    given = np.asarray(faces, dtype=np.int32)
    if given.shape[1] == 3:
        return np.concatenate([given[:, [0, 1]], given[:, [1, 2]], given[:, [2, 0]]])
    quads = given[:, 3] >= 0
    closing = np.where(quads, given[:, 3], given[:, 0])
    third = np.stack([given[:, 2], closing], axis=1)
    return np.concatenate([given[:, [0, 1]], given[:, [1, 2]], third, given[quads][:, [3, 0]]])


def unique_edges(faces: IntArray) -> IntArray:
    """Every edge once (E, 2), lower vertex first, sorted; the sides of quads count, their diagonals do not."""
    keys, count = _edge_keys(directed_edges(faces))
    ordered = np.sort(keys)  # many times as fast as np.unique, which hashes them
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=bool)
    return _from_keys(ordered[first], count)


def kept_edges(triangles: IntArray) -> IntArray:
    """What `unique_edges` gives, found once for a read-only array of triangles (T, 3)."""
    return remembered(triangles, "edges", lambda: unique_edges(triangles))


def edge_links(triangles: IntArray, vertex_count: int) -> EdgeLinks:
    """Edges and what meets in them, found once for a read-only array of triangles (T, 3)."""
    return remembered(triangles, f"edge_links {vertex_count}", lambda: _link_edges(triangles, vertex_count))


def _link_edges(triangles: IntArray, vertex_count: int) -> EdgeLinks:
    edges = kept_edges(triangles)
    keys, span = _edge_keys(directed_edges(triangles))
    edge_of_side = np.searchsorted(edges[:, 0].astype(np.int64) * span + edges[:, 1], keys)
    both = np.concatenate([edges[:, 0], edges[:, 1]])
    order = np.argsort(both, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=vertex_count))]).astype(np.int32)
    ends = np.concatenate([edges[:, 1], edges[:, 0]])[order]
    return EdgeLinks(edges, edge_of_side.astype(np.int32), starts, ends, order % np.int32(max(len(edges), 1)))


def neighbors(faces: IntArray, vertex_count: int) -> Neighbors:
    """Which vertices share an edge, as compressed rows; a vertex without faces has an empty row."""
    return neighbors_from_edges(unique_edges(faces), vertex_count)


def neighbors_from_edges(edges: IntArray, vertex_count: int) -> Neighbors:
    """Which vertices edges (E, 2) join, as compressed rows; every edge must come once, its ends in any order."""
    wide = edges.astype(np.int64)
    both = np.concatenate([wide, wide[:, ::-1]])
    order = np.argsort(both[:, 0] * vertex_count + both[:, 1], kind="stable")
    starts = np.zeros(vertex_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(both[:, 0], minlength=vertex_count), out=starts[1:])
    return Neighbors(starts, both[order, 1].astype(np.int32))


def triangulate(polygons: IntArray) -> IntArray:
    """Cut quads (a, b, c, d) into triangles (a, b, c) and (a, c, d); triangles stay, and the order of faces is kept."""
    given = np.asarray(polygons, dtype=np.int32)
    pairs = np.stack([given[:, [0, 1, 2]], given[:, [0, 2, 3]]], axis=1)
    keep = np.stack([np.ones(len(given), dtype=bool), given[:, 3] >= 0], axis=1)
    return np.ascontiguousarray(pairs[keep])


def border_edges(triangles: IntArray) -> IntArray:
    """The edges (B, 2) with one triangle only, in the direction in which that triangle runs."""
    sides = directed_edges(triangles)
    keys, _ = _edge_keys(sides)
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return sides[first[count == 1]]


def shells(faces: IntArray, vertex_count: int) -> IntArray:
    """Number (V,) of the connected piece each vertex belongs to; a vertex without faces is a piece of its own."""
    edges = unique_edges(faces)
    return components(edges[:, 0], edges[:, 1], vertex_count)


def components(a: NDArray[np.integer], b: NDArray[np.integer], count: int) -> IntArray:
    """Number (count,) of the connected part each of `count` things is in, joined by pairs a, b (P,); from 0 on."""
    lowest = np.arange(count)
    one, other = np.asarray(a), np.asarray(b)
    while len(one):
        # Every part hangs itself under the lowest that it is joined to, then everything under the top of its chain.
        one, other = lowest[one], lowest[other]
        apart = one != other
        one, other = one[apart], other[apart]
        np.minimum.at(lowest, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(above := lowest[lowest], lowest):
            lowest = above
    return np.unique(lowest, return_inverse=True)[1].astype(np.int32)


def limit_slope(values: FloatArray, points: FloatArray, edges: IntArray, slope: float) -> FloatArray:
    """Lower values (V,) until none differs from a neighbour's by more than `slope` [1/m] times the edge between them.

    What is left is the largest that is nowhere above the given values: min_u v(u) + slope times the way from u.
    """
    i, j = edges.T
    apart = slope * np.linalg.norm(points[i] - points[j], axis=1)
    lowered = np.array(values, dtype=np.float64)
    while True:
        before = lowered.copy()
        np.minimum.at(lowered, i, before[j] + apart)
        np.minimum.at(lowered, j, before[i] + apart)
        if np.array_equal(before, lowered):
            return lowered


def compact(points: FloatArray, triangles: IntArray) -> tuple[FloatArray, IntArray]:
    """The mesh of some of many triangles, without points that none of them uses."""
    used = np.unique(triangles)
    if len(used) == len(points):
        return points, triangles
    return points[used], np.searchsorted(used, triangles).astype(np.int32)


def census(triangles: IntArray) -> Census:
    """Count what is right and wrong with a triangle mesh as a surface."""
    sides = directed_edges(triangles)
    used = np.unique(triangles)
    keys, span = _edge_keys(sides)
    unique, count = np.unique(keys, return_counts=True)
    directed, repeats = np.unique(sides[:, 0].astype(np.int64) * span + sides[:, 1], return_counts=True)
    doubled = directed[repeats > 1]
    low, high = np.minimum(doubled // span, doubled % span), np.maximum(doubled // span, doubled % span)
    pairs = unique[count == 2]
    return Census(
        shells=len(np.unique(shells(triangles, span)[used])),
        euler=len(used) - len(unique) + len(triangles),
        border_edges=int((count == 1).sum()),
        crowded_edges=int((count > 2).sum()),
        flipped_edges=int(np.isin(low * span + high, pairs).sum()),
        pinched_vertices=_pinched_vertices(triangles),
    )


def signed_volume(points: FloatArray, triangles: IntArray) -> float:
    """Volume [m³] inside a closed mesh, positive when its triangles run anticlockwise seen from outside.

    V = 1/6 sum_t a . (b x c), summed about the middle of the mesh so that a mesh far away loses no digits.
    """
    corners = (points - points.mean(axis=0))[triangles]
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)


def area_vectors(points: FloatArray | Float32Array, triangles: IntArray) -> FloatArray:
    """(b - a) x (c - a) of every triangle (T, 3): twice its area [m²], along its normal."""
    positions, corners = np.asarray(points, dtype=np.float64), np.asarray(triangles)
    a, b, c = (positions.take(corners[:, corner], axis=0) for corner in range(3))
    return cross(b - a, c - a)


def ring_areas(points: FloatArray | Float32Array, triangles: IntArray) -> FloatArray:
    """Twice the area [m²] of the triangles round every vertex (V,); zero for a vertex without any."""
    area = np.linalg.norm(area_vectors(points, triangles), axis=1)
    total = np.bincount(np.asarray(triangles).reshape(-1), weights=np.repeat(area, 3), minlength=len(points))
    return total.astype(np.float64)


def corner_angles(points: FloatArray, triangles: IntArray) -> FloatArray:
    """The three angles (T, 3) [rad] of every triangle."""
    corners = np.asarray(points, dtype=np.float64)[triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    back = np.roll(corners, 1, axis=1) - corners
    across = np.linalg.norm(np.cross(ahead, back), axis=2)
    return np.arctan2(across, np.einsum("tij,tij->ti", ahead, back))


def _edge_keys(edges: IntArray) -> tuple[NDArray[np.int64], int]:
    """One number per undirected edge, and the base in which its two vertices are written."""
    span = int(edges.max(initial=0)) + 1
    one, other = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    return np.minimum(one, other) * span + np.maximum(one, other), span


def _from_keys(keys: NDArray[np.int64], span: int) -> IntArray:
    return np.stack([keys // span, keys % span], axis=1).astype(np.int32)


def _pinched_vertices(triangles: IntArray) -> int:
    """Vertices whose corners fall into more than one fan.

    Corners are the nodes of a graph; two corners at a vertex are joined where their triangles share an edge there.
    """
    count = len(triangles)
    corner = np.arange(3 * count).reshape(3, count)  # corner c of triangle t is c * T + t, as in directed_edges
    sides = directed_edges(triangles)
    here, there = corner.ravel(), np.roll(corner, -1, axis=0).ravel()  # corners at a side's start and end
    forward = sides[:, 0] < sides[:, 1]
    low, high = np.where(forward, here, there), np.where(forward, there, here)
    keys, _ = _edge_keys(sides)
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    one, other = order[same], order[same + 1]
    links = np.concatenate([np.stack([low[one], low[other]]), np.stack([high[one], high[other]])], axis=1)
    fan = components(links[0], links[1], 3 * count)
    vertex = triangles.T.ravel().astype(np.int64)
    fans = np.unique(vertex * (3 * count) + fan) // (3 * count)
    return int((np.unique(fans, return_counts=True)[1] > 1).sum())
