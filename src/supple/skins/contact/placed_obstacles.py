"""Obstacles that are put among others while a character plays: a few bodies wait out of the way until one is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.obstacles.contact_impulses import OUT_OF_THE_WAY
from supple.obstacles.shapes import Box, Capsule, Free, Plane, RigidBody, Sphere
from supple.skins.contact.detection.collision_pipeline import CollisionPipeline
from supple.skins.contact.model.flesh import WHERE

SPARES = 8
GROUND = Plane(name="ground", friction=0.6, restitution=0.3)
"""What obstacles that are put in fall on; the character does not feel it."""
_APART = 10.0  # [m] between two that wait
_HEAVY = 1e5  # [kg]: what is not free cannot be moved


def spare_bodies() -> tuple[RigidBody, ...]:
    """The bodies that wait."""
    return tuple(_waiting(slot) for slot in range(SPARES))


def _waiting(slot: int) -> RigidBody:
    place = np.array([_APART * slot, OUT_OF_THE_WAY + 1.0, 0.0])
    return Sphere(radius=0.05, at=place, free=Free(mass=1.0), name="")


class PlacedObstacles:
    """Which of the spare bodies of a pipeline, from number `first` on, stand for what, by name."""

    def __init__(self, pipeline: CollisionPipeline, first: int) -> None:
        self._pipeline, self._first = pipeline, first
        self._slots: dict[str, int] = {}
        self._bodies: dict[str, RigidBody] = {}
        for slot in range(SPARES):
            pipeline.exchange(first + slot, _waiting(slot), still=True)

    def place(self, name: str, body: RigidBody) -> None:
        """Put a body in, or in the place of the one of that name: where it starts, and as fast as it is then."""
        if not isinstance(body, Sphere | Capsule | Box) or callable(body.at):
            given = f"{name!r} is a {type(body).__name__}" + (" on a path" if callable(body.at) else "")
            needed = "a ball, a capsule or a box that nobody leads is needed"
            raise InputError(WHERE, given, needed, "give others as obstacles of the skin")
        slot = self._slots.get(name)
        if slot is None:
            free = [one for one in range(SPARES) if one not in self._slots.values()]
            if not free:
                raise InputError(WHERE, f"{name!r} was to be put in", f"there is room for {SPARES}", "take one away")
            slot = free[0]
        solid = body if body.free is not None else replace(body, free=Free(mass=_HEAVY))
        self._pipeline.exchange(self._first + slot, solid, still=body.free is None)
        self._slots[name], self._bodies[name] = slot, body

    def remove(self, name: str) -> None:
        """Take a body away; one that is not there changes nothing."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            del self._bodies[name]
            self._pipeline.exchange(self._first + slot, _waiting(slot), still=True)

    def numbers(self) -> dict[str, int]:
        """Which of all obstacles of the pipeline each of them is, by name."""
        return {name: self._first + slot for name, slot in self._slots.items()}

    def now(self) -> dict[str, tuple[RigidBody, FloatArray]]:
        """What there is, and where (4, 4) it is, by name."""
        moved = self._pipeline.dynamic_bodies
        order = {int(index): one for one, index in enumerate(moved.indices)}
        places = {name: moved.world_from_body[order[self._first + slot]] for name, slot in self._slots.items()}
        return {name: (self._bodies[name], place.copy()) for name, place in places.items()}
