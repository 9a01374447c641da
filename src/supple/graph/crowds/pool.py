"""The players of one level of one group: places for members, which come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd as Copies
from supple.graph.crowds.showing import Showing
from supple.graph.graph import Graph
from supple.graph.player import Player
from supple.motion.cast import Cast
from supple.motion.crowd import CrowdMotion
from supple.motion.pose import PoseSource
from supple.skins.base import BoundSkin, DevicePoints

# Members that one player moves together, where their skins can: a GPU has launches to save, a processor only the way
# through Python, which is nothing beside a step of flesh. A place that nobody is in costs as much as one that is taken.
_TOGETHER = {"cpu": 16, "cuda": 64}


@dataclass
class Block:
    """A player and its places: `follows` is the member whose motion each place goes by, `shown` whether it shows it.

    A place that shows nobody goes on with whom it showed last, so that its flesh is never torn from one pose to
    another, and whoever comes back soon finds it as it was.
    """

    player: Player
    follows: NDArray[np.int32]
    shown: NDArray[np.bool_]
    source: PoseSource | None = None
    cast: Cast | None = None
    points: DevicePoints = None
    showing: dict[bool, Showing] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """Whether anybody is shown, so that it has to be played."""
        return bool(self.shown.any())


class Pool:
    """Moves those members of a group that are in one level."""

    def __init__(self, character: Character, graph: Graph, most: int, device: str, fps: float) -> None:
        self._character, self._graph, self._device, self._fps = character, graph, device, fps
        self._vertices = len(character.points)
        self._together = self._size_of_blocks(most)
        self._copies = character if self._together == 1 else Copies.of(character, self._together)
        self._places: dict[int, tuple[Block, int]] = {}
        self._alone: Player | None = None
        self._newcomers: list[tuple[Block, int, bool]] = []
        self.blocks: list[Block] = []
        self.blocks.append(self._new_block())

    def _size_of_blocks(self, most: int) -> int:
        works = [stage.work for stage in self._graph.stages]
        if not all(isinstance(work, BoundSkin) and work.stackable for work in works):
            return 1
        if self._device == "cpu" and self._graph.step is not None:
            return 1
        return min(_TOGETHER["cpu" if self._device == "cpu" else "cuda"], most)

    def _new_block(self) -> Block:
        beside = self.blocks[0].player if self.blocks else None
        player = Player(self._copies, self._graph, device=self._device, fps=self._fps, beside=beside)
        return Block(player, np.full(self._together, -1, dtype=np.int32), np.zeros(self._together, dtype=bool))

    @property
    def places(self) -> int:
        """For how many members there is memory so far."""
        return self._together * len(self.blocks)

    def reset(self) -> None:
        """Nobody is moved any more."""
        self._places, self._newcomers = {}, []
        for block in self.blocks:
            block.follows[:], block.shown[:], block.source, block.cast = -1, False, None, None
            block.player.reset()

    def enter(self, member: int, *, seen: bool = True) -> None:
        """Give a member a place; flesh starts anew there, unless it was this member's until now.

        It is `seen` at once, or fades in.
        """
        block, place = self._find_place(member)
        was_here = block.live and block.follows[place] == member
        if not block.live:
            block.player.reset(seen=seen)
            block.follows[:], block.source = member, None
        elif not was_here:
            self._newcomers.append((block, place, seen))
        self._take_place(member, block, place)

    def leave(self, member: int) -> None:
        """Move a member no more."""
        block, place = self._places.pop(member)
        block.shown[place] = False
        self._newcomers = [one for one in self._newcomers if one[:2] != (block, place)]

    def _find_place(self, member: int) -> tuple[Block, int]:
        """The place that was this member's last, or else the first that shows nobody, of a block that plays if any."""
        free = [(block, place) for block in self.blocks for place in np.flatnonzero(~block.shown).tolist()]
        if not free:
            self.blocks.append(self._new_block())
            return self.blocks[-1], 0
        own = [one for one in free if one[0].live and one[0].follows[one[1]] == member]
        return next(iter(own), min(free, key=lambda one: not one[0].live))

    def play(self, cast: Cast, time: float) -> None:
        """Bring every block that shows anybody to a time [s].

        One after the other: side by side on threads of their own they took longer, since the launches of each are
        spread over all cores already.
        """
        if self._graph.step is None:
            self._newcomers = []
            self._close_ranks()
        else:
            self._start_newcomers(cast)
        for block in self.blocks:
            if block.live:
                self._play(block, cast, time)

    def _close_ranks(self) -> None:
        """Bring members without a history together in as few blocks as they need: an empty place costs its work."""
        live = sorted((block for block in self.blocks if block.live), key=lambda block: -int(block.shown.sum()))
        needed = -(-len(self._places) // self._together)
        free = [(block, place) for block in live[:needed] for place in np.flatnonzero(~block.shown).tolist()]
        for block in live[needed:]:
            for place in np.flatnonzero(block.shown).tolist():
                member = int(block.follows[place])
                block.shown[place] = False
                self._take_place(member, *free.pop(0))

    def _take_place(self, member: int, block: Block, place: int) -> None:
        if block.follows[place] != member:
            block.follows[place], block.source = member, None
        block.shown[place] = True
        self._places[member] = block, place

    def _start_newcomers(self, cast: Cast) -> None:
        """Members that joined others in a block start on their own, and are taken in there."""
        newcomers, self._newcomers = self._newcomers, []
        for block, place, seen in newcomers:
            if self._alone is None:
                self._alone = Player(self._character, self._graph, device=self._device, fps=self._fps)
            source = cast.member(int(block.follows[place]))
            block.player.take_in(place, source, self._alone, seen=seen)

    def _play(self, block: Block, cast: Cast, time: float) -> None:
        if block.source is None or block.cast is not cast:
            members = block.follows.tolist()
            block.cast, copies = cast, self._copies
            block.source = (
                CrowdMotion.of(copies, cast.of(members)) if isinstance(copies, Copies) else cast.member(members[0])
            )
        block.points = block.player.play(block.source, time, on_device=True)

    def show(self, amounts: FloatArray, shown: DevicePoints, *, coming: bool) -> None:
        """Put members over what is `shown` (N V,) of the group, each of them by its amount (N,), none where that is 0.

        Those who are `coming` are put over the others, by as much as changes from frame to frame.
        """
        for block in self.blocks:
            share = np.where(block.shown, amounts[block.follows], 0.0)
            if share.any():
                showing = block.showing.get(coming)
                if showing is None or showing.points is not block.points:
                    showing = Showing(block.points, shown, self._vertices, self._together, self._device)
                    block.showing[coming] = showing
                showing.show(np.where(share > 0.0, block.follows, -1), share)
