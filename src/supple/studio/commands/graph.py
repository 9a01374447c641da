"""Commands that build a graph of skins: one on another, blends, and stages that are muted or taken out."""

from __future__ import annotations

from dataclasses import replace

from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _put_on(session: Session, command: say.PutOn) -> None:
    graph = _graph(session, command.view)
    _do(session, command.view, graph.then(skin_named(command.skin)), f"Put {command.skin} on {_end(graph)}")


def _blend(session: Session, command: say.Blend) -> None:
    graph = _graph(session, command.view)
    blended = Graph.blend(graph, skin_named(command.skin), Mask(amount=command.amount))
    _do(session, command.view, blended, f"Blend {_end(graph)} with {command.skin}")


def _mute(session: Session, command: say.Mute) -> None:
    graph = _graph(session, command.view)
    name = graph.named(command.stage).name
    muted = replace(graph, muted=graph.muted | {name} if command.muted else graph.muted - {name})
    _do(session, command.view, muted, f"{'Mute' if command.muted else 'Unmute'} {name}")


def _remove_stage(session: Session, command: say.RemoveStage) -> None:
    graph = _graph(session, command.view)
    _do(session, command.view, graph.without(command.stage), f"Remove {command.stage}")


def _graph(session: Session, view: int) -> Graph:
    session.view(view)
    return session.document.skins[view]


def _end(graph: Graph) -> str:
    return graph.stages[-1].name


def _do(session: Session, view: int, graph: Graph, step: str) -> None:
    graph.played.check_for(session.character)  # what cannot be played without its muted stages is refused here as well
    session.do(session.document.with_skin(view, graph, step))


HANDLERS: Handlers = {say.PutOn: _put_on, say.Blend: _blend, say.Mute: _mute, say.RemoveStage: _remove_stage}
