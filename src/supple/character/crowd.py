"""Many copies of one character as one: what is cheap for a large problem is cheap for many small ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError

_WHERE = "Crowd"


@dataclass(frozen=True, eq=False, repr=False)
class Crowd(Character):
    """`count` copies of the character `member`, one after another: vertices, triangles and joints of copy c follow
    those of copy c - 1. Any skin that moves a character moves a crowd; skins that can prepare one copy for all do so.

    Copies know nothing of each other: they do not meet.
    """

    member: Character = field(kw_only=True)
    count: int = field(kw_only=True)

    @classmethod
    def of(cls, member: Character, count: int) -> Self:
        """A crowd of `count` copies, all at the place of the member until they are posed."""
        if count < 1:
            raise InputError(_WHERE, f"count is {count}", "at least one copy is needed", "use 1 or more")
        vertices, joints = len(member.points), len(member.skeleton)
        return cls(
            np.tile(member.points, (count, 1)),
            stacked(member.triangles, count, vertices),
            _skeleton(member.skeleton, count),
            None if member.weights is None else _weights(member.weights, count, joints),
            name=f"{count} x {member.name}",
            maps={name: np.tile(values, count) for name, values in member.maps.items()},
            parts={name: stacked(numbers, count, vertices) for name, numbers in member.parts.items()},
            shapes={name: np.tile(offsets, (count, 1)) for name, offsets in member.shapes.items()},
            member=member,
            count=count,
        )

    def gathered(self, world_from_joint: ArrayLike) -> FloatArray:
        """The transforms (count J, 4, 4) of all copies from those (J, 4, 4) of each."""
        each = np.asarray(world_from_joint, dtype=np.float64)
        joints = len(self.member.skeleton)
        if each.shape != (self.count, joints, 4, 4):
            raise InputError(
                _WHERE,
                f"the poses have shape {each.shape}",
                f"({self.count}, {joints}, 4, 4) is needed",
                "pass one pose for each copy",
            )
        return each.reshape(-1, 4, 4)

    def apart(self, values: ArrayLike) -> np.ndarray:
        """What belongs to the vertices (count V, ...) of the crowd, copy by copy (count, V, ...)."""
        given = np.asarray(values)
        return given.reshape(self.count, -1, *given.shape[1:])


def stacked(numbers: ArrayLike, count: int, span: int) -> np.ndarray:
    """Numbers of `count` copies, those of copy c raised by c `span`, one copy after another."""
    given = np.asarray(numbers)
    shifts = (span * np.arange(count)).astype(given.dtype).reshape(-1, *[1] * given.ndim)
    return np.add(given[None], shifts, dtype=given.dtype).reshape(-1, *given.shape[1:])


def _skeleton(skeleton: Skeleton, count: int) -> Skeleton:
    names = tuple(f"{copy}/{name}" for copy in range(count) for name in skeleton.names)
    raised = stacked(skeleton.parents, count, len(skeleton))
    parents = np.where(np.tile(skeleton.parents, count) < 0, -1, raised)
    tails = None if skeleton.tails is None else np.tile(skeleton.tails, (count, 1))
    return Skeleton(names, parents, np.tile(skeleton.world_from_joint, (count, 1, 1)), tails=tails)


def _weights(weights: Weights, count: int, joints: int) -> Weights:
    # Unused places keep value zero; the joint they name exists.
    return Weights(stacked(weights.joints, count, joints), np.tile(weights.values, (count, 1)))
