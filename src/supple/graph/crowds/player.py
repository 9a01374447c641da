"""The player of a crowd: who is moved by which skin in a frame, and how they are shown while that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.graph.crowds.crowd import Crowd
from supple.graph.crowds.levels import LevelChooser, Moves
from supple.graph.crowds.pool import Pool
from supple.motion.cast import Cast, check_time

_WHERE = "CrowdPlayer"


@dataclass(frozen=True, eq=False)
class CrowdFrame:
    """A crowd at one moment; everything by the name of its group, N members, V vertices.

    `points` are (N, V, 3) [m], or with `on_device` Warp arrays of vec3f (N V,). `levels` (N,) are the numbers of the
    levels that members are in, 0 the nearest, and `changes` (N,) how far each is on its way there from the one before,
    1 where it is not in a change. `distances` (N,) [m] are from the eye. `waiting` (L,) is how many would be in a level
    if it had room for them, those of other groups included that share it.
    """

    points: Mapping[str, Any]
    levels: Mapping[str, NDArray[np.int64]]
    changes: Mapping[str, FloatArray]
    distances: Mapping[str, FloatArray]
    waiting: Mapping[str, NDArray[np.int64]]


class CrowdPlayer:
    """Moves the members of a crowd through time, each by the skin of its level.

    Flesh starts when somebody comes near enough for it, at rest in a body that moves on, and is seen as far as the
    change has gone. Nothing is bound or compiled then; a level keeps the places that it once needed.
    """

    def __init__(self, crowd: Crowd, *, device: str = "cpu", fps: float = 60.0) -> None:
        self.crowd, self.device = crowd, devices.check_device(device)
        self._pools = {
            name: [
                Pool(group.character, level.graph, min(level.most or group.count, group.count), self.device, fps)
                for level in group.levels
            ]
            for name, group in crowd.groups.items()
        }
        wp = devices.warp()
        self._shown = {
            name: wp.zeros(group.count * len(group.character.points), dtype=wp.vec3f, device=self.device)
            for name, group in crowd.groups.items()
        }
        self._fetched = {name: devices.PinnedFrames(self.device) for name in crowd.groups}
        self._chooser = LevelChooser(crowd)
        self._homes = [(name, number) for name, group in crowd.groups.items() for number in range(group.count)]
        self._known: Mapping[str, Cast] = {}
        self.reset()

    def reset(self) -> None:
        """Forget all history; the next frame is the first one."""
        self.time: float | None = None
        self._chooser.reset()
        for pool in self._every_pool():
            pool.reset()

    def _every_pool(self) -> list[Pool]:
        return [pool for pools in self._pools.values() for pool in pools]

    @property
    def places(self) -> dict[str, tuple[int, ...]]:
        """For how many members every level of every group has memory so far, by the name of the group."""
        return {name: tuple(pool.places for pool in pools) for name, pools in self._pools.items()}

    def play(
        self, casts: Mapping[str, Cast], time: float, *, eye: ArrayLike, cut: bool = False, on_device: bool = False
    ) -> CrowdFrame:
        """The crowd at `time` [s], as every group's cast moves it, seen from the `eye` (3,) [m].

        With `cut` all members are at once in the levels where they belong: for cuts of a film, at which nothing that
        jumps is seen. The first frame is one. `on_device` is as in `Player.play`.
        """
        place = frozen(eye, np.float64, (3,), _WHERE, "eye")
        self._check(casts, time)
        middles = [casts[name].centers(time, self.device) for name in self.crowd.groups]
        distances = np.linalg.norm(np.concatenate(middles) - place, axis=1)
        if not np.isfinite(distances).all():
            given, needed = f"a member is {distances.max()} m away", "finite poses are needed"
            raise InputError(_WHERE, given, needed, "look at what its source gives")
        self._settle(self._chooser.choose(distances, time, cut=cut))
        for name, pools in self._pools.items():
            for pool in pools:
                pool.play(casts[name], time)
        self.time = time
        return self._frame(distances, time, on_device=on_device)

    def _check(self, casts: Mapping[str, Cast], time: float) -> None:
        check_time(time, _WHERE)
        if self.time is not None and time < self.time:
            given = f"time goes back from {self.time:g} s to {time:g} s"
            raise InputError(_WHERE, given, "crowds are played in order", "call reset() and play from the start")
        if set(casts) != set(self.crowd.groups):
            given, needed = f"there are casts for {', '.join(casts) or 'nobody'}", f"{', '.join(self.crowd.groups)}"
            raise InputError(_WHERE, given, f"the groups are {needed}", "pass one for each group")
        for name, group in self.crowd.groups.items():
            if casts[name] is self._known.get(name):
                continue
            if len(casts[name]) != group.count:
                given = f"the cast of {name!r} has {len(casts[name])} members"
                raise InputError(_WHERE, given, f"the group has {group.count}", "pass a source for each of them")
            group.character.skeleton.check_same(casts[name].skeleton, _WHERE)
        self._known = dict(casts)

    def _settle(self, moves: Moves) -> None:
        """Give places to those who come, and free those of who has left."""
        for m, rung in moves.left:
            name, number = self._homes[m]
            self._pools[name][rung].leave(number)
        for m, rung in moves.entered:
            name, number = self._homes[m]
            self._pools[name][rung].enter(number, seen=bool(self._chooser.memory.before[m] < 0))

    def _frame(self, distances: FloatArray, time: float, *, on_device: bool) -> CrowdFrame:
        chooser, memory = self._chooser, self._chooser.memory
        weights = chooser.weights(time)
        points: dict[str, Any] = {}
        levels, waiting = {}, {}
        changes, away = {}, {}
        first = 0
        for name, group in self.crowd.groups.items():
            own = slice(first, first + group.count)
            first += group.count
            rungs, before, weight = memory.rungs[own], memory.before[own], weights[own]
            below = np.where(before < 0, rungs, before)
            for rung, pool in enumerate(self._pools[name]):
                pool.show((below == rung).astype(np.float64), self._shown[name], coming=False)
            for rung, pool in enumerate(self._pools[name]):
                coming = (before >= 0) & (rungs == rung)
                pool.show(np.where(coming, weight, 0.0), self._shown[name], coming=True)
            levels[name], changes[name], away[name] = rungs.copy(), weight, distances[own]
            waiting[name] = chooser.waiting[[chooser.levels.index(level) for level in group.levels]]
            points[name] = self._shown[name] if on_device else self._fetch(name, group.count)
        return CrowdFrame(points, levels, changes, away, waiting)

    def _fetch(self, name: str, count: int) -> Any:
        shown = self._shown[name]
        found = devices.to_host(shown).copy() if self.device == "cpu" else self._fetched[name].fetch(shown)
        return found.reshape(count, -1, 3)
