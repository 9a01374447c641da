"""The skeleton: named joints, who hangs on whom, and where each stands at rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, by_fields, frozen
from supple.errors import InputError
from supple.geometry.rows import group_by_label


@dataclass(frozen=True)
class Bones:
    """The segments between joints: bone b turns with joint `joints[b]` and runs from `starts[b]` to `ends[b]` [m]."""

    joints: IntArray
    starts: FloatArray
    ends: FloatArray


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints by name, their parents (-1 for a root), and their rest transforms.

    `world_from_joint` (J, 4, 4) holds the rest pose, the one in which the skin was bound. `tails` (J, 3) [m] says where
    the bone of a joint ends at rest; where it is not given, a bone ends at the joint's children, and a last joint
    carries on in its parent's direction for half the parent's length. Joints may come in any order.
    """

    names: tuple[str, ...]
    parents: IntArray
    world_from_joint: FloatArray
    tails: FloatArray | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        where = "Skeleton"
        names = tuple(str(name) for name in self.names)
        count = len(names)
        if count == 0:
            raise InputError(where, "there are no joints", "at least one is needed", "add a root joint")
        doubles = sorted(name for name, times in Counter(names).items() if times > 1)
        if doubles:
            raise InputError(where, f"joint name {doubles[0]!r} stands twice", "names must differ", "rename one")
        parents = frozen(self.parents, np.int32, (count,), where, "parents")
        world = frozen(self.world_from_joint, np.float64, (count, 4, 4), where, "world_from_joint")
        outside = (parents < -1) | (parents >= count)
        if outside.any():
            joint = int(np.argmax(outside))
            raise InputError(
                where,
                f"joint {names[joint]!r} has parent {parents[joint]}",
                f"parents are -1 (a root) or 0 to {count - 1}",
                "point it at a joint that exists",
            )
        if not np.allclose(world[:, 3], [0.0, 0.0, 0.0, 1.0], atol=1e-6):
            raise InputError(
                where,
                "a rest transform has a last row other than 0 0 0 1",
                "transforms act on column vectors",
                "transpose them",
            )
        flat = np.abs(np.linalg.det(world[:, :3, :3])) < 1e-12
        if flat.any():
            raise InputError(
                where,
                f"the rest transform of joint {names[int(np.argmax(flat))]!r} cannot be inverted",
                "every joint needs a scale other than zero at rest",
                "give it a scale",
            )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "world_from_joint", world)
        if self.tails is not None:
            object.__setattr__(self, "tails", frozen(self.tails, np.float64, (count, 3), where, "tails"))
        self.levels  # noqa: B018 - finds cycles at the door

    def __reduce__(self) -> Any:
        """Can be pickled, to be handed to another process."""
        return by_fields(self)

    @classmethod
    def from_heads(
        cls, names: Sequence[str], parents: ArrayLike, heads: ArrayLike, *, tails: ArrayLike | None = None
    ) -> Skeleton:
        """A skeleton whose joints stand at `heads` (J, 3) [m] with their axes along the world's."""
        heads = np.asarray(heads, dtype=np.float64)
        world = np.tile(np.eye(4), (len(heads), 1, 1))
        world[:, :3, 3] = heads
        return cls(tuple(names), np.asarray(parents), world, tails=None if tails is None else np.asarray(tails))

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """The number of the joint called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            near = ", ".join(self.names[:8]) + (", ..." if len(self) > 8 else "")
            raise InputError(
                "Skeleton", f"joint {name!r} was asked for", f"it has {near}", "use one of those"
            ) from None

    def check_same(self, other: Skeleton, where: str) -> None:
        """Refuse another skeleton: its joints must have the same names and parents, in the same order."""
        if other is self or (other.names == self.names and np.array_equal(other.parents, self.parents)):
            return
        missing = [name for name in self.names if name not in other.names][:3]
        detail = f"lacks {', '.join(missing)}" if missing else "orders or hangs its joints differently"
        raise InputError(
            where,
            f"the motion is for a skeleton of {len(other)} joints that {detail}",
            f"this character has {len(self)} joints",
            "make or load a motion for this character",
        )

    @cached_property
    def levels(self) -> tuple[IntArray, ...]:
        """Joints grouped by depth, roots first, so that a level can be posed at once from the one above."""
        parents = self.parents.tolist()
        unknown, on_the_way = -1, -2
        depth = [unknown] * len(parents)
        for joint in range(len(parents)):
            path, here = [], joint
            while here >= 0 and depth[here] == unknown:
                depth[here] = on_the_way
                path.append(here)
                here = parents[here]
            if here >= 0 and depth[here] == on_the_way:
                loop = [self.names[j] for j in sorted(path[path.index(here) :])]
                given = f"joints {', '.join(loop[:5])} hang on each other in a cycle"
                if len(loop) == 1:
                    given = f"joint {loop[0]} hangs on itself"
                raise InputError(
                    "Skeleton", given, "parents must lead to a root", "make one of them a root (parent -1)"
                )
            above = depth[here] if here >= 0 else -1
            for step, member in enumerate(reversed(path), start=1):
                depth[member] = above + step
        _, members = group_by_label(np.array(depth, dtype=np.int32), max(depth) + 1)
        return tuple(np.split(members, np.cumsum(np.bincount(depth))[:-1]))

    @cached_property
    def joint_from_world(self) -> FloatArray:
        """Inverse rest transforms (J, 4, 4), also called inverse bind matrices."""
        return np.linalg.inv(self.world_from_joint).astype(np.float64, copy=False)

    @cached_property
    def parent_from_joint(self) -> FloatArray:
        """Rest transforms (J, 4, 4) relative to the parent; a root's are relative to the world."""
        local = self.world_from_joint.copy()
        has_parent = self.parents >= 0
        local[has_parent] = self.joint_from_world[self.parents[has_parent]] @ self.world_from_joint[has_parent]
        return local

    def world_from_locals(self, parent_from_joint: FloatArray) -> FloatArray:
        """Forward kinematics: local transforms (..., J, 4, 4) to transforms in the world."""
        world = np.array(parent_from_joint, dtype=np.float64)
        for level, parents in self._climb:
            world[..., level, :, :] = world[..., parents, :, :] @ world[..., level, :, :]
        return world

    @cached_property
    def _climb(self) -> list[tuple[Any, Any]]:
        """Every level below the roots with its parents; joints that are alone as numbers, which is quicker."""
        return [
            (int(level[0]), int(self.parents[level[0]])) if len(level) == 1 else (level, self.parents[level])
            for level in self.levels[1:]
        ]

    def children(self, joint: int) -> IntArray:
        """The joints that hang on `joint`."""
        return np.flatnonzero(self.parents == joint).astype(np.int32)

    def descendants(self, joint: int) -> IntArray:
        """`joint` and everything that hangs below it."""
        below = np.zeros(len(self), dtype=bool)
        below[joint] = True
        for level in self.levels[1:]:
            below[level] |= below[self.parents[level]]
        return np.flatnonzero(below).astype(np.int32)

    @cached_property
    def heads(self) -> FloatArray:
        """Rest positions (J, 3) of the joints [m]."""
        return self.world_from_joint[:, :3, 3].copy()

    @cached_property
    def bones(self) -> Bones:
        """Rest segments of the bones; a joint with several children has one to each, a last joint one to its tail."""
        joints: list[int] = []
        ends: list[FloatArray] = []
        for joint in range(len(self)):
            for end in self._ends_of(joint):
                joints.append(joint)
                ends.append(end)
        index = np.array(joints, dtype=np.int32)
        return Bones(index, self.heads[index], np.array(ends))

    def _ends_of(self, joint: int) -> list[FloatArray]:
        if self.tails is not None:
            return [self.tails[joint]]
        children = self.children(joint)
        if len(children):
            return [self.heads[child] for child in children]
        parent = int(self.parents[joint])
        reach = 0.5 * (self.heads[joint] - self.heads[parent]) if parent >= 0 else np.zeros(3)
        return [self.heads[joint] + reach]
