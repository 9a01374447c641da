"""What a baked skin met, as meshes that writers know how to write."""

from __future__ import annotations

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.graph.baked_bodies import BakedBody


def as_character(body: BakedBody) -> Character:
    """The mesh of a body as a character of one joint, in its own frame."""
    skeleton = Skeleton.from_heads(["root"], [-1], [[0.0, 0.0, 0.0]])
    return Character(body.points, body.triangles, skeleton, name=body.name)
