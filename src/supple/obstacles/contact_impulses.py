"""Dynamic bodies that meet the world and each other: they bounce, slide and come to rest, by sequential impulses."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.obstacles.device_bodies import DeviceBodies
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.shapes import Box, Capsule, MovingMesh, RigidBody, Sphere

ITERATIONS = 8
MAX_CONTACTS = 16  # places of one body that meet another one at once, the deepest
TOLERANCE = 1e-12  # of the largest impulse: rounds that change less have nothing more to do
OUT_OF_THE_WAY = 1e3  # [m] up, where spare bodies wait and meet nobody
BOUNCE_THRESHOLD = 0.5  # [m/s]: what arrives slower does not bounce, or it would never lie still


def resolve_contacts(dynamic: DynamicBodies, world: DeviceBodies) -> int:
    """Part free bodies from all bodies of a `world` that they are in, after both have moved; how many places touched.

    Each place that is inside and arrives gets an impulse that ends the approach, times 1 + restitution, and friction
    within Coulomb's cone, one after another in a few rounds; then the body is put outside. Of two bodies the higher
    friction and restitution count.

    A body meets others by the middle of its round ends, the corners of a box and the points of a mesh: two edges that
    cross, with no corner inside, pass through each other.
    """
    dynamic_index = {int(index): order for order, index in enumerate(dynamic.indices)}
    touched = 0
    far = dynamic.world_from_body[:, 1, 3] >= OUT_OF_THE_WAY
    for one, body in enumerate(dynamic.bodies):
        if dynamic.still[one]:
            continue
        for index in range(len(world)):
            if index == int(dynamic.indices[one]):
                continue
            second = dynamic_index.get(index)
            if second is not None and far[second]:
                continue
            if second is not None:
                world.put(index, dynamic.world_from_body[second])
            if world.is_apart(index, dynamic.world_from_body[one, :3, 3], world.radii[dynamic.indices[one]]):
                continue
            positions, radius = _samples(body, dynamic.world_from_body[one])
            distances, normals = world.surface(index, positions)
            distances = distances - radius
            deepest = np.argsort(distances, kind="stable")[:MAX_CONTACTS]
            inside = deepest[distances[deepest] < 0.0]
            if not len(inside):
                continue
            touched += len(inside)
            depth, out = distances[inside, None], normals[inside]
            _solve_impulses(dynamic, world, one, (index, second), positions[inside] - (radius + depth) * out, out)
            fraction = (
                1.0 if second is None else dynamic.masses[second] / (dynamic.masses[one] + dynamic.masses[second])
            )
            if second is not None:
                dynamic.shift(second, (1.0 - fraction) * depth[0] * out[0])
            dynamic.shift(one, -fraction * depth[0] * out[0])
    for one, index in enumerate(dynamic.indices):
        world.put(int(index), dynamic.world_from_body[one])
    return touched


def meet_ground(dynamic: DynamicBodies, ground: DeviceBodies) -> None:
    """Part free bodies from bodies that they are not among, which nothing moves: the floor that they alone meet."""
    for one, body in enumerate(dynamic.bodies):
        if dynamic.still[one]:
            continue
        positions, radius = _samples(body, dynamic.world_from_body[one])
        for index in range(len(ground)):
            distances, normals = ground.surface(index, positions)
            distances = distances - radius
            deepest = np.argsort(distances, kind="stable")[:MAX_CONTACTS]
            inside = deepest[distances[deepest] < 0.0]
            if len(inside):
                depth, out = distances[inside, None], normals[inside]
                _solve_impulses(dynamic, ground, one, (index, None), positions[inside] - (radius + depth) * out, out)
                dynamic.shift(one, -depth[0] * out[0])


def _solve_impulses(
    dynamic: DynamicBodies,
    world: DeviceBodies,
    one: int,
    other: tuple[int, int | None],
    points: FloatArray,
    normals: FloatArray,
) -> None:
    """Sequential impulses at points (P, 3) with normals (P, 3) that point from the other body to this one."""
    index, second = other
    pair = (dynamic.bodies[one], world.bodies[index])
    friction = max(body.friction for body in pair)
    restitution = max(body.restitution for body in pair)
    count = len(points)
    delassus = _delassus_blocks(dynamic, one, points)
    velocities = dynamic.velocities_at(np.full(count, one), points)
    if second is None:
        velocities = velocities - _kinematic_velocities(world, index, points)
    else:
        delassus = delassus + _delassus_blocks(dynamic, second, points)
        velocities = velocities - dynamic.velocities_at(np.full(count, second), points)
    approach_speeds = np.einsum("pi,pi->p", velocities, normals)
    target_speeds = np.where(approach_speeds < -BOUNCE_THRESHOLD, -restitution * approach_speeds, 0.0)
    normal_impulses, friction_impulses, impulses = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3))
    rows = delassus.transpose(0, 2, 1, 3).reshape(count, 3, 3 * count)
    for _ in range(ITERATIONS):
        before = impulses.copy()
        for point in range(count):
            n, block, velocity = (
                normals[point],
                delassus[point, point],
                velocities[point] + rows[point] @ impulses.ravel(),
            )
            change = (
                max(normal_impulses[point] + (target_speeds[point] - velocity @ n) / (n @ block @ n), 0.0)
                - normal_impulses[point]
            )
            normal_impulses[point] += change
            slip = velocity + block @ (change * n)
            slip = slip - (slip @ n) * n
            slip_speed = float(np.linalg.norm(slip))
            if friction > 0.0 and slip_speed > 1e-12:
                direction = slip / slip_speed
                friction_impulse = friction_impulses[point] - slip_speed / (direction @ block @ direction) * direction
                size, most = float(np.linalg.norm(friction_impulse)), friction * normal_impulses[point]
                friction_impulses[point] = friction_impulse * min(1.0, most / size) if size > 0.0 else friction_impulse
            impulses[point] = normal_impulses[point] * n + friction_impulses[point]
        if np.abs(impulses - before).max() <= TOLERANCE * np.abs(impulses).max():
            break
    dynamic.apply_impulses(np.full(count, one), points, impulses)
    if second is not None:
        dynamic.apply_impulses(np.full(count, second), points, -impulses)


def _delassus_blocks(dynamic: DynamicBodies, which: int, points: FloatArray) -> FloatArray:
    """How a free body's velocity at p answers an impulse at q: 1/m - [r_p] I⁻¹ [r_q] (P, P, 3, 3) [1/kg]."""
    x, y, z = (points - dynamic.centers[which]).T
    zero = np.zeros(len(points))
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    angular = np.linalg.inv(dynamic.inertia[which]) @ cross
    result: FloatArray = np.eye(3) / dynamic.masses[which] - np.einsum("pij,qjk->pqik", cross, angular)
    return result


def _kinematic_velocities(world: DeviceBodies, index: int, points: FloatArray) -> FloatArray:
    """How fast a body on a path moves at points; it stands still where no time has passed."""
    if world.elapsed <= 0.0:
        return np.zeros_like(points)
    return world.bodies[index].velocities(points, world.time, dt=world.elapsed)


def _samples(body: RigidBody, world_from_body: FloatArray) -> tuple[FloatArray, float]:
    """Places (P, 3) [m] of a body in the world, and how far [m] its skin reaches beyond them."""
    radius = 0.0
    if isinstance(body, Sphere):
        local, radius = np.zeros((1, 3)), body.radius
    elif isinstance(body, Capsule):
        local, radius = np.array([[0.0, 0.5 * body.length, 0.0], [0.0, -0.5 * body.length, 0.0]]), body.radius
    elif isinstance(body, Box):
        signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        local = signs * body.sides
    else:
        assert isinstance(body, MovingMesh)  # no other kind has a mass
        local = body.points[np.unique(body.triangles)]
    return local @ world_from_body[:3, :3].T + world_from_body[:3, 3], radius
