"""Commands that make shapes from a few figures: limbs that swell and lean, and waves along a line on the skin."""

from __future__ import annotations

import numpy as np

from supple.edits.arranging import delete_use, free_name
from supple.edits.copying import copy_edit
from supple.edits.edits import Edits, loop_of
from supple.edits.layers import Layer
from supple.edits.radial import radial
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import mix
from supple.edits.waves import drive_wave, with_wave
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.commands.strokes import first_skin
from supple.studio.commands.table import Handlers
from supple.studio.session import Session
from supple.studio.strokes import patch_name


def _radial(session: Session, command: say.Radial) -> None:
    edits = session.document.edits_on(session.character)
    shape = radial(
        session.character,
        command.joint,
        profile=command.profile,
        swell=command.swell,
        lean=command.lean,
        part=(command.low, command.high),
        falloff=command.falloff,
        attachment=session.attachment,
    )
    _check_name(command.name)
    edits = edits.with_shape(command.name, shape)
    if not any(command.name in layer.uses for layer in edits.layers):
        edits = edits.with_layer(Layer.still(command.name, command.name))
    _show(session, edits, f"Swell {command.joint}", done=command.done)


def _wave(session: Session, command: say.Wave) -> None:
    edits, name = session.document.edits_on(session.character), command.stroke
    _check_name(name)
    if command.triangles:
        if len(command.shares) != 3 * len(command.triangles):
            given = f"there are {len(command.triangles)} places and {len(command.shares)} shares"
            raise InputError("studio", given, "three shares for each place are needed", "draw it again")
        shares = np.reshape(command.shares, (-1, 3))
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)
        edits = edits.with_stroke(name, SurfaceStroke.from_picks(command.triangles, shares))
    stroke = edits.surface_strokes.get(name)
    if stroke is None:
        there = ", ".join(edits.surface_strokes) or "none"
        raise InputError("studio", f"stroke {name!r} was named", f"on the skin there are {there}", "draw one")
    edits = _without_wave(edits, name)
    sizes = {"height": command.height, "speed": command.speed, "width": command.width}
    if command.driven:
        crest = {**sizes, "length": 0.5 * command.wavelength, "start": command.start}  # half of a wave
        patches = patch_name(name)
        edits = drive_wave(edits, session.character, stroke, name=patches, **crest, every=command.every)
    else:
        edits = with_wave(edits, session.character, stroke, name=name, wavelength=command.wavelength, **sizes)
    _show(session, edits, f"Wave {name}", done=command.done)


def _without_wave(edits: Edits, name: str) -> Edits:
    """Edits without the wave along a stroke of that name, of either kind."""
    patch = patch_name(name)
    shapes = [one for one in edits.shapes if one in (f"{name} crest", f"{name} flank") or one.startswith(f"{patch} ")]
    for shape in shapes:
        edits = delete_use(edits, shape)
    return edits


def _merge(session: Session, command: say.Merge) -> None:
    edits = session.document.edits_on(session.character)
    names = [command.name, command.other]
    strange = [name for name in names if name not in edits.shapes]
    if strange or command.name == command.other:
        there = f"shapes are {', '.join(edits.shapes) or 'none'}"
        raise InputError("studio", f"{' and '.join(names)} were to be one", there, "name two of those")
    amounts = edits.amounts(session.transport.time, period=loop_of(session.motion))
    shape = mix([edits.shapes[name] for name in names], [amounts.get(name, 0.0) for name in names])
    if not len(shape.vertices):
        raise InputError("studio", "there is nothing of either now", "what is seen is merged", "go to another time")
    for name in names:
        edits = delete_use(edits, name)
        edits = edits.without_stroke(name) if name in edits.surface_strokes else edits
    name = free_name(f"{command.name} + {command.other}", [*edits.shapes, *edits.poses, *edits.strokes])
    edits = edits.with_shape(name, shape).with_layer(Layer.still(name, name))
    session.do(session.document.with_edits(edits, f"Merge {command.name} and {command.other}"))


def _copy_shape(session: Session, command: say.CopyShape) -> None:
    edits = session.document.edits_on(session.character)
    if command.shape not in edits.shapes:
        there = f"shapes are {', '.join(edits.shapes) or 'none'}"
        raise InputError("studio", f"{command.shape!r} was to be copied", there, "name one of those")
    shape = copy_edit(session.character, edits.shapes[command.shape], command.joint, attachment=session.attachment)
    taken = [*edits.shapes, *edits.poses, *edits.strokes, *(layer.name for layer in edits.layers)]
    name = free_name(f"{command.shape} on {command.joint}", taken)
    edits = edits.with_shape(name, shape).with_layer(Layer.still(name, name))
    session.do(session.document.with_edits(edits, f"Copy {command.shape} to {command.joint}"))


def _keep_shape(session: Session, command: say.KeepShape) -> None:
    session.keep_shape(command.view, first_skin(session, command.view))


def _check_name(name: str) -> None:
    if not name.strip():
        raise InputError("studio", "a name is empty", "letters are needed", "type a name")


def _show(session: Session, edits: Edits, step: str, *, done: bool) -> None:
    document = session.document.with_edits(edits, step)
    if done:
        session.do(document)
    else:
        session.draft(document)


HANDLERS: Handlers = {
    say.Radial: _radial,
    say.Wave: _wave,
    say.Merge: _merge,
    say.CopyShape: _copy_shape,
    say.KeepShape: _keep_shape,
}
