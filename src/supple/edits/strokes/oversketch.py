"""Over-sketching: part of a stroke drawn anew, with a line that starts and ends near it."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.edits.strokes.stroke import Stroke
from supple.errors import InputError

_WHERE = "oversketch"
_SAME = 1e-6  # of the stroke's length: nearer places are one


def oversketch(stroke: Stroke, redrawn: Stroke) -> Stroke:
    """The stroke with the part between the places nearest to the ends of `redrawn` replaced by it.

    It may be drawn either way. Where both ends are nearest to one end of the stroke, the stroke goes on from there. The
    stroke keeps its times; those of what is new are fitted into the gap.
    """
    (start, end), _ = stroke.nearest(redrawn.knots[[0, -1]])
    if abs(start - end) <= _SAME:
        return _lengthen(stroke, redrawn, float(start))
    new = redrawn if start < end else _reverse(redrawn)
    low, high = min(start, end), max(start, end)
    before, after = stroke.knot_fractions < low, stroke.knot_fractions > high
    first, last = stroke.time_at([low, high])
    length = new.times[-1] - new.times[0]
    course = (new.times - new.times[0]) / length if length > 0.0 else np.linspace(0.0, 1.0, len(new.times))
    return _join(stroke, new, before=before, after=after, times=first + (last - first) * course)


def _lengthen(stroke: Stroke, redrawn: Stroke, end: float) -> Stroke:
    """The stroke going on from one of its ends along another one."""
    at_start, at_end = end <= _SAME, end >= 1.0 - _SAME
    if not (at_start or at_end):
        raise InputError(
            _WHERE,
            "both ends of what was drawn anew are nearest to the same place of the stroke",
            "it must replace some of it, or lead on from an end",
            "draw it along the stroke",
        )
    tip = stroke.knots[0 if at_start else -1]
    near = np.linalg.norm(redrawn.knots[[0, -1]] - tip, axis=1)
    leads_away = bool(near[0] <= near[1])
    new = redrawn if leads_away == at_end else _reverse(redrawn)
    every = np.ones(len(stroke.knots), dtype=bool)
    if at_end:
        return _join(stroke, new, before=every, after=~every, times=stroke.times[-1] + new.times - new.times[0])
    return _join(stroke, new, before=~every, after=every, times=stroke.times[0] + new.times - new.times[-1])


def _reverse(stroke: Stroke) -> Stroke:
    times = stroke.times[0] + stroke.times[-1] - stroke.times[::-1]
    return Stroke(stroke.knots[::-1], times, None if stroke.pressures is None else stroke.pressures[::-1])


def _join(stroke: Stroke, new: Stroke, *, before: BoolArray, after: BoolArray, times: FloatArray) -> Stroke:
    """Knots before, the new ones, and those after; no two in one place."""
    knots = np.concatenate([stroke.knots[before], new.knots, stroke.knots[after]])
    clock = np.concatenate([stroke.times[before], times, stroke.times[after]])
    own, others = (np.ones(len(one.knots)) if one.pressures is None else one.pressures for one in (stroke, new))
    hard = np.concatenate([own[before], others, own[after]])
    apart = np.concatenate([[True], np.abs(np.diff(knots, axis=0)).max(axis=1) > 0.0])
    silent = stroke.pressures is None and new.pressures is None
    return Stroke(knots[apart], np.maximum.accumulate(clock[apart]), None if silent else hard[apart])
