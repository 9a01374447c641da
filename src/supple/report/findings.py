"""What was found out about one skin, and who wins a row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from supple.arrays import FloatArray
from supple.graph.graph import Graph
from supple.measure.report import Better, Row
from supple.report.quantities import decimals, sized

Curves = Mapping[str, tuple[FloatArray, str]]
"""Values (F,) and their unit by the name of the measure; NaN where there is no value."""


@dataclass(frozen=True, eq=False)
class Take:
    """One skin in a comparison: what it is, what was measured, where it failed, and how long its stages took."""

    label: str
    graph: Graph
    rows: tuple[Row, ...] = ()
    curves: Curves = field(default_factory=dict)
    fell_back: tuple[int, ...] = ()
    stage_seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One measure of all skins, in a unit that suits the values; NaN where a skin has none."""

    name: str
    unit: str
    better: Better
    values: tuple[float, ...]

    @property
    def winners(self) -> frozenset[int]:
        """The places that win, by the numbers as they are printed: several when they read the same.

        Nobody wins a row in which all read the same, or in which only one has a number.
        """
        digits = decimals(self.values)
        read = {index: round(value, digits) for index, value in enumerate(self.values) if not math.isnan(value)}
        if len(read) < 2 or len(set(read.values())) == 1:
            return frozenset()
        loss = {index: self._loss(value, digits) for index, value in read.items()}
        return frozenset(index for index, lost in loss.items() if lost == min(loss.values()))

    def _loss(self, value: float, digits: int) -> float:
        return {"lower": value, "higher": -value, "near 1": round(abs(value - 1.0), digits)}[self.better]


def lines_of(takes: Sequence[Take]) -> list[Line]:
    """The rows of all skins beside each other, in the order in which they first appear."""
    first: dict[str, Row] = {}
    for take in takes:
        for row in take.rows:
            first.setdefault(row.name, row)
    return [_in_good_size(row, _values(takes, name)) for name, row in first.items()]


def _values(takes: Sequence[Take], name: str) -> tuple[float, ...]:
    return tuple(next((row.value for row in take.rows if row.name == name), math.nan) for take in takes)


def _in_good_size(row: Row, values: tuple[float, ...]) -> Line:
    factor, unit = sized(row.unit, values)
    return Line(row.name, unit, row.better, tuple(value * factor for value in values))


@dataclass(frozen=True, eq=False)
class Bundle:
    """One measure over time of all skins: `values` (S, F)."""

    name: str
    unit: str
    values: FloatArray


def bundles_of(takes: Sequence[Take], frames: int) -> list[Bundle]:
    """The curves of all skins beside each other, in a unit that suits them; a skin without one is NaN throughout.

    Measures without a single value are left out.
    """
    first: dict[str, str] = {}
    for take in takes:
        for name, (_, unit) in take.curves.items():
            first.setdefault(name, unit)
    nothing = np.full(frames, np.nan)
    found = [
        Bundle(name, unit, np.stack([take.curves.get(name, (nothing, unit))[0] for take in takes]))
        for name, unit in first.items()
    ]
    return [_resized(bundle) for bundle in found if np.isfinite(bundle.values).any()]


def _resized(bundle: Bundle) -> Bundle:
    factor, unit = sized(bundle.unit, bundle.values.ravel().tolist())
    return replace(bundle, unit=unit, values=bundle.values * factor)
