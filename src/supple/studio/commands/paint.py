"""Commands of the brush: while a stroke is made the flesh answers; when it is done, that is one step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray
from supple.edits.painting import Brush, MapStroke, Place
from supple.errors import InputError
from supple.skins.painted_map import MapInfo
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session
from supple.studio.view import View

_WHERE = "paint"


def _paint(session: Session, command: say.Paint) -> None:
    painting = session.painting
    brush = Brush(radius=command.radius, strength=command.strength, softness=command.softness)
    asked = (command.map, command.action, brush, command.value, command.mirror, command.view)
    if painting.stroke is None or painting.asked != asked:
        _end(session)
        painting.begin(command.map, asked, _stroke(session, command, brush))
    assert painting.stroke is not None
    painting.stroke.add([Place(tuple(place.vertices), tuple(place.shares)) for place in command.places])
    session.draft(session.document.with_map(command.map, painting.stroke.values, f"Paint {command.map}"))


def _stroke(session: Session, command: say.Paint, brush: Brush) -> MapStroke:
    view = session.view(command.view)
    return MapStroke(
        session.painting.canvas,
        _info(view, command.map),
        view.player.map_values(command.map),
        _usual(session, view, command.map),
        brush=brush,
        action=command.action,
        value=command.value,
        mirror=command.mirror,
    )


def _info(view: View, name: str) -> MapInfo:
    """What the skin that plays says of a map."""
    if view.preparing is not None:
        raise InputError(_WHERE, f"{name} was to be painted", f"{view.preparing} is still being bound", "wait for it")
    maps = view.player.maps()
    if name not in maps:
        there = f"the skin reads {', '.join(maps)}" if maps else "the skin reads no maps"
        raise InputError(_WHERE, f"{name} was to be painted", there, "choose another map or another skin")
    return maps[name]


def _usual(session: Session, view: View, name: str) -> FloatArray:
    """What a map (V,) is without paint: the character's own, or what the skin takes."""
    own = session.character.maps.get(name)
    return view.player.usual_map(name) if own is None else own


def _paint_end(session: Session, command: say.PaintEnd) -> None:
    if command.keep:
        _end(session)
    elif session.painting.end() is not None:
        session.draft(None)


def _end(session: Session) -> None:
    """Make the stroke a step of the document, where it has changed anything."""
    painting = session.painting
    stroke = painting.end()
    if stroke is not None and stroke.coverage.any():
        session.do(session.document.with_map(painting.map, stroke.values, f"Paint {painting.map}"))


def _fill_map(session: Session, command: say.FillMap) -> None:
    _end(session)
    info = _info(session.view(command.view), command.map)
    value = float(np.clip(command.value, info.low, info.high))
    values = np.full(len(session.character.points), value)
    session.do(session.document.with_map(command.map, values, f"Fill {command.map}"))


def _reset_map(session: Session, command: say.ResetMap) -> None:
    _end(session)
    document = session.document
    if command.map not in document.maps:
        raise InputError(_WHERE, f"{command.map} was to be cleared", "it is not painted", "paint it first")
    left = {name: values for name, values in document.maps.items() if name != command.map}
    session.do(replace(document, maps=left, step=f"Clear {command.map}"))


HANDLERS: Handlers = {say.Paint: _paint, say.PaintEnd: _paint_end, say.FillMap: _fill_map, say.ResetMap: _reset_map}
