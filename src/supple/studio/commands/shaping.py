"""Commands that make shapes from a few figures: limbs that swell and lean, and waves along a line on the skin."""

from __future__ import annotations

import numpy as np

from supple.edits.edits import Edits
from supple.edits.layers import Layer
from supple.edits.radial import radial
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.waves import with_wave
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _radial(session: Session, command: say.Radial) -> None:
    edits = session.document.edits_on(session.character)
    shape = radial(
        session.character,
        command.joint,
        profile=command.profile,
        swell=command.swell,
        lean=command.lean,
        part=(command.low, command.high),
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
    edits = with_wave(
        edits,
        session.character,
        stroke,
        name=name,
        height=command.height,
        wavelength=command.wavelength,
        speed=command.speed,
        width=command.width,
    )
    _show(session, edits, f"Wave {name}", done=command.done)


def _check_name(name: str) -> None:
    if not name.strip():
        raise InputError("studio", "a name is empty", "letters are needed", "type a name")


def _show(session: Session, edits: Edits, step: str, *, done: bool) -> None:
    document = session.document.with_edits(edits, step)
    if done:
        session.do(document)
    else:
        session.draft(document)


HANDLERS: Handlers = {say.Radial: _radial, say.Wave: _wave}
