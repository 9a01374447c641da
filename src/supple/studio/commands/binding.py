"""Commands of how skin hangs on bones: how far joints reach, and planes between bones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.document.document import Document
from supple.errors import InputError
from supple.skins.springs.attachment.attachment import ATTACHMENT_MAPS
from supple.skins.springs.attachment.weights import END_MAP, START_MAP
from supple.studio import messages as say
from supple.studio.commands.posing.joints import joint_name, plain
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _set_reach(session: Session, command: say.SetReach) -> None:
    """It is painted, so that it can be painted further by hand."""
    name, document = joint_name(session, command.joint), session.document
    hung = session.attachment
    ends = {START_MAP: hung.segments.joints, END_MAP: hung.segments.children}
    for map_name, joints in ends.items():
        values = np.array(_values(session, map_name))
        values[joints[hung.segment] == command.joint] = command.reach
        document = document.with_map(map_name, values, f"Reach of {plain(name)}")
    _show(session, document, done=command.done)


def _values(session: Session, name: str) -> np.ndarray:
    for view in session.views:
        if name in view.player.maps():
            return view.player.map_values(name)
    needed = "none of the skins that are shown turns skin by joints that reach"
    raise InputError("studio", "a reach was to be set", needed, "choose incremental, springs or spring dynamics")


def _move_divider(session: Session, command: say.MoveDivider) -> None:
    document = session.dividing.moved(session.document, command.divider, (command.by, command.turn))
    _show(session, document, done=command.done)


def _reset_dividers(session: Session, command: say.ResetDividers) -> None:
    document = session.document
    if not document.maps.keys() & ATTACHMENT_MAPS:
        raise InputError("studio", "planes were to go back", "none was moved", "move one first")
    left = {name: values for name, values in document.maps.items() if name not in ATTACHMENT_MAPS}
    session.do(replace(document, maps=left, step="Planes as they were"))


def _show(session: Session, document: Document, *, done: bool) -> None:
    if done:
        session.do(document)
    else:
        session.draft(document)


HANDLERS: Handlers = {say.SetReach: _set_reach, say.MoveDivider: _move_divider, say.ResetDividers: _reset_dividers}
