"""Commands of hands that hold the flesh. Flesh that is held is no step of the document: it swings back."""

from __future__ import annotations

from supple.errors import InputError
from supple.skins.pull import Pull
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _hold(session: Session, command: say.Hold) -> None:
    total = sum(command.shares)
    if len(command.shares) != len(command.vertices) or total <= 0.0:
        raise InputError("studio", f"shares are {command.shares}", "one for each vertex is needed", "pick again")
    shares = [share / total for share in command.shares]
    pull = Pull(command.vertices, to=command.to, shares=shares, radius=command.radius)
    session.view(command.view).hold(pull, command.hand, along=command.along)


def _let_go(session: Session, command: say.LetGo) -> None:
    for view in session.views:
        view.let_go(command.hand)


HANDLERS: Handlers = {say.Hold: _hold, say.LetGo: _let_go}
