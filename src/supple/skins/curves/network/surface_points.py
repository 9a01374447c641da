"""Fixed places on a mesh: each a weighted mean of a few of its vertices, so that it is known in every pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen

_LEAST = 1e-9  # shares below this are left out of a filled place


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Places p on a mesh of `vertex_count` vertices: sum of `weights[k]` times vertex `vertices[k]`.

    k runs from `starts[p]` to `starts[p + 1]`. Shares of a place sum to one, so a place goes along with any motion
    of the mesh, and its weights are means of the weights of its vertices.
    """

    starts: IntArray
    vertices: IntArray
    weights: FloatArray
    vertex_count: int

    @classmethod
    def on_vertices(cls, vertices: ArrayLike, vertex_count: int) -> SurfacePoints:
        """One place at each of the vertices."""
        index = np.asarray(vertices, dtype=np.int32).ravel()
        return cls(np.arange(len(index) + 1, dtype=np.int32), index, np.ones(len(index)), vertex_count)

    @classmethod
    def on_triangles(cls, corners: ArrayLike, barycentric: ArrayLike, vertex_count: int) -> SurfacePoints:
        """Places by the corners (P, 3) of triangles and barycentric coordinates (P, 3)."""
        index = frozen(corners, np.int32, (-1, 3), "SurfacePoints", "corners")
        weights = frozen(barycentric, np.float64, index.shape, "SurfacePoints", "barycentric")
        return cls(np.arange(0, index.size + 1, 3, dtype=np.int32), index.ravel(), weights.ravel(), vertex_count)

    @classmethod
    def concatenate(cls, several: tuple[SurfacePoints, ...]) -> SurfacePoints:
        """All places of several lists, one list after the other."""
        sizes = [0, *np.cumsum([len(points.vertices) for points in several]).tolist()]
        starts = [points.starts[:-1] + size for points, size in zip(several, sizes[:-1], strict=True)]
        return cls(
            np.concatenate([*starts, [sizes[-1]]]).astype(np.int32),
            np.concatenate([points.vertices for points in several]),
            np.concatenate([points.weights for points in several]),
            several[0].vertex_count,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def matrix(self) -> Any:
        """The same as a sparse matrix (P, V): `matrix @ points` are the places."""
        from scipy.sparse import csr_array

        return csr_array((self.weights, self.vertices, self.starts), shape=(len(self), self.vertex_count))

    def at(self, values: ArrayLike) -> FloatArray:
        """Where the places are (P, 3) on a mesh with these points (V, 3), or any other values (V, ...) there."""
        given = np.asarray(values, dtype=np.float64)
        flat = self.matrix @ given.reshape(len(given), -1)
        return np.asarray(flat).reshape(len(self), *given.shape[1:])

    def fill(self, mix: FloatArray, known: BoolArray) -> SurfacePoints:
        """The places that are `known` (P,) kept, the others made from them by the rows of `mix` (unknown, known)."""
        from scipy.sparse import csr_array

        if known.all():
            return self
        mixed = np.where(np.abs(mix) > _LEAST, mix, 0.0)
        made = csr_array(mixed / mixed.sum(axis=1, keepdims=True)) @ self.matrix[np.flatnonzero(known)]
        keep = csr_array(
            (np.ones(int(known.sum())), (np.flatnonzero(known), np.flatnonzero(known))), shape=(len(self),) * 2
        )
        put = csr_array((np.ones(len(mix)), (np.flatnonzero(~known), np.arange(len(mix)))), shape=(len(self), len(mix)))
        total = (keep @ self.matrix + put @ made).tocsr()
        total.sum_duplicates()
        return SurfacePoints(
            total.indptr.astype(np.int32), total.indices.astype(np.int32), np.asarray(total.data), self.vertex_count
        )
