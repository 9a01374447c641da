"""From nodes and skins to one skeleton: which nodes become joints, where they stand at rest, and how they move.

A skinned point goes to sum_j w_j world_from_node_j joint_from_mesh_j p. Supple writes this with one rest transform per
joint, world_from_node_j inv(rest_j) p', so rest_j = A inv(joint_from_mesh_j) and p' = A p for any transform A of a
skin's own: A says where the bound mesh is put down in the world, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.errors import FormatError
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.names import unique

MOST_JOINTS, DEEPEST = 1 << 14, 1 << 11
_SAME = 1e-5  # relative; two bind matrices of one joint closer than this are one, rounded twice
_LOOKED_AT = 32  # of the joints that repeat one node, so that a file of many takes no longer than it should
_FLATTEST, _FLATTEST_ANY_SIZE = 1e-12, 1e-18  # determinants of rest transforms
_EVEN = 1e-6  # relative; scales along the axes that differ by less are one

Keys = tuple[FloatArray, FloatArray, FloatArray]
"""Moves (..., 3) [m], turns (..., 4) and scales (..., 3), relative to the parent."""
Refuse = Callable[[str, str, str], FormatError]
"""The refusal of a file: what was given, what is needed, what to do."""
RestOf = Callable[[int, FloatArray], FloatArray]
"""Where a node (its number) stands at rest that no skin binds, given where it hangs (4, 4) on the joint above."""


@dataclass(frozen=True, eq=False)
class NodeTree:
    """Nodes as a file opens: `parents` (N,), -1 for roots, and `order` (N,) with parents before children.

    `parent_from_node` (N, 4, 4) and `scales` (N, 3) are relative to the parent.
    """

    parents: IntArray
    order: IntArray
    parent_from_node: FloatArray
    scales: FloatArray


@dataclass(frozen=True, eq=False)
class Rig:
    """The skeleton and how to get to it from nodes and skins.

    `nodes` (J,) is the node of each joint, or -1 for a joint that only repeats its parent with another rest transform.
    `fixed` (J, 4, 4) stands between the parent joint and the node: nodes that never move are folded into it. `sizes`
    (J,) is the size that a joint had at rest before it was made one. `slots[s]` (K,) is the joint of every number in
    skin s, `placements[s]` (4, 4) puts its meshes down in the world. `joint_of` is the joint of a node.
    """

    skeleton: Skeleton
    nodes: IntArray
    fixed: FloatArray
    sizes: FloatArray
    slots: Mapping[int, IntArray]
    placements: Mapping[int, FloatArray]
    joint_of: Mapping[int, int]

    def motion(self, keys: Keys, fps: float, name: str, *, shapes: Mapping[str, FloatArray], rounding: float) -> Motion:
        """Moves (F, J, 3), turns (F, J, 4) and scales (F, J, 3) of the joints' nodes as a motion; keys may change.

        `shapes` are shares (F,) of shapes by name. Scales within `rounding` of one are none.
        """
        moves, turns, scales = keys
        held = np.flatnonzero((self.fixed != np.eye(4)).any(axis=(1, 2)))
        if len(held):
            move, turn, scale = quaternions.decompose(self.fixed[held])
            moves[:, held] = np.einsum("jab,fjb->fja", self.fixed[held, :3, :3], moves[:, held]) + move
            turns[:, held] = quaternions.normalize(quaternions.quat_multiply(turn, turns[:, held]))
            scales[:, held] *= scale
        if (self.sizes != 1.0).any():  # scaling a joint's own axes evenly, at rest and in motion alike, moves nothing
            parents = self.skeleton.parents
            above = np.where(parents >= 0, self.sizes[parents], 1.0)[:, None]
            moves *= above
            scales *= above / self.sizes[:, None]
        plain = bool(scales.min() >= 1.0 - rounding and scales.max() <= 1.0 + rounding)
        for made in (moves, turns, scales):
            made.setflags(write=False)  # nobody else has them, so the motion need not copy them
        return Motion(self.skeleton, fps, moves, turns, None if plain else scales, name=name, shapes=dict(shapes))

    def opening(self, tree_keys: Keys, frames: int) -> Keys:
        """What every joint's node does that no curve moves: moves, turns and scales of the nodes, for all frames."""
        real = self.nodes >= 0
        made = []
        for given, nothing in zip(tree_keys, ([0.0] * 3, [0.0, 0.0, 0.0, 1.0], [1.0] * 3), strict=True):
            rows = np.tile(np.array(nothing), (frames, len(self.nodes), 1))
            rows[:, real] = given[..., self.nodes[real], :]
            made.append(rows)
        moves, turns, scales = made
        return moves, turns, scales


@dataclass(eq=False)
class RigBuilder:
    """Collects what skins say about rest transforms, skin by skin, and then makes the skeleton.

    `rests` are the rest transforms (4, 4) of bound nodes, in the order in which they were bound.
    """

    tree: NodeTree
    refuse: Refuse
    rests: dict[int, FloatArray] = field(default_factory=dict)
    placements: dict[int, FloatArray] = field(default_factory=dict)
    _repeats: list[tuple[int, FloatArray]] = field(default_factory=list)
    _repeats_of: dict[int, list[int]] = field(default_factory=dict)
    _numbered: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def bind(self, skin: int, nodes: IntArray, rests: FloatArray, placement: FloatArray) -> None:
        """Give nodes (K,) of a skin their rest transforms (K, 4, 4); its meshes are put down by `placement`."""
        self.placements[skin] = placement
        self._numbered[skin] = [self._bound(int(node), rest) for node, rest in zip(nodes, rests, strict=True)]

    def _bound(self, node: int, rest: FloatArray) -> tuple[int, int]:
        """The node, and which repeat of it has this rest transform (-1 for the node itself)."""
        if _close(self.rests.setdefault(node, rest), rest):
            return node, -1
        known = self._repeats_of.setdefault(node, [])
        for number in known[-_LOOKED_AT:]:
            if _close(self._repeats[number][1], rest):
                return node, number
        known.append(len(self._repeats))
        self._repeats.append((node, rest))
        return node, known[-1]

    def build(
        self,
        name_of: Callable[[int], str],
        moving: BoolArray,
        *,
        rest_of: RestOf,
        bones: BoolArray | None = None,
        unit_size: bool = False,
    ) -> Rig:
        """The skeleton of all bound nodes, of `bones` (N,), and of what moves them.

        Bound nodes come first, in the order of the skins, which is the order their authors know; where `bones` says
        what else is a joint, all stand in the order of the tree. `moving` (N,) are the nodes that a clip moves. With
        `unit_size` every joint has the size one at rest.
        """
        kept, parents, fixed = self._chains(moving, bones)
        joint_of = {node: joint for joint, node in enumerate(kept)}
        rest = np.empty((len(kept), 4, 4))
        for joint in _parents_first(parents):
            node, up = kept[joint], int(parents[joint])
            bound = self.rests.get(node)
            hangs = fixed[joint] if up < 0 else rest[up] @ fixed[joint]
            rest[joint] = rest_of(node, hangs @ self.tree.parent_from_node[node]) if bound is None else bound
        again = [node for node, _ in self._repeats]
        if again:
            parents = np.concatenate([parents, [joint_of[node] for node in again]]).astype(np.int32)
            rest = np.concatenate([rest, np.stack([matrix for _, matrix in self._repeats])])
            fixed = np.concatenate([fixed, np.tile(np.eye(4), (len(again), 1, 1))])
        called = unique([name_of(node) or f"node{node}" for node in [*kept, *again]])
        volumes = np.abs(np.linalg.det(rest[:, :3, :3]))
        small = ~(volumes >= (_FLATTEST_ANY_SIZE if unit_size else _FLATTEST))
        if small.any():
            given = f"joint {called[int(np.argmax(small))]!r} is bound at a size of nearly nothing"
            raise self.refuse(given, "joints need a size at rest", "apply the scale of the armature before exporting")
        sizes = np.cbrt(volumes) if unit_size else np.ones(len(rest))
        rest[:, :3, :3] /= sizes[:, None, None]
        slots = {
            skin: np.array([joint_of[n] if repeat < 0 else len(kept) + repeat for n, repeat in pairs], dtype=np.int32)
            for skin, pairs in self._numbered.items()
        }
        nodes = np.array([*kept, *[-1] * len(again)], dtype=np.int32)
        return Rig(Skeleton(called, parents, rest), nodes, fixed, sizes, slots, self.placements, joint_of)

    def _chains(self, moving: BoolArray, bones: BoolArray | None) -> tuple[list[int], IntArray, FloatArray]:
        """The nodes that become joints, and parents and fixed transforms of those.

        Above the joints, nodes that a clip moves become joints too, and so do those that stretch or mirror, because
        such a transform cannot be folded into translation, rotation and scale of what hangs below.
        """
        tree = self.tree
        needed = np.zeros(len(tree.parents), dtype=bool) if bones is None else bones.copy()
        needed[list(self.rests)] = True
        if not needed.any():
            raise self.refuse("it has neither bones nor meshes", "a character needs both", "export them together")
        above = needed.copy()
        for node in tree.order[::-1]:
            if above[node] and tree.parents[node] >= 0:
                above[tree.parents[node]] = True
        even = np.abs(np.ptp(tree.scales, axis=1)) <= _EVEN * np.abs(tree.scales).max(axis=1)
        folds = even & (tree.scales[:, 0] > 0.0) & ~moving
        walked = tree.order[above[tree.order]].tolist()
        chosen = [node for node in walked if needed[node] or not folds[node]]
        kept = chosen if bones is not None else [*self.rests, *(node for node in chosen if not needed[node])]
        count = len(kept) + len(self._repeats)
        if count > MOST_JOINTS:
            needs = f"at most {MOST_JOINTS} joints can be posed"
            raise self.refuse(f"{count} nodes move a mesh", needs, "merge meshes that do not move")
        joint_of = {node: joint for joint, node in enumerate(kept)}
        nearest, depth, offset = {-1: -1}, {-1: 0}, {-1: np.eye(4)}
        parents, fixed = np.full(len(kept), -1, dtype=np.int32), np.tile(np.eye(4), (len(kept), 1, 1))
        for node in walked:
            up = int(tree.parents[node])
            nearest[node], depth[node] = nearest[up], depth[up]
            if node in joint_of:
                joint = joint_of[node]
                parents[joint], fixed[joint] = nearest[up], offset[up]
                nearest[node], depth[node], offset[node] = joint, depth[up] + 1, np.eye(4)
            else:
                offset[node] = offset[up] @ tree.parent_from_node[node]
        if max(depth.values()) > DEEPEST:
            needs = f"at most {DEEPEST} can be posed"
            raise self.refuse(f"joints hang {max(depth.values())} deep", needs, "export fewer of them")
        return kept, parents, fixed


def rests(motion: Motion) -> bool:
    """Whether a motion leaves all joints where they are at rest, and all shapes out."""
    if any(np.abs(shape_weights).max() > 1e-3 for shape_weights in motion.shapes.values()):
        return False
    rest = motion.skeleton.world_from_joint
    size = max(float(np.ptp(rest[:, :3, 3], axis=0).max()), 1e-3)
    for frame in range(motion.frames):
        apart_by = np.abs(motion.sample(frame / motion.fps).world_from_joint - rest)
        if apart_by[:, :3, 3].max() > 1e-3 * size or apart_by[:, :3, :3].max() > 1e-3:
            return False
    return True


def _parents_first(parents: IntArray) -> list[int]:
    """Joints in an order in which each comes after its parent."""
    if (parents < np.arange(len(parents))).all():
        return list(range(len(parents)))
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents.tolist()):
        children.setdefault(parent, []).append(joint)
    order = list(children.get(-1, []))
    for joint in order:  # grows while it is walked
        order += children.get(joint, [])
    return order


def stands(matrix: FloatArray, *, least: float) -> bool:
    """Whether a transform is finite and neither flattens, beyond a determinant of `least`, nor blows up."""
    if not np.isfinite(matrix).all():
        return False
    return least < abs(float(np.linalg.det(matrix[:3, :3]))) < 1.0 / least


def _close(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.abs(a - b).max() <= _SAME * max(float(np.abs(a).max()), 1e-6))
