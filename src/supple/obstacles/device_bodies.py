"""Bodies of the world on a device: their shapes once, their places at both ends of every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.device import HostSide
from supple.geometry import quaternions
from supple.obstacles.baked import BakedSkin
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.shapes import MovingMesh, RigidBody


class DeviceBodies:
    """Rigid bodies on the device, at two moments: the end of a step, and its beginning."""

    def __init__(self, bodies: Sequence[RigidBody], device: str) -> None:
        wp = devices.warp()
        self.bodies = tuple(bodies)
        self.device = device
        count = len(self.bodies)
        self._meshes = [_mesh(body, device) for body in self.bodies]
        identifiers = [0 if mesh is None else mesh.id for mesh in self._meshes]
        sizes = np.array([body.size for body in self.bodies]).reshape(count, 3)
        self.kinds = devices.to_device(np.array([body.kind for body in self.bodies], dtype=np.int32), wp.int32, device)
        self.sizes = devices.to_device(sizes, wp.vec3f, device)
        frictions = np.array([body.friction for body in self.bodies], dtype=np.float32)
        self.frictions = devices.to_device(frictions, wp.float32, device)
        self.meshes = devices.to_device(np.array(identifiers, dtype=np.uint64), wp.uint64, device)
        spans = [np.linalg.norm(np.subtract(*body.extent)) for body in self.bodies if isinstance(body, _MESHES)]
        self.reach = float(max(spans, default=1.0))
        self.time = self.elapsed = 0.0
        extents = np.abs([body.extent for body in self.bodies]).reshape(count, 2, 3)
        self.radii: FloatArray = np.linalg.norm(
            extents.max(axis=1), axis=1
        )  # of balls round their origins that hold them
        self._queries: dict[int, _SurfaceQuery] = {}
        rest_transforms = [np.eye(4) if callable(body.at) else body.world_from_body(0.0) for body in self.bodies]
        self._rest_transforms = np.array(rest_transforms).reshape(count, 4, 4)
        self._kinematic = [index for index, body in enumerate(self.bodies) if callable(body.at)]
        self.has_meshes = any(mesh is not None for mesh in self._meshes)
        self._baked = [
            (body, mesh) for body, mesh in zip(self.bodies, self._meshes, strict=True) if isinstance(body, BakedSkin)
        ]
        moving = [index for index, body in enumerate(self.bodies) if callable(body.at) or body.free is not None]
        self._moving: IntArray = np.array(moving, dtype=np.int32)
        self._transforms = np.tile(
            _pack_transforms(self._rest_transforms), (2, 1, 1)
        )  # at the end of a step, and at its beginning
        self.now, self.earlier = (devices.to_device(rows, wp.transformf, device) for rows in self._transforms)
        self._sides = [HostSide(array) for array in (self.now, self.earlier)]

    def __len__(self) -> int:
        return len(self.bodies)

    def move(self, time: float, dt: float, *, dynamic: DynamicBodies | None = None) -> None:
        """Put every body where it is at `time` [s], having come from where it was `dt` before.

        `dynamic` knows where the free ones among them are; without it they stay on their paths.
        """
        self.time, self.elapsed = time, dt
        if len(self._moving):
            transforms = np.tile(self._rest_transforms, (2, 1, 1, 1))
            for side, moment in enumerate((time, time - dt)):
                for index in self._kinematic:
                    transforms[side, index] = self.bodies[index].world_from_body(moment)
            if dynamic is not None and len(dynamic):
                transforms[0, dynamic.indices], transforms[1, dynamic.indices] = (
                    dynamic.world_from_body,
                    dynamic.earlier,
                )
            self._transforms[:, self._moving] = _pack_transforms(transforms[:, self._moving])
            for end, rows in zip(self._sides, self._transforms, strict=True):
                end.write(rows)
        for body, mesh in self._baked:
            points, before = body.points_at(time), body.points_at(time - dt)
            devices.write(mesh.points, points)
            devices.write(mesh.velocities, (points - before) / dt if dt > 0.0 else np.zeros_like(points))
            mesh.refit()

    def exchange(self, index: int, body: RigidBody) -> None:
        """Let another ball, capsule or box take the place of a free one; launches that look at it go on."""
        assert not isinstance(body, _MESHES)
        self.bodies = (*self.bodies[:index], body, *self.bodies[index + 1 :])
        self._rest_transforms[index] = body.world_from_body(0.0)
        self._transforms[:, index] = _pack_transforms(self._rest_transforms[index])
        self.radii[index] = np.linalg.norm(np.abs(body.extent).max(axis=0))
        columns = (self.kinds, [one.kind for one in self.bodies]), (self.sizes, [one.size for one in self.bodies])
        for array, values in (*columns, (self.frictions, [one.friction for one in self.bodies])):
            devices.write(array, np.array(values))

    def put(self, index: int, world_from_body: FloatArray) -> None:
        """Put one free body elsewhere (4, 4) at the end of the step; where it came from stays."""
        self._transforms[0, index] = _pack_transforms(world_from_body)
        self._sides[0].write(self._transforms[0])

    def is_apart(self, index: int, position: FloatArray, radius: float) -> bool:
        """Whether a ball of a `radius` [m] at a `place` (3,) is surely off a body at the end of the step."""
        between = self._transforms[0, index, :3] - position
        return float(between @ between) > (self.radii[index] + radius) ** 2

    def surface(self, index: int, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Signed distances (P,) [m] of places (P, 3) to a body's skin at the end of the step, and ways out (P, 3)."""
        if not len(positions):
            return np.zeros(0), np.zeros((0, 3))
        if len(positions) not in self._queries:
            self._queries[len(positions)] = _SurfaceQuery(self, len(positions))
        radius = float(self.radii[index])
        apart = float(np.linalg.norm(positions - self._transforms[0, index, :3], axis=1).max())
        return self._queries[len(positions)].surface(index, positions, apart + radius if np.isfinite(radius) else 1.0)


class _SurfaceQuery:
    """The launch that tells how far so many places are from a body."""

    def __init__(self, on: DeviceBodies, count: int) -> None:
        from supple.obstacles import kernels

        wp = devices.warp()
        sizes = ((count, wp.vec3f), (1, wp.int32), (1, wp.float32), (count, wp.float32), (count, wp.vec3f))
        arrays = [wp.zeros(size, dtype=kind, device=on.device) for size, kind in sizes]
        self._positions, self._which, self._reach, self._distances, self._normals = (
            HostSide(array) for array in arrays
        )
        inputs = [*arrays[:3], on.kinds, on.sizes, on.meshes, on.now, *arrays[3:]]
        self._launch = devices.Launch(kernels.surfaces, count, inputs, on.device)

    def surface(self, index: int, positions: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        """Signed distances and ways out."""
        self._positions.write(positions)
        self._which.write(np.array([index], dtype=np.int32))
        self._reach.write(np.array([reach]))
        self._launch()
        return self._distances.read().astype(np.float64), self._normals.read().astype(np.float64)


_MESHES = (MovingMesh, BakedSkin)


def _pack_transforms(matrices: FloatArray) -> FloatArray:
    """Places and turns (..., 7) of transforms (..., 4, 4)."""
    rotations = quaternions.quat_from_matrix(matrices[..., :3, :3])
    return np.concatenate([matrices[..., :3, 3], rotations], axis=-1)


def _mesh(body: RigidBody, device: str) -> Any:
    if not isinstance(body, _MESHES):
        return None
    wp = devices.warp()
    rest = body.points_at(body.start) if isinstance(body, BakedSkin) else body.points
    corners = devices.to_device(body.triangles.reshape(-1), wp.int32, device)
    speeds = wp.zeros(len(rest), dtype=wp.vec3f, device=device) if isinstance(body, BakedSkin) else None
    return wp.Mesh(devices.to_device(rest, wp.vec3f, device), corners, velocities=speeds)
