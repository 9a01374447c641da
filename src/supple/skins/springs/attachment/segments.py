"""The straight pieces of a skeleton that a skin can hang on, and how they follow the joints.

A segment runs from a joint (its parent p) to one of its children c, so that segments meet at joints and the skeleton is
one connected tree; a last joint has a segment to its tail. Joints that stand on top of each other count as one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry import quaternions
from supple.geometry.segments import distances_to_segments

NONE = -1
_NO_LENGTH = 1e-4  # of the skeleton's size: shorter segments are places, not bones


@dataclass(frozen=True, eq=False)
class Segments:
    """Pieces (B,) of a skeleton at rest.

    Segment b turns with joint `joints[b]`, from `starts[b]` to `ends[b]` (B, 3) [m]; `children[b]` is the joint at its
    end, or -1 where it ends in a tail. `before[b]` is the segment that ends where it starts (-1 at a root), `after[b]`
    the one that carries on straightest from its end (-1 at a tail).
    """

    joints: IntArray
    children: IntArray
    starts: FloatArray
    ends: FloatArray
    before: IntArray
    after: IntArray

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def lengths(self) -> FloatArray:
        """Rest lengths (B,) [m]."""
        return np.linalg.norm(self.ends - self.starts, axis=1)

    @cached_property
    def directions(self) -> FloatArray:
        """Unit vectors (B, 3) from start to end at rest; zero where a segment has no length."""
        return quaternions.normalize(self.ends - self.starts)

    @cached_property
    def meets(self) -> BoolArray:
        """Which segments share an end (B, B); every segment meets itself."""
        ends = np.stack([self.starts, self.ends], axis=1)
        apart = np.linalg.norm(ends[:, None, :, None] - ends[None, :, None, :], axis=-1)
        return (apart <= _NO_LENGTH * _extent(ends.reshape(-1, 3))).any(axis=(2, 3))

    @cached_property
    def neighbors(self) -> IntArray:
        """Rows (B, widest): each segment, those it meets, and itself again as filling."""
        rows = [np.flatnonzero(row) for row in self.meets]
        table = np.repeat(np.arange(len(self))[:, None], max(len(row) for row in rows), axis=1)
        for segment, row in enumerate(rows):
            table[segment, 1 : len(row)] = row[row != segment]
        return table.astype(np.int32)

    def posed(
        self, skeleton: Skeleton, world_from_joint: FloatArray, skinning: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Starts and ends (B, 3) [m] in a pose; an end follows the child joint, so bones may change their length."""
        starts = world_from_joint[self.joints, :3, 3]
        carried = skinning[self.joints]
        tails = np.einsum("bij,bj->bi", carried[:, :3, :3], self.ends) + carried[:, :3, 3]
        ends = np.where((self.children >= 0)[:, None], world_from_joint[self.children, :3, 3], tails)
        return starts, ends


def find_segments(character: Character) -> Segments:
    """The segments of a character's skeleton; the last ones reach as far as the skin that is theirs.

    Where the skeleton says how long a last bone is, that is taken.
    """
    skeleton = character.skeleton
    tails, has_tail = _find_tails(character)
    joints, children, ends = [], [], []
    reach = _NO_LENGTH * _extent(np.concatenate([skeleton.heads, tails]))
    for joint in range(len(skeleton)):
        for child in skeleton.children(joint):
            if np.linalg.norm(skeleton.heads[child] - skeleton.heads[joint]) > reach:
                joints.append(joint)
                children.append(int(child))
                ends.append(skeleton.heads[child])
        if has_tail[joint]:
            joints.append(joint)
            children.append(NONE)
            ends.append(tails[joint])
    index = np.array(joints, dtype=np.int32)
    starts, stops = skeleton.heads[index], np.array(ends)
    before, after = _link(skeleton, index, starts, ends=stops, reach=reach)
    return Segments(index, np.array(children, dtype=np.int32), starts, stops, before, after)


def _link(
    skeleton: Skeleton, joints: IntArray, starts: FloatArray, *, ends: FloatArray, reach: float
) -> tuple[IntArray, IntArray]:
    """Segments before and after each one; joints that stand on each other are passed through."""
    directions = quaternions.normalize(ends - starts)
    above = [_ancestors(skeleton, int(joint)) for joint in joints]
    before = np.full(len(joints), NONE, dtype=np.int32)
    after = np.full(len(joints), NONE, dtype=np.int32)
    best = np.full(len(joints), -np.inf)
    for b in range(len(joints)):
        touching = np.flatnonzero(np.linalg.norm(ends - starts[b], axis=1) <= reach)
        own = [int(k) for k in touching if joints[k] in above[b] and joints[k] != joints[b]]
        if own:  # the nearest ancestor's
            before[b] = min(own, key=lambda k: above[b].index(int(joints[k])))
            straight = float(directions[before[b]] @ directions[b])
            if straight > best[before[b]]:
                best[before[b]], after[before[b]] = straight, b
    return before, after


def _ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    found: list[int] = []
    while joint >= 0:
        found.append(joint)
        joint = int(skeleton.parents[joint])
    return found


def _find_tails(character: Character) -> tuple[FloatArray, BoolArray]:
    """Where the last bones end (J, 3), and which joints are last."""
    skeleton = character.skeleton
    heads = skeleton.heads
    size = _extent(np.concatenate([heads, character.points]))
    last = ~np.isin(np.arange(len(skeleton)), skeleton.parents)
    tails = heads.copy() if skeleton.tails is None else skeleton.tails.copy()
    unknown = last & (np.linalg.norm(tails - heads, axis=1) <= _NO_LENGTH * size)
    owners = _find_owners(character) if unknown.any() else np.zeros(0, dtype=np.int32)
    for joint in np.flatnonzero(unknown):
        tails[joint] = heads[joint] + _tail_offset(character, int(joint), character.points[owners == joint])
    return tails, last


def _find_owners(character: Character) -> IntArray:
    """The joint (V,) that each vertex belongs to: that of its largest weight, or that of the nearest guessed bone."""
    if character.weights is not None:
        return character.weights.joints[:, 0]
    bones = character.skeleton.bones
    nearest = np.argmin(distances_to_segments(character.points, bones.starts, bones.ends)[0], axis=1)
    return bones.joints[nearest]


def _tail_offset(character: Character, joint: int, own: FloatArray) -> FloatArray:
    """From a last joint to the extent of its vertices, on in the direction in which its parent came."""
    skeleton = character.skeleton
    head = skeleton.heads[joint]
    ancestors = _ancestors(skeleton, joint)
    offsets = [head - skeleton.heads[a] for a in ancestors]
    offset = next((o for o in offsets if np.linalg.norm(o) > 0.0), np.zeros(3))
    if not offset.any() and len(own):
        offset = own.mean(axis=0) - head
    direction = quaternions.normalize(offset)
    extent = float((own - head).dot(direction).max(initial=0.0)) if len(own) else 0.5 * float(np.linalg.norm(offset))
    return np.asarray(extent * direction, dtype=np.float64)


def _extent(points: FloatArray) -> float:
    return max(float(np.ptp(points, axis=0).max()), 1e-300)
