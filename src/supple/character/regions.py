"""Regions of a character as people write them: "belly=0.2, ears=0.7"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError

AUTO = "auto"
_VERTICES = re.compile(r"\d+(-\d+)?(\+\d+(-\d+)?)*")


@dataclass(frozen=True)
class Written:
    """One piece of "0.5, fat=0.3": its `text`, the `name` before "=" (None without), and the number (NaN if none)."""

    text: str
    name: str | None
    number: float


def written(text: str) -> list[Written]:
    """The pieces between commas as they are written, "0.5, fat=0.3"; empty ones are left out."""
    found = []
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = piece.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        found.append(Written(piece, name.strip() if equals else None, number))
    return found


@dataclass(frozen=True)
class RegionText:
    """A setting that has a value for every region: who asks, what it is called, and its range.

    A region is the name of a part or of a painted map of the character, or numbers of vertices such as "12+30-45".
    """

    where: str
    setting: str
    value: str
    low: float = 0.0
    high: float = 1.0

    def regions(self, text: str) -> list[tuple[str, float]]:
        """Names and values as they are written, "belly=0.2, ears=0.7"; later ones win where regions overlap."""
        return [self._named(piece) for piece in written(text)]

    def default_and_regions(self, text: str) -> tuple[float | None, list[tuple[str, float]]]:
        """The value everywhere else, None for "auto", and the regions: "auto, belly=0.2", "0.4", "ears=0.7".

        What does not begin with a value is automatic elsewhere.
        """
        pieces = written(text)
        if not pieces or pieces[0].name is not None:
            return None, [self._named(piece) for piece in pieces]
        first, *named = pieces
        value = None if first.text.lower() == AUTO else self._number(first, f"{AUTO}, a number")
        return value, [self._named(piece) for piece in named]

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

    def _named(self, piece: Written) -> tuple[str, float]:
        form = f"NAME={self.value.upper()}"
        if not piece.name:
            raise self._wrong(piece, form)
        return piece.name, self._number(piece, form)

    def _number(self, piece: Written, form: str) -> float:
        if not self.low <= piece.number <= self.high:
            raise self._wrong(piece, form)
        return piece.number

    def _wrong(self, piece: Written, form: str) -> InputError:
        return InputError(
            self.where,
            f"{self.setting} has {piece.text!r}",
            f"{form} is needed, with a {self.value} from {self.low:g} to {self.high:g}",
            "write for example belly=0.2",
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
