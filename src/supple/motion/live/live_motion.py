"""A live stream of poses, as a tracker or another program sends it while it is being played."""

from __future__ import annotations

import bisect
import math
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.pose import Pose, between
from supple.motion.relative import RelativePose, beyond, mix_poses

_WHERE = "LiveMotion"
_FLAT = 1e-12  # determinant below which a joint has no volume left
_LONGEST = 10.0  # s
_SPEED_OVER = 0.1  # s before the last pose, over which its speed is taken


class LiveMotion:
    """Follow poses that arrive one by one, from any thread.

    Poses are pushed with the time at which they were taken. `sample(time)` shows what was at `time - delay`: joints
    turn evenly between the two poses around it. A `delay` [s] of a few sending intervals lets late and disordered poses
    arrive before they are needed. Where the sender is late or has stopped, the last pose is held; before anything has
    arrived, the character rests.

    `smoothing` w [s] takes noise out. The pose at t is then that of a straight line laid through all poses less than
    w away, weighted by (1 - (t_i - t)^2 / w^2)^3; joint by joint, relative to the parent. Both sides of t must be
    known for that, so the delay is then at least w; on top of the delay there is no lag. A steady movement comes
    through as it is, and what bends is flattened by about w^2 / 18 times its acceleration.

    `coast` c [s] lets a body whose sender stops come to rest instead of freezing: it goes on for c times its last
    speed, slowing down by e every c seconds.

    The newest `keep` poses are remembered, by their times; a pose that is older than all of them is dropped, and one
    with a time that is already there replaces it. A sender whose clock starts over needs a `clear()`.
    """

    def __init__(
        self, skeleton: Skeleton, *, delay: float = 0.0, keep: int = 256, smoothing: float = 0.0, coast: float = 0.0
    ) -> None:
        if not (math.isfinite(delay) and delay >= 0.0):
            raise InputError(_WHERE, f"delay is {delay}", "zero or more seconds are needed", "try 0.1")
        if not (math.isfinite(keep) and keep >= 2 and int(keep) == keep):
            raise InputError(_WHERE, f"keep is {keep!r}", "a whole number from 2 is needed", "try 256")
        for name, value in (("smoothing", smoothing), ("coast", coast)):
            if not (math.isfinite(value) and 0.0 <= value <= _LONGEST):
                needed = f"0 to {_LONGEST:g} seconds are needed"
                raise InputError(_WHERE, f"{name} is {value}", needed, "use 0 for none and 0.1 for some")
        self._skeleton, self._delay, self._keep = skeleton, float(max(delay, smoothing)), int(keep)
        self._smoothing, self._coast = float(smoothing), float(coast)
        self._lock = threading.Lock()
        self._times: list[float] = []
        self._poses: list[Pose] = []
        self._apart: list[RelativePose | None] = []

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._skeleton

    @property
    def delay(self) -> float:
        """How far behind the clock the poses are shown [s]; smoothing may ask for more than was given."""
        return self._delay

    @property
    def latest(self) -> float | None:
        """The time [s] of the newest pose, None before the first; tells whether the sender is still there."""
        with self._lock:
            return self._times[-1] if self._times else None

    @property
    def times(self) -> FloatArray:
        """The times (N,) [s] of the poses that are remembered, in rising order."""
        with self._lock:
            return np.array(self._times)

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
        apart = RelativePose.from_pose(self._skeleton, taken) if self._smoothing or self._coast else None
        with self._lock:
            position = bisect.bisect_left(self._times, time)
            if position < len(self._times) and self._times[position] == time:
                self._poses[position], self._apart[position] = taken, apart
                return
            self._times.insert(position, float(time))
            self._poses.insert(position, taken)
            self._apart.insert(position, apart)
            if len(self._times) > self._keep:
                del self._times[0], self._poses[0], self._apart[0]

    def sample(self, time: float) -> Pose:
        """The pose to show at `time` [s]: the one that was `delay` before."""
        if self._smoothing or self._coast:
            return self.relative(time).pose(self._skeleton)
        shown = self._shown(time)
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

    def relative(self, time: float) -> RelativePose:
        """What `sample` gives, taken apart, for those who go on working with it: putting it together costs time."""
        shown = self._shown(time)
        with self._lock:
            times = np.array(self._times)
            apart = [pose for pose in self._apart if pose is not None]
        if not apart:
            empty = not len(times)
            return RelativePose.from_pose(self._skeleton, Pose.rest(self._skeleton) if empty else self.sample(time))
        return self._steady(times, apart, shown)

    def _shown(self, time: float) -> float:
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "pass seconds")
        return time - self._delay

    def clear(self) -> None:
        """Forget everything that arrived, as before a sender starts over."""
        with self._lock:
            self._times.clear()
            self._poses.clear()
            self._apart.clear()

    def _steady(self, times: FloatArray, apart: Sequence[RelativePose], shown: float) -> RelativePose:
        """What is seen at a time, smoothed; beyond the last pose the body coasts to a stop."""
        last = float(times[-1])
        here = line_through(times, apart, min(max(shown, float(times[0])), last), self._smoothing)
        before = max(last - _SPEED_OVER, float(times[0]))
        if shown <= last or self._coast == 0.0 or before == last:
            return here
        earlier = line_through(times, apart, before, self._smoothing)
        ahead = self._coast * -math.expm1((last - shown) / self._coast)
        return beyond(earlier, here, 1.0 + ahead / (last - before))

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


def line_through(times: FloatArray, poses: Sequence[RelativePose], at: float, width: float) -> RelativePose:
    """The pose `at` a time [s] between the first and the last, from a line laid through all less than `width` away.

    Over a gap that is wider than that, joints go evenly from the smoothed pose before it to the one after it; so a
    `width` of zero is plain interpolation.
    """
    after = min(int(np.searchsorted(times, at, side="right")), len(times) - 1)
    before = max(after - 1, 0)
    gap = float(times[after] - times[before])
    if gap <= width:
        return _line(times, poses, at, width)
    fraction = (at - float(times[before])) / gap
    ends = [_line(times, poses, float(times[position]), width) for position in (before, after)]
    return mix_poses(ends, np.array([1.0 - fraction, fraction]))


def _line(times: FloatArray, poses: Sequence[RelativePose], at: float, width: float) -> RelativePose:
    near = np.flatnonzero(np.abs(times - at) < width)
    if len(near) < 2:
        return poses[int(np.argmin(np.abs(times - at)))]
    away = times[near] - at
    weights = (1.0 - (away / width) ** 2) ** 3
    # The value at `at` of the weighted least-squares line: shares w_i (S2 - S1 d_i) / (S0 S2 - S1^2), d_i = t_i - at;
    # the denominator is what they add up to.
    line_weights = weights * ((weights * away**2).sum() - (weights * away).sum() * away)
    return mix_poses([poses[int(position)] for position in near], line_weights / line_weights.sum())
