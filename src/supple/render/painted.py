"""What is painted on skins in pictures: a map of the character, or a measure of every vertex in every frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.errors import InputError
from supple.graph.cache import Cache
from supple.measure.vertex_measures import VERTEX_MEASURES, measure_vertices

CLAY = "clay"
"""Nothing is painted."""


class PaintedSkins:
    """The values of one map or measure on several bakes, and the `limits` between which all of them are coloured."""

    def __init__(self, caches: Sequence[Cache], color: str, *, given: FloatArray | Float32Array | None = None) -> None:
        """What is `given` (V,) or (F, V) is painted instead of what `color` names."""
        found = [painted_values(cache, color, alone=len(caches) == 1) if given is None else given for cache in caches]
        self._values = [values for values in found if values is not None]
        self.limits = None
        if self._values:
            low = min(float(np.min(values)) for values in self._values)
            high = max(_high(values) for values in self._values)
            self.limits = low, max(high, low + 1e-9)

    def at(self, number: int, frame: int) -> FloatArray | Float32Array | None:
        """The values (V,) on a bake in a frame; None where nothing is painted."""
        if not self._values:
            return None
        values = self._values[number]
        return values if values.ndim == 1 else values[frame]


def painted_values(cache: Cache, color: str, *, alone: bool = True) -> FloatArray | Float32Array | None:
    """The values (V,) or (F, V) of a map or measure on a bake; one that feels no pressure has none, or is refused."""
    if color == CLAY:
        return None
    if color in cache.info["maps"]:
        return cache.arrays[f"map {color}"]
    if color not in VERTEX_MEASURES:
        known = ", ".join([CLAY, *cache.info["maps"], *VERTEX_MEASURES])
        raise InputError("color", f"{color!r} was asked for", f"this bake has {known}", "choose one of those")
    if color == "pressure" and not alone and cache.pressure is None:
        return np.zeros(len(cache.rest), dtype=np.float32)
    return measure_vertices(cache, color)


def check_color(color: str, character: Character) -> None:
    """Refuse what cannot be painted on a character, before anything is baked."""
    if color not in (CLAY, *character.maps, *VERTEX_MEASURES):
        known = ", ".join([CLAY, *character.maps, *VERTEX_MEASURES])
        raise InputError("color", f"{color!r} was asked for", f"there are {known}", "choose one of those")


def _high(values: FloatArray | Float32Array) -> float:
    """Where the scale ends: what only few vertices have more of; of what is mostly zero, those that have any."""
    some = values[values > 0.0] if float(np.min(values)) == 0.0 else values
    return float(np.percentile(some, 99.5)) if some.size else 0.0
