"""Regions of a character as people write them: "belly=0.2, ears=0.7"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from supple.arrays import Floats, Ints
from supple.character.character import Character
from supple.errors import InputError

AUTO = "auto"
_VERTICES = re.compile(r"\d+(-\d+)?(\+\d+(-\d+)?)*")


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
        return [self._named(piece) for piece in _pieces(text)]

    def default_and_regions(self, text: str) -> tuple[float | None, list[tuple[str, float]]]:
        """The value everywhere else, None for "auto", and the regions: "auto, belly=0.2", "0.4", "ears=0.7".

        What does not begin with a value is automatic elsewhere.
        """
        pieces = _pieces(text)
        if not pieces or "=" in pieces[0]:
            return None, [self._named(piece) for piece in pieces]
        first, *named = pieces
        value = None if first.lower() == AUTO else self._number(first, first, f"{AUTO}, a number")
        return value, [self._named(piece) for piece in named]

    def marked(self, character: Character, name: str) -> Floats:
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
            self.where, f"{self.setting} names {name!r}", f"the character has {known}",
            "name a part, a map, or vertices such as 12+30-45",
        )  # fmt: skip

    def _named(self, piece: str) -> tuple[str, float]:
        name, equals, value = piece.rpartition("=")
        form = f"NAME={self.value.upper()}"
        if not equals or not name.strip():
            raise self._wrong(piece, form)
        return name.strip(), self._number(value, piece, form)

    def _number(self, text: str, piece: str, form: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high:
            raise self._wrong(piece, form)
        return number

    def _wrong(self, piece: str, form: str) -> InputError:
        return InputError(
            self.where, f"{self.setting} has {piece!r}",
            f"{form} is needed, with a {self.value} from {self.low:g} to {self.high:g}", "write for example belly=0.2",
        )  # fmt: skip

    def _listed(self, text: str, count: int) -> Ints:
        spans = [tuple(int(end) for end in piece.split("-")) for piece in text.split("+")]
        backwards = [span for span in spans if span[-1] < span[0]]
        if backwards:
            given = f"{self.setting} names vertices {backwards[0][0]}-{backwards[0][-1]}"
            raise InputError(self.where, given, "the lower number comes first", "turn them round")
        if max(span[-1] for span in spans) >= count:
            raise InputError(
                self.where, f"{self.setting} names vertices {text}", f"there are vertices 0 to {count - 1}",
                "correct the numbers",
            )  # fmt: skip
        return np.concatenate([np.arange(span[0], span[-1] + 1) for span in spans])


def _pieces(text: str) -> list[str]:
    return [piece for piece in (piece.strip() for piece in text.split(",")) if piece]
