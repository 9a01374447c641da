"""Ramps: numbers that rise smoothly from 0 to 1."""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats


def rising(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """0 up to `low`, 1 from `high` on, smooth between: 3 t^2 - 2 t^3 with t from 0 to 1."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    t = np.clip(0.5 + 0.5 * (values - middle) / half, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
