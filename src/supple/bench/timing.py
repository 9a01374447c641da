"""Timing that can be trusted: warm-up, many repeats, the median and the spread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: the median of many, and the quartiles around it."""

    seconds: float
    low: float
    high: float


def timed(call: Callable[[], object], *, repeats: int = 60, warm_up: int = 5, most_seconds: float = 5.0) -> Timing:
    """Time a call after `warm_up` untimed ones; at most `repeats` times, and not much longer than `most_seconds`."""
    for _ in range(warm_up):
        call()
    taken: list[float] = []
    while len(taken) < repeats and (len(taken) < 3 or sum(taken) < most_seconds):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    low, middle, high = np.percentile(taken, [25.0, 50.0, 75.0])
    return Timing(float(middle), float(low), float(high))


def once(call: Callable[[], object]) -> Timing:
    """Time one call, for what happens once: binding, the first frame."""
    start = time.perf_counter()
    call()
    taken = time.perf_counter() - start
    return Timing(taken, taken, taken)
