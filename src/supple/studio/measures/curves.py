"""Measures of every view as curves over the motion's time, a few times a second."""

from __future__ import annotations

import numpy as np

from supple.character.character import Character
from supple.errors import InputError
from supple.measure.volume import VolumeMeter
from supple.studio import messages as say
from supple.studio.measures.offered import Moment, vertex_speeds

PERIOD = 0.1  # s between two values


class Curves:
    """Takes the measures of what is shown; remembers only when it did so last and how to find volumes."""

    def __init__(self) -> None:
        self._since = PERIOD
        self._meter: tuple[Character, VolumeMeter | None] | None = None

    def take(self, moment: Moment, motion_time: float) -> say.CurvesInfo | None:
        """The values of all views, if it is time for them."""
        self._since += moment.dt
        if self._since < PERIOD:
            return None
        self._since = 0.0
        return say.CurvesInfo(motion_time, [self._values(moment, view) for view in range(len(moment.players))])

    def _values(self, moment: Moment, view: int) -> say.CurveValues:
        meter, speeds = self._volume_meter(moment.players[view].character), vertex_speeds(moment, view)
        return say.CurveValues(
            volume=None if meter is None else 100.0 * meter(moment.points[view]),
            stretch=100.0 * float(np.max(moment.players[view].stretch())),
            speed=None if speeds is None else float(np.mean(speeds)),
        )

    def _volume_meter(self, character: Character) -> VolumeMeter | None:
        """Of a character; None where it has no volume at rest. All views show one character in other clothes."""
        known = self._meter
        if known is None or known[0].points is not character.points or known[0].triangles is not character.triangles:
            try:
                known = character, VolumeMeter(character.points, character.triangles)
            except InputError:
                known = character, None
            self._meter = known
        return known[1]
