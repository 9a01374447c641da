"""The flesh as a bake has it at the time that is looked at, while the motion stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from supple.character.character import Character
from supple.edits.edits import EditedSource, loop_of
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.graph.scrubber import Scrubber
from supple.graph.transport import Transport
from supple.motion.motion import Motion
from supple.motion.pose import PoseSource
from supple.studio.view import View

OFF, WORKING, THERE = "off", "working", "there"
_WORK = 0.010  # s of every frame in which times to come are prepared
_SWING = 1.0  # s in which flesh that was let go may swing before it is as baked again
_ROOM = 300_000_000  # bytes of snapshots for each view
_SAME = 1e-9  # s


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What is known of a view, as long as its player, graph and character and what is played are these."""

    player: Player
    graph: Graph
    character: Character
    source: PoseSource
    scrubber: Scrubber

    def fits(self, view: View, source: PoseSource) -> bool:
        player = view.player
        same = self.player is player and self.character is player.character and self.source is source
        return same and self.graph == player.graph


class AsBaked:
    """Takes all views to where a bake has them, as soon as that is known, and keeps them there.

    The first visit to a time needs all that leads there, which is played a little in every frame; meanwhile the flesh
    lives on as always. So it does under a hand, and while the motion plays.
    """

    def __init__(self) -> None:
        self.on = False
        self._known: list[_Prepared] = []
        self._at: float | None = None  # the time of the motion [s] at which all views are as baked
        self._untouched = math.inf  # s since a hand was in the flesh
        self._told = OFF

    @property
    def state(self) -> str:
        """Whether it is off, at work, or there."""
        if not self.on:
            return OFF
        return WORKING if self._at is None else THERE

    def news(self) -> bool:
        """Whether `state` is another one than when this was last asked."""
        before, self._told = self._told, self.state
        return before != self._told

    def switch(self, on: bool) -> None:
        """Begin, or let the flesh live on from where it is."""
        self.on, self._at = on, None
        if not on:
            self._known = []

    def forget(self) -> None:
        """Another character: nothing is known of it."""
        self._known, self._at = [], None

    def time_to_pass(self, views: Sequence[View], transport: Transport, dt: float) -> float:
        """How much time [s] is to go by in a frame for which there would be `dt`: none where flesh stands as baked."""
        self._untouched = 0.0 if any(view.held for view in views) else self._untouched + dt
        wanted = self._wanted(transport)
        if wanted is None or self._untouched < _SWING:
            self._at = None
            return dt
        self._know(views, transport.source)
        if self._at is not None and abs(self._at - wanted) < _SAME and abs(transport.time - wanted) < _SAME:
            return 0.0
        share = _WORK / len(views)
        ready = [known.scrubber.fill(wanted, seconds=share) for known in self._known]
        if not all(ready):
            self._at = None
            return dt
        for view, known in zip(views[1:], self._known[1:], strict=True):
            known.scrubber.hand_over(view.player, wanted)
        transport.seek(wanted, as_baked=self._known[0].scrubber)
        self._at = wanted
        return 0.0

    def _wanted(self, transport: Transport) -> float | None:
        """The time of the motion at which flesh is to be as baked; None while it plays, or is not from a file."""
        source = transport.source.source if isinstance(transport.source, EditedSource) else transport.source
        if not self.on or transport.playing or not isinstance(source, Motion) or transport.time < 0.0:
            return None
        period = loop_of(source)
        return transport.time if period is None or transport.time <= period else transport.time % period

    def _know(self, views: Sequence[View], source: PoseSource) -> None:
        """Something to ask for every view; what belongs to others is forgotten."""
        if len(self._known) != len(views):
            self._known, self._at = [], None
        for number, view in enumerate(views):
            if number < len(self._known) and self._known[number].fits(view, source):
                continue
            player = view.player
            made = _Prepared(player, player.graph, player.character, source, Scrubber(player, source, limit=_ROOM))
            self._known[number : number + 1] = [made]
            self._at = None
