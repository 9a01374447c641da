"""Regions of a character by name: parts, painted maps, or numbers of vertices."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError

_VERTICES = re.compile(r"\d+(-\d+)?(\+\d+(-\d+)?)*")


@dataclass(frozen=True)
class RegionFinder:
    """Finds the regions that a setting names: who asks, and what the setting is called.

    A region is the name of a part or of a painted map of the character, or numbers of vertices such as "12+30-45".
    """

    where: str
    setting: str

    def marked(self, character: Character, name: str) -> FloatArray:
        """How much each vertex (V,) belongs to a region, from 0 to 1."""
        if name in character.maps:
            return np.clip(character.maps[name], 0.0, 1.0)
        marked = np.zeros(len(character.points))
        if name in character.parts:
            marked[character.parts[name]] = 1.0
            return marked
        if _VERTICES.fullmatch(name):
            marked[self._listed(name, len(marked))] = 1.0
            return marked
        known = ", ".join([*character.maps, *character.parts]) or "none"
        raise InputError(
            self.where,
            f"{self.setting} names {name!r}",
            f"the character has {known}",
            "name a part, a map, or vertices such as 12+30-45",
        )

    def _listed(self, text: str, count: int) -> IntArray:
        spans = [tuple(int(end) for end in piece.split("-")) for piece in text.split("+")]
        backwards = [span for span in spans if span[-1] < span[0]]
        if backwards:
            given = f"{self.setting} names vertices {backwards[0][0]}-{backwards[0][-1]}"
            raise InputError(self.where, given, "the lower number comes first", "turn them round")
        if max(span[-1] for span in spans) >= count:
            raise InputError(
                self.where,
                f"{self.setting} names vertices {text}",
                f"there are vertices 0 to {count - 1}",
                "correct the numbers",
            )
        return np.concatenate([np.arange(span[0], span[-1] + 1) for span in spans])
