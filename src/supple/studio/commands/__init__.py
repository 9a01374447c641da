"""What every command does to the session; one file for each kind of work, with a table of its commands."""

from __future__ import annotations

from supple.studio import messages as say
from supple.studio.commands import document, hands, layers, paint, playing, showing, views
from supple.studio.commands.table import Handlers
from supple.studio.session import Session

_WORK = (document, hands, layers, paint, playing, showing, views)
HANDLERS: Handlers = {kind: handler for work in _WORK for kind, handler in work.HANDLERS.items()}
QUIET = (say.Hold, say.LetGo, say.Paint)
"""Commands after which panels show what they showed before."""


def perform(session: Session, command: say.Command) -> None:
    """Do what a command asks for; what cannot be done raises a `SuppleError` and changes nothing."""
    HANDLERS[type(command)](session, command)
