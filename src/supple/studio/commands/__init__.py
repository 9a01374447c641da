"""What every command does to the session; one file for each kind of work, with a table of its commands."""

from __future__ import annotations

from supple.studio import messages as say
from supple.studio.commands import document, hands, playing, showing
from supple.studio.commands.table import Handlers
from supple.studio.session import Session

HANDLERS: Handlers = {**playing.HANDLERS, **hands.HANDLERS, **document.HANDLERS, **showing.HANDLERS}
QUIET = (say.Hold, say.LetGo)
"""Commands after which panels show what they showed before."""


def perform(session: Session, command: say.Command) -> None:
    """Do what a command asks for; what cannot be done raises a `SuppleError` and changes nothing."""
    HANDLERS[type(command)](session, command)
