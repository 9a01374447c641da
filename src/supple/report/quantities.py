"""Numbers as people read them: in a unit that suits their size, with as many digits as their row carries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

_DIGITS = 4


def sized(unit: str, values: Iterable[float]) -> tuple[float, str]:
    """A factor and a unit that bring the largest of some values near 1: metres below 0.1 become mm, and then µm."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if unit not in ("m", "s") or largest == 0.0 or largest >= 0.1:
        return 1.0, unit
    return (1e3, f"m{unit}") if largest >= 1e-4 else (1e6, f"µ{unit}")


def decimals(values: Iterable[float]) -> int:
    """How many decimals give the largest value four digits; none where all are whole numbers."""
    finite = [value for value in values if math.isfinite(value)]
    if all(value == round(value) for value in finite):
        return 0
    largest = max(abs(value) for value in finite)
    return min(max(_DIGITS - 1 - math.floor(math.log10(largest)), 0), 9)


def texts(values: Sequence[float]) -> list[str]:
    """All values of a row with the same decimals; a dash where there is no number."""
    digits = decimals(values)
    return [_text(value, digits) for value in values]


def _text(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text
