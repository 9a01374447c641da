"""Bodies of the world on a device: their shapes once, their places at both ends of every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.device import HostSide
from supple.geometry import quaternions
from supple.obstacles.baked import BakedSkin
from supple.obstacles.free import FreeBodies
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
        self.radii: Floats = np.linalg.norm(extents.max(axis=1), axis=1)  # of balls round their origins that hold them
        self._looks: dict[int, _Look] = {}
        placed = [np.eye(4) if callable(body.at) else body.world_from_body(0.0) for body in self.bodies]
        self._placed = np.array(placed).reshape(count, 4, 4)
        self._led = [number for number, body in enumerate(self.bodies) if callable(body.at)]
        self.has_meshes = any(mesh is not None for mesh in self._meshes)
        self._baked = [
            (body, mesh) for body, mesh in zip(self.bodies, self._meshes, strict=True) if isinstance(body, BakedSkin)
        ]
        movers = [number for number, body in enumerate(self.bodies) if callable(body.at) or body.free is not None]
        self._movers: Ints = np.array(movers, dtype=np.int32)
        self._rows = np.tile(_transforms(self._placed), (2, 1, 1))  # at the end of a step, and at its beginning
        self.now, self.earlier = (devices.to_device(rows, wp.transformf, device) for rows in self._rows)
        self._sides = [HostSide(array) for array in (self.now, self.earlier)]

    def __len__(self) -> int:
        return len(self.bodies)

    def move(self, time: float, dt: float, *, free: FreeBodies | None = None) -> None:
        """Put every body where it is at `time` [s], having come from where it was `dt` before.

        `free` knows where the free ones among them are; without it they stay on their paths.
        """
        self.time, self.elapsed = time, dt
        if len(self._movers):
            places = np.tile(self._placed, (2, 1, 1, 1))
            for side, moment in enumerate((time, time - dt)):
                for number in self._led:
                    places[side, number] = self.bodies[number].world_from_body(moment)
            if free is not None and len(free):
                places[0, free.numbers], places[1, free.numbers] = free.world_from_body, free.earlier
            self._rows[:, self._movers] = _transforms(places[:, self._movers])
            for end, rows in zip(self._sides, self._rows, strict=True):
                end.write(rows)
        for body, mesh in self._baked:
            points, before = body.points_at(time), body.points_at(time - dt)
            devices.write(mesh.points, points)
            devices.write(mesh.velocities, (points - before) / dt if dt > 0.0 else np.zeros_like(points))
            mesh.refit()

    def put(self, number: int, world_from_body: Floats) -> None:
        """Put one free body elsewhere (4, 4) at the end of the step; where it came from stays."""
        self._rows[0, number] = _transforms(world_from_body)
        self._sides[0].write(self._rows[0])

    def apart(self, number: int, place: Floats, radius: float) -> bool:
        """Whether a ball of a `radius` [m] at a `place` (3,) is surely off a body at the end of the step."""
        between = self._rows[0, number, :3] - place
        return float(between @ between) > (self.radii[number] + radius) ** 2

    def surface(self, number: int, places: Floats) -> tuple[Floats, Floats]:
        """Signed distances (P,) [m] of places (P, 3) to a body's skin at the end of the step, and ways out (P, 3)."""
        if not len(places):
            return np.zeros(0), np.zeros((0, 3))
        if len(places) not in self._looks:
            self._looks[len(places)] = _Look(self, len(places))
        radius = float(self.radii[number])
        apart = float(np.linalg.norm(places - self._rows[0, number, :3], axis=1).max())
        return self._looks[len(places)].surface(number, places, apart + radius if np.isfinite(radius) else 1.0)


class _Look:
    """The launch that tells how far so many places are from a body."""

    def __init__(self, on: DeviceBodies, count: int) -> None:
        from supple.obstacles import kernels

        wp = devices.warp()
        sizes = ((count, wp.vec3f), (1, wp.int32), (1, wp.float32), (count, wp.float32), (count, wp.vec3f))
        arrays = [wp.zeros(size, dtype=kind, device=on.device) for size, kind in sizes]
        self._places, self._which, self._reach, self._distances, self._ways = (HostSide(array) for array in arrays)
        inputs = [*arrays[:3], on.kinds, on.sizes, on.meshes, on.now, *arrays[3:]]
        self._launch = devices.Launch(kernels.surfaces, count, inputs, on.device)

    def surface(self, number: int, places: Floats, reach: float) -> tuple[Floats, Floats]:
        """Signed distances and ways out."""
        self._places.write(places)
        self._which.write(np.array([number], dtype=np.int32))
        self._reach.write(np.array([reach]))
        self._launch()
        return self._distances.read().astype(np.float64), self._ways.read().astype(np.float64)


_MESHES = (MovingMesh, BakedSkin)


def _transforms(matrices: Floats) -> Floats:
    """Places and turns (..., 7) of transforms (..., 4, 4)."""
    turns = quaternions.quat_from_matrix(matrices[..., :3, :3])
    return np.concatenate([matrices[..., :3, 3], turns], axis=-1)


def _mesh(body: RigidBody, device: str) -> Any:
    if not isinstance(body, _MESHES):
        return None
    wp = devices.warp()
    rest = body.points_at(body.start) if isinstance(body, BakedSkin) else body.points
    corners = devices.to_device(body.triangles.reshape(-1), wp.int32, device)
    speeds = wp.zeros(len(rest), dtype=wp.vec3f, device=device) if isinstance(body, BakedSkin) else None
    return wp.Mesh(devices.to_device(rest, wp.vec3f, device), corners, velocities=speeds)
