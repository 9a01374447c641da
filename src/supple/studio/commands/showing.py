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
    if command.curves is not None:
        session.shown = replace(session.shown, curves=command.curves)
    if command.measure is not None:
        players = [view.player for view in session.views]
        colours = Colours(measure_named(command.measure, players)) if command.measure else None
        session.shown = replace(session.shown, colours=colours)


def _show_ghosts(session: Session, command: say.ShowGhosts) -> None:
    words = ("on", "before", "after", "spacing", "trail")
    changes = {word: getattr(command, word) for word in words if getattr(command, word) is not None}
    if changes.get("trail"):
        session.character.skeleton.index(changes["trail"])
    session.ghosts = replace(session.ghosts, **changes)


HANDLERS: Handlers = {say.Show: _show, say.ShowGhosts: _show_ghosts}
