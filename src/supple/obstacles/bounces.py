"""Free bodies that meet the world and each other: they bounce, slide and come to rest."""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats
from supple.obstacles.free import FreeBodies
from supple.obstacles.on_device import DeviceBodies
from supple.obstacles.shapes import Box, Capsule, MovingMesh, RigidBody, Sphere

ROUNDS = 8
MOST = 16  # places of one body that meet another one at once, the deepest
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


def _stop(free: FreeBodies, world: DeviceBodies, one: int, other: tuple[int, int | None], spots: Floats,
          ways: Floats) -> None:  # fmt: skip
    """Sequential impulses at spots (P, 3) with normals (P, 3) that point from the other body to this one."""
    number, second = other
    pair = (free.bodies[one], world.bodies[number])
    friction = max(body.friction for body in pair)
    restitution = max(body.restitution for body in pair)
    led = np.zeros_like(spots) if second is not None else _led(world, number, spots)

    def approach() -> Floats:
        theirs = free.velocities_at(np.full(len(spots), second), spots) if second is not None else led
        result: Floats = free.velocities_at(np.full(len(spots), one), spots) - theirs
        return result

    def give(spot: int, impulse: Floats) -> None:
        free.push([one], spots[[spot]], impulse[None])
        if second is not None:
            free.push([second], spots[[spot]], -impulse[None])

    arriving = np.einsum("pi,pi->p", approach(), ways)
    wanted = np.where(arriving < -SLOW, -restitution * arriving, 0.0)
    pressed, slid = np.zeros(len(spots)), np.zeros((len(spots), 3))
    for _ in range(ROUNDS):
        for spot in range(len(spots)):
            n, speed = ways[spot], approach()[spot]
            mobility = _mobility(free, one, spots[spot])
            if second is not None:
                mobility = mobility + _mobility(free, second, spots[spot])
            push = max(pressed[spot] + (wanted[spot] - speed @ n) / (n @ mobility @ n), 0.0) - pressed[spot]
            pressed[spot] += push
            give(spot, push * n)
            sliding = approach()[spot]
            sliding = sliding - (sliding @ n) * n
            rate = float(np.linalg.norm(sliding))
            if friction > 0.0 and rate > 1e-12:
                way = sliding / rate
                held = slid[spot] - rate / (way @ mobility @ way) * way
                size, most = float(np.linalg.norm(held)), friction * pressed[spot]
                held = held * min(1.0, most / size) if size > 0.0 else held
                give(spot, held - slid[spot])
                slid[spot] = held


def _mobility(free: FreeBodies, which: int, spot: Floats) -> Floats:
    """How a free body's velocity at a spot answers an impulse there: 1/m - [r] I⁻¹ [r] (3, 3) [1/kg]."""
    x, y, z = spot - free.centers[which]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result: Floats = np.eye(3) / free.masses[which] - cross @ np.linalg.solve(free.inertia[which], cross)
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
