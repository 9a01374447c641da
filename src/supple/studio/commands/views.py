"""Commands that compare skins: characters beside each other, in the same pose at the same time."""

from __future__ import annotations

from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _add_view(session: Session, command: say.AddView) -> None:
    document = session.document
    if len(document.skins) >= say.MOST_VIEWS:
        given, most = f"view {len(document.skins) + 1} was to be added", f"there is room for {say.MOST_VIEWS}"
        raise InputError("studio", given, most, "remove one first")
    graph = Graph.of(skin_named(command.skin))
    graph.check_for(session.character)
    session.do(document.with_view(graph, f"Compare {command.skin}"))


def _remove_view(session: Session, command: say.RemoveView) -> None:
    session.view(command.view)
    if len(session.document.skins) == 1:
        raise InputError("studio", "the only view was to be removed", "one is always shown", "choose another skin")
    name = session.document.skins[command.view].stages[-1].name
    session.do(session.document.without_view(command.view, f"Remove {name}"))


HANDLERS: Handlers = {say.AddView: _add_view, say.RemoveView: _remove_view}
