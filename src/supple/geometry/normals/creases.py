"""Normals of a moving surface: smooth where it was smooth at rest, split where it had a crease."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.geometry.quaternions import normalize
from supple.geometry.rows import group_by_label
from supple.geometry.topology import area_vectors


@dataclass(frozen=True)
class Creases:
    """Which corners of which triangles share a normal, decided once at rest.

    Corner c of triangle t is drawn with normal `normal_of_corner[t, c]`; normal n belongs to vertex
    `vertex_of_normal[n]` and is made of the triangles `members[starts[n]:starts[n + 1]]`.
    """

    triangles: IntArray
    normal_of_corner: IntArray
    vertex_of_normal: IntArray
    starts: IntArray
    members: IntArray

    def __len__(self) -> int:
        return len(self.vertex_of_normal)

    def normals(self, points: ArrayLike) -> FloatArray:
        """Unit normals (N, 3) of the points (V, 3) as they are now; zero where all triangles are flat."""
        return normals(points, self)


def creases(rest_points: ArrayLike, triangles: ArrayLike, *, angle: float = np.pi / 3.0) -> Creases:
    """Split normals where two triangles meet at more than `angle` [rad] at rest.

    Two corners of a vertex share a normal when a walk round the vertex leads from one to the other over edges flatter
    than `angle`. With `angle` >= pi every vertex has one normal wherever its triangles hang together.
    """
    points = frozen(rest_points, np.float64, (-1, 3), "creases", "rest_points")
    faces = frozen(triangles, np.int32, (-1, 3), "creases", "triangles")
    a, b = _matching_sides(faces)
    facing = normalize(area_vectors(points, faces))
    flat = np.sum(facing[a // 3] * facing[b // 3], axis=1) >= np.cos(min(angle, np.pi)) - 1e-9
    a, b = a[flat], b[flat]
    # Side s of a triangle runs from corner s to the next; its twin runs the other way.
    label = _linked(faces.size, np.concatenate([a, _next(a)]), np.concatenate([_next(b), b]))
    groups = int(label.max(initial=-1)) + 1
    starts, corners = group_by_label(label, groups)
    vertex = faces.reshape(-1)[corners[starts[:-1]]] if groups else np.zeros(0, dtype=np.int32)
    return Creases(faces, label.reshape(-1, 3), vertex.astype(np.int32), starts, (corners // 3).astype(np.int32))


def _linked(count: int, one: IntArray, other: IntArray) -> IntArray:
    """For each of `count` corners the number of its group, where those of `one` hang together with those of `other`.

    SciPy does this too, and takes longer to load than all else that a first picture needs.
    """
    lowest = np.arange(count)
    while True:
        lower = lowest.copy()
        np.minimum.at(lower, one, lowest[other])
        np.minimum.at(lower, other, lowest[one])
        lower = lower[lower]
        if np.array_equal(lower, lowest):
            return np.unique(lowest, return_inverse=True)[1].astype(np.int32)
        lowest = lower


def _next(corner: IntArray) -> IntArray:
    return np.asarray(corner - corner % 3 + (corner + 1) % 3)


def _matching_sides(faces: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of sides, numbered 3 t + s, that run along one edge in opposite directions, two triangles to the edge."""
    start = faces.reshape(-1).astype(np.int64)
    end = np.roll(faces, -1, axis=1).reshape(-1).astype(np.int64)
    key = np.minimum(start, end) * (int(faces.max(initial=0)) + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)
    pairs = first[np.diff(np.append(first, len(ordered))) == 2]
    a, b = order[pairs], order[pairs + 1] if len(pairs) else order[pairs]
    opposite = start[a] == end[b]
    return a[opposite], b[opposite]


def normals(points: ArrayLike, shared: Creases) -> FloatArray:
    """Unit normals (N, 3) of a deformed surface, the area-weighted mean of their triangles; zero where all are flat."""
    given = np.asarray(points, dtype=np.float64)
    around = area_vectors(given, shared.triangles)[shared.members]
    if len(shared) == 0:
        return np.zeros((0, 3))
    return normalize(np.add.reduceat(around, shared.starts[:-1], axis=0))


class NormalsOnDevice:
    """The same normals every frame, computed on the device."""

    def __init__(self, shared: Creases, points: Any, device: str) -> None:
        """`points` is the device array whose contents change from frame to frame."""
        from supple.geometry.kernels import normals

        wp, self.points = devices.warp(), points
        faces = devices.to_device(shared.triangles, wp.vec3i, device)
        areas = wp.empty(len(shared.triangles), dtype=wp.vec3f, device=device)
        starts = devices.to_device(shared.starts, wp.int32, device)
        members = devices.to_device(shared.members, wp.int32, device)
        self._normals = wp.empty(len(shared), dtype=wp.vec3f, device=device)
        self._stages = (
            devices.Launch(normals.area_vectors, len(shared.triangles), [len(points), points, faces, areas], device),
            devices.Launch(normals.mean_normals, len(shared), [starts, members, areas, self._normals], device),
        )

    def __call__(self) -> Float32Array:
        """Normals (N, 3) of the points as they are now."""
        for stage in self._stages:
            stage()
        return devices.to_host(self._normals).copy()
