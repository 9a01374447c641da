"""One change of the skeleton: by how much joints are turned, moved and made larger, whatever pose they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

_WHERE = "PoseEdit"
_NOTHING = 1e-12
_SAME_SIZE = 1e-6  # of a joint in two poses, as a share of it


@dataclass(frozen=True, eq=False)
class PoseEdit:
    """Turns of joints by name, quaternions x y z w in the joints' own axes, and moves (3,) [m] in their parents' axes.

    A joint turns about itself after whatever the motion does to it, so that an edit goes on top of any motion. `sizes`
    say how many times as large joints become, each with all that hangs on it; half of an edit is the root of them.
    """

    rotations: Mapping[str, FloatArray]
    moves: Mapping[str, FloatArray] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rotations = {}
        for name, given in self.rotations.items():
            rotation = frozen(given, np.float64, (4,), _WHERE, f"the turn of {name!r}")
            if not np.linalg.norm(rotation) > 1e-6:
                raise InputError(
                    _WHERE, f"the turn of {name!r} is zero", "a quaternion x y z w is needed", "use 0 0 0 1 for no turn"
                )
            rotations[str(name)] = rotation
        moves = {
            str(name): frozen(m, np.float64, (3,), _WHERE, f"the move of {name!r}") for name, m in self.moves.items()
        }
        sizes = {str(name): float(size) for name, size in self.sizes.items()}
        for name, size in sizes.items():
            if not 0.0 < size < np.inf:
                raise InputError(
                    _WHERE, f"the size of {name!r} is {size:g}", "a number above 0 is needed", "use 1 for as it is"
                )
        object.__setattr__(self, "sizes", MappingProxyType(sizes))
        object.__setattr__(self, "rotations", MappingProxyType(rotations))
        object.__setattr__(self, "moves", MappingProxyType(moves))

    @classmethod
    def between(cls, skeleton: Skeleton, before: Pose, after: Pose) -> PoseEdit:
        """What takes one pose to another; joints that grow more one way than another grow by the mean of it."""
        moves_a, rotations_a, scales_a = quaternions.decompose(_locals(skeleton, before))
        moves_b, rotations_b, scales_b = quaternions.decompose(_locals(skeleton, after))
        rotations = quaternions.quat_multiply(quaternions.conjugate(rotations_a), rotations_b)
        moves = moves_b - moves_a
        names = skeleton.names
        size = max(float(np.abs(skeleton.heads).max()), 1.0)
        grown = np.log(_mean_size(scales_b) / _mean_size(scales_a))
        return cls(
            {names[j]: rotations[j] for j in np.flatnonzero(np.abs(rotations[:, :3]).max(axis=1) > 1e-9)},
            {names[j]: moves[j] for j in np.flatnonzero(np.abs(moves).max(axis=1) > 1e-9 * size)},
            {names[j]: float(np.exp(grown[j])) for j in np.flatnonzero(np.abs(grown) > _SAME_SIZE)},
        )

    def scaled(self, amount: float) -> PoseEdit:
        """`amount` times this edit."""
        rotations = {name: partial_rotation(rotation, amount) for name, rotation in self.rotations.items()}
        moves = {name: amount * move for name, move in self.moves.items()}
        return PoseEdit(rotations, moves, {name: size**amount for name, size in self.sizes.items()})

    def without(self, name: str) -> PoseEdit:
        """All that it does to other joints."""
        kept = [{known: kind[known] for known in kind if known != name} for kind in self._kinds]
        return PoseEdit(*kept)

    @property
    def joints(self) -> list[str]:
        """The joints to which it does anything."""
        return list(dict.fromkeys(name for kind in self._kinds for name in kind))

    @property
    def _kinds(self) -> tuple[Mapping[str, Any], ...]:
        return self.rotations, self.moves, self.sizes

    def check_fits(self, skeleton: Skeleton, where: str) -> None:
        """Refuse a skeleton that lacks one of its joints."""
        lost = [name for name in self.joints if name not in skeleton.names]
        if lost:
            raise InputError(
                where,
                f"it turns, moves or scales joint {lost[0]!r}",
                "the skeleton has no such joint",
                "use it on the character it was made for",
            )

    def rotate(self, rotations: FloatArray, skeleton: Skeleton, amounts: ArrayLike) -> FloatArray:
        """Local rotations (..., J, 4) with `amounts` (...) of this edit on top."""
        result = np.array(rotations, dtype=np.float64)
        for name, rotation in self.rotations.items():
            joint = skeleton.index(name)
            result[..., joint, :] = quaternions.quat_multiply(
                result[..., joint, :], partial_rotation(rotation, amounts)
            )
        return result

    def translate(self, moves: FloatArray, skeleton: Skeleton, amounts: ArrayLike) -> FloatArray:
        """Local translations (..., J, 3) [m] with `amounts` (...) of this edit on top."""
        result = np.array(moves, dtype=np.float64)
        for name, move in self.moves.items():
            result[..., skeleton.index(name), :] += np.asarray(amounts)[..., None] * move
        return result

    def resize(self, scales: FloatArray, skeleton: Skeleton, amounts: ArrayLike) -> FloatArray:
        """Local scales (..., J, 3) with `amounts` (...) of this edit on top."""
        result = np.array(scales, dtype=np.float64)
        for name, size in self.sizes.items():
            result[..., skeleton.index(name), :] *= size ** np.asarray(amounts, dtype=np.float64)[..., None]
        return result

    def on(self, skeleton: Skeleton, pose: Pose, *, amount: float = 1.0) -> Pose:
        """A pose with `amount` of this edit."""
        self.check_fits(skeleton, _WHERE)
        moves, rotations, scales = quaternions.decompose(_locals(skeleton, pose))
        rotated, moved = self.rotate(rotations, skeleton, amount), self.translate(moves, skeleton, amount)
        local = quaternions.compose(moved, rotated, self.resize(scales, skeleton, amount))
        return Pose(skeleton.world_from_locals(local), shapes=pose.shapes)


def partial_rotation(rotation: FloatArray, amounts: ArrayLike) -> FloatArray:
    """A quaternion's turn times `amounts` (...): its angle, the shorter way round, is multiplied."""
    unit = quaternions.normalize(rotation)
    unit = unit * (-1.0 if unit[3] < 0.0 else 1.0)
    sine = float(np.linalg.norm(unit[:3]))
    angle = 2.0 * np.arctan2(sine, unit[3])
    axis = unit[:3] / sine if sine > _NOTHING else np.array([1.0, 0.0, 0.0])
    every = np.asarray(amounts, dtype=np.float64)
    return quaternions.quat_from_axis_angle(np.broadcast_to(axis, (*every.shape, 3)), angle * every)


def _mean_size(scales: FloatArray) -> FloatArray:
    """Of joints (J,), as their volumes have it; those without any count as they are."""
    volumes = np.abs(scales).prod(axis=-1)
    return np.asarray(np.cbrt(np.where(volumes > 0.0, volumes, 1.0)))


def _locals(skeleton: Skeleton, pose: Pose) -> FloatArray:
    world = pose.world_from_joint
    if len(pose) != len(skeleton):
        raise InputError(
            _WHERE,
            f"the pose has {len(pose)} joints",
            f"the skeleton has {len(skeleton)}",
            "use a pose of this character",
        )
    local = np.array(world)
    has_parent = skeleton.parents >= 0
    local[has_parent] = np.linalg.solve(world[skeleton.parents[has_parent]], world[has_parent])
    return local
