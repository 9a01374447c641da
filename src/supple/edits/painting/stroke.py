"""A stroke of the brush over a map, and what brushes do to values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from supple.arrays import FloatArray
from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.errors import InputError
from supple.skins.painted_map import MapInfo

_WHERE = "MapStroke"
_ROUNDS = 12  # of averaging with neighbours


class MapStroke:
    """A stroke over a map: `values` (V,) before, changed where the brush has been.

    The brush does the same wherever it was, however often it went over a place and however fast: `action` is to "add"
    its strength times the range of the map, to "subtract" it, to go by its strength towards `value` ("fill"), towards
    the mean of neighbours ("smooth"), or back to `usual` (V,), which is what counts where nothing is painted ("erase").
    """

    def __init__(
        self,
        canvas: Canvas,
        info: MapInfo,
        values: FloatArray,
        usual: FloatArray,
        *,
        brush: Brush,
        action: str = "add",
        value: float = 1.0,
        mirror: bool = False,
    ) -> None:
        if action not in ACTIONS:
            there = f"there are {', '.join(ACTIONS)}"
            raise InputError(_WHERE, f"action is {action!r}", there, "choose one of those")
        if not info.smooth:
            raise InputError(_WHERE, "a map of numbers was to be painted", "only values can be", "choose another map")
        if mirror and canvas.mirror_plane is None:
            given = "both sides were to be painted"
            raise InputError(_WHERE, given, "the body at rest is not its own mirror image", "paint one side")
        self._canvas, self._info, self._mirror = canvas, info, mirror
        self.brush, self.action = brush, action
        self._before, self._usual = np.asarray(values, dtype=np.float64), usual
        self._value = float(np.clip(value, info.low, info.high))
        self.coverage: FloatArray = np.zeros(len(canvas))

    def add(self, places: Sequence[Place]) -> None:
        """Go on over these places."""
        self.coverage = np.maximum(self.coverage, self._canvas.coverage(self.brush, places, mirror=self._mirror))

    @cached_property
    def _smoothed(self) -> FloatArray:
        return self._canvas.smoothed(self._before, rounds=_ROUNDS)

    @property
    def values(self) -> FloatArray:
        """The map (V,) as it is now."""
        share = self.brush.strength * self.coverage
        changed = self._before + share * ACTIONS[self.action](self)
        low, high = np.minimum(self._before, self._info.low), np.maximum(self._before, self._info.high)
        return np.clip(changed, low, high)

    def _add(self) -> FloatArray:
        return np.full(len(self._canvas), self._info.high - self._info.low)

    def _subtract(self) -> FloatArray:
        return -self._add()

    def _fill(self) -> FloatArray:
        return self._value - self._before

    def _smooth(self) -> FloatArray:
        return self._smoothed - self._before

    def _erase(self) -> FloatArray:
        return self._usual - self._before


ACTIONS: Mapping[str, Callable[[MapStroke], FloatArray]] = {
    "add": MapStroke._add,
    "subtract": MapStroke._subtract,
    "smooth": MapStroke._smooth,
    "fill": MapStroke._fill,
    "erase": MapStroke._erase,
}
"""What the full brush changes values (V,) by, by name."""
