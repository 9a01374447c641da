"""Commands of gestures: a hand that goes up and down keys a layer, and a line on the floor is walked along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.edits.arranging import free_name
from supple.edits.strokes import Stroke, layer_by_gesture, pace_of, travel_along
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.live.recorder import LONGEST
from supple.studio.session import Session

_ALONG = " along a line"
_UP = (0.0, 1.0, 0.0)


def _time_by_gesture(session: Session, command: say.TimeByGesture) -> None:
    edits = session.document.edits_on(session.character)
    if command.use not in {*edits.shapes, *edits.poses}:
        raise InputError("studio", f"{command.use!r} was to be timed", "no shape or pose has that name", "draw one")
    times, across, up = np.array(command.samples).T
    hand = Stroke.from_samples(
        np.stack([across, up, np.zeros_like(up)], axis=1), times=np.maximum.accumulate(times), keep_times=True
    )
    alone = next((layer for layer in edits.layers if set(layer.uses) == {command.use}), None)
    name = free_name(command.use, [layer.name for layer in edits.layers]) if alone is None else alone.name
    layer = layer_by_gesture(name, command.use, hand, along=_UP, start=command.time)
    session.do(session.document.with_edits(edits.with_layer(layer), f"Time {command.use}"))


def _travel_along(session: Session, command: say.TravelAlong) -> None:
    times, x, z = np.array(command.samples).T
    line = np.stack([x, np.zeros_like(x), z], axis=1)
    path = Stroke.from_samples(line, times=np.maximum.accumulate(times), keep_times=True)
    motion = _without_line(session)
    pace = pace_of(motion)
    if pace is not None and not command.as_drawn:
        path = path.at_pace(pace)
    if path.times[-1] - path.times[0] > LONGEST:
        long = f"it would take {path.times[-1] - path.times[0]:.0f} s"
        raise InputError("studio", long, f"at most {LONGEST:.0f} s are recorded", "draw a shorter line")
    name = free_name(f"{motion.name}{_ALONG}", session.motions)
    document = session.document.with_take(travel_along(motion, path).replace(name=name), "Go along a line")
    session.do(replace(document, motion=name))


def _without_line(session: Session) -> Motion:
    """The motion that plays, or the one that it was before it went along a line."""
    before, along, _ = session.motion.name.rpartition(_ALONG)
    return session.library.motion(before, session.character) if along and before in session.motions else session.motion


HANDLERS: Handlers = {say.TimeByGesture: _time_by_gesture, say.TravelAlong: _travel_along}
