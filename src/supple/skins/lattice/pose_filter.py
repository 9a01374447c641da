"""The pose as the flesh sees it when it shall not tremble: behind a filter that lets only slow motion through."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.motion.pose import Pose
from supple.motion.relative import RelativePose, decay_spring, difference, displace


@dataclass
class LowPassPose:
    """A low-pass filter of poses, and where it sees every joint on its parent.

    `moves` (J, 3) [m], `rotations` (J, 4), `speeds` (J, 2, 3) of both [m/s, rad/s].
    """

    moves: FloatArray
    rotations: FloatArray
    speeds: FloatArray

    @classmethod
    def from_pose(cls, skeleton: Skeleton, pose: Pose) -> LowPassPose:
        """Begin at rest in a pose."""
        first = RelativePose.from_pose(skeleton, pose)
        return cls(first.moves.copy(), first.rotations.copy(), np.zeros((len(first.moves), 2, 3)))

    def filter(self, skeleton: Skeleton, pose: Pose, dt: float, *, frequency: float) -> Pose:
        """Come after a pose for `dt` [s] like a critically damped spring, and return what is seen.

        With w = 2 pi `frequency`, e'' = -2 w e' - w^2 e for the difference e of every joint to the pose, relative to
        its parent, solved exactly. A motion of f Hz comes through as 1 / (1 + (f / frequency)^2) of itself, and a slow
        one is 2 / w late. Scales and shapes are seen as they are.
        """
        goal = RelativePose.from_pose(skeleton, pose)
        rate = 2.0 * math.pi * frequency
        seen = RelativePose(self.moves, self.rotations, goal.scales, goal.shapes)
        left, self.speeds[...] = decay_spring(difference(seen, goal), self.speeds, rate, dt)
        seen = displace(goal, left)
        self.moves[...], self.rotations[...] = seen.moves, seen.rotations
        return seen.pose(skeleton)
