"""A built-in motion before its keys are made: how long it lasts is known at once, its poses when they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.motion.motion import Motion, duration_of, key_count
from supple.motion.pose import Pose


@dataclass(frozen=True, eq=False)
class Recipe:
    """What `Motion.from_poses` takes: a `pose` for every time [s], for how many `seconds`, at `fps` keys a second."""

    skeleton: Skeleton
    pose: Callable[[float], Pose]
    seconds: float
    fps: float
    name: str
    loop: bool = False
    stride: FloatArray | None = None

    @property
    def frames(self) -> int:
        """How many keys the motion will have."""
        return key_count(self.seconds, self.fps)

    @property
    def duration(self) -> float:
        """From its first key to its last [s]."""
        return duration_of(self.frames, self.fps)

    def made(self) -> Motion:
        """The motion itself; every pose of it is made now."""
        return Motion.from_poses(
            self.skeleton,
            self.pose,
            seconds=self.seconds,
            fps=self.fps,
            name=self.name,
            loop=self.loop,
            stride=self.stride,
        )
