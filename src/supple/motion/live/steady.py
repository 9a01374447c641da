"""Another source of poses shown without jumps, whatever it does."""

from __future__ import annotations

import math
import threading
from collections import deque

import numpy as np

from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.live.live_motion import LiveMotion
from supple.motion.pose import Pose, PoseSource, between
from supple.motion.relative import RelativePose, decay_spring, difference, displace

_WHERE = "SteadyMotion"
_REMEMBERED = 256  # poses shown, for whoever asks for a time that is past already
_SAME = 1e-9  # m and rad
_SETTLED = 4.74  # (1 + x) exp(-x) is a twentieth there


class SteadyMotion:
    """Show a live source so that the character never pops: not when poses come late, nor after a gap, nor ever.

    A live source may change its mind about the past: at time s it showed one pose, and when a late pose has arrived it
    would show another. The difference e = shown(s) - source(s) is kept and taken away like a critically damped spring,
    e'' = -2 k e' - k^2 e, so that a twentieth of it is left after `ease` [s]. Where the source is as it was, it is
    shown exactly. No joint moves on its parent faster than `top_speed` [m/s] or turns faster than
    `top_angular_speed` [rad/s].

    What was shown stays: a time that is past gives what was shown then. Differences are taken joint by joint, relative
    to the parent; scales and shapes are shown as they come.
    """

    def __init__(
        self, source: PoseSource, *, ease: float = 0.2, top_speed: float = 20.0, top_angular_speed: float = 50.0
    ) -> None:
        for name, value in (("ease", ease), ("top_speed", top_speed), ("top_angular_speed", top_angular_speed)):
            if not (math.isfinite(value) and value > 0.0):
                raise InputError(_WHERE, f"{name} is {value}", "a number above zero is needed", "use the default")
        self._source, self._rate = source, _SETTLED / ease
        self._top_speed, self._top_angular_speed = top_speed, top_angular_speed
        self._lock = threading.Lock()
        joints = len(source.skeleton)
        self._speed = np.zeros((joints, 2, 3))  # of the difference, [m/s] and [rad/s]
        self._last: RelativePose | None = None
        self._shown: deque[tuple[float, Pose]] = deque(maxlen=_REMEMBERED)

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._source.skeleton

    def sample(self, time: float) -> Pose:
        """The pose to show at `time` [s]."""
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "pass seconds")
        with self._lock:
            if self._last is None:
                pose = self._source.sample(time)
                self._last = self._wanted(time)[0]
            elif time <= self._shown[-1][0]:
                return self._remembered(time)
            else:
                pose = self._next(self._last, time)
            self._shown.append((time, pose))
            return pose

    def _remembered(self, time: float) -> Pose:
        later = self._shown[-1]
        for earlier in reversed(self._shown):
            if earlier[0] <= time:
                gap = later[0] - earlier[0]
                return between(self.skeleton, earlier[1], later[1], (time - earlier[0]) / gap if gap else 1.0)
            later = earlier
        return later[1]

    def _next(self, last: RelativePose, time: float) -> Pose:
        since = self._shown[-1][0]
        gap = time - since
        kept = difference(last, self._wanted(since)[0])
        wanted, pose = self._wanted(time)
        off, speed = decay_spring(kept, self._speed, self._rate, gap)
        quiet = np.abs(off).max() < _SAME
        shown = wanted if quiet else displace(wanted, off)
        held = self._held_back(last, shown, gap)
        if held is not shown:
            stopped = np.abs(difference(held, shown)).max(axis=-1) > _SAME
            speed[stopped] = 0.0
            shown = held
        elif quiet:
            speed[:] = 0.0
        self._speed, self._last = speed, shown
        return pose if shown is wanted and pose is not None else shown.pose(self.skeleton)

    def _wanted(self, time: float) -> tuple[RelativePose, Pose | None]:
        """What the source says, taken apart, and as it came unless it came so."""
        if isinstance(self._source, LiveMotion):
            return self._source.relative(time), None
        pose = self._source.sample(time)
        return RelativePose.from_pose(self.skeleton, pose), pose

    def _held_back(self, last: RelativePose, shown: RelativePose, gap: float) -> RelativePose:
        """`shown`, or as far towards it as the speeds allow."""
        step = difference(shown, last)
        sizes = np.linalg.norm(step, axis=-1)
        allowed = np.array([self._top_speed * gap, self._top_angular_speed * gap])
        if (sizes <= allowed).all():
            return shown
        step *= np.minimum(1.0, allowed / np.maximum(sizes, 1e-300))[..., None]
        held = displace(last, step)
        return RelativePose(held.moves, held.rotations, shown.scales, shown.shapes)
