"""Colours for values painted on the skin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import frozen
from supple.errors import InputError

RAMPS: dict[str, tuple[str, ...]] = {
    "heat": ("#e4dccf", "#f2c57c", "#ea7f3c", "#c22f3d", "#6a1040"),
    "depth": ("#f4e8c1", "#9fd0b0", "#4a9bb0", "#2c5f94", "#26265c"),
    "difference": ("#2a5fa5", "#8fb6dc", "#ece8e2", "#e79a7e", "#b3262e"),
}
"""From low to high. 'difference' has its neutral colour in the middle, for values around zero."""


def map_colors(
    values: ArrayLike, *, count: int, ramp: str = "heat", limits: tuple[float, float] | None = None
) -> NDArray[Any]:
    """Colours (V, 3), bytes, of values (V,); `limits` are the values of the ramp's two ends (the range if None)."""
    given = frozen(values, np.float64, (count,), "picture", "values")
    if ramp not in RAMPS:
        raise InputError("picture", f"ramp is {ramp!r}", f"there are {', '.join(RAMPS)}", "choose one of those")
    low, high = (float(given.min()), float(given.max())) if limits is None else limits
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise InputError("picture", f"limits are {low} and {high}", "a low and a high one are needed", "swap them")
    fraction = np.clip((given - low) / max(high - low, 1e-30), 0.0, 1.0)
    stops = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in RAMPS[ramp]], dtype=np.float64)
    fractions = np.linspace(0.0, 1.0, len(stops))
    return np.stack([np.interp(fraction, fractions, stops[:, c]) for c in range(3)], axis=1).round().astype(np.uint8)
