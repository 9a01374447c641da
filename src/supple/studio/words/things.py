"""Commands of things in the way."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from supple.studio.words.bounds import Command, Name, Point

Speed = Annotated[float, Meta(ge=-100.0, le=100.0)]


class AddThing(Command, tag="add-thing", frozen=True):
    """Put a ball, box or capsule in the way, as large as `size` [m]; without a mass [kg] it stands still."""

    kind: Name
    at: Point
    size: Annotated[float, Meta(gt=0.0, le=1e3)]
    mass: Annotated[float, Meta(gt=0.0, le=1e4)] | None = 3.0


class MoveThing(Command, tag="move-thing", frozen=True):
    """Hold a thing at a place; with a velocity [m/s] it is let go there."""

    name: Name
    at: Point
    velocity: tuple[Speed, Speed, Speed] | None = None


class RemoveThing(Command, tag="remove-thing", frozen=True):
    """Take a thing away."""

    name: Name
