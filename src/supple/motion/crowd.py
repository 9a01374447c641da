"""Poses of a crowd: every copy in its own motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.errors import InputError
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
        delays = self.delays or np.zeros(self.crowd.count)
        poses = [source.sample(time + delay) for source, delay in zip(self.sources, delays, strict=True)]
        return Pose(self.crowd.gathered([pose.world_from_joint for pose in poses]))
