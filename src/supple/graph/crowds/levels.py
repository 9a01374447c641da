"""Which level every member of a crowd is in: by distance, with room for so many, nearest first."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.geometry.vectors import smoothstep
from supple.graph.crowds.crowd import Crowd, Level

_ENTRIES = 1  # members whose flesh may start in one frame, which takes as long as some eight frames of it

Numbers = NDArray[np.int64]


@dataclass
class LevelMemory:
    """Of every member (N,): its `rung` among the levels of its group, 0 the nearest, which it came from (`before`, -1
    where it is not in a change), and `since` when [s] it is on its way."""

    rungs: Numbers
    before: Numbers
    since: FloatArray


@dataclass(frozen=True)
class Moves:
    """Members, each with a rung, that begin to be moved by it (`entered`) and that are moved by it no more (`left`)."""

    entered: list[tuple[int, int]]
    left: list[tuple[int, int]]


class LevelChooser:
    """Says who changes to which level; members of all groups stand one after another."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        known: dict[int, Level] = {}
        for group in crowd.groups.values():
            known |= {id(level): level for level in group.levels}
        numbers = {key: number for number, key in enumerate(known)}
        self.levels = tuple(known.values())
        """All levels, each once, however many groups share it."""
        self._room = np.array([math.inf if level.most is None else level.most for level in self.levels])
        self._soft = np.array([level.graph.step is not None for level in self.levels])
        most = max(len(group.levels) for group in crowd.groups.values())
        self._level_of = np.full((len(crowd), most), -1)
        self._reach = np.full((len(crowd), most), math.inf)
        first = 0
        for group in crowd.groups.values():
            members = slice(first, first + group.count)
            for rung, level in enumerate(group.levels):
                self._level_of[members, rung], self._reach[members, rung] = numbers[id(level)], level.within
            first += group.count
        self.reset()

    def reset(self) -> None:
        """Nobody is anywhere yet; the next choice is made as by a cut."""
        count = len(self._crowd)
        self.memory = LevelMemory(np.full(count, -1), np.full(count, -1), np.zeros(count))
        self.waiting = np.zeros(len(self.levels), dtype=np.int64)

    def weights(self, time: float) -> FloatArray:
        """How far (N,) members are on their way to the level they are in, 0 to 1; 1 where they are not in a change."""
        gone = (time - self.memory.since) / self._crowd.fade
        return np.where(self.memory.before < 0, 1.0, smoothstep(gone, 0.0, 1.0))

    def choose(self, distances: FloatArray, time: float, *, cut: bool) -> Moves:
        """Let members change by how far (N,) [m] they are from the eye at a time [s].

        With `cut` all of them are at once where they belong, as if the crowd were seen for the first time.
        """
        memory = self.memory
        moves = Moves([], [])
        done = (memory.before >= 0) & (cut | (time - memory.since >= self._crowd.fade))
        moves.left.extend((int(m), int(memory.before[m])) for m in np.flatnonzero(done))
        memory.before[done] = -1
        if cut or (memory.rungs < 0).any():
            self._assign(distances, moves)
        else:
            self._change(distances, time, moves)
        return moves

    def _assign(self, distances: FloatArray, moves: Moves) -> None:
        """Everybody to the nearest level within reach that has room, nearest first."""
        free, rungs = self._room.copy(), self.memory.rungs
        self.waiting[:] = 0
        for m in np.argsort(distances, kind="stable").tolist():
            wanted = int(np.argmax(distances[m] <= self._reach[m]))
            rung = next(r for r in range(wanted, self._reach.shape[1]) if free[self._level_of[m, r]] >= 1)
            free[self._level_of[m, rung]] -= 1
            if rung > wanted:
                self.waiting[self._level_of[m, wanted]] += 1
            if rung != rungs[m]:
                moves.left.extend([(m, int(rungs[m]))] if rungs[m] >= 0 else [])
                moves.entered.append((m, rung))
                rungs[m] = rung

    def _change(self, distances: FloatArray, time: float, moves: Moves) -> None:
        """Those who are elsewhere than they want to be go there, where there is room."""
        memory = self.memory
        wanted, free, entries = self._wanted(distances), self._free(), _ENTRIES
        order = np.argsort(distances, kind="stable")
        settled = memory.before < 0
        for m in order[(settled & (wanted > memory.rungs))[order]].tolist():
            self._go(m, self._outward(m, int(wanted[m]), free), time, free, moves)
        queues: dict[int, list[int]] = {}
        for m in order[(settled & (wanted < memory.rungs))[order]].tolist():
            for rung in range(int(wanted[m]), int(memory.rungs[m])):
                level = self._level_of[m, rung]
                if free[level] >= 1 and (entries > 0 or not self._soft[level]):
                    entries -= bool(self._soft[level])
                    self._go(m, rung, time, free, moves)
                    break
            if memory.rungs[m] != wanted[m]:
                queues.setdefault(int(self._level_of[m, wanted[m]]), []).append(m)
        self.waiting[:] = 0
        for level, queue in queues.items():
            self.waiting[level] = len(queue)
            self._make_room(level, queue, distances, time, free, moves)

    def _wanted(self, distances: FloatArray) -> Numbers:
        """The rung (N,) that everybody wants to be on; to leave the one it is on takes a little more."""
        kept = np.arange(self._reach.shape[1])[None] >= self.memory.rungs[:, None]
        reach = self._reach * np.where(kept, 1.0 + self._crowd.hysteresis, 1.0)
        return np.argmax(distances[:, None] <= reach, axis=1)

    def _free(self) -> FloatArray:
        """How many more every level has room for; who is on the way out still has its place."""
        members = np.arange(len(self._crowd))
        taken = self._level_of[members, self.memory.rungs]
        leaving = self._leaving()
        return self._room - np.bincount(np.concatenate([taken, leaving]), minlength=len(self.levels))

    def _leaving(self) -> Numbers:
        """The levels of those who are on the way out, one for each."""
        members = np.flatnonzero(self.memory.before >= 0)
        return self._level_of[members, self.memory.before[members]]

    def _outward(self, m: int, rung: int, free: FloatArray) -> int:
        """The first rung from `rung` on that has room; the last always has."""
        return next(r for r in range(rung, self._reach.shape[1]) if free[self._level_of[m, r]] >= 1)

    def _go(self, m: int, rung: int, time: float, free: FloatArray, moves: Moves) -> None:
        memory = self.memory
        memory.before[m], memory.rungs[m], memory.since[m] = memory.rungs[m], rung, time
        free[self._level_of[m, rung]] -= 1
        moves.entered.append((m, rung))

    def _make_room(
        self, level: int, queue: list[int], distances: FloatArray, time: float, free: FloatArray, moves: Moves
    ) -> None:
        """Send those out of a full level who are clearly farther away than somebody who waits for it."""
        if free[level] >= 1:
            return
        memory = self.memory
        on_the_way = int(np.count_nonzero(self._leaving() == level))
        held = self._level_of[np.arange(len(self._crowd)), memory.rungs] == level
        occupants = np.flatnonzero(held & (memory.before < 0))
        farthest = occupants[np.argsort(-distances[occupants], kind="stable")]
        for m, other in zip(queue[on_the_way:], farthest.tolist(), strict=False):
            if distances[m] * (1.0 + self._crowd.hysteresis) >= distances[other]:
                break
            self._go(other, self._outward(other, int(memory.rungs[other]) + 1, free), time, free, moves)
