"""Noise on a motion, as a capture with markers or a cheap tracker has it."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose, PoseSource
from supple.settings import Settings, setting


@dataclass(frozen=True, eq=False)
class NoisyMotion(Settings):
    """Shake every joint of another source of poses, the same way each time it is asked.

    At the times k / `rate`, each joint is moved by `position` * n in the world and turned about itself by the rotation
    vector `angle` * m, where the three components of n and of m are normal with standard deviation one; between those
    times n and m are blended linearly. The pose at a time follows from that time and the seed alone, so times may be
    asked for in any order.

    Joints are shaken one by one: a child is not carried along by its parent's noise, so bones change their length a
    little. Halfway between two times the blend makes the noise smaller by the square root of two. The noise does not
    repeat where a motion loops.
    """

    source: PoseSource
    _: KW_ONLY
    position: float = setting(0.0, "Noise of positions, standard deviation per axis", unit="m", low=0.0)
    angle: float = setting(0.0, "Noise of rotations, standard deviation per axis", unit="rad", low=0.0)
    rate: float = setting(30.0, "New noise this often", unit="1/s", low=1e-3, high=1e6)
    seed: int = setting(0, "Which noise of many", low=0)

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self.source.skeleton

    def sample(self, time: float) -> Pose:
        """The shaken pose at any `time` [s], before zero too."""
        if not math.isfinite(time):
            raise InputError("NoisyMotion", f"time is {time}", "a finite time is needed", "pass seconds")
        world = self.source.sample(time).world_from_joint.copy()
        position = time * self.rate
        first = math.floor(position)
        fraction = position - first
        noise = (1.0 - fraction) * self._noise(first, len(world)) + fraction * self._noise(first + 1, len(world))
        world[:, :3, 3] += self.position * noise[:, 0]
        if self.angle > 0.0:
            vectors = self.angle * noise[:, 1]
            rotations = quaternions.quat_from_axis_angle(vectors, np.linalg.norm(vectors, axis=-1))
            world[:, :3, :3] = quaternions.matrix_from_quat(rotations) @ world[:, :3, :3]
        return Pose(world)

    def _noise(self, tick: int, joints: int) -> FloatArray:
        """Standard normal numbers (J, 2, 3) that belong to one tick, for moves and for turns."""
        # Seeds count from zero: ticks 0, 1, 2, ... take the even ones and -1, -2, ... the odd ones.
        branch = 2 * tick if tick >= 0 else -2 * tick - 1
        source = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(branch,)))
        return source.standard_normal((joints, 2, 3))
