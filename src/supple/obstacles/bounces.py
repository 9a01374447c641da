"""Free bodies that meet the world and each other: they bounce, slide and come to rest."""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats
from supple.obstacles.free import FreeBodies
from supple.obstacles.on_device import DeviceBodies
from supple.obstacles.shapes import Box, Capsule, MovingMesh, RigidBody, Sphere

ROUNDS = 8
MOST = 16  # places of one body that meet another one at once, the deepest
SETTLED = 1e-12  # of the largest impulse: rounds that change less have nothing more to do
SLOW = 0.5  # [m/s]: what arrives slower does not bounce, or it would never lie still


def bounce(free: FreeBodies, world: DeviceBodies) -> int:
    """Part free bodies from all bodies of a `world` that they are in, after both have moved; how many places touched.

    Each place that is inside and arrives gets an impulse that ends the approach, times 1 + restitution, and friction
    within Coulomb's cone, one after another in a few rounds; then the body is put outside. Of two bodies the higher
    friction and restitution count.

    A body meets others by the middle of its round ends, the corners of a box and the points of a mesh: two edges that
    cross, with no corner inside, pass through each other.
    """
    place_of = {int(number): place for place, number in enumerate(free.numbers)}
    touched = 0
    for one, body in enumerate(free.bodies):
        for number in range(len(world)):
            if number == int(free.numbers[one]):
                continue
            second = place_of.get(number)
            if second is not None:
                world.put(number, free.world_from_body[second])
            if world.apart(number, free.world_from_body[one, :3, 3], world.radii[free.numbers[one]]):
                continue
            places, radius = _samples(body, free.world_from_body[one])
            distances, ways = world.surface(number, places)
            distances = distances - radius
            deepest = np.argsort(distances, kind="stable")[:MOST]
            inside = deepest[distances[deepest] < 0.0]
            if not len(inside):
                continue
            touched += len(inside)
            depth, out = distances[inside, None], ways[inside]
            _stop(free, world, one, (number, second), places[inside] - (radius + depth) * out, out)
            share = 1.0 if second is None else free.masses[second] / (free.masses[one] + free.masses[second])
            if second is not None:
                free.shift(second, (1.0 - share) * depth[0] * out[0])
            free.shift(one, -share * depth[0] * out[0])
    for one, number in enumerate(free.numbers):
        world.put(int(number), free.world_from_body[one])
    return touched


def _stop(
    free: FreeBodies, world: DeviceBodies, one: int, other: tuple[int, int | None], spots: Floats, ways: Floats
) -> None:
    """Sequential impulses at spots (P, 3) with normals (P, 3) that point from the other body to this one."""
    number, second = other
    pair = (free.bodies[one], world.bodies[number])
    friction = max(body.friction for body in pair)
    restitution = max(body.restitution for body in pair)
    count = len(spots)
    replies = _replies(free, one, spots)
    speeds = free.velocities_at(np.full(count, one), spots)
    if second is None:
        speeds = speeds - _led(world, number, spots)
    else:
        replies = replies + _replies(free, second, spots)
        speeds = speeds - free.velocities_at(np.full(count, second), spots)
    arriving = np.einsum("pi,pi->p", speeds, ways)
    wanted = np.where(arriving < -SLOW, -restitution * arriving, 0.0)
    pressed, slid, given = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3))
    rows = replies.transpose(0, 2, 1, 3).reshape(count, 3, 3 * count)
    for _ in range(ROUNDS):
        before = given.copy()
        for spot in range(count):
            n, reply, speed = ways[spot], replies[spot, spot], speeds[spot] + rows[spot] @ given.ravel()
            push = max(pressed[spot] + (wanted[spot] - speed @ n) / (n @ reply @ n), 0.0) - pressed[spot]
            pressed[spot] += push
            sliding = speed + reply @ (push * n)
            sliding = sliding - (sliding @ n) * n
            rate = float(np.linalg.norm(sliding))
            if friction > 0.0 and rate > 1e-12:
                way = sliding / rate
                held = slid[spot] - rate / (way @ reply @ way) * way
                size, most = float(np.linalg.norm(held)), friction * pressed[spot]
                slid[spot] = held * min(1.0, most / size) if size > 0.0 else held
            given[spot] = pressed[spot] * n + slid[spot]
        if np.abs(given - before).max() <= SETTLED * np.abs(given).max():
            break
    free.push(np.full(count, one), spots, given)
    if second is not None:
        free.push(np.full(count, second), spots, -given)


def _replies(free: FreeBodies, which: int, spots: Floats) -> Floats:
    """How a free body's velocity at spot p answers an impulse at spot q: 1/m - [r_p] I⁻¹ [r_q] (P, P, 3, 3) [1/kg]."""
    x, y, z = (spots - free.centers[which]).T
    zero = np.zeros(len(spots))
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    turned = np.linalg.inv(free.inertia[which]) @ cross
    result: Floats = np.eye(3) / free.masses[which] - np.einsum("pij,qjk->pqik", cross, turned)
    return result


def _led(world: DeviceBodies, number: int, spots: Floats) -> Floats:
    """How fast a body on a path moves at spots; it stands still where no time has passed."""
    if world.elapsed <= 0.0:
        return np.zeros_like(spots)
    return world.bodies[number].velocities(spots, world.time, dt=world.elapsed)


def _samples(body: RigidBody, world_from_body: Floats) -> tuple[Floats, float]:
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
