"""One pose: where every joint is at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions


@dataclass(frozen=True, eq=False)
class Pose:
    """The transforms `world_from_joint` (J, 4, 4) of all joints at one moment.

    `shapes` says how much of each of the character's shapes (morph targets) there is; 0 where it is silent.
    """

    world_from_joint: FloatArray
    shapes: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        given = frozen(self.world_from_joint, np.float64, (-1, 4, 4), "Pose", "world_from_joint")
        object.__setattr__(self, "world_from_joint", given)
        shape_weights = {str(name): float(weight) for name, weight in self.shapes.items()}
        strange = [name for name, weight in shape_weights.items() if not np.isfinite(weight)]
        if strange:
            what = f"there is {shape_weights[strange[0]]} of shape {strange[0]!r}"
            raise InputError("Pose", what, "a finite share is needed", "use 0 for none of it and 1 for all")
        object.__setattr__(self, "shapes", MappingProxyType(shape_weights))

    @classmethod
    def rest(cls, skeleton: Skeleton) -> Pose:
        """The pose in which the skin was bound."""
        return cls(skeleton.world_from_joint)

    @classmethod
    def from_rotations(
        cls, skeleton: Skeleton, rotations: Mapping[str, ArrayLike], *, move: ArrayLike | None = None
    ) -> Pose:
        """Turn named joints away from rest by quaternions in world axes; all that hangs below goes along.

        `move` (3,) [m] shifts the roots.
        """
        local = skeleton.parent_from_joint.copy()
        rest = skeleton.world_from_joint[:, :3, :3]
        for name, quaternion in rotations.items():
            joint = skeleton.index(name)
            given = frozen(quaternion, np.float64, (4,), "Pose", f"the turn of {name!r}")
            if not given.any():
                raise InputError(
                    "Pose", f"the turn of {name!r} is zero", "a quaternion x y z w is needed", "use 0 0 0 1 for no turn"
                )
            rotation = quaternions.matrix_from_quat(given)
            # A turn in world axes, seen from the joint's own rest frame.
            local[joint, :3, :3] = local[joint, :3, :3] @ np.linalg.inv(rest[joint]) @ rotation @ rest[joint]
        if move is not None:
            local[skeleton.parents < 0, :3, 3] += frozen(move, np.float64, (3,), "Pose", "move")
        return cls(skeleton.world_from_locals(local))

    def __len__(self) -> int:
        return len(self.world_from_joint)

    def skinning(self, skeleton: Skeleton) -> FloatArray:
        """Transforms (J, 4, 4) that take rest points to where each joint alone would carry them."""
        if len(self) != len(skeleton):
            raise InputError(
                "Pose",
                f"it has {len(self)} joints",
                f"the skeleton has {len(skeleton)}",
                "use a motion made for this character",
            )
        known: tuple[Skeleton, FloatArray] | None = self.__dict__.get("_skinning")
        if known is None or known[0] is not skeleton:  # several skins of one graph ask in every frame
            known = skeleton, self.world_from_joint @ skeleton.joint_from_world
            object.__setattr__(self, "_skinning", known)
        return known[1]

    def write_skinning(self, skeleton: Skeleton, matrices: Any) -> None:
        """Bring those transforms to `matrices` (J,), 3x4 each, on a device."""
        devices.write(matrices, self.skinning(skeleton)[:, :3, :])

    def write_heads(self, heads: Any) -> None:
        """Bring where all joints are to `heads` (J,), vec3f on a device."""
        devices.write(heads, self.world_from_joint[:, :3, 3])

    def write_positions(self, positions: Any) -> None:
        """The same to `positions` (J,), vec3d."""
        devices.write(positions, self.world_from_joint[:, :3, 3])

    def moved(self, world_from_world: FloatArray) -> Pose:
        """The same pose carried elsewhere by a transform (4, 4)."""
        carry = frozen(world_from_world, np.float64, (4, 4), "Pose", "world_from_world")
        return Pose(carry @ self.world_from_joint, shapes=self.shapes)


class PoseSource(Protocol):
    """Anything that knows the pose at a time: a motion, a noisy one, a live stream."""

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        ...

    def sample(self, time: float) -> Pose:
        """The pose at `time` [s]."""
        ...


def between(skeleton: Skeleton, a: Pose, b: Pose, fraction: float) -> Pose:
    """The pose part of the way from `a` to `b`: joints turn evenly about their parents, so bones keep their length."""
    if fraction <= 0.0:
        return a
    if fraction >= 1.0:
        return b
    local = quaternions.compose_between(_parts(skeleton, a), _parts(skeleton, b), fraction)
    shape_weights = {
        name: (1.0 - fraction) * a.shapes.get(name, 0.0) + fraction * b.shapes.get(name, 0.0)
        for name in {**a.shapes, **b.shapes}
    }
    return Pose(skeleton.world_from_locals(local), shapes=shape_weights)


@lru_cache(maxsize=8)
def _parts(skeleton: Skeleton, pose: Pose) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Moves, turns and scales of joints on their parents; whoever plays asks for the same two poses again and again."""
    return quaternions.decompose(parent_from_joints(skeleton, pose))


def parent_from_joints(skeleton: Skeleton, pose: Pose) -> FloatArray:
    """Transforms (J, 4, 4) of joints on their parents in a pose; roots are where they are in the world."""
    local = pose.world_from_joint.copy()
    has_parent = skeleton.parents >= 0
    parents = pose.world_from_joint[skeleton.parents[has_parent]]
    local[has_parent] = np.linalg.solve(parents, pose.world_from_joint[has_parent])
    return local
