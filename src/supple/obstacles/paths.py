"""Where things of the world are over time: along keys, or straight on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.geometry import quaternions

Path = Callable[[float], ArrayLike]
"""Where a body is at a time [s]: a place (3,) [m] or a transform (4, 4) without scale."""


_G = 9.81  # [m/s²]
_UPRIGHT: FloatArray = np.eye(3)
_LAST_ROW: FloatArray = np.array([0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Keys:
    """A path through keys: `places` (K, 3) [m] at `times` (K,) [s], and `rotations` (K, 4) as x y z w if it turns.

    Between keys, places are blended and rotations turn evenly; before the first and after the last it stands still.
    """

    times: FloatArray
    places: FloatArray
    rotations: FloatArray | None = None

    def __post_init__(self) -> None:
        times = frozen(self.times, np.float64, (-1,), "Keys", "times")
        if len(times) == 0 or (np.diff(times) <= 0.0).any():
            given = "there are no times" if len(times) == 0 else "times do not rise"
            raise InputError("Keys", given, "one rising time for each key is needed", "sort the keys by time")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "places", frozen(self.places, np.float64, (len(times), 3), "Keys", "places"))
        if self.rotations is not None:
            rotations = frozen(self.rotations, np.float64, (len(times), 4), "Keys", "rotations")
            if not rotations.any(axis=1).all():
                raise InputError("Keys", "a rotation is zero", "quaternions x y z w are needed", "use 0 0 0 1 for none")
            object.__setattr__(self, "rotations", rotations)

    def __call__(self, time: float) -> FloatArray:
        """The transform (4, 4) at a time [s]."""
        after = int(np.clip(np.searchsorted(self.times, time, side="right"), 1, max(len(self.times) - 1, 1)))
        one, two = min(after - 1, len(self.times) - 1), min(after, len(self.times) - 1)
        span = self.times[two] - self.times[one]
        fraction = float(np.clip((time - self.times[one]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
        position = (1.0 - fraction) * self.places[one] + fraction * self.places[two]
        rotation: FloatArray = np.array([0.0, 0.0, 0.0, 1.0])
        if self.rotations is not None:
            rotation_one, rotation_two = (quaternions.normalize(self.rotations[key]) for key in (one, two))
            rotation = quaternions.slerp(rotation_one, rotation_two, np.array(fraction))
        return quaternions.compose(position, rotation)


@dataclass(frozen=True, eq=False)
class Pendulum:
    """A weight on a rope, led through one swing: it comes down, passes its lowest place, and swings back less far.

    It hangs still `start` [rad] away from its lowest place, on the side `toward` (3,), goes so that it is at `lowest`
    (3,) [m] at `time` [s], and goes back to hang still `back` [rad] away on the same side. Angles follow the sine of a
    pendulum that is `length` [m] long. What it hits does not slow it down.
    """

    time: float
    lowest: FloatArray
    toward: FloatArray = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    length: float = 2.6
    start: float = 1.0
    back: float = 0.45

    def __post_init__(self) -> None:
        object.__setattr__(self, "lowest", frozen(self.lowest, np.float64, (3,), "Pendulum", "lowest"))
        object.__setattr__(self, "toward", frozen(self.toward, np.float64, (3,), "Pendulum", "toward"))
        if not np.hypot(self.toward[0], self.toward[2]) > 0.0:
            raise InputError("Pendulum", f"toward is {self.toward}", "a side is needed", "use (0, 0, 1) for the front")
        for what, value in (("length", self.length), ("start", self.start), ("back", self.back)):
            if not (np.isfinite(value) and value > 0.0):
                raise InputError("Pendulum", f"{what} is {value}", "more than zero is needed", "use the default")

    def __call__(self, time: float) -> FloatArray:
        """Where it is (3,) [m] at a time [s]."""
        since = time - self.time
        phase = min(abs(since) * np.sqrt(_G / self.length), 0.5 * np.pi)
        angle = (self.start if since < 0.0 else self.back) * np.sin(phase)
        aside = self.toward * [1.0, 0.0, 1.0] / np.hypot(self.toward[0], self.toward[2])
        return self.lowest + self.length * (np.sin(angle) * aside + np.array([0.0, 1.0 - np.cos(angle), 0.0]))


@dataclass(frozen=True, eq=False)
class Straight:
    """Straight on for ever: `velocity` (3,) [m/s] and `spin` (3,) [rad/s] about its origin, from `start` at time 0.

    `start` is a place (3,) [m] or a transform (4, 4). The axis of the spin is the world's.
    """

    start: ArrayLike
    velocity: FloatArray
    spin: FloatArray = (0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "velocity", frozen(self.velocity, np.float64, (3,), "Straight", "velocity"))
        object.__setattr__(self, "spin", frozen(self.spin, np.float64, (3,), "Straight", "spin"))
        object.__setattr__(self, "start", rigid_transform(self.start, "Straight", "start"))

    def __call__(self, time: float) -> FloatArray:
        """The transform (4, 4) at a time [s]."""
        matrix: FloatArray = np.array(self.start)
        rate = float(np.linalg.norm(self.spin))
        if rate > 0.0:
            rotation = quaternions.quat_from_axis_angle(self.spin, np.array(rate * time))
            matrix[:3, :3] = quaternions.matrix_from_quat(rotation) @ matrix[:3, :3]
        matrix[:3, 3] += time * self.velocity
        return matrix


def rigid_transform(given: ArrayLike, where: str, what: str) -> FloatArray:
    """A transform (4, 4) from a place (3,) or a transform; anything that scales, shears or mirrors is refused."""
    found = np.asarray(given, dtype=np.float64)
    if found.shape == (3,):
        matrix = np.eye(4)
        matrix[:3, 3] = frozen(found, np.float64, (3,), where, what)
        return matrix
    matrix = frozen(found, np.float64, (4, 4), where, what)
    rotation = matrix[:3, :3]
    skewed = max(np.abs(matrix[3] - _LAST_ROW).max(), np.abs(rotation @ rotation.T - _UPRIGHT).max())
    if skewed > 1e-4 or np.linalg.det(rotation) < 0.0:
        raise InputError(
            where,
            f"{what} is no rotation and translation",
            "bodies are rigid",
            "take scale and shear out, and scale the body itself",
        )
    return matrix
