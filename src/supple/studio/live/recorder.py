"""A recording of what a receiver shows, as a motion."""

from __future__ import annotations

from typing import Protocol

from supple.character.skeleton import Skeleton
from supple.motion.motion import Motion
from supple.motion.pose import Pose

FPS = 60.0
LONGEST = 300.0  # s: what comes later is not recorded


class Shown(Protocol):
    """What is recorded: it remembers what it has shown a moment ago."""

    @property
    def skeleton(self) -> Skeleton: ...
    def now(self) -> float: ...
    def sample(self, time: float) -> Pose: ...


class Recorder:
    """Keeps sixty poses a second of what a receiver shows, from now on."""

    def __init__(self, shown: Shown) -> None:
        self._shown, self._start = shown, shown.now()
        self._poses = [shown.sample(self._start)]

    @property
    def seconds(self) -> float:
        """How long the recording is [s]."""
        return (len(self._poses) - 1) / FPS

    def advance(self, now: float) -> None:
        """Record on, up to a time [s] of the receiver."""
        while (time := self._start + len(self._poses) / FPS) <= min(now, self._start + LONGEST):
            self._poses.append(self._shown.sample(time))

    def motion(self, name: str) -> Motion:
        """What was recorded."""
        poses = self._poses
        return Motion.from_poses(
            self._shown.skeleton, lambda time: poses[round(time * FPS)], seconds=self.seconds, fps=FPS, name=name
        )
