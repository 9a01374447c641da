"""What belongs together in a skin at rest: near over its surface, or across thin flesh."""

from __future__ import annotations

import numpy as np

from supple.arrays import Bools, Floats, Ints
from supple.geometry.topology import unique_edges

INWARD = -0.5  # cosine: what lies this far under a node's skin at rest lies across its own flesh
ROOM = 1 << 23  # numbers of the table of distances that are looked at together


def near_through_surface(rest_points: Floats, triangles: Ints, apart: float) -> tuple[Ints, Ints]:
    """For every node the nodes within `apart` [m] over the surface, itself too: `starts` (N + 1,) and their numbers.

    Distance is the shortest way along edges, which is never less than that over the surface, and at most twice as
    long over even triangles.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    count, edges = len(rest_points), unique_edges(triangles)
    lengths = np.maximum(np.linalg.norm(rest_points[edges[:, 0]] - rest_points[edges[:, 1]], axis=1), 1e-12)
    graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
    sizes, found = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
    chunk = max(ROOM // max(count, 1), 1)
    for start in range(0, count, chunk):
        some = np.arange(start, min(start + chunk, count))
        near = np.isfinite(dijkstra(graph, directed=False, indices=some, limit=apart))
        sizes.append(near.sum(axis=1))
        found.append(np.nonzero(near)[1].astype(np.int32))
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
    return starts, np.concatenate(found)


def settled_clusters(
    rest: Floats,
    normals: Floats,
    triangles: Ints,
    near: tuple[Ints, Ints],
    pairs: tuple[Ints, Ints],
    rows: tuple[tuple[Ints, Ints], tuple[Ints, Ints]],
    *,
    patch_of: Ints,
    apart: float,
) -> Bools:
    """Which (Q,) pairs of a cluster of nodes and one of triangles hold nothing but what belongs together at rest.

    `rows` are the members of both kinds of clusters, and `near` is what `near_through_surface` found. Belonging
    together means: near over the surface, nearer than `apart` across flesh, or a corner in the node's own patch.
    """
    (node_starts, node_members), (starts, members) = rows
    sizes = [np.diff(bounds)[chosen] for bounds, chosen in zip((node_starts, starts), pairs, strict=True)]
    each = sizes[0] * sizes[1]
    owner = np.repeat(np.arange(len(each)), each)
    place = np.arange(int(each.sum())) - np.repeat(np.cumsum(each) - each, each)
    nodes = node_members[node_starts[pairs[0]][owner] + place // sizes[1][owner]]
    corners = triangles[members[starts[pairs[1]][owner] + place % sizes[1][owner]]]
    away = rest[corners].mean(axis=1) - rest[nodes]
    far = np.linalg.norm(away, axis=1)
    together = (far < apart) & (np.einsum("qi,qi->q", away, normals[nodes]) < INWARD * far)
    together |= (patch_of[corners] == patch_of[nodes][:, None]).any(axis=1)
    count = np.int64(len(rest))
    known = np.repeat(np.arange(count), np.diff(near[0])) * count + near[1]  # rising
    keys = nodes.astype(np.int64)[:, None] * count + corners
    found = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    together |= (known[found] == keys).any(axis=1)
    return np.bincount(owner, together, len(each)) == each
