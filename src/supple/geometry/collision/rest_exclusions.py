"""What belongs together in a skin at rest: near over its surface, or across thin flesh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.geometry.collision.bvh import CLUSTER, Bvh
from supple.geometry.rows import group_by_label
from supple.geometry.topology import unique_edges

INWARD = -0.5  # cosine: what lies this far under a node's skin at rest lies across its own flesh
Longs = NDArray[np.int64]
ROOM = 1 << 23  # numbers of the table of distances that are looked at together


def rest_exclusions(
    rest: FloatArray, normals: FloatArray, triangles: IntArray, apart: float
) -> tuple[IntArray, IntArray]:
    """For every node the triangles that can never touch it: `starts` (N + 1,) and their numbers, rising in each row.

    A triangle belongs together with a node if one of its corners is within `apart` [m] over the surface, or if its
    middle is within `apart` and more than 30 degrees below the node's skin, which is to say across its own flesh.
    """
    from scipy.sparse import coo_array
    from scipy.spatial import cKDTree

    count, faces = len(rest), len(triangles)
    starts, near = geodesic_neighbors(rest, triangles, apart)
    over = coo_array(
        (np.ones(len(near), dtype=np.int32), (np.repeat(np.arange(count), np.diff(starts)), near)), shape=(count, count)
    ).tocsr()
    corners = coo_array(
        (np.ones(3 * faces, dtype=np.int32), (triangles.ravel(), np.repeat(np.arange(faces), 3))), shape=(count, faces)
    ).tocsr()
    middles = rest[triangles].mean(axis=1)
    close = cKDTree(rest).sparse_distance_matrix(cKDTree(middles), apart, output_type="ndarray")
    one, two, far = close["i"], close["j"], close["v"]
    below = np.einsum("ci,ci->c", middles[two] - rest[one], normals[one]) < INWARD * far
    across = coo_array((np.ones(int(below.sum()), dtype=np.int32), (one[below], two[below])), shape=(count, faces))
    both = (over @ corners + across.tocsr()).tocsr()
    both.sort_indices()
    return both.indptr.astype(np.int32), both.indices.astype(np.int32)


def geodesic_neighbors(rest: FloatArray, triangles: IntArray, apart: float) -> tuple[IntArray, IntArray]:
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


def excluded_pairs(
    together: tuple[IntArray, IntArray], skin: Bvh, triangles: IntArray, patch_of: IntArray
) -> tuple[IntArray, IntArray, NDArray[np.uint8]]:
    """Who of a cluster of nodes and one of triangles, of different patches, can never touch.

    Nothing can where a triangle belongs `together` with a node, or has a corner in its patch. For every cluster of
    nodes, `starts` (C + 1,) and the clusters of triangles of which some cannot, rising: twice their number, and one
    more where nobody of the two can touch. For each of these a byte for every place in the cluster of nodes, with a bit
    for every place in the other one that cannot touch it, or that nobody takes.
    """
    seats, face_seats = _seats(skin.node_starts, skin.nodes, len(patch_of)), _seats(skin.starts, skin.members)
    owner = patch_of[triangles[:, 0]]
    one, face = np.repeat(np.arange(len(patch_of)), np.diff(together[0])), together[1]
    known = np.flatnonzero((seats[0][one] >= 0) & (patch_of[one] != owner[face]))
    one, face = one[known], face[known]
    # A triangle that reaches into another patch, and all clusters of that patch.
    pairs = np.stack([np.repeat(np.arange(len(triangles)), 2), patch_of[triangles[:, 1:]].ravel()], axis=1)
    pairs = np.unique(pairs[owner[pairs[:, 0]] != pairs[:, 1]], axis=0)
    starts, clusters = group_by_label(skin.patches, int(patch_of.max()) + 1)
    sizes = np.diff(starts)[pairs[:, 1]]
    ends = np.cumsum(sizes)
    reached = clusters[np.repeat(starts[pairs[:, 1]] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))]
    reaching = np.repeat(pairs[:, 0], sizes)

    count = np.int64(len(skin.starts) - 1)
    keys = np.concatenate([seats[0][one] * count + face_seats[0][face], reached * count + face_seats[0][reaching]])
    found, row = np.unique(keys, return_inverse=True)
    bits = np.zeros((len(found), CLUSTER), dtype=np.uint8)
    np.bitwise_or.at(bits, (row[: len(one)], seats[1][one]), _bit(face_seats[1][face]))
    np.bitwise_or.at(bits, row[len(one) :], _bit(face_seats[1][reaching])[:, None])
    mine, other = found // count, found % count
    bits |= ~(_bit(np.diff(skin.starts)[other]) - np.uint8(1))[:, None]
    filled = np.arange(CLUSTER) < np.diff(skin.node_starts)[mine, None]
    named = 2 * other + np.all((bits == 255) | ~filled, axis=1)
    return np.searchsorted(mine, np.arange(skin.clusters + 1)).astype(np.int32), named.astype(np.int32), bits


def _seats(starts: IntArray, members: IntArray, count: int | None = None) -> tuple[Longs, Longs]:
    """Cluster and place in it of each of `count` things; -1 for those that are in none."""
    cluster, position = (np.full(len(members) if count is None else count, -1, dtype=np.int64) for _ in range(2))
    cluster[members] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    position[members] = np.arange(len(members)) - starts[cluster[members]]
    return cluster, position


def _bit(position: NDArray[Any]) -> NDArray[np.uint8]:
    return np.left_shift(1, position).astype(np.uint8)
