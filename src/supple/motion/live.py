"""A live stream of poses, as a tracker or another program sends it while it is being played."""

from __future__ import annotations

import bisect
import math
import threading

import numpy as np
from numpy.typing import ArrayLike

from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.pose import Pose, between

_WHERE = "LiveMotion"
_FLAT = 1e-12  # determinant below which a joint has no volume left


class LiveMotion:
    """Follow poses that arrive one by one, from any thread.

    Poses are pushed with the time at which they were taken. `sample(time)` shows what was at `time - delay`: joints
    turn evenly between the two poses around it. A `delay` [s] of a few sending intervals lets late and disordered poses
    arrive before they are needed. Where the sender is late or has stopped, the last pose is held; before anything has
    arrived, the character rests.

    The newest `keep` poses are remembered, by their times; a pose that is older than all of them is dropped, and one
    with a time that is already there replaces it. Poses are not extrapolated, and a sender whose clock starts over
    needs a `clear()`.
    """

    def __init__(self, skeleton: Skeleton, *, delay: float = 0.0, keep: int = 256) -> None:
        if not (math.isfinite(delay) and delay >= 0.0):
            raise InputError(_WHERE, f"delay is {delay}", "zero or more seconds are needed", "try 0.1")
        if not (math.isfinite(keep) and keep >= 2 and int(keep) == keep):
            raise InputError(_WHERE, f"keep is {keep!r}", "a whole number from 2 is needed", "try 256")
        self._skeleton, self._delay, self._keep = skeleton, float(delay), int(keep)
        self._lock = threading.Lock()
        self._times: list[float] = []
        self._poses: list[Pose] = []

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._skeleton

    @property
    def delay(self) -> float:
        """How far behind the clock the poses are shown [s]."""
        return self._delay

    @property
    def latest(self) -> float | None:
        """The time [s] of the newest pose, None before the first; tells whether the sender is still there."""
        with self._lock:
            return self._times[-1] if self._times else None

    def __len__(self) -> int:
        """How many poses are remembered."""
        with self._lock:
            return len(self._times)

    def push(self, pose: Pose | ArrayLike, time: float) -> None:
        """Take a pose, or its transforms `world_from_joint` (J, 4, 4), as it was at `time` [s]."""
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "send seconds")
        taken = pose if isinstance(pose, Pose) else Pose(np.asarray(pose))
        self._check(taken)
        with self._lock:
            place = bisect.bisect_left(self._times, time)
            if place < len(self._times) and self._times[place] == time:
                self._poses[place] = taken
                return
            self._times.insert(place, float(time))
            self._poses.insert(place, taken)
            if len(self._times) > self._keep:
                del self._times[0], self._poses[0]

    def sample(self, time: float) -> Pose:
        """The pose to show at `time` [s]: the one that was `delay` before."""
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "pass seconds")
        shown = time - self._delay
        with self._lock:
            if not self._times:
                return Pose.rest(self._skeleton)
            after = bisect.bisect_right(self._times, shown)
            if after == 0:
                return self._poses[0]
            if after == len(self._times):
                return self._poses[-1]
            start, end = self._times[after - 1], self._times[after]
            pair = self._poses[after - 1], self._poses[after]
        return between(self._skeleton, *pair, (shown - start) / (end - start))

    def clear(self) -> None:
        """Forget everything that arrived, as before a sender starts over."""
        with self._lock:
            self._times.clear()
            self._poses.clear()

    def _check(self, pose: Pose) -> None:
        """Keep out what would break a later frame, so that the fault is told to the sender."""
        if len(pose) != len(self._skeleton):
            raise InputError(
                _WHERE,
                f"a pose of {len(pose)} joints arrived",
                f"the skeleton has {len(self._skeleton)}",
                "send poses of this character",
            )
        if not np.allclose(pose.world_from_joint[:, 3], [0.0, 0.0, 0.0, 1.0], atol=1e-6):
            raise InputError(
                _WHERE,
                "a transform has a last row other than 0 0 0 1",
                "transforms act on column vectors",
                "transpose them",
            )
        flat = np.abs(np.linalg.det(pose.world_from_joint[:, :3, :3])) < _FLAT
        if flat.any():
            name = self._skeleton.names[int(np.argmax(flat))]
            raise InputError(_WHERE, f"joint {name!r} is scaled to nothing", "every joint needs a size", "scale it")
