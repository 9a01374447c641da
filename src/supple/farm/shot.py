"""A shot: one character in one motion under one skin, what is to be made of it, and what it must keep to."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from supple.errors import InputError

MEASURES = (
    "least volume", "greatest volume", "worst change of a part's volume", "least volume of a limb",
    "greatest volume of a limb", "mean edge stretch", "worst edge stretch",
    "mean area stretch", "self-penetrations, mean", "deepest penetration", "thinnest section", "thickest section",
    "jitter", "settling time", "frames that fell back",
)  # fmt: skip
"""What a bound can be set to: the rows of `supple.measure` that a bake by itself gives."""


@dataclass(frozen=True)
class Bound:
    """What a measure of a shot must not be below or above."""

    measure: str
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        known = {plain(name): name for name in MEASURES}
        where = f"bounds.{self.measure}"
        if plain(self.measure) not in known:
            raise InputError(where, "there is no such measure", f"there are {', '.join(known)}", "name one of those")
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            given = f"low is {self.low:g} and high {self.high:g}"
            raise InputError(where, given, "low may not be above high", "swap them")
        if math.isinf(self.low) and math.isinf(self.high):
            raise InputError(where, "it has neither low nor high", "one is needed", "write { low = 0.9 }")
        object.__setattr__(self, "measure", known[plain(self.measure)])

    def __str__(self) -> str:
        return f"{self.measure} {self.span}"

    @property
    def span(self) -> str:
        """In words, where it lies."""
        ends = (("at least", self.low), ("at most", self.high))
        return " and ".join(f"{words} {end:g}" for words, end in ends if math.isfinite(end))

    def crossed_by(self, measured: Mapping[str, float]) -> str:
        """In words, how a shot is outside it; empty where it is not. What could not be measured is outside."""
        value = measured.get(self.measure, math.nan)
        if math.isnan(value):
            return f"{self.measure} could not be measured, and {self.span} is asked for"
        return "" if self.low <= value <= self.high else f"{self.measure} is {value:.4g}, and {self.span} is asked for"


@dataclass(frozen=True, kw_only=True)
class Shot:
    """All that one bake needs, and what follows it. Plain values only, so that it goes to any machine as JSON.

    `name` is that of its folder; `scene` the one that it has in the list, which it shares with the others of a sweep.
    Paths are whole. `graph` is what `Graph.to_dict` gives; None where a `document` says the skin.
    """

    name: str
    scene: str
    character: str = "hero"
    vertices: int = 10_000
    repair: bool = False
    units: str = "m"
    motion: str | None = None
    spring_bones: bool = False
    graph: Mapping[str, Any] | None = None
    document: str | None = None
    number: int = 1
    edits: str | None = None
    fps: float | None = None
    start: float = 0.0
    end: float | None = None
    outputs: tuple[str, ...] = ()
    compare: bool = False
    bounds: tuple[Bound, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain data; `Shot.from_dict` makes it again."""
        bounds = [
            {"measure": bound.measure} | {end: v for end in ("low", "high") if math.isfinite(v := getattr(bound, end))}
            for bound in self.bounds
        ]
        fields = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}
        return {**fields, "outputs": list(self.outputs), "bounds": bounds}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shot:
        """What `to_dict` said."""
        bounds = tuple(Bound(**bound) for bound in data["bounds"])
        return cls(**{**data, "outputs": tuple(data["outputs"]), "bounds": bounds})

    @property
    def compared_with(self) -> tuple[Any, ...]:
        """What shots have in common that can stand on one page: all but the skin."""
        skinless = dataclasses.replace(self, name="", graph=None, document=None, number=1, outputs=(), bounds=())
        return dataclasses.astuple(skinless)


def plain(text: str) -> str:
    """A text as it can stand in a file's name or a key: letters, digits, dots and dashes."""
    return re.sub(r"[^\w.=]+", "-", text, flags=re.ASCII).strip("-.").lower()
