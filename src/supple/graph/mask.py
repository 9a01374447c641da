"""Where on the skin something counts: everywhere, on a part, or as a map says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.topology import neighbors


@dataclass(frozen=True, kw_only=True)
class Mask:
    """A share between 0 and 1 for every vertex.

    By `part`: 1 on the part, 0 elsewhere. By `map`: 0 where the map is `low` or less, 1 where it is `high` or more.
    With neither: everywhere. The border is softened by `soften` rounds of averaging over neighbours, and all is
    multiplied by `amount`.
    """

    part: str = ""
    map: str = ""
    low: float = 0.0
    high: float = 1.0
    soften: int = 0
    amount: float = 1.0

    def __post_init__(self) -> None:
        if self.part and self.map:
            raise InputError(
                "Mask", f"part {self.part!r} and map {self.map!r} were given", "it goes by one of them", "drop one"
            )
        if not (np.isfinite([self.low, self.high]).all() and self.low < self.high):
            raise InputError("Mask", f"low is {self.low} and high {self.high}", "low must be below high", "swap them")
        if not 0.0 <= self.amount <= 1.0:
            raise InputError("Mask", f"amount is {self.amount}", "the range is 0 to 1", "use 1 for all of it")
        if not 0 <= self.soften <= 1000:
            raise InputError("Mask", f"soften is {self.soften}", "the range is 0 to 1000", "use 0 for a hard border")

    def __str__(self) -> str:
        where = f"on part {self.part!r}" if self.part else "everywhere"
        if self.map:
            where = f"where map {self.map!r} goes from {self.low:g} to {self.high:g}"
        soft = f", softened {self.soften} times" if self.soften else ""
        much = f", {self.amount:g} of it" if self.amount != 1.0 else ""
        return f"{where}{soft}{much}"

    def weights(self, character: Character) -> FloatArray:
        """The share (V,) of every vertex of a character."""
        count = len(character.points)
        weights = np.ones(count)
        if self.part:
            weights = np.zeros(count)
            weights[character.vertices_of(self.part)] = 1.0
        elif self.map:
            weights = np.clip((character.map_of(self.map) - self.low) / (self.high - self.low), 0.0, 1.0)
        if self.soften:
            around = neighbors(character.triangles, count)
            valence = np.diff(around.starts)
            owner = np.repeat(np.arange(count), valence)
            for _ in range(self.soften):
                sums = np.bincount(owner, weights=weights[around.indices], minlength=count)
                weights = np.where(valence > 0, 0.5 * weights + 0.5 * sums / np.maximum(valence, 1), weights)
        return self.amount * weights
