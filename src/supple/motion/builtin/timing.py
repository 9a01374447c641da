"""Time in the built-in motions: eased shares, keys on a curve, and waves of a cycle; all without a jump in speed.

Curves are fitted when they are first asked for, so that a motion whose length is all that is wanted costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from supple.errors import InputError
from supple.motion.builtin import splines

Curve = Callable[[float], float]


def smoothstep(time: float, start: float, end: float) -> float:
    """How much of the way from `start` to `end` is gone, from 0 to 1; sets off and arrives without speed or push.

    With s = (time - start) / (end - start): 6 s^5 - 15 s^4 + 10 s^3.
    """
    s = min(max((time - start) / (end - start), 0.0), 1.0)
    return s * s * s * (s * (6.0 * s - 15.0) + 10.0)


def spline(keys: Sequence[tuple[float, float]]) -> Curve:
    """A curve through keys (time, value): level at both ends and at every peak, never beyond the keys it is between.

    Before the first key and after the last it holds.
    """
    times, values = zip(*keys, strict=True)

    curve = cache(lambda: splines.level([*times, times[-1] + 1.0], [*values, values[-1]]))  # it holds at the end
    return lambda time: float(curve()(min(max(time, times[0]), times[-1])))


def cyclic(keys: Sequence[tuple[float, float]]) -> Curve:
    """A smooth curve through keys (phase, value), phases rising from 0 to below 1, that repeats with period one."""
    phases, values = zip(*keys, strict=True)

    curve = cache(lambda: splines.periodic([*phases, phases[0] + 1.0], [*values, values[0]]))
    return lambda phase: float(curve()(phases[0] + (phase - phases[0]) % 1.0))


def wave(phase: float, peak: float = 0.0) -> float:
    """A cosine of period one that is 1 at the phase `peak` and -1 half a cycle later."""
    return math.cos(2.0 * math.pi * (phase - peak))


def lesser(a: float, b: float, *, width: float) -> float:
    """The lesser of two numbers, with the corner rounded where they are closer than `width`; elsewhere exact."""
    near = max(width - abs(a - b), 0.0) / width
    return min(a, b) - 0.25 * width * near * near


def round_to_frames(name: str, *, seconds: float, fps: float) -> float:
    """`seconds` rounded to a whole number of frames, so that a motion ends on a key."""
    for what, value in (("seconds", seconds), ("fps", fps)):
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"motion {name!r}", f"{what} is {value}", "more than zero is needed", "use 2 and 60")
    return max(round(seconds * fps), 2) / fps


def check_range(name: str, what: str, value: float, *, low: float, high: float) -> float:
    """An option as given, if it lies between `low` and `high`."""
    if not (math.isfinite(value) and low <= value <= high):
        needed = f"{low:g} to {high:g} is needed"
        raise InputError(f"motion {name!r}", f"{what} is {value}", needed, "use 1 for the usual amount")
    return value
