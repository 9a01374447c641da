"""Obstacles that are inside the flesh and touch no node: they leave by the skin that is nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.geometry import rotations
from supple.obstacles.shapes import Capsule, RigidBody, Sphere
from supple.skins.contact.touches import Touches

if TYPE_CHECKING:
    from supple.skins.contact.detection import Detection


def buried_contacts(skin: Detection, obstacles: Ints) -> Touches:
    """Contacts of the skin with those of `obstacles` whose middle is inside it.

    The corners of the triangle nearest to the middle have to get behind the obstacle: with u the way from the middle m
    to the skin and h how far the obstacle reaches back from m, the normal is -u and the gap -u . (x - m) - h.
    """
    from supple.skins.contact import skin_kernels as kernels

    wp, on = devices.warp(), skin.bodies
    ended = [number for number in obstacles.tolist() if np.isfinite(on.bodies[number].extent[0]).all()]
    if not ended:
        return Touches.joined([])
    skin.refit()
    transforms = [devices.to_host(array)[ended].astype(np.float64) for array in (on.now, on.earlier)]
    now, earlier = (rotations.compose(array[:, :3], array[:, 3:]) for array in transforms)
    local = np.array([0.5 * np.add(*on.bodies[number].extent) for number in ended])
    middles = np.einsum("oij,oj->oi", now[:, :3, :3], local) + now[:, :3, 3]
    places = devices.to_device(middles, wp.vec3f, skin.device)
    counts = wp.zeros(len(ended), dtype=wp.int32, device=skin.device)
    inputs = [places, *skin.hierarchy.inputs, skin.device_triangles, skin.points, counts]
    devices.Launch(kernels.surround, len(ended), inputs, skin.device)()
    inside = np.flatnonzero(devices.to_host(counts) > 0)
    if not len(inside):
        return Touches.joined([])
    points = devices.to_host(skin.points).astype(np.float64)
    return Touches.joined(
        [
            _leaving(points, skin.triangles, on.bodies, ended[k], (middles[k], now[k], earlier[k]), on.elapsed)
            for k in inside
        ]
    )


def _leaving(points: Floats, triangles: Ints, bodies: tuple[RigidBody, ...], number: int,
             placed: tuple[Floats, Floats, Floats], dt: float) -> Touches:  # fmt: skip
    import igl

    middle, now, earlier = placed
    _, face, closest = igl.point_mesh_squared_distance(middle[None], points, triangles.astype(np.int64))
    corners = triangles[int(np.ravel(face)[0])]
    exit_place = np.reshape(closest, 3)
    u = exit_place - middle
    far = float(np.linalg.norm(u))
    a, b, c = points[corners]
    u = u / far if far > 1e-9 else rotations.normalised(np.cross(b - a, c - a))
    gaps = -(points[corners] - middle) @ u - _reach(bodies[number], now[:3, :3].T @ u)
    spot = now[:3, :3].T @ (exit_place - now[:3, 3])
    velocity = (exit_place - (earlier[:3, :3] @ spot + earlier[:3, 3])) / dt if dt > 0.0 else np.zeros(3)
    order = np.argsort(corners, kind="stable")
    return Touches.with_obstacles(
        corners[order], np.tile(-u, (3, 1)), gaps[order], np.full(3, number, dtype=np.int32), np.tile(velocity, (3, 1)),
        bodies,
    )  # fmt: skip


def _reach(body: RigidBody, along: Floats) -> float:
    """How far [m] an obstacle reaches from the middle of its box along a direction of its own frame."""
    if isinstance(body, Sphere):
        return body.radius
    if isinstance(body, Capsule):
        return body.radius + 0.5 * body.length * abs(float(along[1]))
    low, high = body.extent
    return float(0.5 * (high - low) @ np.abs(along))
