"""Commands that draw on the skin: a line raises it, its knots are pulled, and the outline is drawn anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.edits.arranging import delete_use
from supple.edits.bulge import bulge
from supple.edits.edits import Edits
from supple.edits.encoding import encoded_moves, rest_from_posed
from supple.edits.layers import Layer
from supple.edits.painting import Canvas, mirror_edit
from supple.edits.silhouette import redrawn_outline
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.strokes.view import View
from supple.edits.surface_edit import KINEMATIC, SurfaceEdit
from supple.edits.surface_editing import SurfaceEditing
from supple.errors import InputError
from supple.graph.mask import Mask
from supple.motion.pose import Pose
from supple.skins.base import Skin
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session
from supple.studio.strokes import editing_of

_NOTHING = 0.01  # of a layer: less of it cannot be pulled by what is seen
_CREASE = 0.8  # rad by which skin is bent in what counts as a crease


def view_of(look: say.Look) -> View:
    """How the picture was looked at."""
    return View(look.position, look.target, look.view_angle, look.size, look.up)


def _draw(session: Session, command: say.Draw) -> None:
    session.view(command.view)
    line = session.lines.open(command.line, session.character)
    for stretch in command.stretches:
        line.count(len(stretch.samples))
        line.last = session.seen.at(command.view, stretch.look.frame)
        samples = np.array(stretch.samples)
        line.on_skin.add(line.last.points, view_of(stretch.look), pixels=samples[:, :2], pressures=samples[:, 2])


def _drop_line(session: Session, command: say.DropLine) -> None:
    session.lines.drop(command.line)


def _raise(session: Session, command: say.Raise) -> None:
    line = session.lines.take(command.line)
    if line.character is not session.character or line.last is None:
        raise InputError("studio", "the character is another one by now", "a line belongs to one", "draw it again")
    points = np.asarray(line.last.points, dtype=np.float64)
    settings = {"height": command.height, "reach": command.reach}
    edits, word = session.document.edits_on(session.character), "Bulge" if command.height >= 0.0 else "Dent"
    for stroke in line.on_skin.strokes():
        swollen = bulge(
            points, session.character.triangles, stroke, **settings, profile=command.profile, method=command.method
        )
        shape = encode_seen(session, command.view, line.last.pose, swollen - points)
        if command.force is not None:
            shape = _held(shape, stroke.handles(session.character.triangles), command.force)
        edits = _with(edits, word, stroke, shape)
    session.do(session.document.with_edits(edits, "Raise"))


def _held(shape: SurfaceEdit, handles: np.ndarray, force: float) -> SurfaceEdit:
    """A shape as a force on those of the handles that it moves."""
    return shape.hold(np.intersect1d(handles, shape.vertices), stiffness=min(force, KINEMATIC))


def _as_before(shape: SurfaceEdit, before: SurfaceEdit) -> SurfaceEdit:
    """A changed shape, which is a force where it was one."""
    return shape if before.handles is None else _held(shape, before.handles, before.stiffness)


def _redraw_outline(session: Session, command: say.RedrawOutline) -> None:
    session.view(command.view)
    seen = session.seen.at(command.view, command.look.frame)
    points = np.asarray(seen.points, dtype=np.float64)
    moved, stroke = redrawn_outline(
        points,
        session.character.triangles,
        view_of(command.look),
        pixels=np.array(command.pixels),
        reach=command.reach,
        method=command.method,
        crease=_CREASE if command.creases else None,
        other_way=command.other_way,
    )
    shape = encode_seen(session, command.view, seen.pose, moved - points)
    edits = _with(session.document.edits_on(session.character), "Outline", stroke, shape)
    session.do(session.document.with_edits(edits, "Redraw outline"))


def encode_seen(session: Session, view: int, pose: Pose, moves: np.ndarray) -> SurfaceEdit:
    """The edit that moves what was seen in a pose by `moves` (V, 3) [m]."""
    return encoded_moves(session.character, _own_pose(session, pose), moves, skin=first_skin(session, view))


def first_skin(session: Session, view: int) -> Skin[Any, Any]:
    """The kinematic skin that the skins of a view begin with; linear blend where they begin with none."""
    work = session.document.skins[view].stages[0].work
    found = None if isinstance(work, Mask) else work.first_kinematic()
    return LinearBlend() if found is None else found


def _own_pose(session: Session, pose: Pose) -> Pose:
    """A pose with no shapes but those that the character brought along."""
    known = session.character.shapes
    return Pose(pose.world_from_joint, shapes={name: amount for name, amount in pose.shapes.items() if name in known})


def _with(edits: Edits, stem: str, stroke: SurfaceStroke, shape: SurfaceEdit) -> Edits:
    """One more shape with its stroke, on a layer of its own that is there all the time."""
    taken = {*edits.shapes, *edits.poses, *edits.strokes, *edits.surface_strokes, *(one.name for one in edits.layers)}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"{stem} {number}") not in taken)
    return edits.with_shape(name, shape).with_stroke(name, stroke).with_layer(Layer.still(name, name))


# Strokes that were drawn


def _edits_with(session: Session, stroke: str) -> Edits:
    """All edits, which have a stroke of that name with its shape."""
    edits = session.document.edits_on(session.character)
    there = [name for name in edits.surface_strokes if name in edits.shapes]
    if stroke not in there:
        known = f"there are {', '.join(there)}" if there else "none was drawn yet"
        raise InputError("studio", f"stroke {stroke!r} was named", known, "name one of those")
    return edits


def _editing(session: Session, edits: Edits, stroke: str) -> SurfaceEditing:
    return editing_of(session.character, edits.surface_strokes[stroke], edits.shapes[stroke])


def _show(session: Session, edits: Edits, step: str, *, done: bool) -> None:
    wanted = session.document.with_edits(edits, step)
    if done:
        session.do(wanted)
    else:
        session.draft(wanted)


def _move_knot(session: Session, command: say.MoveKnot) -> None:
    """While it is dragged the skin follows; when it is let go, that is one step."""
    session.view(command.view)
    edits = _edits_with(session, command.stroke)
    editing = _editing(session, edits, command.stroke)
    stroke = editing.stroke
    if command.knot >= len(stroke.triangles):
        count = len(stroke.triangles)
        raise InputError("studio", f"knot {command.knot} was named", f"there are {count}", "name one of those")
    corners = session.character.triangles[stroke.triangles[command.knot]]
    moves = _rest_moves(session, edits, command, corners)
    by = stroke.barycentric[command.knot] @ moves
    shape = _as_before(editing.pull_knot(command.knot, by), editing.shape)
    _show(session, edits.with_shape(command.stroke, shape), "Move knot", done=command.done)


def _move_stroke(session: Session, command: say.MoveStroke) -> None:
    """All of the line goes as far as the hand does, also where its bones are bent against each other."""
    session.view(command.view)
    edits = _edits_with(session, command.stroke)
    editing = _editing(session, edits, command.stroke)
    by = _rest_moves(session, edits, command, editing.region.handles)
    shape = _as_before(editing.pull_line(by), editing.shape)
    _show(session, edits.with_shape(command.stroke, shape), "Move stroke", done=command.done)


def _rest_moves(
    session: Session, edits: Edits, command: say.MoveKnot | say.MoveStroke, vertices: np.ndarray
) -> np.ndarray:
    """How far a stroke's shape has to move vertices (N, 3) [m] at rest, so that they are seen to move as pulled."""
    amount = edits.amounts(session.transport.time).get(command.stroke, 0.0)
    if abs(amount) < _NOTHING:
        given = f"there is {amount:g} of {command.stroke} now"
        raise InputError("studio", given, "what is not seen cannot be pulled", "show its layer, or go to another time")
    pose = _own_pose(session, session.seen.newest(command.view).pose)
    matrices = rest_from_posed(session.character, pose, vertices, skin=first_skin(session, command.view))
    return np.asarray(matrices @ np.array(command.by) / amount)


def _change_reach(session: Session, command: say.ChangeReach) -> None:
    edits = _edits_with(session, command.stroke)
    editing = _editing(session, edits, command.stroke)
    shape = _as_before(editing.with_reach(command.reach), editing.shape)
    _show(session, edits.with_shape(command.stroke, shape), "Width", done=command.done)


def _change_height(session: Session, command: say.ChangeHeight) -> None:
    edits = _edits_with(session, command.stroke)
    editing = _editing(session, edits, command.stroke)
    shape = _as_before(editing.with_height(command.height), editing.shape)
    _show(session, edits.with_shape(command.stroke, shape), "Height", done=command.done)


def _delete_knot(session: Session, command: say.DeleteKnot) -> None:
    edits = _edits_with(session, command.stroke)
    stroke, shape = _editing(session, edits, command.stroke).delete_knot(command.knot)
    shape = _as_before(shape, edits.shapes[command.stroke])
    edits = edits.with_shape(command.stroke, shape).with_stroke(command.stroke, stroke)
    session.do(session.document.with_edits(edits, "Delete knot"))


def _insert_knot(session: Session, command: say.InsertKnot) -> None:
    edits = _edits_with(session, command.stroke)
    stroke = _editing(session, edits, command.stroke).insert_knot(command.triangle, command.shares)
    session.do(session.document.with_edits(edits.with_stroke(command.stroke, stroke), "Insert knot"))


def _mirror_stroke(session: Session, command: say.MirrorStroke) -> None:
    edits = _edits_with(session, command.stroke)
    shape = mirror_edit(Canvas(session.character), edits.shapes[command.stroke], both=True)
    session.do(session.document.with_edits(edits.with_shape(command.stroke, shape), f"Mirror {command.stroke}"))


def _delete_stroke(session: Session, command: say.DeleteStroke) -> None:
    """With its shape, and the keys and layers that play it."""
    edits = delete_use(_edits_with(session, command.stroke), command.stroke).without_stroke(command.stroke)
    session.do(session.document.with_edits(edits, f"Delete {command.stroke}"))


HANDLERS: Handlers = {
    say.Draw: _draw,
    say.DropLine: _drop_line,
    say.Raise: _raise,
    say.RedrawOutline: _redraw_outline,
    say.MoveKnot: _move_knot,
    say.MoveStroke: _move_stroke,
    say.ChangeReach: _change_reach,
    say.ChangeHeight: _change_height,
    say.DeleteKnot: _delete_knot,
    say.InsertKnot: _insert_knot,
    say.DeleteStroke: _delete_stroke,
    say.MirrorStroke: _mirror_stroke,
}
