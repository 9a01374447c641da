"""Ways from one key to the next, by name or as a Bézier curve."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError

Easing = Callable[[FloatArray], FloatArray]

_POWERS = {"quadratic": 2, "cubic": 3, "quartic": 4, "quintic": 5}
_BEZIER = re.compile(r"cubic-bezier\(([^()]*)\)")
_HIGHEST = 10.0  # of an end of a Bézier curve's tangent, which may overshoot
_HALVINGS = 40  # of the parameter of a Bézier curve: as fine as numbers are, nearly


def _power_in(power: int, t: FloatArray) -> FloatArray:
    return np.asarray(t**power)


def _power_out(power: int, t: FloatArray) -> FloatArray:
    return np.asarray(1.0 - (1.0 - t) ** power)


def _power_in_out(power: int, t: FloatArray) -> FloatArray:
    return np.where(t < 0.5, 0.5 * (2.0 * t) ** power, 1.0 - 0.5 * np.abs(2.0 - 2.0 * t) ** power)


def _easings() -> dict[str, Easing]:
    found: dict[str, Easing] = {
        "linear": lambda t: t,
        "smooth": lambda t: t * t * (3.0 - 2.0 * t),
        "sine": lambda t: 0.5 - 0.5 * np.cos(np.pi * t),
        "hold": lambda t: np.floor(t),
    }
    for name, power in _POWERS.items():
        found[f"{name}-in"] = partial(_power_in, power)
        found[f"{name}-out"] = partial(_power_out, power)
        found[f"{name}-in-out"] = partial(_power_in_out, power)
    return found


EASINGS: Mapping[str, Easing] = MappingProxyType(_easings())
"""Ways from 0 at t = 0 to 1 at t = 1; `hold` stays until it jumps."""


def bezier(x1: float, y1: float, x2: float, y2: float) -> str:
    """The name of an easing along the cubic Bézier curve (0, 0), (x1, y1), (x2, y2), (1, 1), as style sheets have it.

    Across is time, 0 to 1 for both; up is how far it has come, which may be below 0 and above 1 on the way.
    """
    name = f"cubic-bezier({x1:g}, {y1:g}, {x2:g}, {y2:g})"
    easing_named(name, "bezier")
    return name


def easing_named(name: str, where: str) -> Easing:
    """One of `EASINGS`, or a curve that `bezier` names; `where` asked for it."""
    if name in EASINGS:
        return EASINGS[name]
    written = _BEZIER.fullmatch(name)
    if written is None:
        there = f"there are {', '.join(EASINGS)}, and cubic-bezier(x1, y1, x2, y2)"
        raise InputError(where, f"easing {name!r} was asked for", there, "choose one of those")
    try:
        x1, y1, x2, y2 = (float(part) for part in written.group(1).split(","))
        fits = min(x1, x2) >= 0.0 and max(x1, x2) <= 1.0 and max(abs(y1), abs(y2)) <= _HIGHEST
    except ValueError:
        fits = False
    if not fits:
        needed = f"four numbers are needed, the first and third from 0 to 1, the others within {_HIGHEST:g}"
        raise InputError(where, f"easing is {name!r}", needed, "try cubic-bezier(0.3, 0, 0.2, 1)")
    return _bezier(x1, y1, x2, y2)


@lru_cache(maxsize=256)
def _bezier(x1: float, y1: float, x2: float, y2: float) -> Easing:
    return partial(_along, x1, y1, x2, y2)


def _along(x1: float, y1: float, x2: float, y2: float, t: FloatArray) -> FloatArray:
    """How high the curve is where it is `t` across; it never runs back, so halving finds the place."""
    low, high = np.zeros_like(t, dtype=np.float64), np.ones_like(t, dtype=np.float64)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        before = _cubic(x1, x2, middle) < t
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.where(t <= 0.0, 0.0, np.where(t >= 1.0, 1.0, _cubic(y1, y2, 0.5 * (low + high))))


def _cubic(one: float, two: float, s: FloatArray) -> FloatArray:
    return 3.0 * (1.0 - s) ** 2 * s * one + 3.0 * (1.0 - s) * s**2 * two + s**3


def apply_easing(name: str, fraction: float, where: str) -> float:
    """How far an easing has come at `fraction`, 0 to 1."""
    return float(easing_named(name, where)(np.asarray(fraction, dtype=np.float64)))
