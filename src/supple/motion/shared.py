"""Poses for several players that play the same thing at the same time."""

from __future__ import annotations

from threading import Lock

from supple.character.skeleton import Skeleton
from supple.motion.pose import Pose, PoseSource


class SharedPoses:
    """A source of which every time is sampled once, by one thread at a time, until it is told to forget."""

    def __init__(self, source: PoseSource) -> None:
        self._source = source
        self._known: dict[float, Pose] = {}
        self._lock = Lock()

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._source.skeleton

    def sample(self, time: float) -> Pose:
        """The pose at a time [s] of the source."""
        with self._lock:
            found = self._known.get(time)
            if found is None:
                found = self._known[time] = self._source.sample(time)
            return found

    def forget(self) -> None:
        """Sample anew from now on: the source may have changed."""
        with self._lock:
            self._known.clear()
