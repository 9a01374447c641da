"""Shapes (morph targets): points that follow shares of named offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd

Weights = dict[str, float]


class MorphTargets:
    """Points (V, 3) with shares of shapes k, v + sum_k share_k offset_k, made again only when the shares change.

    Those of a crowd stand one copy after another, (copies V, 3): a share of "3/smile" is for copy 3 alone, and one of
    "smile" for all of them.
    """

    def __init__(self, points: FloatArray, offsets: Mapping[str, FloatArray], *, copies: int = 1) -> None:
        self._points, self._offsets, self._copies = points, offsets, copies
        self._weights: list[Weights | None] = [{} for _ in range(copies)]
        self._made: FloatArray | None = None

    @classmethod
    def from_character(cls, character: Character) -> MorphTargets:
        """Those of a character, or of every copy of a crowd."""
        if isinstance(character, Crowd):
            return cls(character.member.points, character.member.shapes, copies=character.count)
        return cls(character.points, character.shapes)

    def reshape(self, character: Character) -> None:
        """Go on with the shapes of another character of the same mesh, see `exchange`."""
        self.exchange((character.member if isinstance(character, Crowd) else character).shapes)

    def exchange(self, offsets: Mapping[str, FloatArray]) -> None:
        """Take other shapes; the next `update` gives the points anew where one of those that are on is another."""
        self._weights = [
            None if any(offsets.get(name) is not self._offsets[name] for name in known or ()) else known
            for known in self._weights
        ]
        self._offsets = offsets

    def update(self, weights: Mapping[str, float]) -> FloatArray | None:
        """The points with these shares, or None where they are those of the last call (none at first).

        Shapes that there are no offsets for change nothing.
        """
        wanted = self._by_copy(weights)
        changed = [copy for copy in range(self._copies) if wanted[copy] != self._weights[copy]]
        if not changed:
            return None
        if self._made is None:
            self._made = np.tile(self._points, (self._copies, 1, 1))
        for copy in changed:
            self._made[copy] = self._points
            for name, weight in wanted[copy].items():
                self._made[copy] += weight * self._offsets[name]
        self._weights = [*wanted]
        return self._made.reshape(-1, 3).copy()

    def _by_copy(self, weights: Mapping[str, float]) -> list[Weights]:
        """The shares of every copy, without those of nothing."""
        on = {name: weight for name, weight in weights.items() if weight != 0.0}
        shared = {name: weight for name, weight in on.items() if name in self._offsets}
        wanted = [dict(shared) for _ in range(self._copies)]
        for name, weight in on.items() if self._copies > 1 else ():
            copy, _, own = name.partition("/")
            if name not in shared and own in self._offsets and copy.isdecimal() and int(copy) < self._copies:
                wanted[int(copy)][own] = weight
        return wanted
