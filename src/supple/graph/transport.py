"""Two clocks: that of the motion, which stops, loops, jumps and runs back, and that of the flesh, which goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple.arrays import Float32Array, FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.graph.player import Player
from supple.graph.scrubber import Scrubber
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.motion.relative import RelativePose, decay_spring, difference, displace

_WHERE = "Transport"
_SETTLED = 4.74  # (1 + x) exp(-x) is a twentieth there
_SAME = 1e-6  # m and rad: less than this of an old pose is none of it


@dataclass(frozen=True)
class _Course:
    """How the motion runs since the last change: at time `since` of the flesh it was at `start`."""

    source: PoseSource
    since: float
    start: float
    rate: float = 1.0
    playing: bool = True
    span: tuple[float, float] | None = None

    def motion_time(self, time: float) -> float:
        """Where the motion is at a time of the flesh."""
        at = self.start + (self.rate * (time - self.since) if self.playing else 0.0)
        if self.span is None:
            return at
        low, high = self.span
        return low + (at - low) % (high - low)

    def lap(self, time: float) -> int:
        """How often the part that is played has started over at a time of the flesh."""
        if self.span is None or not self.playing:
            return 0
        low, high = self.span
        return math.floor((self.start + self.rate * (time - self.since) - low) / (high - low))


class _Played:
    """What a source has at a time [s], asked at a time of the flesh: the pose, taken apart when that is wanted."""

    def __init__(self, source: PoseSource, time: float, now: float) -> None:
        self.source, self.time, self.now = source, time, now
        self.pose = source.sample(time)

    @cached_property
    def relative(self) -> RelativePose:
        return RelativePose.from_pose(self.source.skeleton, self.pose)


class Transport:
    """Play a motion on a player so that the flesh never stands still with it.

    `advance(dt)` lets `dt` [s] go by for the flesh. Meanwhile the motion goes on by `rate` times `dt` (backwards where
    that is negative), stands still while it is paused, or is taken elsewhere by `seek`; another source may take over.
    So a paused character can be pulled and comes to rest, and soft skins, which are played in order only, never see
    time run back.

    Where a change would make the pose jump, what the old pose differs by is taken away like a critically damped spring,
    joint by joint on their parents: a twentieth of it is left after `ease` [s]. A root that is to be farther off than
    the character is large is there at once, since a flight would fling the flesh. `cut=True` changes all at once
    instead, and lets the flesh start anew.
    """

    def __init__(self, player: Player, source: PoseSource, *, time: float = 0.0, ease: float = 0.25) -> None:
        player.character.skeleton.check_same(source.skeleton, _WHERE)
        self.player = player
        self.ease = _finite("ease", ease, least=0.0)
        self._course = _Course(source, 0.0, _finite("time", time))
        self._now = 0.0
        self._off: FloatArray | None = None
        self._last: _Played | None = None
        player.reset()

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._course.source.skeleton

    @property
    def source(self) -> PoseSource:
        """What is played."""
        return self._course.source

    @property
    def playing(self) -> bool:
        """Whether the motion goes on."""
        return self._course.playing

    @property
    def rate(self) -> float:
        """How fast the motion runs: 1 as it was made, negative backwards."""
        return self._course.rate

    @property
    def time(self) -> float:
        """Where the motion is [s]."""
        return self._course.motion_time(self._now)

    @property
    def flesh_time(self) -> float:
        """How long the flesh has lived [s]."""
        return self._now

    def advance(self, dt: float) -> Float32Array:
        """The skin (V, 3) [m] when `dt` [s] more have gone by."""
        now = self._now + _finite("dt", dt, least=0.0)
        self._start_over(now)
        points = self.player.play(self, now)
        self._now = now
        return points

    def pass_time(self, dt: float) -> float:
        """Let `dt` [s] go by, and leave it to others to play what is there then; the time of the flesh [s]."""
        now = self._now + _finite("dt", dt, least=0.0)
        self._start_over(now)
        self._now = now
        return now

    def sample(self, time: float) -> Pose:
        """The pose at a time of the flesh [s]."""
        played, off = self._played(time), self._left(time)
        return played.pose if off is None else displace(played.relative, off).pose(self.skeleton)

    def _played(self, time: float) -> _Played:
        """What the source has at a time of the flesh [s]; it is asked once at a time, however often that is played."""
        source, at = self._course.source, self._course.motion_time(time)
        last = self._last
        if last is None or last.source is not source or (last.time, last.now) != (at, self._now):
            self._last = last = _Played(source, at, self._now)
        return last

    def _left(self, time: float) -> FloatArray | None:
        """What is left (J, 2, 3) of the last change at a time of the flesh [s]; None where that is nothing."""
        if self._off is None:
            return None
        gone = max(time - self._course.since, 0.0)
        off, _ = decay_spring(self._off, np.zeros_like(self._off), _SETTLED / self.ease, gone)
        return None if np.abs(off).max() < _SAME else off

    def pause(self) -> None:
        """Let the motion stand still; the flesh goes on."""
        self._change(playing=False)

    def play(self) -> None:
        """Let the motion go on from where it is."""
        self._change(playing=True)

    def run(self, rate: float) -> None:
        """Let the motion run this fast from where it is; negative is backwards."""
        self._change(rate=_finite("rate", rate))

    def seek(self, time: float, *, cut: bool = False, as_baked: Scrubber | None = None) -> None:
        """Go to a time of the motion [s]; with a scrubber of it the flesh is there as a bake has it."""
        if as_baked is None:
            self._change(start=_finite("time", time), cut=cut)
            return
        as_baked.hand_over(self.player, time)
        self._now, self._off = time, None
        self._course = replace(self._course, since=time, start=time)

    def loop(self, start: float = 0.0, end: float | None = None) -> None:
        """Play a part of the motion [s] round and round; from its end to its start the pose goes over gently.

        A motion that loops by itself needs no such part.
        """
        if end is None and isinstance(self.source, Motion):
            end = self.source.duration
        low, high = _finite("start", start), _finite("end", math.nan if end is None else end)
        if low >= high:
            raise InputError(_WHERE, f"the part is from {low:g} to {high:g} s", "its end comes last", "turn them round")
        self._change(span=(low, high))

    @property
    def span(self) -> tuple[float, float] | None:
        """The part [s] that is played round and round, if any."""
        return self._course.span

    def unloop(self) -> None:
        """Play the motion as it is, from where it is."""
        self._change(span=None)

    def change_source(self, source: PoseSource, *, time: float = 0.0, cut: bool = False) -> None:
        """Let another motion take over from its `time` [s] on."""
        self.player.character.skeleton.check_same(source.skeleton, _WHERE)
        self._change(source=source, start=_finite("time", time), span=None, cut=cut)

    def edit_source(self, source: PoseSource, *, at_once: bool = False) -> None:
        """Let an edited version of the same motion take its place where it is, `at_once` while a hand is editing it."""
        self.player.character.skeleton.check_same(source.skeleton, _WHERE)
        if at_once:
            self._course = replace(self._course, source=source)
        else:
            self._change(source=source)

    def change_player(self, player: Player) -> None:
        """Go on with another player of the same character, which has succeeded the one so far (`Player.succeed`)."""
        player.character.skeleton.check_same(self.skeleton, _WHERE)
        self.player = player

    def _start_over(self, now: float) -> None:
        """Where the part that is played round and round ends before `now`, go to its start as `seek` does."""
        course = self._course
        if course.span is not None and course.lap(now) != course.lap(self._now):
            self._change(start=course.span[0] if course.rate > 0.0 else course.motion_time(now))

    def _change(self, *, cut: bool = False, **what: Any) -> None:
        """Go on otherwise from the pose that is shown now."""
        before, off = self._played(self._now), self._left(self._now)
        self._course = replace(self._course, **{"since": self._now, "start": self.time, **what})
        self._off = None
        if cut:
            self._now = 0.0
            self._course = replace(self._course, since=0.0)
            self.player.reset()
        elif self.ease > 0.0:
            shown = before.relative if off is None else displace(before.relative, off)
            off = difference(shown, self._played(self._now).relative)
            roots = np.flatnonzero(self.skeleton.parents < 0)
            far = np.linalg.norm(off[roots, 0], axis=1) > float(self.player.character.size.max())
            off[roots[far], 0] = 0.0
            self._off = off if np.abs(off).max() > _SAME else None


def _finite(name: str, value: float, *, least: float = -math.inf) -> float:
    if not (math.isfinite(value) and value >= least):
        needed = "a finite number is needed" if least == -math.inf else f"{least:g} or more seconds are needed"
        raise InputError(_WHERE, f"{name} is {value}", needed, "pass seconds")
    return float(value)
