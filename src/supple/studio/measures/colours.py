"""The measure that is shown as colours: its values in bytes, and a range that does not flicker."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.errors import InputError
from supple.studio.frames import Head, colours_frame
from supple.studio.measures.offered import Measure, Moment, values_of

_MOST = 99.8  # percent of the vertices that lie in the range; a few outside do not make all others pale
_LEAST = 1e-6


def round_above(value: float) -> float:
    """The first of 1, 2, 5, 10, 20, ... of a power of ten that is not below a value above zero."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1.0 - 1e-9))


class Colours:
    """Turns a measure into bytes for every display point.

    All views share one range, so that they can be compared. It only grows, to round numbers, for as long as the measure
    is shown.
    """

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self._range = measure.whole or (0.0, 0.0)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest value that have a colour of their own."""
        return self._range

    def frames(self, heads: Sequence[Head], moment: Moment, vertex_of_point: IntArray) -> dict[int, bytes]:
        """A frame of colours for every view that has the measure, by its number."""
        try:
            values = values_of(self.measure, moment)
        except InputError:  # a skin that knows forces in general may have none of them now
            return {}
        for one in values:
            if one is not None and self.measure.whole is None:
                self._widen(one)
        return {
            head.view: colours_frame(head, self._bytes(one)[vertex_of_point], *self._range)
            for head, one in zip(heads, values, strict=True)
            if one is not None
        }

    def _widen(self, values: FloatArray | Float32Array) -> None:
        low, high = self._range
        size = float(np.percentile(np.abs(values), _MOST))
        if size > max(high, _LEAST):
            high = round_above(size)
        self._range = (-high if self.measure.signed or values.min() < -_LEAST else low, high)

    def _bytes(self, values: FloatArray | Float32Array) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        low, high = self._range
        finite: FloatArray = np.nan_to_num(np.asarray(values, dtype=np.float64))
        share = (finite - low) / max(high - low, _LEAST)
        return np.clip(255.0 * share + 0.5, 0.0, 255.0).astype(np.uint8)
