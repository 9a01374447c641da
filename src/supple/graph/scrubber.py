"""Any time of a motion at once, as a bake of it would have it: snapshots of the flesh along the way."""

from __future__ import annotations

import bisect
import math
from time import perf_counter

from supple.arrays import Float32Array
from supple.errors import InputError
from supple.graph.player import Player
from supple.motion.pose import PoseSource
from supple.skins.memory import Arrays

_WHERE = "Scrubber"
_WAIT = 0.012  # s: work between two snapshots; half a frame of a film at most, with what a snapshot itself costs
_LIMIT = 1_000_000_000  # bytes of snapshots


class Scrubber:
    """Plays a motion in any order of times. Skins that need only the pose are simply asked.

    Flesh remembers, and where it is at a time follows from all that came before. So snapshots are kept wherever it has
    been played, close enough that from one of them any time is reached within a frame; the first visit to a time plays
    all that leads there, and `fill` does so ahead in spare time. Everything is as a bake has it that begins at `start`
    [s]: to the bit, in whatever order times are asked for.

    It works on a player of its own, a copy of the one given with its settings, shapes and maps as they are then. At
    most `limit` bytes are kept: beyond them every other snapshot goes.
    """

    def __init__(self, player: Player, source: PoseSource, *, start: float = 0.0, limit: int = _LIMIT) -> None:
        if not math.isfinite(start):
            raise InputError(_WHERE, f"start is {start}", "a finite time is needed", "pass seconds")
        player.character.skeleton.check_same(source.skeleton, _WHERE)
        self.source, self.start = source, start
        self._player, self._limit = player.copy(), limit
        self._player.reset()
        self._remembers = player.graph.step is not None
        self._times: list[float] = []
        self._kept: list[Arrays] = []
        self._wait, self._work, self._bytes, self._reached = _WAIT, 0.0, 0, start

    @property
    def prepared(self) -> float:
        """Up to which time [s] of the motion any time is there at once."""
        if not self._remembers:
            return math.inf
        return self._reached

    def play(self, time: float) -> Float32Array:
        """The skin (V, 3) [m] at a time [s] of the motion."""
        if not (math.isfinite(time) and time >= self.start):
            raise InputError(_WHERE, f"time is {time}", f"it begins at {self.start:g} s", "ask for a later time")
        if self._remembers:
            self._go_near(time)
        return self._player.play(self.source, time)

    def fill(self, until: float, *, seconds: float) -> bool:
        """Prepare times up to `until` [s] ahead, for about `seconds` of work; says whether all of them are."""
        begun = perf_counter()
        while self.prepared < until:
            if perf_counter() - begun > seconds:
                return False
            self._go_near(min(self.prepared + 1.0 / self._player.fps, until))
        return True

    def hand_over(self, player: Player, time: float) -> None:
        """Let a player of the same skin go on from where the flesh is at a time [s]."""
        self.play(time)
        player.restore(self._player.snapshot())

    def _go_near(self, time: float) -> None:
        """Bring the player to a time from which `time` is a step away, and keep what it passes."""
        here = self._player.time
        if here is None or here > time or self._nearest(time) > here:
            self._recall(time)
        if not self._times:
            self._advance(self.start)
            self._keep()
        here = self._player.time or self.start
        while here < time:
            here = min(here + 1.0 / self._player.fps, time)
            self._advance(here)
            if here > self._times[-1] and self._work >= self._wait:
                self._keep()

    def _nearest(self, time: float) -> float:
        index = bisect.bisect_right(self._times, time) - 1
        return self._times[index] if index >= 0 else -math.inf

    def _recall(self, time: float) -> None:
        index = bisect.bisect_right(self._times, time) - 1
        if index < 0:
            self._player.reset()
            return
        self._player.restore(self._kept[index])
        self._work = 0.0

    def _advance(self, time: float) -> None:
        begun = perf_counter()
        self._player.play(self.source, time)
        self._work += perf_counter() - begun
        self._reached = max(self._reached, time)

    def _keep(self) -> None:
        """A snapshot of here and now; where there is no room for more, every other one goes, and fewer follow."""
        kept = self._player.snapshot()
        self._times.append(float(self._player.time or 0.0))
        self._kept.append(kept)
        self._work = 0.0
        self._bytes += sum(array.nbytes for array in kept.values())
        if self._bytes > self._limit and len(self._kept) > 2:
            self._times, self._kept = self._times[::2], self._kept[::2]
            self._bytes = sum(array.nbytes for one in self._kept for array in one.values())
            self._wait *= 2.0
