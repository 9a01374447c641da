"""The limbs of a character: what lies around each of its joints, from the middle of a bone to that of the next."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.topology import ring_areas

SMALLEST = 0.03  # of all skin: what lies around a joint and is less belongs to the limb above it
_ASIDE = 0.25  # of a bone's length: a joint without children that stands nearer to it only twists its skin


@dataclass(frozen=True, eq=False)
class Limbs:
    """Which limb every vertex belongs to, and where edges that lead from one limb to another are cut.

    `names` (L) are those of the joints that limbs lie around, `above` (L,) the limb that each hangs on, -1 for none,
    and `carried` (L,) how many joints it carries. `limb_of` (V,) says to which of them a vertex belongs, `moved_by`
    (J,) to which a joint, -1 for one above all of them. A vertex lies along bone `bone_of` (V,), -1 for none, which
    leads from limb `limits[bone, 0]` to `limits[bone, 1]`, from joint `bones[bone, 0]` to `bones[bone, 1]`, and whose
    point X is at t = (X - starts) . along: 0 at its head, 1 at its end.
    """

    names: tuple[str, ...]
    above: IntArray
    carried: IntArray
    limb_of: IntArray
    moved_by: IntArray
    bone_of: IntArray
    limits: IntArray
    bones: IntArray
    starts: FloatArray
    along: FloatArray

    def cut_shares(self, points: FloatArray, edges: IntArray) -> FloatArray:
        """How far (E,) along each of `edges` (E, 2), 0 to 1, it leaves the limb of its first vertex.

        Where it crosses the middle of the bone between its two limbs; half way, if there is no such bone.
        """
        shares = np.full(len(edges), 0.5)
        found = np.zeros(len(edges), dtype=bool)
        pair = np.sort(self.limb_of[edges], axis=1)
        for end in range(2):
            bone = self.bone_of[edges[:, end]]
            fits = (bone >= 0) & ~found
            fits[fits] = (np.sort(self.limits[bone[fits]], axis=1) == pair[fits]).all(axis=1)
            rows = np.flatnonzero(fits)
            t = np.stack([self.position(points[edges[rows, k]], bone[rows]) for k in range(2)], axis=1) - 0.5
            crosses = (t[:, 0] * t[:, 1] <= 0.0) & (t[:, 0] != t[:, 1])
            rows, t = rows[crosses], t[crosses]
            shares[rows] = t[:, 0] / (t[:, 0] - t[:, 1])
            found[rows] = True
        return shares

    def next_to(self, limb: int) -> int:
        """The limb that one goes with if it is none of its own: that above it, of the first the one that carries most.

        Of a trunk that is the spine, not a leg.
        """
        if self.above[limb] >= 0:
            return int(self.above[limb])
        others = np.flatnonzero(self.above == limb)
        others = others if len(others) else np.flatnonzero(np.arange(len(self.names)) != limb)
        return int(others[self.carried[others].argmax()])

    def merge(self, limb: int, other: int) -> Limbs:
        """The same limbs, of which one belongs to another."""
        above = np.where(self.above == limb, other, self.above)
        above[other] = self.above[limb] if self.above[other] == limb else self.above[other]
        into = np.arange(len(self.names)) - (np.arange(len(self.names)) > limb)
        into[limb] = into[other]
        return replace(
            self,
            names=self.names[:limb] + self.names[limb + 1 :],
            above=np.delete(np.where(above < 0, -1, into[above]), limb).astype(np.int32),
            carried=np.delete(
                np.maximum(self.carried, np.where(np.arange(len(into)) == other, self.carried[limb], 0)), limb
            ),
            limb_of=into[self.limb_of].astype(np.int32),
            moved_by=np.where(self.moved_by < 0, -1, into[self.moved_by]).astype(np.int32),
            limits=np.where(self.limits < 0, -1, into[self.limits]).astype(np.int32),
        )

    def shared(self, weights: Weights) -> FloatArray:
        """How much (V,) of what moves a vertex are joints of other limbs than of the one that moves it most."""
        count = len(self.names) + 1
        limb = np.arange(len(weights.joints))[:, None] * count + 1 + self.moved_by[weights.joints]
        by_limb = np.bincount(limb.ravel(), weights.values.ravel(), len(weights.joints) * count)
        return np.asarray(1.0 - by_limb.reshape(-1, count).max(axis=1))

    def position(self, points: FloatArray, bones: IntArray) -> FloatArray:
        """Where (N,) along each of `bones` (N,) a point of `points` (N, 3) lies: 0 at its head, 1 at its end."""
        return np.asarray(np.einsum("ni,ni->n", points - self.starts[bones], self.along[bones]))


def find_limbs(character: Character) -> Limbs | None:
    """Divide a character's skin into limbs, if it has weights.

    What moves most with a joint lies along the nearest of the bones from it to the next joints. What lies around joints
    that have little skin of their own, such as those of fingers, belongs to the joint above: a hand is one limb.
    """
    weights, skeleton = character.weights, character.skeleton
    if weights is None or not len(character.triangles):
        return None
    points = character.points
    strongest = np.take_along_axis(weights.joints, weights.values.argmax(axis=1)[:, None], axis=1)[:, 0]
    twists = _twists(skeleton)
    joint = np.where(twists[strongest], skeleton.parents[strongest], strongest)
    children = np.flatnonzero((skeleton.parents >= 0) & ~twists).astype(np.int32)
    ways = skeleton.heads[children] - skeleton.heads[skeleton.parents[children]]
    squares = np.einsum("bi,bi->b", ways, ways)
    long = squares > (1e-6 * float(np.linalg.norm(np.ptp(points, axis=0)))) ** 2
    joined = children[~long]  # joints at one place are one
    children, ways, squares = children[long], ways[long], squares[long]
    parents = skeleton.parents[children]
    starts, along = skeleton.heads[parents], ways / squares[:, None]
    bone_of = _nearest_bone(points, joint, parents, starts, ways, along)
    limits = np.stack([parents, children], axis=1).astype(np.int32)
    on_bone = np.flatnonzero(bone_of >= 0)
    bone = bone_of[on_bone]
    t = np.einsum("ni,ni->n", points[on_bone] - starts[bone], along[bone])
    joint[on_bone] = np.where(t > 0.5, children[bone], joint[on_bone])
    owner = _merge(character, joint, joined)
    limb_joints, limb_of = np.unique(owner[joint], return_inverse=True)
    number = np.full(len(skeleton), -1, dtype=np.int32)  # of joints around which there is no skin
    number[np.isin(owner, limb_joints)] = np.searchsorted(limb_joints, owner[np.isin(owner, limb_joints)])
    names = tuple(skeleton.names[one] for one in limb_joints)
    above = np.array([_limb_above(skeleton, number, int(one)) for one in limb_joints], dtype=np.int32)
    carried = np.array([len(skeleton.descendants(int(one))) for one in limb_joints], dtype=np.int32)
    moved_by = _with_limb_above(skeleton, number)
    return Limbs(
        names, above, carried, limb_of.astype(np.int32), moved_by, bone_of, number[limits], limits, starts, along
    )


def _limb_above(skeleton: Skeleton, number: IntArray, joint: int) -> int:
    """The nearest other limb on the way from a limb's joint to the root; -1 if there is none."""
    own, above = number[joint], int(skeleton.parents[joint])
    while above >= 0 and number[above] in (-1, own):
        above = int(skeleton.parents[above])
    return int(number[above]) if above >= 0 else -1


def _with_limb_above(skeleton: Skeleton, number: IntArray) -> IntArray:
    """The limb (J,) of every joint: its own, or that of the nearest joint above which has one; -1 if there is none."""
    found = number.copy()
    for level in skeleton.levels[1:]:
        found[level] = np.where(found[level] < 0, found[skeleton.parents[level]], found[level])
    return found


def _twists(skeleton: Skeleton) -> BoolArray:
    """Joints (J,) that stand on the bone from their parent to another joint and carry none: they twist its skin."""
    heads, found = skeleton.heads, np.zeros(len(skeleton), dtype=bool)
    last = ~np.isin(np.arange(len(skeleton)), skeleton.parents)
    for one in np.flatnonzero(last & (skeleton.parents >= 0)):
        parent = int(skeleton.parents[one])
        for other in skeleton.children(parent):
            way = heads[other] - heads[parent]
            square = float(way @ way)
            if other == one or last[other] or square == 0.0:
                continue
            t = float((heads[one] - heads[parent]) @ way) / square
            aside = heads[one] - heads[parent] - t * way
            found[one] |= -0.05 < t < 0.95 and float(aside @ aside) < _ASIDE**2 * square
    return found


def _nearest_bone(
    points: FloatArray, joint: IntArray, parents: IntArray, starts: FloatArray, ways: FloatArray, along: FloatArray
) -> IntArray:
    """The bone (V,) that begins at the joint of each vertex and passes nearest to it; -1 where none does."""
    nearest, bone_of = np.full(len(points), np.inf), np.full(len(points), -1, dtype=np.int32)
    for bone in range(len(parents)):
        here = np.flatnonzero(joint == parents[bone])
        away = points[here] - starts[bone]
        away = away - np.clip(away @ along[bone], 0.0, 1.0)[:, None] * ways[bone]
        distance = np.linalg.norm(away, axis=1)
        nearer = distance < nearest[here]
        nearest[here[nearer]], bone_of[here[nearer]] = distance[nearer], bone
    return bone_of


def _merge(character: Character, joint: IntArray, joined: IntArray) -> IntArray:
    """The joint (J,) to whose limb each joint belongs: what is small, or stands where its parent does, goes with it."""
    skeleton = character.skeleton
    up = np.isin(np.arange(len(skeleton)), joined)
    areas = ring_areas(character.points, character.triangles)
    own = np.bincount(joint, areas, len(skeleton))
    for level in skeleton.levels[:0:-1]:
        for one in level:
            if up[one] or own[one] < SMALLEST * areas.sum():
                up[one] = True
                own[skeleton.parents[one]] += own[one]
    owner = np.arange(len(skeleton), dtype=np.int32)
    for level in skeleton.levels[1:]:
        owner[level] = np.where(up[level], owner[skeleton.parents[level]], level)
    return owner
