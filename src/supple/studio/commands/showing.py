"""Commands that choose what is shown. None of them is a step of the document."""

from __future__ import annotations

from dataclasses import replace

from supple.errors import InputError
from supple.graph.player import Player
from supple.motion.pose import Pose
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.ghosts.maker import trail_place
from supple.studio.measures.arrows import Arrows, lines_offered
from supple.studio.measures.colours import Colours
from supple.studio.measures.offered import measure_named
from supple.studio.session import Session


def _show(session: Session, command: say.Show) -> None:
    if command.joints is not None:
        session.shown = replace(session.shown, joints=command.joints)
    if command.curves is not None:
        session.shown = replace(session.shown, curves=command.curves)
    if command.dividers is not None:
        session.shown = replace(session.shown, dividers=command.dividers)
    if command.region is not None:
        session.shown = replace(session.shown, region=command.region)
    players = [view.player for view in session.views]
    if command.lines is not None:
        session.shown = replace(session.shown, arrows=_arrows(session, command.lines, players))
    if command.measure is not None:
        colours = Colours(measure_named(command.measure, players)) if command.measure else None
        session.shown = replace(session.shown, colours=colours)


def _arrows(session: Session, name: str, players: list[Player]) -> Arrows | None:
    known = lines_offered(players)
    if name and name not in known:
        there = f"there are {', '.join(known)}"
        raise InputError("studio", f"lines {name!r} were to be shown", there, "choose one of those")
    return Arrows(name, session.attachment) if name else None


def _show_ghosts(session: Session, command: say.ShowGhosts) -> None:
    words = ("on", "before", "after", "spacing", "trail")
    changes = {word: getattr(command, word) for word in words if getattr(command, word) is not None}
    if changes.get("trail"):
        trail_place(changes["trail"], session.character, Pose.rest(session.character.skeleton))
    session.ghosts = replace(session.ghosts, **changes)


HANDLERS: Handlers = {say.Show: _show, say.ShowGhosts: _show_ghosts}
