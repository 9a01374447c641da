"""The skin above every voxel: what is known of it there, and how deep the voxel lies below it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry.nearest import nearest_on_mesh
from supple.skins.lattice.voxelize.voxel_components import VoxelComponents

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class SkinAbove:
    """What lies above the N nodes of a lattice in a skin of V vertices.

    The skin above node n is the mean of `vertices[starts[n]:starts[n + 1]]` by `shares`, which sum to one: the skin
    that runs through a node, or through the nearest such node by the way through flesh, so that nothing is taken from a
    limb that only lies close by. `depths` (N,) [m] are how far the middle of a node lies below the skin, 0 where it
    lies outside.
    """

    starts: IntArray
    vertices: IntArray
    shares: FloatArray
    depths: FloatArray

    @cached_property
    def matrix(self) -> csr_array:
        """The shares as a matrix (N, V)."""
        from scipy.sparse import csr_array

        return csr_array((self.shares, self.vertices, self.starts))

    def sample(self, values: FloatArray) -> FloatArray:
        """Values (V,) of the skin, at every node (N,)."""
        rows = self.matrix
        return np.asarray(rows @ values[: rows.shape[1]])


def find_skin_above(components: VoxelComponents, points: FloatArray, triangles: IntArray) -> SkinAbove:
    """Look up from every node; `points` (V, 3) [m] and `triangles` (T, 3) are the skin that was filled."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    lattice, tissue = components.lattice, components.tissue
    node = components.node_at_position[tissue.skin_from :]
    corners, weights, _ = nearest_on_mesh(tissue.flesh.points, points, triangles)
    counts = np.bincount(node, minlength=len(lattice))
    entries = (weights / counts[node][:, None]).ravel(), (np.repeat(node, 3), corners.ravel())
    means = coo_array(entries, shape=(len(lattice), len(points))).tocsr()
    _, _, source = dijkstra(lattice.graph, indices=np.flatnonzero(counts), min_only=True, return_predecessors=True)
    held = np.flatnonzero(counts)
    alone = np.flatnonzero(source < 0)  # no way leads there: the nearest in space
    source[alone] = held[_nearest(lattice.points[held], lattice.points[alone])]
    _, _, away = nearest_on_mesh(lattice.points, tissue.flesh.points, tissue.flesh.triangles)
    rows = means[source]
    rows.sum_duplicates()
    inside = tissue.flesh.inside(lattice.points)
    return SkinAbove(
        rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data, np.where(inside, away, 0.0)
    )


def _nearest(points: FloatArray, positions: FloatArray) -> IntArray:
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(points).query(positions)[1], dtype=np.int32)
