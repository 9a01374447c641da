"""Poses of a crowd: every copy in its own motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.cast import Cast, check_time
from supple.motion.pose import Pose, PoseSource
from supple.motion.sampling import DeviceMotions


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """A source of poses for a crowd: copy c is where `sources[c]` is `delays[c]` seconds later (0 if not given).

    `placements` (C, 4, 4) turn and move copies from where their sources have them.
    """

    crowd: Crowd
    sources: Sequence[PoseSource]
    delays: Sequence[float] | FloatArray = ()
    placements: ArrayLike | None = None

    def __post_init__(self) -> None:
        count = self.crowd.count
        if len(self.sources) != count or len(self.delays) not in (0, count):
            raise InputError(
                "CrowdMotion",
                f"there are {len(self.sources)} sources and {len(self.delays)} delays",
                f"the crowd has {count} copies",
                "pass one of each for every copy",
            )
        self.crowd.member.skeleton.check_same(self.cast.skeleton, "CrowdMotion")

    @classmethod
    def of(cls, crowd: Crowd, cast: Cast) -> CrowdMotion:
        """The poses of a crowd whose copies are the members of a cast."""
        return cls(crowd, cast.sources, cast.delays, cast.placements)

    @cached_property
    def cast(self) -> Cast:
        """Who of the copies moves how."""
        return Cast(self.sources, self.delays, self.placements)

    @property
    def skeleton(self) -> Skeleton:
        """The joints of all copies."""
        return self.crowd.skeleton

    def sample(self, time: float) -> Pose:
        """The poses of all copies at a time [s]; a share of "3/smile" is that of copy 3 of its shape (morph target).

        Those of motions are made when they are looked at; a GPU makes its own, without asking the host.
        """
        check_time(time, "CrowdMotion")
        shapes = self.cast.shapes(time)
        if self.cast.has_motions_only:
            return CrowdPose(self, time, shapes)
        return Pose(self.world_from_joint(time), shapes=shapes)

    def world_from_joint(self, time: float) -> FloatArray:
        """Where the joints (count J, 4, 4) of all copies are at a time [s]."""
        return self.crowd.gathered(self.cast.world_from_joint(time))

    def on_device(self, device: str) -> DeviceMotions | None:
        """Its motions on a GPU; there are none where a copy moves by something else, such as a live stream."""
        return self.cast.on_device(device)


class CrowdPose(Pose):
    """The pose of a crowd at one moment of its motions, made when it is looked at."""

    def __init__(self, source: CrowdMotion, time: float, shapes: Mapping[str, float]) -> None:
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_time", time)
        object.__setattr__(self, "shapes", MappingProxyType(dict(shapes)))

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

    def write_positions(self, positions: Any) -> None:
        """The same to `positions` (count J,), vec3d."""
        motions = self._source.on_device(str(positions.device))
        if motions is None:
            super().write_positions(positions)
        else:
            motions.write_positions(self._time, positions)
