"""Commands of the brush: while a stroke is made the flesh answers; when it is done, that is one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray
from supple.edits.edits import Edits
from supple.edits.painting import REGION_ACTIONS, Brush, EditStroke, MapStroke, Place, RegionStroke
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
        stroke, document = _stroke(session, command, brush), session.document
        painting.begin(stroke, asked, lambda: document.with_map(command.map, stroke.values, f"Paint {command.map}"))
    _go_over(session, command.places)


def _retouch(session: Session, command: say.Retouch) -> None:
    painting = session.painting
    brush = Brush(radius=command.radius, strength=command.strength, softness=command.softness)
    asked = (command.shape, command.action, brush, command.mirror)
    if painting.stroke is None or painting.asked != asked:
        _end(session)
        document = session.document
        edits = document.edits_on(session.character)
        if command.shape not in edits.shapes:
            there = f"there are {', '.join(edits.shapes)}" if edits.shapes else "none was drawn yet"
            raise InputError(_WHERE, f"shape {command.shape!r} was to be touched up", there, "choose one of those")
        stroke = _over_shape(session, edits, command, brush)
        step = f"{command.action.capitalize()} {command.shape}"
        painting.begin(stroke, asked, lambda: document.with_edits(edits.with_shape(command.shape, stroke.shape), step))
    _go_over(session, command.places)


def _over_shape(session: Session, edits: Edits, command: say.Retouch, brush: Brush) -> EditStroke | RegionStroke:
    canvas, shape = session.painting.canvas, edits.shapes[command.shape]
    action, mirror = command.action, command.mirror
    if action not in REGION_ACTIONS:
        return EditStroke(canvas, shape, brush=brush, action=action, mirror=mirror)
    drawn = edits.surface_strokes.get(command.shape)
    handles = None if drawn is None else drawn.handles(session.character.triangles)
    return RegionStroke(canvas, shape, handles=handles, brush=brush, action=action, mirror=mirror)


def _go_over(session: Session, places: Sequence[say.SkinPlace]) -> None:
    """Go on with the stroke, and show what it makes."""
    painting = session.painting
    assert painting.stroke is not None
    painting.stroke.add([Place(tuple(place.vertices), tuple(place.shares)) for place in places])
    session.draft(painting.document())


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
    else:
        session.painting.end()
        session.draft(None)


def _end(session: Session) -> None:
    """Make the stroke a step of the document."""
    if session.painting.end():
        session.do(session.painting.document())


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


HANDLERS: Handlers = {
    say.Paint: _paint,
    say.Retouch: _retouch,
    say.PaintEnd: _paint_end,
    say.FillMap: _fill_map,
    say.ResetMap: _reset_map,
}
