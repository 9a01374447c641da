"""Authored normals: kept as somebody made them at rest, and turned as the surface around them turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, IntArray, frozen
from supple.geometry.quaternions import normalize
from supple.geometry.rows import group_by_label
from supple.geometry.topology import area_vectors

_WHERE = "CarriedNormals"


@dataclass(frozen=True, eq=False)
class CarriedNormals:
    """Normals (N, 3) at rest, and which corners of which triangles are drawn with them.

    Corner c of triangle t is drawn with normal `normal_of_corner[t, c]`, which stands on point `vertex_of_normal[n]`.
    `given` (N, 3) are the normals at rest; a row of zeros is filled with the mean of its triangles.

    A moved surface turns each triangle by the rotation nearest to its deformation in the plane. A normal follows the
    triangles that are drawn with it, by their moved areas: one of a flat face stays the normal of that face, and one
    that leans away from its faces leans as before.
    """

    rest_points: FloatArray
    triangles: IntArray
    normal_of_corner: IntArray
    vertex_of_normal: IntArray
    given: NDArray[np.float32]

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", frozen(self.given, np.float32, (len(self.vertex_of_normal), 3), _WHERE, "it"))

    def __len__(self) -> int:
        return len(self.vertex_of_normal)

    def normals(self, points: ArrayLike) -> FloatArray:
        """Unit normals (N, 3) of the points (V, 3) as they are now; at rest, those that were given."""
        moved = np.asarray(points, dtype=np.float64)
        if np.array_equal(moved, self.rest_points):
            return self.rest
        frames, areas = self._frames(moved)
        starts, members = self._members
        turned = np.einsum("kab,kb->ka", frames[members], self._leaning) * areas[members, None]
        return self._where_known(_sums(turned, starts))

    def normals_by_matrices(self, linear: FloatArray) -> FloatArray:
        """Unit normals (N, 3) under a linear map (V, 3, 3) of every point, by its inverse transpose.

        This is what engines do with the blended matrices of joints. Cofactors stand for the inverse, so that a map
        that flattens has normals too.
        """
        chosen = linear[self.vertex_of_normal]
        cofactors = np.stack([np.cross(chosen[:, (k + 1) % 3], chosen[:, (k + 2) % 3]) for k in range(3)], axis=1)
        sign = np.where(np.linalg.det(chosen) < 0.0, -1.0, 1.0)[:, None]
        return self._where_known(sign * np.einsum("nab,nb->na", cofactors, self.rest))

    @cached_property
    def rest(self) -> FloatArray:
        """Normals (N, 3) at rest, with means of triangles where none were given."""
        found = self.given.astype(np.float64)
        absent = ~found.any(axis=1)
        if absent.any():
            starts, members = self._members
            found[absent] = normalize(_sums(area_vectors(self.rest_points, self.triangles)[members], starts))[absent]
        found.setflags(write=False)
        return found

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        """Starts (N + 1,) of the triangles that are drawn with each normal, and these one after the other."""
        starts, corners = group_by_label(self.normal_of_corner.reshape(-1), len(self))
        return starts, (corners // 3).astype(np.int32)

    @cached_property
    def _leaning(self) -> FloatArray:
        """The normals (3T, 3) at rest in the frames of the triangles that are drawn with them."""
        starts, members = self._members
        frames = _plain_frames(self.rest_points[self.triangles])[0]
        return np.einsum("kab,ka->kb", frames[members], np.repeat(self.rest, np.diff(starts), axis=0))

    @cached_property
    def _flat_from_edges(self) -> FloatArray:
        """Inverses (T, 2, 2) of the two edges of every triangle at rest in its own plane; zero where it is a line."""
        return _inverse_of_two(_plain_frames(self.rest_points[self.triangles])[1])

    def _frames(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Frames (T, 3, 3) of the moved triangles, turned in the plane as they are deformed, and twice their areas."""
        frames, edges, areas = _plain_frames(points[self.triangles])
        map_in_plane = edges @ self._flat_from_edges
        # The rotation nearest to a map of the plane of positive determinant has the angle of (a + d, c - b).
        along = np.stack(
            [map_in_plane[:, 0, 0] + map_in_plane[:, 1, 1], map_in_plane[:, 1, 0] - map_in_plane[:, 0, 1]], axis=1
        )
        cosine, sine = normalize(along).T[:, :, None]
        x, y = frames[:, :, 0], frames[:, :, 1]
        turned = np.stack([cosine * x + sine * y, cosine * y - sine * x, frames[:, :, 2]], axis=2)
        return turned, areas

    def _where_known(self, vectors: FloatArray) -> FloatArray:
        """Unit vectors; where all triangles vanished, the normal at rest."""
        found = normalize(vectors)
        known = np.asarray(found.any(axis=1))
        return np.where(known[:, None], found, self.rest)


def _plain_frames(corners: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of triangles (T, 3, 3): frames with x along the first edge and z along the normal as columns, both edges from
    the first corner (T, 2, 2) as columns in the frame's plane, and twice their areas (T,)."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    areas = np.linalg.norm(normal, axis=1)
    x, z = normalize(first), normalize(normal)
    y = np.cross(z, x)
    edges = np.empty((len(corners), 2, 2))
    edges[:, 0, 0], edges[:, 1, 0] = np.linalg.norm(first, axis=1), 0.0
    edges[:, 0, 1], edges[:, 1, 1] = np.sum(second * x, axis=1), np.sum(second * y, axis=1)
    return np.stack([x, y, z], axis=2), edges, areas


def _inverse_of_two(matrices: FloatArray) -> FloatArray:
    """Inverses of (T, 2, 2); zero where there is none."""
    a, b, c, d = matrices[:, 0, 0], matrices[:, 0, 1], matrices[:, 1, 0], matrices[:, 1, 1]
    size = a * d - b * c
    factor = np.divide(1.0, size, out=np.zeros_like(size), where=np.abs(size) > 1e-300)
    return factor[:, None, None] * np.stack([np.stack([d, -b], axis=1), np.stack([-c, a], axis=1)], axis=1)


def _sums(rows: FloatArray, starts: IntArray) -> FloatArray:
    """Sums (N, 3) of the rows between starts; zero where there are none."""
    some = starts[1:] > starts[:-1]
    total = np.zeros((len(some), rows.shape[1]))
    if some.any():
        total[some] = np.add.reduceat(rows, starts[:-1][some], axis=0)
    return total
