"""What may change while a lattice plays, and numbers by layer as people write them: "0.5, muscle=0.9, fat=0.3"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import Floats
from supple.character.regions import written
from supple.errors import InputError
from supple.skins.lattice.voxelize.cells import WHERE

_SLOWEST = 0.1  # Hz: a slower swing is none at all
_USUAL = ("muscle", "fat", "skin")  # may be named though a character has other layers, as the defaults do


def _parse(what: str, text: str, *, low: float, high: float) -> tuple[float | None, dict[str, float]]:
    """The number for all layers, if one is given, and those by name; later ones win."""
    common: float | None = None
    named: dict[str, float] = {}
    for piece in written(text):
        if not low <= piece.number <= high or piece.name == "":
            raise InputError(
                WHERE,
                f"{what} has {piece.text!r}",
                f"NUMBER or LAYER=NUMBER is needed, from {low:g} to {high:g}",
                "write for example 0.5, fat=0.3",
            )
        if piece.name is None:
            common = piece.number
        else:
            named[piece.name] = piece.number
    return common, named


def by_layer(what: str, text: str, layers: Sequence[str], *, low: float, high: float) -> list[float]:
    """One number for every layer by name; a layer that is not named takes the common one."""
    common, named = _parse(what, text, low=low, high=high)
    strange = [name for name in named if name not in layers and name not in _USUAL]
    if strange:
        raise InputError(
            WHERE, f"{what} names the layer {strange[0]!r}", f"there are {', '.join(layers)}", "name one of those"
        )
    silent = [name for name in layers if name not in named]
    if silent and common is None:
        raise InputError(
            WHERE,
            f"{what} says nothing about {silent[0]}",
            "every layer needs a number",
            f"add {silent[0]}=NUMBER, or one number for all layers",
        )
    return [named[name] if name in named else float(common or 0.0) for name in layers]


def inner_layers(text: str) -> dict[str, float]:
    """The layers between bone and skin from inside out, and the share of the way that each takes (they sum to one)."""
    common, named = _parse("layers", text, low=0.0, high=1.0e6)
    wrong = [name for name in named if name in ("bone", "skin")]
    if common is not None or not named or wrong or sum(named.values()) <= 0.0:
        raise InputError(
            WHERE,
            f"layers is {text!r}",
            "shares of layers between bone and skin are needed, from inside out",
            "write for example muscle=0.6, fat=0.4",
        )
    total = sum(named.values())
    return {name: fraction / total for name, fraction in named.items()}


@dataclass(frozen=True)
class LatticeParameters:
    """What may be changed at any time; the last five have one number for every layer, bone first."""

    gravity: float = 0.0
    rest_includes_gravity: bool = True
    max_offset: float = 1.0
    stretch: float = 0.5
    volume: float = 0.5
    secondary: bool = True
    stiffness: Sequence[float] = (0.0, 1.0)
    frequency: Sequence[float] = (0.0, 0.0)
    damping: Sequence[float] = (0.0, 0.0)
    velocity_retention: Sequence[float] = (0.0, 1.0)
    follow: Sequence[float] = (0.0, 0.0)

    def row(self, dt: float, *, starting: bool) -> Floats:
        """As the kernels take them, for a step of `dt` [s]."""
        flesh = [self.gravity, self.rest_includes_gravity, self.max_offset]
        return np.array([dt, *flesh, starting, self.stretch, self.volume, self.secondary], dtype=float)

    def material(self, dt: float) -> Floats:
        """Angular frequency [rad/s], damping, share of velocity kept in a step, and following, by layer (L, 4)."""
        given = np.asarray(self.frequency)
        angular_frequency = 2.0 * np.pi * np.where(given < _SLOWEST, 0.0, given)
        retention = np.asarray(self.velocity_retention) ** (30.0 * dt)
        return np.stack([angular_frequency, np.asarray(self.damping), retention, np.asarray(self.follow)], axis=1)

    def normalized_stiffness(self) -> Floats:
        """Stiffness (L,), all divided by the largest where that is above one: what over-corrects would diverge."""
        given = np.asarray(self.stiffness, dtype=float)
        return np.asarray(given / max(1.0, float(given.max(initial=0.0))))
