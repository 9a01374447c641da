"""What every command does to the session; one file for each kind of work, with a table of its commands."""

from __future__ import annotations

from supple.studio import messages as say
from supple.studio.commands import (
    binding,
    capture,
    document,
    files,
    gestures,
    graph,
    hands,
    jobs,
    keeping,
    layers,
    paint,
    playing,
    shaping,
    showing,
    strokes,
    views,
)
from supple.studio.commands.posing import joints, limp
from supple.studio.commands.posing import strokes as pose_strokes
from supple.studio.commands.table import Handlers
from supple.studio.session import Session

_WORK = (
    joints,
    limp,
    pose_strokes,
    binding,
    capture,
    document,
    files,
    gestures,
    graph,
    hands,
    jobs,
    keeping,
    layers,
    paint,
    playing,
    shaping,
    showing,
    strokes,
    views,
)
HANDLERS: Handlers = {kind: handler for work in _WORK for kind, handler in work.HANDLERS.items()}
_QUIET = (say.Seek, say.Hold, say.LetGo, say.Paint, say.Retouch, say.Draw, say.DropLine, say.LookFrom, say.MoveThing)


def perform(session: Session, command: say.Command) -> None:
    """Do what a command asks for; what cannot be done raises a `SuppleError` and changes nothing."""
    HANDLERS[type(command)](session, command)


def is_quiet(command: say.Command) -> bool:
    """Whether panels show after it what they showed before: so it is with hands, and while something is dragged.

    How far skin follows a stroke is shown while it is being changed.
    """
    dragged = getattr(command, "done", True) is False and not isinstance(command, say.ChangeReach)
    return isinstance(command, _QUIET) or dragged
