"""Obstacles inside the flesh, which touch no skin: they leave it where it is nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.geometry import quaternions
from supple.obstacles.shapes import Capsule, RigidBody, Sphere
from supple.skins.contact.detection.detected_contacts import DetectedContacts

if TYPE_CHECKING:
    from supple.skins.contact.detection.detector import CollisionDetector


class EnclosedObstacles:
    """Finds contacts of a skin with obstacles whose middle is inside it.

    The corners of the triangle nearest to the middle have to get behind the obstacle: with u the way from the middle m
    to the skin and h how far the obstacle reaches back from m, the normal is -u and the gap -u . (x - m) - h.
    """

    def __init__(self, skin: CollisionDetector) -> None:
        from supple.skins.contact.detection import skin_kernels as kernels

        wp, on = devices.warp(), skin.bodies
        self._skin = skin
        extents = np.array([body.extent for body in on.bodies])
        self._ended = np.isfinite(extents).all(axis=(1, 2))
        self._local = np.where(np.isfinite(extents), extents, 0.0).mean(axis=1)
        counts = wp.zeros(len(on), dtype=wp.int32, device=skin.device)
        local = devices.to_device(self._local, wp.vec3f, skin.device)
        inputs = [local, on.now, *skin.bvh.search, skin.points, counts]
        self._surround = devices.Launch(kernels.winding_numbers, len(on), inputs, skin.device, smallest=256)
        self._counts = devices.HostSide(counts)

    def contacts(self, obstacles: IntArray) -> DetectedContacts:
        """Contacts with those of `obstacles` that are buried."""
        skin, on = self._skin, self._skin.bodies
        if not self._ended[obstacles].any():
            return DetectedContacts.none()
        skin.refit_once()
        self._surround()
        inside = obstacles[(self._ended & (self._counts.read() > 0))[obstacles]]
        if not len(inside):
            return DetectedContacts.none()
        points = devices.to_host(skin.points).astype(np.float64)
        transforms = [devices.to_host(array)[inside].astype(np.float64) for array in (on.now, on.earlier)]
        now, earlier = (quaternions.compose(array[:, :3], array[:, 3:]) for array in transforms)
        middles = np.einsum("oij,oj->oi", now[:, :3, :3], self._local[inside]) + now[:, :3, 3]
        placed = zip(inside.tolist(), zip(middles, now, earlier, strict=True), strict=True)
        triangles, bodies, dt = skin.triangles, on.bodies, on.elapsed
        return DetectedContacts.concatenate(
            [_push_out(points, triangles, (number, bodies[number]), at, dt) for number, at in placed]
        )


def _push_out(
    points: FloatArray,
    triangles: IntArray,
    obstacle: tuple[int, RigidBody],
    placed: tuple[FloatArray, FloatArray, FloatArray],
    dt: float,
) -> DetectedContacts:
    import igl

    number, body = obstacle
    middle, now, earlier = placed
    _, face, closest = igl.point_mesh_squared_distance(middle[None], points, triangles.astype(np.int64))
    corners = triangles[int(np.ravel(face)[0])]
    exit_position = np.reshape(closest, 3)
    u = exit_position - middle
    far = float(np.linalg.norm(u))
    a, b, c = points[corners]
    u = u / far if far > 1e-9 else quaternions.normalize(np.cross(b - a, c - a))
    gaps = -(points[corners] - middle) @ u - _reach(body, now[:3, :3].T @ u)
    spot = now[:3, :3].T @ (exit_position - now[:3, 3])
    velocity = (exit_position - (earlier[:3, :3] @ spot + earlier[:3, 3])) / dt if dt > 0.0 else np.zeros(3)
    order = np.argsort(corners, kind="stable")
    return DetectedContacts.with_obstacles(
        corners[order],
        np.tile(-u, (3, 1)),
        gaps[order],
        np.full(3, number, dtype=np.int32),
        np.tile(velocity, (3, 1)),
        np.full(3, float(body.friction)),
    )


def _reach(body: RigidBody, along: FloatArray) -> float:
    """How far [m] an obstacle reaches from the middle of its box along a direction of its own frame."""
    if isinstance(body, Sphere):
        return body.radius
    if isinstance(body, Capsule):
        return body.radius + 0.5 * body.length * abs(float(along[1]))
    low, high = body.extent
    return float(0.5 * (high - low) @ np.abs(along))
