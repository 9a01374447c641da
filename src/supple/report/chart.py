"""Curves over time as SVG: one line for every skin, axes with units, and a cursor that the page's script moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.report.findings import Bundle
from supple.report.palette import color_number, dashes
from supple.report.quantities import decimals

WIDE, HIGH = 620, 230
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 36
_LEAST_SPAN = 1e-9  # of the values, against their size: below it they are one flat line


class Chart:
    """One measure of all skins over `times` (F,) [s]."""

    def __init__(self, bundle: Bundle, *, times: FloatArray, labels: Sequence[str]) -> None:
        self.name, self.unit, self.labels = bundle.name, bundle.unit, labels
        self._times, self._values = times, bundle.values
        finite = bundle.values[np.isfinite(bundle.values)].tolist()
        self.low, self.high, self._step = _span(finite)
        self.decimals = min(decimals(finite), 6)

    def svg(self) -> str:
        """The picture; its colours and fonts come from the page."""
        lines = "".join(self._line(number) for number in range(len(self._values)))
        dots = "".join(
            f'<circle class="dot skin-{color_number(number)}" r="3.5" cx="-9" cy="-9"/>'
            for number in range(len(self._values))
        )
        unit = f" [{self.unit}]" if self.unit else ""
        what = f"{self.name}{unit} over time, for {', '.join(self.labels)}"
        return (
            f'<svg class="chart" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(what)}">'
            f"{self._rules()}{lines}"
            f'<line class="cursor" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{HIGH - BOTTOM}"/>{dots}</svg>'
        )

    def data(self) -> dict[str, Any]:
        """What the script needs to place its cursor and say the values, named for whoever reads them off the page."""
        lines = [[float(f"{v:.5g}") if math.isfinite(v) else None for v in line.tolist()] for line in self._values]
        return {
            "name": self.name,
            "unit": self.unit,
            "skins": list(self.labels),
            "low": self.low,
            "high": self.high,
            "decimals": self.decimals,
            "values": lines,
        }

    def _line(self, number: int) -> str:
        steps, pen = [], "M"
        for time, value in zip(self._times.tolist(), self._values[number].tolist(), strict=True):
            if not math.isfinite(value):
                pen = "M"  # a gap
                continue
            steps.append(f"{pen}{self._x(time):.1f} {self._y(value):.1f}")
            pen = "L"
        if len(steps) == 1:
            steps.append("h0")  # a single frame is a dot
        broken = f' stroke-dasharray="{dashes(number)}"' if dashes(number) else ""
        label = escape(self.labels[number])
        return f'<path class="curve skin-{color_number(number)}" data-skin="{label}" d="{"".join(steps)}"{broken}/>'

    def _rules(self) -> str:
        """Lines at round numbers with the numbers beside them."""
        parts = []
        count = round((self.high - self.low) / self._step)
        digits = max(0, -math.floor(math.log10(self._step) + 1e-9))
        for tick in range(count + 1):
            value = self.low + tick * self._step
            y = self._y(value)
            parts.append(f'<line class="rule" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(
                f'<text class="tick" x="{LEFT - 8}" y="{y + 3.5:.1f}" text-anchor="end">{value:.{digits}f}</text>'
            )
        first, last = float(self._times[0]), float(self._times[-1])
        floor = HIGH - BOTTOM
        step = _round_step(max(last - first, 1e-6) / 8.0)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        for mark in range(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1):
            x = self._x(mark * step)
            parts.append(
                f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{HIGH - BOTTOM}" y2="{HIGH - BOTTOM + 4}"/>'
            )
            parts.append(
                f'<text class="tick" x="{x:.1f}" y="{floor + 17}" text-anchor="middle">{mark * step:.{digits}f}</text>'
            )
        parts.append(f'<text class="axis" x="{WIDE - RIGHT}" y="{HIGH - 4}" text-anchor="end">time [s]</text>')
        return "".join(parts)

    def _x(self, time: float) -> float:
        first, last = float(self._times[0]), float(self._times[-1])
        return LEFT + (WIDE - LEFT - RIGHT) * ((time - first) / (last - first) if last > first else 0.0)

    def _y(self, value: float) -> float:
        return TOP + (HIGH - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _span(values: Sequence[float]) -> tuple[float, float, float]:
    """Round numbers below and above all values, and a round step between them."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= _LEAST_SPAN * max(abs(low), abs(high), 1.0):
        room = 0.1 * max(abs(low), abs(high)) or 1.0
        low, high = (low - room if low < 0.0 or low > room else 0.0), high + room
    step = _round_step((high - low) / 4.0)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _round_step(about: float) -> float:
    """1, 2 or 5 times a power of ten, not below `about`."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(times * power for times in (1.0, 2.0, 5.0, 10.0) if times * power >= about * (1.0 - 1e-9))
