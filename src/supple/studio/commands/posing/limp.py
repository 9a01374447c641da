"""The command that lets go of muscles, where a skin has any."""

from __future__ import annotations

from dataclasses import replace

from supple.errors import InputError
from supple.graph.graph import Graph, Stage
from supple.settings import changed
from supple.skins.contact.control.limp import is_limp, toggle_all_limp, toggle_limp
from supple.skins.contact.skin import ArticulatedContact
from supple.studio import messages as say
from supple.studio.commands.posing.joints import joint_name, plain
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _limp(session: Session, command: say.Limp) -> None:
    session.view(command.view)
    graph, skeleton = session.document.skins[command.view], session.character.skeleton
    stage, skin = _with_muscles(graph)
    before = skin.muscles.strength
    if command.joint is None:
        after, whom = toggle_all_limp(before), "all"
        limp = not after.default
    else:
        name = joint_name(session, command.joint)
        after, whom = toggle_limp(before, skeleton, name), plain(name)
        limp = is_limp(after, skeleton, name)
    work = changed(skin, {"muscles.strength": after})
    stages = tuple(replace(one, work=work) if one is stage else one for one in graph.stages)
    session.do(session.document.with_skin(command.view, Graph(stages), f"{'Limp' if limp else 'Tense'} {whom}"))


HANDLERS: Handlers = {say.Limp: _limp}


def _with_muscles(graph: Graph) -> tuple[Stage, ArticulatedContact]:
    for stage in graph.stages:
        if isinstance(stage.work, ArticulatedContact):
            return stage, stage.work
    given = f"the skin is {graph.stages[-1].name}"
    raise InputError("studio", given, "only contact has muscles that can go limp", "choose the skin contact")
