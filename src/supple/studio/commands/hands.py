"""Commands of hands that hold the flesh, and put things in its way. None is a step of the document: it swings back."""

from __future__ import annotations

import numpy as np

from supple.errors import InputError
from supple.skins.pull import Pull
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.live.things import thing
from supple.studio.session import Session


def _hold(session: Session, command: say.Hold) -> None:
    total = sum(command.shares)
    if len(command.shares) != len(command.vertices) or total <= 0.0:
        raise InputError("studio", f"shares are {command.shares}", "one for each vertex is needed", "pick again")
    shares = [share / total for share in command.shares]
    view, to = session.view(command.view), np.array(command.to)
    if command.force is not None:
        push = Pull(command.vertices, force=command.force, shares=shares, radius=command.radius)
        view.hold(push, command.hand, along=None, following=session.following)
        return
    if command.along is not None:
        to += session.seen.at(command.view, command.along).pose.world_from_joint[0, :3, 3]
    pull = Pull(command.vertices, to=to, shares=shares, radius=command.radius)
    view.hold(pull, command.hand, along=command.along, following=session.following)


def _let_go(session: Session, command: say.LetGo) -> None:
    for view in session.views:
        view.let_go(command.hand)


def _add_thing(session: Session, command: say.AddThing) -> None:
    session.things.add(session.views, thing(command.kind, command.at, command.size, command.mass))


def _move_thing(session: Session, command: say.MoveThing) -> None:
    session.things.move(session.views, command.name, command.at, command.velocity)


def _remove_thing(session: Session, command: say.RemoveThing) -> None:
    session.things.remove(session.views, command.name)


HANDLERS: Handlers = {
    say.Hold: _hold,
    say.LetGo: _let_go,
    say.AddThing: _add_thing,
    say.MoveThing: _move_thing,
    say.RemoveThing: _remove_thing,
}
