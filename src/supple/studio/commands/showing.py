"""Commands that choose what is shown. None of them is a step of the document."""

from __future__ import annotations

from dataclasses import replace

from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.measures.colours import Colours
from supple.studio.measures.offered import measure_named
from supple.studio.session import Session


def _show(session: Session, command: say.Show) -> None:
    if command.joints is not None:
        session.shown = replace(session.shown, joints=command.joints)
    if command.measure is not None:
        players = [view.player for view in session.views]
        colours = Colours(measure_named(command.measure, players)) if command.measure else None
        session.shown = replace(session.shown, colours=colours)


HANDLERS: Handlers = {say.Show: _show}
