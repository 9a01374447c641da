"""What is being made: the character, its motion, its skins and all that was drawn on it, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.document.sources import CharacterSource, motion_from
from supple.edits.edits import Edits
from supple.graph.graph import Graph
from supple.motion.motion import Motion
from supple.skins.registry import skin_named


@dataclass(frozen=True)
class Camera:
    """From where a document is looked at, and on what point, both from the middle of the body [m]."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Document:
    """A character, a motion by name, one graph of skins or several to compare, edits, and painted maps.

    `motion` is a clip of the character, a built-in motion or a file; `maps` are arrays (V,) by the names that skins
    know. `camera` is from where it was last looked at. `step` says in words what was done last. Frozen: `with_...`
    gives another one.
    """

    character: CharacterSource = field(default_factory=CharacterSource)
    motion: str = "walk"
    skins: tuple[Graph, ...] = field(default_factory=lambda: (Graph.of(skin_named("lattice")),))
    edits: Edits | None = None
    maps: Mapping[str, FloatArray] = field(default_factory=dict)
    camera: Camera | None = None
    step: str = "Open"
    takes: Mapping[str, Motion] = field(default_factory=dict)
    """Motions that were recorded, by name; they come before all others of that name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "skins", tuple(self.skins))
        object.__setattr__(self, "maps", MappingProxyType(dict(self.maps)))
        object.__setattr__(self, "takes", MappingProxyType(dict(self.takes)))

    def with_skin(self, number: int, graph: Graph, step: str) -> Document:
        """With another graph in place of one of its own."""
        return replace(self, skins=(*self.skins[:number], graph, *self.skins[number + 1 :]), step=step)

    def with_view(self, graph: Graph, step: str) -> Document:
        """With another graph beside its own, to compare."""
        return replace(self, skins=(*self.skins, graph), step=step)

    def without_view(self, number: int, step: str) -> Document:
        """With one graph less to compare."""
        return replace(self, skins=(*self.skins[:number], *self.skins[number + 1 :]), step=step)

    def with_edits(self, edits: Edits, step: str) -> Document:
        """With other edits."""
        return replace(self, edits=edits, step=step)

    def with_map(self, name: str, values: FloatArray, step: str) -> Document:
        """With a painted map (V,)."""
        return replace(self, maps={**self.maps, name: values}, step=step)

    def with_take(self, take: Motion, step: str) -> Document:
        """With a motion that was recorded, by its name."""
        return replace(self, takes={**self.takes, take.name: take}, step=step)

    def motion_on(self, character: Character) -> Motion:
        """Its motion on a character: one that was recorded, or the one that its name means."""
        return self.take_on(character) or motion_from(self.motion, character)

    def take_on(self, character: Character) -> Motion | None:
        """Its motion on a character where that was recorded, else None."""
        take = self.takes.get(self.motion)
        if take is None:
            return None
        same = take.skeleton.names == character.skeleton.names and np.array_equal(
            take.skeleton.heads, character.skeleton.heads
        )
        return take if same else take.retarget(character)

    def edits_on(self, character: Character) -> Edits:
        """Its edits, or none yet."""
        return Edits.of(character) if self.edits is None else self.edits

    def on_character(self, character: Character) -> Character:
        """The character that its source gives, with painted maps and drawn shapes."""
        painted = character.replace(maps={**character.maps, **self.maps}) if self.maps else character
        return painted if self.edits is None else self.edits.on_character(painted)

    def opened(self, *, end: float | None = None) -> tuple[Character, Motion]:
        """The character and the motion with all that was painted and drawn, for any skin, player or bake.

        Where `end` [s] lies behind the motion's own, layers go on until then and do not start over with it.
        """
        character = self.character.open()
        motion = self.motion_on(character)
        if self.edits is None:
            return self.on_character(character), motion
        longer = end if end is not None and end > motion.duration else None
        return self.on_character(character), self.edits.on_motion(motion, seconds=longer)
