"""What belongs together in a skin at rest: near over its surface, or across thin flesh."""

from __future__ import annotations

import numpy as np

from supple.arrays import Bools, Floats, Ints
from supple.geometry.topology import unique_edges

INWARD = -0.5  # cosine: what lies this far under a node's skin at rest lies across its own flesh
ROOM = 1 << 23  # numbers of the table of distances that are looked at together


def together_at_rest(rest: Floats, normals: Floats, triangles: Ints, apart: float) -> tuple[Ints, Ints]:
    """For every node the triangles that can never touch it: `starts` (N + 1,) and their numbers, rising in each row.

    A triangle belongs together with a node if one of its corners is within `apart` [m] over the surface, or if its
    middle is within `apart` and more than 30 degrees below the node's skin, which is to say across its own flesh.
    """
    from scipy.sparse import coo_array
    from scipy.spatial import cKDTree

    count, faces = len(rest), len(triangles)
    starts, near = near_through_surface(rest, triangles, apart)
    over = coo_array((np.ones(len(near), dtype=np.int32), (np.repeat(np.arange(count), np.diff(starts)), near)),
                     shape=(count, count)).tocsr()  # fmt: skip
    corners = coo_array((np.ones(3 * faces, dtype=np.int32), (triangles.ravel(), np.repeat(np.arange(faces), 3))),
                        shape=(count, faces)).tocsr()  # fmt: skip
    middles = rest[triangles].mean(axis=1)
    close = cKDTree(rest).sparse_distance_matrix(cKDTree(middles), apart, output_type="ndarray")
    one, two, far = close["i"], close["j"], close["v"]
    below = np.einsum("ci,ci->c", middles[two] - rest[one], normals[one]) < INWARD * far
    across = coo_array((np.ones(int(below.sum()), dtype=np.int32), (one[below], two[below])), shape=(count, faces))
    both = (over @ corners + across.tocsr()).tocsr()
    both.sort_indices()
    return both.indptr.astype(np.int32), both.indices.astype(np.int32)


def near_through_surface(rest: Floats, triangles: Ints, apart: float) -> tuple[Ints, Ints]:
    """For every node the nodes within `apart` [m] over the surface, itself too: `starts` (N + 1,) and their numbers.

    Distance is the shortest way along edges, which is never less than that over the surface, and at most twice as
    long over even triangles.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    count, edges = len(rest), unique_edges(triangles)
    lengths = np.maximum(np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1), 1e-12)
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
    pairs: tuple[Ints, Ints],
    rows: tuple[tuple[Ints, Ints], tuple[Ints, Ints]],
    together: tuple[Ints, Ints],
    *,
    triangles: Ints,
    patch_of: Ints,
) -> Bools:
    """Which (Q,) `pairs` of a cluster of nodes and one of triangles hold nothing that could touch.

    `rows` are the members of both kinds of clusters. Nothing can touch where a triangle belongs together with the
    node, or has a corner in its patch.
    """
    (node_starts, node_members), (starts, members) = rows
    sizes = [np.diff(bounds)[chosen] for bounds, chosen in zip((node_starts, starts), pairs, strict=True)]
    each = sizes[0] * sizes[1]
    owner = np.repeat(np.arange(len(each)), each)
    place = np.arange(int(each.sum())) - np.repeat(np.cumsum(each) - each, each)
    nodes = node_members[node_starts[pairs[0]][owner] + place // sizes[1][owner]]
    faces = members[starts[pairs[1]][owner] + place % sizes[1][owner]]
    settled = (patch_of[triangles[faces]] == patch_of[nodes][:, None]).any(axis=1)
    count = np.int64(len(triangles))
    known = np.repeat(np.arange(len(together[0]) - 1), np.diff(together[0])) * count + together[1]  # rising
    keys = nodes.astype(np.int64) * count + faces
    found = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
    settled |= known[found] == keys
    return np.bincount(owner, settled, len(each)) == each
