"""What bodies weigh: volume, centre of mass and moments of inertia of evenly filled shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.obstacles.shapes import Box, Capsule, MovingMesh, RigidBody, Sphere


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Of a body of mass 1 kg: `volume` [m³], `center` (3,) [m] of mass, `inertia` (3, 3) [m²] about that centre.

    Both are in the body's own frame; times a mass [kg], the inertia is the body's.
    """

    volume: float
    center: FloatArray
    inertia: FloatArray


def mass_properties(body: RigidBody) -> MassProperties:
    """Volume, centre and inertia of an evenly filled body."""
    if isinstance(body, MovingMesh):
        return _mesh_properties(body)
    if isinstance(body, Sphere):
        volume, moments = 4.0 / 3.0 * np.pi * body.radius**3, np.full(3, 0.4 * body.radius**2)
    elif isinstance(body, Box):
        squares = body.sides**2
        volume, moments = float(np.prod(body.sides)), (squares.sum() - squares) / 12.0
    elif isinstance(body, Capsule):
        volume, moments = _capsule_moments(body)
    else:
        raise InputError(
            type(body).__name__, "it has no mass", "a free body is a ball, capsule, box or mesh", "lead it along a path"
        )
    return MassProperties(volume, np.zeros(3), np.diag(moments))


def _capsule_moments(body: Capsule) -> tuple[float, FloatArray]:
    """A rod and the two halves of a ball, whose own centres lie 3/8 of the radius beyond the rod's ends."""
    r, long = body.radius, body.length
    rod, ball = np.pi * r**2 * long, 4.0 / 3.0 * np.pi * r**3
    along = rod * r**2 / 2.0 + ball * 0.4 * r**2
    across = rod * (long**2 / 12.0 + r**2 / 4.0) + ball * (0.4 * r**2 + long**2 / 4.0 + 3.0 / 8.0 * long * r)
    return rod + ball, np.array([across, along, across]) / (rod + ball)


def _mesh_properties(body: MovingMesh) -> MassProperties:
    """Sums over the tetrahedra that the triangles make with a point: exact for a closed mesh.

    Of a tetrahedron 0, a, b, c the integral of x xᵀ is det/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), with s = a + b + c.
    """
    origin = body.points[np.unique(body.triangles)].mean(axis=0)
    corners = (body.points - origin)[body.triangles]
    parts = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(parts.sum())
    sums = corners.sum(axis=1)
    center = np.einsum("t,ti->i", parts, sums) / (4.0 * volume)
    second = np.einsum("t,ti,tj->ij", parts, sums, sums) + np.einsum("t,tki,tkj->ij", parts, corners, corners)
    second = second / (20.0 * volume) - np.outer(center, center)
    return MassProperties(volume, center + origin, np.trace(second) * np.eye(3) - second)
