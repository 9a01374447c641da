"""Who of a crowd moves how: what each member follows, how far ahead it is, and where it stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import FloatArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.motion.sampling import DeviceMotions

_RIGID = 1e-5  # of a placement's Gram matrix against one


@dataclass(frozen=True, eq=False)
class Cast:
    """Member m is where `sources[m]` is `delays[m]` seconds later (0 if not given), carried by `placements[m]`.

    `placements` (N, 4, 4) turn and move members from where their sources have them; without any they stay there.
    """

    sources: Sequence[PoseSource]
    delays: Sequence[float] | FloatArray = ()
    placements: ArrayLike | None = None

    def __post_init__(self) -> None:
        count = len(self.sources)
        if count == 0:
            raise InputError("Cast", "there are no sources", "at least one member moves", "pass a motion for each")
        if len(self.delays) not in (0, count):
            given, advice = f"there are {count} sources and {len(self.delays)} delays", "pass one for each, or none"
            raise InputError("Cast", given, "every member has both", advice)
        delays = np.asarray(self.delays, dtype=np.float64) if len(self.delays) else np.zeros(count)
        if not np.isfinite(delays).all():
            raise InputError("Cast", "a delay is not finite", "seconds are needed", "use 0 for none")
        object.__setattr__(self, "delays", delays)
        if self.placements is not None:
            object.__setattr__(self, "placements", _check_rigid(self.placements, count))
        for source, _ in self._groups:
            self.skeleton.check_same(source.skeleton, "Cast")

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def skeleton(self) -> Skeleton:
        """The joints that every member has."""
        return self.sources[0].skeleton

    def world_from_joint(self, time: float) -> FloatArray:
        """Where the joints (N, J, 4, 4) of all members are at a time [s]."""
        if self.has_motions_only and self._last.time == time:  # many ask for one moment, each for some of them
            return self._last.world
        world = self._sample(time)
        if self.has_motions_only:
            world.flags.writeable = False
            self._last.time, self._last.world = time, world
        return world

    def _sample(self, time: float) -> FloatArray:
        times = time + np.asarray(self.delays)
        world = np.empty((len(self), len(self.skeleton), 4, 4))
        for source, members in self._groups:
            if isinstance(source, Motion):
                world[members] = source.sample_transforms(times[members])
            else:
                world[members] = [source.sample(one).world_from_joint for one in times[members].tolist()]
        return world if self.placements is None else np.asarray(self.placements)[:, None] @ world

    def shapes(self, time: float) -> dict[str, float]:
        """How much there is of every member's shapes (morph targets) at a time [s]: "3/smile" is that of member 3."""
        found: dict[str, float] = {}
        for source, members in self._groups if self.has_shapes else ():
            for m in members.tolist():
                own = time + float(np.asarray(self.delays)[m])
                shares = source.sample_shapes(own) if isinstance(source, Motion) else source.sample(own).shapes
                found.update({f"{m}/{name}": share for name, share in shares.items()})
        return found

    def centers(self, time: float, device: str = "cpu") -> FloatArray:
        """The middle of every member's joints (N, 3) [m] at a time [s]; a GPU finds those of motions."""
        motions = self.on_device(device)
        if motions is not None:
            return motions.centers(time)
        return self.world_from_joint(time)[:, :, :3, 3].mean(axis=1)

    def of(self, members: Sequence[int]) -> Cast:
        """Some of them, in this order; one may be named twice."""
        numbers = np.asarray(members, dtype=np.int64)
        placed = None if self.placements is None else np.asarray(self.placements)[numbers]
        return _Part(
            [self.sources[m] for m in numbers], np.asarray(self.delays)[numbers], placed, whole=(self, numbers)
        )

    def member(self, number: int) -> PoseSource:
        """The poses of one of them, as a source of its own."""
        return _Member(self, number)

    def on_device(self, device: str) -> DeviceMotions | None:
        """Its motions on a GPU; there are none where a member moves by something else, such as a live stream."""
        if device == "cpu" or not self.has_motions_only:
            return None
        if device not in self._on_devices:
            which = np.empty(len(self), dtype=np.int32)
            for number, (_, members) in enumerate(self._groups):
                which[members] = number
            motions = [source for source, _ in self._groups if isinstance(source, Motion)]
            placed = None if self.placements is None else np.asarray(self.placements)
            self._on_devices[device] = DeviceMotions(
                motions, which, np.asarray(self.delays), self.skeleton, device, placements=placed
            )
        return self._on_devices[device]

    @cached_property
    def has_motions_only(self) -> bool:
        """Whether all follow motions of keys, so that poses can be made when they are looked at."""
        return all(isinstance(source, Motion) for source, _ in self._groups)

    @cached_property
    def has_shapes(self) -> bool:
        """Whether any of them may change shapes (morph targets) too: motions that do, and all that is no motion."""
        return any(not isinstance(source, Motion) or bool(source.shapes) for source, _ in self._groups)

    @cached_property
    def _last(self) -> _Moment:
        return _Moment()

    @cached_property
    def _on_devices(self) -> dict[str, DeviceMotions]:
        return {}

    @cached_property
    def _groups(self) -> list[tuple[PoseSource, NDArray[np.int64]]]:
        """The sources, each once, with the members that move by it: those are looked up together."""
        ids = np.array([id(source) for source in self.sources])
        _, firsts, group = np.unique(ids, return_index=True, return_inverse=True)
        return [(self.sources[first], np.flatnonzero(group == number)) for number, first in enumerate(firsts)]


@dataclass
class _Moment:
    """The last time [s] at which all members of a cast were looked up, and where their joints were."""

    time: float = math.nan
    world: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 4, 4)))


@dataclass(frozen=True, eq=False)
class _Part(Cast):
    """Some members of a cast, which takes them from there if they were looked up just now."""

    whole: tuple[Cast, NDArray[np.int64]] = field(kw_only=True)

    def _sample(self, time: float) -> FloatArray:
        cast, numbers = self.whole
        known = cast.has_motions_only and cast._last.time == time
        return cast._last.world[numbers] if known else super()._sample(time)


@dataclass(frozen=True, eq=False)
class _Member:
    """One of a cast."""

    cast: Cast
    number: int

    @property
    def skeleton(self) -> Skeleton:
        return self.cast.skeleton

    def sample(self, time: float) -> Pose:
        cast, number = self.cast, self.number
        source = cast.sources[number]
        if cast.has_motions_only and cast._last.time == time and not cast.has_shapes:
            return Pose(cast._last.world[number])
        pose = source.sample(time + float(cast.delays[number]))
        return pose if cast.placements is None else pose.moved(np.asarray(cast.placements)[number])


def _check_rigid(placements: ArrayLike, count: int) -> FloatArray:
    """Transforms (count, 4, 4) that turn and move, and do no more."""
    given = frozen(placements, np.float64, (count, 4, 4), "Cast", "placements")
    turns = given[:, :3, :3]
    off = np.abs(np.swapaxes(turns, 1, 2) @ turns - np.eye(3)).max(axis=(1, 2))
    wrong = (off > _RIGID) | (np.linalg.det(turns) < 0.0) | (given[:, 3] != [0.0, 0.0, 0.0, 1.0]).any(axis=1)
    if wrong.any():
        what = f"the placement of member {int(np.argmax(wrong))} scales, shears or mirrors"
        raise InputError("Cast", what, "a turn and a move are needed", "make another character for another size")
    return given


def check_time(time: float, where: str) -> None:
    """Refuse times that are none."""
    if not math.isfinite(time):
        raise InputError(where, f"time is {time}", "a finite time is needed", "pass seconds")
