"""One character that is shown: the player that moves it, and the skin that is being bound for it beside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import supple
from supple.character.character import Character
from supple.document.skin_files import graph_with_files
from supple.graph.binding_process import BindingProcess
from supple.graph.graph import Graph, Stage
from supple.graph.mask import Mask
from supple.graph.player import Player
from supple.graph.successor import Successor
from supple.motion.pose import PoseSource
from supple.settings import flattened
from supple.skins.pull import Pull


class View:
    """Plays a graph of skins: linear blend at first, and the one before whenever another one binds."""

    def __init__(self, character: Character, graph: Graph, beside: BindingProcess) -> None:
        self.player: Player = supple.player(character, supple.LinearBlend())
        self._beside, self._graph = beside, graph
        self._along: dict[str, Pull] = {}
        self._successor: Successor | None = self._prepared(graph)

    def hold(self, pull: Pull, hand: str, *, along: bool) -> None:
        """Take hold with a hand that stays where it is, or, `along`, is said from the root and goes where that goes."""
        root = self.player.simulated_pose.world_from_joint[0, :3, 3] if along else np.zeros(3)
        self.player.pull(replace(pull, to=pull.vector + root), hand=hand)
        self._along.pop(hand, None)
        if along:
            self._along[hand] = pull

    def let_go(self, hand: str) -> None:
        """Open a hand."""
        self._along.pop(hand, None)
        self.player.let_go(hand)

    def carry(self, source: PoseSource, time: float) -> None:
        """Take the hands that go along to where they will be at a time of what is played [s]."""
        if not self._along:
            return
        root = source.sample(time).world_from_joint[0, :3, 3]
        for hand, pull in self._along.items():
            self.player.pull(replace(pull, to=pull.vector + root), hand=hand)

    @property
    def graph(self) -> Graph:
        """What is wanted: what plays, or what is being bound."""
        return self._graph

    @property
    def preparing(self) -> str | None:
        """The skin that is being bound, if any."""
        return None if self._successor is None else self._graph.stages[-1].name

    def go_to(self, graph: Graph) -> None:
        """Play another graph: where only settings that are live differ at once, else when it is bound."""
        changes = None if self._successor is not None else _live_changes(self._graph.played, graph.played)
        if changes is None:
            self._graph, self._successor = graph, self._prepared(graph)
            return
        for stage, settings in changes.items():
            self.player.change(stage=stage, **settings)
        self._graph = graph

    def fall_back(self) -> None:
        """Go on by linear blend from where it is, when its skin has failed."""
        plain = supple.player(self.player.character, supple.LinearBlend())
        plain.succeed(self.player)
        self.player = plain

    def take_over(self) -> bool:
        """Let the new skin take over if it is bound; whether anything changed. Raises what kept it from binding."""
        if self._successor is None or not self._successor.ready:
            return False
        successor, self._successor = self._successor, None
        self.player = successor.take_over()
        return True

    def _prepared(self, graph: Graph) -> Successor:
        return Successor(self.player, graph_with_files(graph.played), beside=self._beside)


def _live_changes(before: Graph, after: Graph) -> dict[str, dict[str, object]] | None:
    """Settings to change by stage, where that is all that differs and it can be done while it plays; else None."""
    if [_frame(stage) for stage in before.stages] != [_frame(stage) for stage in after.stages]:
        return None
    changes: dict[str, dict[str, object]] = {}
    for one, other in zip(before.stages, after.stages, strict=True):
        if isinstance(one.work, Mask) or isinstance(other.work, Mask):
            if one.work != other.work:
                return None
            continue
        old, new = flattened(one.work), flattened(other.work)
        differing = {name: new[name] for name in new if new[name] != old[name]}
        if not differing.keys() <= other.work.live or one.work.extra_identity() != other.work.extra_identity():
            return None
        if differing:
            changes[one.name] = differing
    return changes


def _frame(stage: Stage) -> tuple[str, type, tuple[str, ...]]:
    return stage.name, type(stage.work), stage.inputs
