"""How good a line is, from the times of what arrived over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray

_WINDOW = 3.0  # s that are looked at, up to the newest pose


@dataclass(frozen=True)
class LineQuality:
    """Poses that a sender makes [1/s], and the share of them that did not arrive; zeros before the second one."""

    rate: float = 0.0
    loss: float = 0.0


def line_quality(times: FloatArray) -> LineQuality:
    """The quality of a line from the times (N,) [s] that its poses were taken at, in rising order.

    A sender takes poses evenly: gaps of twice and three times the usual one, the median, are of one and two that were
    lost. So up to a third may be lost and still be told from a slower sender.
    """
    recent = times[times > times[-1] - _WINDOW] if len(times) else times
    gaps = np.diff(recent)
    gaps = gaps[gaps > 0.0]
    if not len(gaps):
        return LineQuality()
    usual = float(np.median(gaps))
    sent = np.maximum(np.round(gaps / usual), 1.0).sum()
    return LineQuality(1.0 / usual, float(1.0 - len(gaps) / sent))
