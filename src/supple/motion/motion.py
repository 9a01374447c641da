"""A motion: joint transforms over time, sampled at any moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray, by_fields, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

if TYPE_CHECKING:
    from supple.character.character import Character

_WHERE = "Motion"


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Keys of every joint relative to its parent, evenly spaced in time.

    `translations` (F, J, 3) [m], `rotations` (F, J, 4) as x y z w, `scales` (F, J, 3) or None for all ones.
    Between keys, places are blended and rotations turn evenly (slerp). A motion that does not loop holds its first and
    last key outside its time; one that loops starts over, and its roots go on by `stride` (3,) [m] each time, so that a
    walk can walk on. To loop without a jump, its last key is its first again with the roots moved on by the stride.
    `shapes` are the shares (F,) of the character's shapes by name, blended between keys.
    """

    skeleton: Skeleton
    fps: float
    translations: FloatArray
    rotations: FloatArray
    scales: FloatArray | None = None
    name: str = field(default="motion", kw_only=True)
    loop: bool = field(default=False, kw_only=True)
    stride: FloatArray | None = field(default=None, kw_only=True)
    shapes: Mapping[str, FloatArray] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        joints = len(self.skeleton)
        _check_rate(self.fps)
        translations = frozen(self.translations, np.float64, (-1, joints, 3), _WHERE, "translations")
        if len(translations) == 0:
            raise InputError(
                _WHERE, "there are no frames", "at least one is needed", "check that the clip was exported"
            )
        count = len(translations)
        rotations = frozen(self.rotations, np.float64, (count, joints, 4), _WHERE, "rotations")
        length = np.linalg.norm(rotations, axis=-1)
        if (np.abs(length - 1.0) > 1e-3).any():
            frame, joint = (int(i) for i in np.argwhere(np.abs(length - 1.0) > 1e-3)[0])
            raise InputError(
                _WHERE,
                f"the rotation of joint {self.skeleton.names[joint]!r} at frame {frame} has length "
                f"{length[frame, joint]:g}",
                "quaternions must have length one",
                "normalise them",
            )
        object.__setattr__(self, "translations", translations)
        object.__setattr__(self, "rotations", rotations)
        if self.scales is not None:
            scales = frozen(self.scales, np.float64, (count, joints, 3), _WHERE, "scales")
            object.__setattr__(self, "scales", scales)
        stride = np.zeros(3) if self.stride is None else self.stride
        object.__setattr__(self, "stride", frozen(stride, np.float64, (3,), _WHERE, "stride"))
        shapes = {
            str(name): frozen(weights, np.float64, (count,), _WHERE, f"shape {name!r}")
            for name, weights in self.shapes.items()
        }
        object.__setattr__(self, "shapes", MappingProxyType(shapes))

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        poses: Callable[[float], Pose],
        *,
        seconds: float,
        fps: float = 60.0,
        name: str = "motion",
        loop: bool = False,
        stride: FloatArray | None = None,
    ) -> Motion:
        """Record a function of time [s] as keys, `fps` of them a second."""
        _check_rate(fps)
        if not (np.isfinite(seconds) and seconds >= 0.0):
            raise InputError(_WHERE, f"seconds is {seconds}", "zero or more are needed", "pass how long it lasts")
        keys = [poses(frame / fps) for frame in range(key_count(seconds, fps))]
        world = np.stack([pose.world_from_joint for pose in keys])
        if world.shape[1] != len(skeleton):
            raise InputError(
                _WHERE,
                f"the poses have {world.shape[1]} joints",
                f"the skeleton has {len(skeleton)}",
                "make poses for this skeleton",
            )
        local = world.copy()
        has_parent = skeleton.parents >= 0
        local[:, has_parent] = np.linalg.solve(world[:, skeleton.parents[has_parent]], world[:, has_parent])
        moves, rotations, scales = quaternions.decompose(local)
        plain = np.allclose(scales, 1.0, atol=1e-9)
        named = {shape for pose in keys for shape in pose.shapes}
        shapes = {shape: np.array([pose.shapes.get(shape, 0.0) for pose in keys]) for shape in sorted(named)}
        return cls(
            skeleton,
            fps,
            moves,
            rotations,
            None if plain else scales,
            name=name,
            loop=loop,
            stride=stride,
            shapes=shapes,
        )

    def __repr__(self) -> str:
        kind = "loops" if self.loop else "once"
        return (
            f"Motion({self.name!r}: {self.duration:.2f} s, {self.frames} frames at {self.fps:g} fps, "
            f"{len(self.skeleton)} joints, {kind})"
        )

    @property
    def frames(self) -> int:
        """How many keys there are."""
        return len(self.translations)

    @property
    def duration(self) -> float:
        """From the first key to the last [s]."""
        return duration_of(self.frames, self.fps)

    @property
    def times(self) -> FloatArray:
        """The time of every key [s]."""
        return np.arange(self.frames) / self.fps

    def sample(self, time: float) -> Pose:
        """The pose at any `time` [s]."""
        first, last, fraction, laps = self._keys_around(time)
        world = self._transforms_between(first, last, np.array(fraction), np.array(laps))
        return Pose(world, shapes=self._shapes_between(first, last, fraction))

    def sample_shapes(self, time: float) -> dict[str, float]:
        """How much there is of every shape at a `time` [s]."""
        first, last, fraction, _ = self._keys_around(time)
        return self._shapes_between(first, last, fraction)

    def _keys_around(self, time: float) -> tuple[int, int, float, int]:
        """The keys before and after a time, how far it is between them, and in which lap."""
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "pass seconds")
        laps = math.floor(time / self.duration) if self.loop and self.duration > 0.0 else 0
        position = min(max((time - laps * self.duration) * self.fps, 0.0), float(self.frames - 1))
        first = min(int(position), max(self.frames - 2, 0))
        return first, min(first + 1, self.frames - 1), position - first, laps

    def _shapes_between(self, first: int, last: int, fraction: float) -> dict[str, float]:
        return {name: float(keys[first] + fraction * (keys[last] - keys[first])) for name, keys in self.shapes.items()}

    def sample_transforms(self, times: FloatArray) -> FloatArray:
        """Where all joints are (N, J, 4, 4) in the world at each of the `times` (N,) [s], without shapes."""
        strange = ~np.isfinite(times)
        if strange.any():
            raise InputError(_WHERE, f"time is {times[strange][0]}", "a finite time is needed", "pass seconds")
        laps = np.floor(times / self.duration) if self.loop and self.duration > 0.0 else np.zeros(len(times))
        position = np.clip((times - laps * self.duration) * self.fps, 0.0, self.frames - 1.0)
        first = np.minimum(position.astype(np.int64), max(self.frames - 2, 0))
        return self._transforms_between(first, np.minimum(first + 1, self.frames - 1), position - first, laps)

    def _transforms_between(self, first: Any, last: Any, fraction: FloatArray, laps: FloatArray) -> FloatArray:
        """Where all joints are (..., J, 4, 4) between keys `first` and `last` (...,), so many laps on."""
        share = fraction[..., None, None]
        moves = self.translations[first] + share * (self.translations[last] - self.translations[first])
        rotations = quaternions.slerp(self.rotations[first], self.rotations[last], fraction[..., None])
        scales = None
        if self.scales is not None:
            scales = self.scales[first] + share * (self.scales[last] - self.scales[first])
        if laps.any() and self.stride is not None:
            moves[..., self.skeleton.parents < 0, :] += (laps[..., None] * self.stride)[..., None, :]
        return self.skeleton.world_from_locals(quaternions.compose(moves, rotations, scales))

    def resampled(self, fps: float) -> Motion:
        """The same motion with another number of keys a second; the last key stays the last."""
        _check_rate(fps)
        count = max(round(self.duration * fps), 1 if self.frames > 1 else 0) + 1
        position = np.linspace(0.0, self.frames - 1, count)
        first = np.minimum(position.astype(int), max(self.frames - 2, 0))
        last = np.minimum(first + 1, self.frames - 1)
        fraction = (position - first)[:, None]
        rate = (count - 1) / self.duration if self.duration > 0.0 else fps

        def blended(keys: FloatArray) -> FloatArray:
            return keys[first] + fraction[..., None] * (keys[last] - keys[first])

        return replace(
            self,
            fps=rate,
            translations=blended(self.translations),
            rotations=quaternions.slerp(self.rotations[first], self.rotations[last], fraction),
            scales=None if self.scales is None else blended(self.scales),
            shapes={name: np.interp(position, np.arange(self.frames), keys) for name, keys in self.shapes.items()},
        )

    def retarget(
        self,
        target: Character | Skeleton,
        *,
        table: Mapping[str, str] | None = None,
        ground: bool = True,
        arms: bool = True,
    ) -> Motion:
        """This movement on another body; see `supple.motion.retarget.retarget`, which does it.

        `table` {target joint: source joint} says who follows whom; without it, names and shape do. With `ground` the
        soles stay as high over the floor, in leg lengths, as they were. With `arms` a wider body holds its arms out.
        """
        from supple.motion.retarget.retarget import retarget

        return retarget(self, target, table=table, ground=ground, arms=arms)

    def replace(self, **changes: Any) -> Motion:
        """Another motion that differs in the named fields and shares the rest."""
        return replace(self, **changes)

    def check_fits(self, skeleton: Skeleton) -> None:
        """Refuse to move a character that this motion was not made for."""
        skeleton.check_same(self.skeleton, f"Motion {self.name!r}")


def key_count(seconds: float, fps: float) -> int:
    """How many keys `seconds` have at `fps` of them a second, with one at each end."""
    return round(seconds * fps) + 1


def duration_of(keys: int, fps: float) -> float:
    """From the first of some keys to the last [s]."""
    return (keys - 1) / fps


def _check_rate(fps: float) -> None:
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError(_WHERE, f"fps is {fps}", "a rate above zero is needed", "most clips have 24 to 120")
