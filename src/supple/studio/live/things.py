"""Things that are put in the way of a character, held and thrown: they belong to the play, not to the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.obstacles.shapes import Box, Capsule, Free, RigidBody, Sphere
from supple.skins.contact.skin import ArticulatedContact
from supple.studio import messages as say
from supple.studio.view import View

_WHERE = "things"
_FRICTION, _RESTITUTION = 0.4, 0.4
_KINDS = {Sphere: "ball", Box: "box", Capsule: "capsule"}


def thing(kind: str, at: Sequence[float], size: float, mass: float | None) -> RigidBody:
    """A ball, box or capsule at a place [m], as large as `size` [m] across; without a mass [kg] it stands still."""
    common: dict[str, Any] = {
        "at": np.array(at, dtype=np.float64),
        "friction": _FRICTION,
        "restitution": _RESTITUTION,
        "free": None if mass is None else Free(mass=mass),
    }
    if kind == "ball":
        return Sphere(radius=0.5 * size, **common)
    if kind == "box":
        return Box(sides=np.full(3, size), **common)
    if kind == "capsule":
        return Capsule(radius=0.25 * size, length=0.5 * size, **common)
    raise InputError(_WHERE, f"a {kind!r} was to be put in", "there are ball, box and capsule", "choose one of those")


class Things:
    """All that is in the way, by name, in every view whose skin meets it."""

    def __init__(self) -> None:
        self._bodies: dict[str, RigidBody] = {}
        self._held: set[str] = set()
        self._places: dict[str, FloatArray] = {}

    def __len__(self) -> int:
        return len(self._bodies)

    def add(self, views: Sequence[View], body: RigidBody) -> str:
        """Put a thing in; its name."""
        kind = _KINDS[type(body)].capitalize()
        numbers = range(1, len(self._bodies) + 2)
        name = next(name for number in numbers if (name := f"{kind} {number}") not in self._bodies)
        self._place(views, name, body)
        return name

    def move(self, views: Sequence[View], name: str, at: Sequence[float], velocity: Sequence[float] | None) -> None:
        """Hold a thing at a place [m]; with a velocity [m/s] it is let go there, and flies if it is free."""
        body = self._named(name)
        place = self._places.get(name, body.world_from_body(0.0)).copy()
        place[:3, 3] = at
        moved = replace(body, at=place)
        if velocity is not None and body.free is not None:
            moved = replace(moved, free=Free(mass=body.free.mass, velocity=np.array(velocity, dtype=np.float64)))
        held = velocity is None
        self._place(views, name, replace(moved, free=None) if held else moved)
        self._bodies[name] = moved
        (self._held.add if held else self._held.discard)(name)

    def remove(self, views: Sequence[View], name: str) -> None:
        """Take a thing away."""
        self._named(name)
        for view in _meeting(views):
            view.player.place(name, None)
        del self._bodies[name]
        self._held.discard(name)
        self._places.pop(name, None)

    def forget(self) -> None:
        """Another character: nothing is in its way."""
        self._bodies, self._held, self._places = {}, set(), {}

    def carry_over(self, views: Sequence[View]) -> None:
        """Put into views whose skin was bound anew what they have not yet."""
        for view in _meeting(views):
            for name in self._bodies.keys() - view.player.placed().keys():
                body = replace(self._bodies[name], at=self._places.get(name, self._bodies[name].at))
                view.player.place(name, replace(body, free=None) if name in self._held else body)

    def places(self, views: Sequence[View]) -> FloatArray:
        """Where (N, 4, 4) they are now, in the order in which they were put in."""
        first = next(iter(_meeting(views)), None)
        if first is not None:
            self._places.update({name: place for name, (_, place) in first.player.placed().items()})
        known = [self._places.get(name, body.world_from_body(0.0)) for name, body in self._bodies.items()]
        return np.array(known).reshape(-1, 4, 4)

    def info(self, views: Sequence[View]) -> say.ThingsInfo:
        """As panels show them."""
        rows = [
            say.ThingRow(name, _KINDS[type(body)], [float(x) for x in body.size], body.free is not None)
            for name, body in self._bodies.items()
        ]
        return say.ThingsInfo(rows, any(_meets(view) for view in views))

    def _named(self, name: str) -> RigidBody:
        if name not in self._bodies:
            there = f"there are {', '.join(self._bodies)}" if self._bodies else "there is none"
            raise InputError(_WHERE, f"{name!r} was named", there, "name one of those")
        return self._bodies[name]

    def _place(self, views: Sequence[View], name: str, body: RigidBody) -> None:
        meeting = _meeting(views)
        if not meeting:
            waiting = any(view.preparing is not None and _meets(view) for view in views)
            needed = "contact is still being bound" if waiting else "the skin that plays meets nothing"
            raise InputError(
                _WHERE, "something was to be put in the way", needed, "wait" if waiting else "choose contact"
            )
        for view in meeting:
            view.player.place(name, body)
        self._bodies[name] = body
        self._places[name] = body.world_from_body(0.0)


def _meets(view: View) -> bool:
    return isinstance(view.graph.stages[-1].work, ArticulatedContact)


def _meeting(views: Sequence[View]) -> list[View]:
    """The views whose skin plays and meets things."""
    return [view for view in views if isinstance(view.player.graph.stages[-1].work, ArticulatedContact)]
