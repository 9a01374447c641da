"""Poses of a crowd: every copy in its own motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.motion.sampling import DeviceMotions


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """A source of poses for a crowd: copy c is where `sources[c]` is `delays[c]` seconds later (0 if not given)."""

    crowd: Crowd
    sources: Sequence[PoseSource]
    delays: Sequence[float] = ()

    def __post_init__(self) -> None:
        count = self.crowd.count
        if len(self.sources) != count or len(self.delays) not in (0, count):
            raise InputError(
                "CrowdMotion",
                f"there are {len(self.sources)} sources and {len(self.delays)} delays",
                f"the crowd has {count} copies",
                "pass one of each for every copy",
            )
        for source in {id(source): source for source in self.sources}.values():
            self.crowd.member.skeleton.check_same(source.skeleton, "CrowdMotion")

    @property
    def skeleton(self) -> Skeleton:
        """The joints of all copies."""
        return self.crowd.skeleton

    def sample(self, time: float) -> Pose:
        """The poses of all copies at a time [s]; shapes (morph targets) are left at rest.

        Those of motions are made when they are looked at; a GPU makes its own, without asking the host.
        """
        if not math.isfinite(time):
            raise InputError("CrowdMotion", f"time is {time}", "a finite time is needed", "pass seconds")
        if self._has_motions_only:
            return CrowdPose(self, time)
        return Pose(self.world_from_joint(time))

    def world_from_joint(self, time: float) -> FloatArray:
        """Where the joints (count J, 4, 4) of all copies are at a time [s]."""
        times = time + self._delays
        world = np.empty((len(times), len(self.crowd.member.skeleton), 4, 4))
        for source, copies in self._groups:
            if isinstance(source, Motion):
                world[copies] = source.sample_transforms(times[copies])
            else:
                world[copies] = [source.sample(one).world_from_joint for one in times[copies].tolist()]
        return self.crowd.gathered(world)

    def on_device(self, device: str) -> DeviceMotions | None:
        """Its motions on a GPU; there are none where a copy moves by something else, such as a live stream."""
        if device == "cpu" or not self._has_motions_only:
            return None
        if device not in self._on_devices:
            which = np.empty(self.crowd.count, dtype=np.int32)
            for number, (_, copies) in enumerate(self._groups):
                which[copies] = number
            motions = [source for source, _ in self._groups if isinstance(source, Motion)]
            skeleton = self.crowd.member.skeleton
            self._on_devices[device] = DeviceMotions(motions, which, self._delays, skeleton, device)
        return self._on_devices[device]

    @cached_property
    def _has_motions_only(self) -> bool:
        return all(isinstance(source, Motion) for source, _ in self._groups)

    @cached_property
    def _on_devices(self) -> dict[str, DeviceMotions]:
        return {}

    @cached_property
    def _delays(self) -> FloatArray:
        return np.array(self.delays, dtype=np.float64) if len(self.delays) else np.zeros(self.crowd.count)

    @cached_property
    def _groups(self) -> list[tuple[PoseSource, NDArray[np.int64]]]:
        """The sources, each once, with the copies that move by it: those are looked up together."""
        ids = np.array([id(source) for source in self.sources])
        _, firsts, group = np.unique(ids, return_index=True, return_inverse=True)
        return [(self.sources[first], np.flatnonzero(group == number)) for number, first in enumerate(firsts)]


class CrowdPose(Pose):
    """The pose of a crowd at one moment of its motions, made when it is looked at."""

    def __init__(self, source: CrowdMotion, time: float) -> None:
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_time", time)
        object.__setattr__(self, "shapes", MappingProxyType({}))

    _source: CrowdMotion
    _time: float

    @cached_property
    def world_from_joint(self) -> FloatArray:
        """The transforms (count J, 4, 4) of all joints."""
        world = self._source.world_from_joint(self._time)
        world.flags.writeable = False
        return world

    def __len__(self) -> int:
        return len(self._source.skeleton)

    def write_skinning(self, skeleton: Skeleton, matrices: Any) -> None:
        """Bring the skinning transforms to `matrices` (count J,), 3x4 each, on a device."""
        motions = self._source.on_device(str(matrices.device)) if skeleton is self._source.skeleton else None
        if motions is None:
            super().write_skinning(skeleton, matrices)
        else:
            motions.write_skinning(self._time, matrices)

    def write_heads(self, heads: Any) -> None:
        """Bring where all joints are to `heads` (count J,), vec3f on a device."""
        motions = self._source.on_device(str(heads.device))
        if motions is None:
            super().write_heads(heads)
        else:
            motions.write_heads(self._time, heads)
