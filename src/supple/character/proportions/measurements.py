"""Measured lengths between the joints of a limb, and what they say about where joints lie."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np

from supple.arrays import FloatArray, frozen
from supple.errors import FormatError, InputError

_WHERE = "Proportions"


@dataclass(frozen=True)
class JointStatistics:
    """One segment of a limb, as a share of the whole limb: its mean, least and most over all people measured."""

    mean: float
    least: float
    most: float

    def holds(self, fraction: float) -> bool:
        """Whether a share lies between least and most."""
        return self.least <= fraction <= self.most


@dataclass(frozen=True, eq=False)
class Proportions:
    """Limbs by name, each with its measured segment lengths (people, segments), from the root of the limb to its tip.

    Lengths may be in any unit, since only shares of the whole limb count. Rows of other people, and other limbs, are
    added with `with_rows`.
    """

    lengths: Mapping[str, FloatArray]

    def __post_init__(self) -> None:
        checked = {str(limb): _checked(str(limb), rows) for limb, rows in self.lengths.items()}
        object.__setattr__(self, "lengths", MappingProxyType(checked))

    @property
    def limbs(self) -> tuple[str, ...]:
        """The limbs that were measured."""
        return tuple(self.lengths)

    def fractions(self, limb: str) -> FloatArray:
        """Segments (people, segments) of a limb as shares of its whole length; rows sum to one."""
        rows = self._rows(limb)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def statistics(self, limb: str) -> tuple[JointStatistics, ...]:
        """Mean, least and most of every segment of a limb, from its root to its tip; the means sum to one."""
        fractions = self.fractions(limb)
        columns = zip(fractions.mean(axis=0), fractions.min(axis=0), fractions.max(axis=0), strict=True)
        return tuple(JointStatistics(float(mean), float(least), float(most)) for mean, least, most in columns)

    @cached_property
    def people(self) -> Mapping[str, int]:
        """How many people were measured, by limb."""
        return MappingProxyType({limb: len(rows) for limb, rows in self.lengths.items()})

    def with_rows(self, limb: str, rows: Sequence[Sequence[float]]) -> Proportions:
        """The same with more people for a limb, or with a limb that was not there."""
        added = _checked(limb, rows)
        before = self.lengths.get(limb)
        if before is not None and before.shape[1] != added.shape[1]:
            raise InputError(
                _WHERE,
                f"{limb} was given with {added.shape[1]} segments",
                f"it has {before.shape[1]} here",
                "measure the same segments, or use another name",
            )
        joined = added if before is None else np.concatenate([before, added])
        return Proportions({**self.lengths, limb: joined})

    @classmethod
    def read(cls, path: str | Path) -> Proportions:
        """Measurements from a CSV file: one row per person and limb, its name first, then its lengths in order.

        A first row whose lengths are words is a heading. Empty places at the end of a row are no segments.
        """
        rows: dict[str, list[list[float]]] = {}
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            for number, row in enumerate(csv.reader(file), start=1):
                if not "".join(row).strip():
                    continue
                limb, lengths = row[0].strip(), _numbers(row[1:])
                if lengths is None:
                    if number == 1:
                        continue
                    where = f"{Path(path).name}, line {number}"
                    raise FormatError(where, f"it reads {','.join(row)!r}", "a limb and lengths are needed", "mend it")
                rows.setdefault(limb, []).append(lengths)
        if not rows:
            raise FormatError(Path(path).name, "it has no measurements", "one row at least is needed", "add some")
        for limb, given in rows.items():
            if len({len(lengths) for lengths in given}) > 1:
                raise FormatError(
                    Path(path).name,
                    f"rows of {limb} have different numbers of lengths",
                    "all people need the same segments",
                    "fill in what is missing, or drop the row",
                )
        return cls({limb: np.array(given) for limb, given in rows.items()})

    def _rows(self, limb: str) -> FloatArray:
        if limb not in self.lengths:
            known = ", ".join(self.lengths)
            raise InputError(_WHERE, f"limb {limb!r} was asked for", f"there are {known}", "measure it, or use one")
        return self.lengths[limb]


def _numbers(cells: Iterable[str]) -> list[float] | None:
    """The numbers in a row up to its empty end; None where one is none."""
    given = [cell.strip() for cell in cells]
    while given and not given[-1]:
        given.pop()
    try:
        return [float(cell) for cell in given] or None
    except ValueError:
        return None


def _checked(limb: str, rows: FloatArray | Sequence[Sequence[float]]) -> FloatArray:
    lengths: FloatArray = frozen(rows, np.float64, (-1, -1), _WHERE, f"the lengths of {limb}")
    if lengths.shape[0] < 1 or lengths.shape[1] < 2:
        raise InputError(
            _WHERE,
            f"{limb} has {lengths.shape[0]} people and {lengths.shape[1]} segments",
            "at least one person and two segments are needed",
            "measure from joint to joint and on to the tip",
        )
    if (lengths <= 0.0).any():
        raise InputError(
            _WHERE, f"a length of {limb} is {lengths.min():g}", "lengths are more than 0", "measure it again"
        )
    return lengths


HANDS = Proportions(
    {
        "index": np.array(
            [
                [339.96, 188.83, 169.67],
                [342.47, 195.24, 186.70],
                [359.67, 206.58, 173.53],
                [417.16, 225.70, 183.67],
                [375.25, 214.96, 203.47],
            ]
        ),
        "middle": np.array(
            [
                [375.28, 225.60, 184.37],
                [389.42, 239.15, 197.31],
                [394.47, 260.15, 195.31],
                [446.49, 261.72, 209.62],
                [419.47, 271.77, 223.35],
            ]
        ),
        "ring": np.array(
            [
                [358.40, 226.47, 191.09],
                [372.98, 226.72, 212.12],
                [366.78, 247.01, 200.40],
                [442.49, 267.65, 227.06],
                [382.13, 247.86, 219.75],
            ]
        ),
        "little": np.array(
            [
                [284.66, 174.72, 169.11],
                [291.24, 166.72, 170.56],
                [289.73, 172.52, 180.18],
                [334.51, 180.32, 196.25],
                [294.10, 168.67, 195.09],
            ]
        ),
        "thumb": np.array([[270.83, 230.95], [259.53, 251.34], [264.05, 231.33], [301.67, 264.72], [285.76, 239.81]]),
    }
)
"""The fingers of five right hands, in pixels of X-ray pictures: from the knuckle to the joints and to the tip.

Raw lengths [Chaudhry2015, Table 3.1]; its table of means has slips and is not used. Five people are few: the ranges
say what was seen, not what is possible.
"""
