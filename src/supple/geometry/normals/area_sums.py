"""The sums of area vectors around all vertices of meshes alike, on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import IntArray
from supple.geometry.rows import group_by_label, in_groups

BEGINS = -(1 << 31)  # flag of a corner that makes no triangle with the one before
_MANY = 16  # meshes, from which a GPU has enough to do with a block of threads for each
_SPARE = 8192  # bytes of shared memory that Warp and the driver take for themselves, at most


class AreaSums:
    """Recorded: `sums` (C V,) of the area vectors, twice the area each, of the triangles around every vertex.

    `triangles` (T, 3) are those of one of C `copies`, whose `points` (C V,) on the device follow one another. A GPU
    goes through many of them mesh by mesh (`by_mesh`).
    """

    def __init__(
        self,
        triangles: IntArray,
        copies: int,
        points: Any,
        constants: devices.Constants,
        *,
        by_mesh: bool | None = None,
    ) -> None:
        self._triangles, self._copies, self._points = triangles, copies, points
        self._each, self._constants = len(points) // copies, constants
        self.sums = constants.blank(len(points), devices.warp().vec3f)
        by_mesh = fit_meshes(constants.device, copies, self._each) if by_mesh is None else by_mesh
        self.launches = self._mesh_by_mesh() if by_mesh else self._all_at_once()

    def _all_at_once(self) -> list[devices.Launch]:
        from supple.geometry.kernels import normals as kernels

        wp, constants, count = devices.warp(), self._constants, self._copies * len(self._triangles)

        def around() -> list[Any]:
            starts, corners = group_by_label(self._triangles.reshape(-1), self._each)
            members = (corners // 3).astype(np.int32)
            return [devices.to_device(array, wp.int32, constants.device) for array in (starts, members)]

        areas = constants.blank(count, wp.vec3f)
        faces = constants.put(self._triangles, wp.vec3i)
        rows = constants.derive(self._triangles, "around", around)
        return [
            devices.Launch(kernels.area_vectors, count, [self._each, self._points, faces, areas], constants.device),
            devices.Launch(
                kernels.area_sums,
                len(self._points),
                [self._each, len(self._triangles), *rows, areas, self.sums],
                constants.device,
            ),
        ]

    def _mesh_by_mesh(self) -> list[devices.Launch]:
        from supple.geometry.kernels import mesh_normals as kernels

        wp, constants = devices.warp(), self._constants
        device = constants.device

        def put() -> list[Any]:
            return [devices.to_device(array, wp.int32, device) for array in fans_in_groups(self._triangles, self._each)]

        rows = constants.derive(self._triangles, "fans", put)
        threads = 1 if device == "cpu" else int(kernels.THREADS)  # of a processor only one, which tests ask for
        inputs = [self._each, *rows, self._points, self.sums]
        return [devices.Launch(kernels.area_sums_of_mesh, threads * self._copies, inputs, device, block=threads)]


def fit_meshes(device: str, copies: int, vertices: int) -> bool:
    """Whether copies of so many vertices are many, and small enough to be held by a block of threads each."""
    from supple.geometry.kernels.mesh_normals import MOST_VERTICES

    if device == "cpu" or copies < _MANY or vertices > MOST_VERTICES:
        return False
    return int(devices.warp().get_device(device).max_shared_memory_per_block) >= 12 * MOST_VERTICES + _SPARE


def fans_in_groups(triangles: IntArray, vertices: int) -> tuple[IntArray, IntArray]:
    """The corners around every vertex, one triangle after another, each of which shares a side with the one before.

    They stand in groups of vertices (`in_groups`). Two after one another make a triangle with the vertex, but for those
    where a fan `BEGINS`.
    """
    onward: list[dict[int, list[int]]] = [{} for _ in range(vertices)]
    for a, b, c in np.asarray(triangles).tolist():
        onward[a].setdefault(b, []).append(c)
        onward[b].setdefault(c, []).append(a)
        onward[c].setdefault(a, []).append(b)
    fans = [_fan(each) for each in onward]
    starts, at = in_groups([len(fan) for fan in fans])
    corners = np.full(starts[-1], BEGINS, dtype=np.int32)
    corners[at] = [corner for fan in fans for corner in fan]
    return starts, corners


def _fan(onward: dict[int, list[int]]) -> list[int]:
    """The corners around one vertex, given to which ones the triangles lead from each."""
    reached = {c for ends in onward.values() for c in ends}
    fan = []
    for begin in [*(b for b in onward if b not in reached), *onward]:
        while onward.get(begin):
            corner = begin
            fan.append(corner | BEGINS)
            while onward.get(corner):
                corner = onward[corner].pop()
                fan.append(corner)
    return fan
