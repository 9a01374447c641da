"""Poses of a crowd: every copy in its own motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource


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
        """The poses of all copies at a time [s]; shapes (morph targets) are left at rest."""
        times = time + self._delays
        world = np.empty((len(times), len(self.crowd.member.skeleton), 4, 4))
        for source, copies in self._groups:
            if isinstance(source, Motion):
                world[copies] = source.sample_transforms(times[copies])
            else:
                world[copies] = [source.sample(one).world_from_joint for one in times[copies].tolist()]
        return Pose(self.crowd.gathered(world))

    @cached_property
    def _delays(self) -> FloatArray:
        return np.array(self.delays, dtype=np.float64) if len(self.delays) else np.zeros(self.crowd.count)

    @cached_property
    def _groups(self) -> list[tuple[PoseSource, NDArray[np.int64]]]:
        """The sources, each once, with the copies that move by it: those are looked up together."""
        ids = np.array([id(source) for source in self.sources])
        _, firsts, group = np.unique(ids, return_index=True, return_inverse=True)
        return [(self.sources[first], np.flatnonzero(group == number)) for number, first in enumerate(firsts)]
