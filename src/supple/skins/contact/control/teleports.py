"""Cuts in a motion: a body that is led goes along with a jump over the ground as it is, instead of being flung there.

Where the motion has root i move within one step from M to M', farther from where the velocity of the body leads than
the body is large, all of its links are carried by M' M^-1: places, turns and velocities. Flesh lives in rest space and
needs none of it, so the body keeps its shape, its swing and how far it is behind its motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.contact.model.links import Links
from supple.skins.contact.model.mechanism import Mechanism, MechanismState

_FARTHEST = 1.0  # of the body's size: 100 m/s of a person at 60 steps a second; from 1 000 m on flesh was torn


@dataclass(frozen=True, eq=False)
class Teleports:
    """Finds the jumps of a motion, and carries what it leads along."""

    mechanism: Mechanism
    links: Links

    def carry(self, body: MechanismState, animated: FloatArray, pose: Pose, led: BoolArray, dt: float) -> bool:
        """Take the trees whose root jumps along, with where the motion had their joints; whether there was any.

        The motion had the joints at `animated` (J, 4, 4) and has them in `pose` after the step of `dt` [s]; `led` (r,)
        says which roots follow it. `body` and `animated` are changed.
        """
        roots = self.mechanism.roots
        joints = self.links.joints[roots]
        before, after = animated[joints], pose.world_from_joint[joints]
        ahead = after[:, :3, 3] - before[:, :3, 3] - dt * body.velocities[roots]
        far = np.linalg.norm(ahead, axis=1) > _FARTHEST * self._sizes
        jumping = np.flatnonzero(far & led)
        trees = self.mechanism.trees
        for tree in jumping:
            links = trees == tree
            turn = _rotation(after[tree]) @ _rotation(before[tree]).T
            center, target = before[tree, :3, 3], after[tree, :3, 3]
            body.positions[links] = target + (body.positions[links] - center) @ turn.T
            body.rotations[links] = turn @ body.rotations[links]
            for moving in (body.velocities, body.angular_velocities):
                moving[links] = moving[links] @ turn.T
            of_tree = links[self.links.of_joint]
            animated[of_tree, :3, :3] = turn @ animated[of_tree, :3, :3]
            animated[of_tree, :3, 3] = target + (animated[of_tree, :3, 3] - center) @ turn.T
        return len(jumping) > 0

    @cached_property
    def _sizes(self) -> FloatArray:
        """The largest side (r,) [m] of every tree at rest."""
        trees = self.mechanism.trees[self.mechanism.links[:, 0]]
        return np.array([np.ptp(self.mechanism.rest[trees == tree], axis=0).max() for tree in range(trees.max() + 1)])


def _rotation(transform: FloatArray) -> FloatArray:
    return np.asarray(quaternions.nearest_rotation(transform[None, :3, :3])[0])
