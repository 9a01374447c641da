"""One character that is shown: the player that moves it, and the skin that is being bound for it beside."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import cast

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
from supple.studio.live.following import Following
from supple.turns import Turns

_SAME_STEP = 1e-6


class View:
    """Plays a graph of skins: linear blend at first, and the one before whenever another one binds."""

    def __init__(self, character: Character, graph: Graph, beside: BindingProcess, turns: Turns) -> None:
        self.player: Player = supple.player(character, supple.LinearBlend())
        self._beside, self._turns, self._graph = beside, turns, graph
        self._along: dict[str, tuple[Pull, int]] = {}
        self._hands: set[str] = set()
        self._successor: Successor | None = self._prepared(graph)

    def hold(self, pull: Pull, hand: str, *, along: int | None, following: Following) -> None:
        """Take hold, or push, with a hand that stays; or that was there in the frame `along` and goes along since."""
        moved = pull if along is None else replace(pull, to=pull.vector + following.since(along))
        self.player.pull(moved, hand=hand)
        self._hands.add(hand)
        self._along.pop(hand, None)
        if along is not None:
            self._along[hand] = pull, along

    def let_go(self, hand: str) -> None:
        """Open a hand."""
        self._hands.discard(hand)
        self._along.pop(hand, None)
        self.player.let_go(hand)

    def without_hands(self) -> Player:
        """A twin of what plays, which nobody holds."""
        twin = self.player.copy()
        for hand in self._hands:
            twin.let_go(hand)
        return twin

    @property
    def held(self) -> bool:
        """Whether any hand holds it."""
        return bool(self._hands)

    def carry(self, following: Following, time: float) -> None:
        """Take the hands that go along to where they will be at a time of the flesh [s].

        Soft skins are shown between two steps, of which the last is not before that time: it is for that one.
        """
        step = self.player.graph.step
        ahead = 0.0 if step is None else max(math.ceil(time / step - _SAME_STEP) * step - time, 0.0)
        for hand, (pull, frame) in self._along.items():
            self.player.pull(replace(pull, to=pull.vector + following.since(frame, ahead=ahead)), hand=hand)

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

    def take_over(self, source: PoseSource, time: float) -> bool:
        """Let the new skin take over, if it is bound, at a time [s] of a source; whether anything changed.

        Raises what kept it from binding.
        """
        if self._successor is None or not self._successor.is_met(source, time):
            return False
        successor, self._successor = self._successor, None
        self.player = successor.take_over()
        return True

    def _prepared(self, graph: Graph) -> Successor:
        return Successor(self.player, graph_with_files(graph.played), beside=self._beside, turns=self._turns)


def _live_changes(before: Graph, after: Graph) -> dict[str, dict[str, object]] | None:
    """Settings to change by stage, where that is all that differs and it can be done while it plays; else None."""
    if [_frame(stage) for stage in before.stages] != [_frame(stage) for stage in after.stages]:
        return None
    changes: dict[str, dict[str, object]] = {}
    for one, other in zip(before.stages, after.stages, strict=True):
        if isinstance(one.work, Mask) or isinstance(other.work, Mask):
            if one.work != other.work:
                changes[one.name] = asdict(cast(Mask, other.work))
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
