"""What a crowd is: groups of characters, and the skins that move them from near to far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from supple.character.character import Character
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.base import AnySkin

if TYPE_CHECKING:
    from supple.graph.crowds.player import CrowdPlayer

_WHERE = "Crowd"


@dataclass(frozen=True, eq=False)
class Level:
    """A skin, or a graph of skins, for those who are `within` so many metres of the eye, and for no more than `most`.

    Groups may share a level: it then has room for `most` of all of them together.
    """

    skin: AnySkin | Graph
    within: float = math.inf
    most: int | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.within) or self.within <= 0.0:
            raise InputError("Level", f"within is {self.within}", "metres above zero are needed", "try 10")
        if self.most is not None and self.most < 1:
            raise InputError("Level", f"most is {self.most}", "room for one at least is needed", "leave the level out")

    @property
    def graph(self) -> Graph:
        """What moves its members."""
        return Graph.of(self.skin).played


@dataclass(frozen=True, eq=False)
class Group:
    """`count` members with one body: a character, and its `levels` from the nearest to the farthest.

    The last level has room for everybody at any distance.
    """

    character: Character
    count: int
    levels: Sequence[Level]

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if self.count < 1:
            raise InputError("Group", f"count is {self.count}", "at least one member is needed", "use 1 or more")
        if not self.levels:
            raise InputError("Group", "there are no levels", "at least one is needed", "try Level(DualQuaternion())")
        reach = [level.within for level in self.levels]
        if any(near >= far for near, far in pairwise(reach)):
            given = f"levels reach {', '.join(f'{one:g}' for one in reach)} m"
            raise InputError("Group", given, "every level reaches farther than the one before", "put the nearest first")
        if reach[-1] != math.inf or self.levels[-1].most is not None:
            last = self.levels[-1]
            given = f"the last level is for {last.most or 'all'} within {last.within:g} m"
            raise InputError("Group", given, "it has to take everybody", "give it neither `within` nor `most`")


@dataclass(frozen=True, eq=False)
class Crowd:
    """Groups by name, in which members may differ in body, materials and skins; who is near is moved by better skins.

    Which level a member is in follows from its distance from the eye in every frame. It comes nearer as soon as it is
    within reach and there is room, nearest first, and goes back when it is farther than that by `hysteresis`, a share
    of the distance, or when somebody who waits is nearer by as much. For `fade` [s] it is shown on its way from one
    skin to the other, both of which play, so that no vertex jumps: in a frame of dt [s] it moves by no more than the
    faster of the two skins does, and 1.5 dt / fade of what lies between them.

    Members know nothing of each other: they do not meet.
    """

    groups: Mapping[str, Group]
    fade: float = 0.5
    hysteresis: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))
        if not self.groups:
            raise InputError(_WHERE, "there are no groups", "at least one is needed", "try {'all': Group(...)}")
        if not (math.isfinite(self.fade) and self.fade > 0.0):
            raise InputError(_WHERE, f"fade is {self.fade}", "seconds above zero are needed", "try 0.5")
        if not (math.isfinite(self.hysteresis) and self.hysteresis >= 0.0):
            given = f"hysteresis is {self.hysteresis}"
            raise InputError(_WHERE, given, "a share of zero or more is needed", "try 0.1")

    def __len__(self) -> int:
        """How many members there are."""
        return sum(group.count for group in self.groups.values())

    def player(self, *, device: str = "cpu", fps: float = 60.0) -> CrowdPlayer:
        """A player, which binds every level of every group: `player.play(casts, time, eye=...)`."""
        from supple.graph.crowds.player import CrowdPlayer

        return CrowdPlayer(self, device=device, fps=fps)
