"""From the nodes of an FBX file to one skeleton and its motions.

A point p of a mesh goes to sum_k w_k world_from_bone_k bone_from_mesh_k p. Written with rest transforms, that is
world_from_bone_k inv(rest_k) p' with rest_k = A bone_from_mesh_k^-1 and p' = A p, for any placement A of the mesh; A is
taken from where the file says that the bones were bound. Files mix units by scaling nodes (a scale of 100 above the
bones, 0.01 for the scene), so each joint is then given the size one at rest: scaling a joint's own axes evenly, at rest
and in motion alike, moves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.errors import FormatError
from supple.geometry import quaternions
from supple.io.fbx.pieces import Piece
from supple.io.gltf.rig import MOST_JOINTS
from supple.motion.motion import Motion
from supple.names import unique

_SAME = 1e-5  # relative; two bind matrices of one bone closer than this are one, rounded twice
_MOVES = 1e-6  # relative; less is rounding
_STRETCHES = 5e-6  # exporters that write scales as single floats are off by a few times their rounding


@dataclass(frozen=True, eq=False)
class Nodes:
    """The node tree: names, parents (N,) always before their children, and what the file opens with.

    `keys` (N, 10) are place, turn (x y z w) and scale relative to the parent; `bones` (N,) are the nodes that the file
    calls bones, `bind_pose` the world transforms of its bind pose by node.
    """

    names: list[str]
    parents: IntArray
    keys: FloatArray
    bones: BoolArray
    bind_pose: dict[int, FloatArray]
    world: FloatArray

    @classmethod
    def from_arrays(
        cls,
        names: list[str],
        parents: IntArray,
        keys: FloatArray,
        bones: BoolArray,
        bind_pose: dict[int, FloatArray],
        *,
        file: str,
    ) -> Nodes:
        """Nodes with their transforms in the world, refused where those are not finite."""
        if not (parents < np.arange(len(parents))).all() or not (np.abs(keys) < 1e30).all():
            raise FormatError(file, "a node has no place", "finite places are needed", "export it again")
        world = matrices(keys)
        with np.errstate(all="ignore"):
            for node in range(1, len(parents)):
                if parents[node] >= 0:
                    world[node] = world[parents[node]] @ world[node]
        if not (np.abs(world) < 1e100).all():
            raise FormatError(file, "scales multiply beyond all bounds", "finite places are needed", "export it again")
        return cls(names, parents, keys, bones, bind_pose, world)


@dataclass(frozen=True, eq=False)
class Rig:
    """The skeleton, and how to get to it from nodes and pieces.

    `nodes` (J,) is the node of each joint, -1 for one that repeats its parent with another rest transform; `fixed`
    (J, 4, 4) stands between the parent joint and the node; `sizes` (J,) is the size that each joint had at rest before
    it was made one. `joints[p]` (K,) are the joints of the bones of piece p, `placements[p]` (4, 4) puts it down.
    """

    skeleton: Skeleton
    nodes: IntArray
    fixed: FloatArray
    sizes: FloatArray
    joints: list[IntArray]
    placements: list[FloatArray]

    def motion(self, keys: FloatArray, fps: float, name: str, *, shapes: dict[str, FloatArray] | None = None) -> Motion:
        """Keys (F, N, 10) of all nodes as a motion of the joints; `shapes` are shares (F,) of shapes by name."""
        real = self.nodes >= 0
        frames = len(keys)
        own = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (frames, len(self.nodes), 1))
        own[:, real] = keys[:, self.nodes[real]]
        moves, rotations, scales = own[..., :3], quaternions.normalize(own[..., 3:7]), own[..., 7:]
        move, rotation, scale = quaternions.decompose(self.fixed)
        moves = np.einsum("jab,fjb->fja", self.fixed[:, :3, :3], moves) + move
        rotations = quaternions.normalize(quaternions.quat_multiply(rotation, rotations))
        parents = self.skeleton.parents
        above = np.where(parents >= 0, self.sizes[parents], 1.0)[:, None]
        moves, scales = moves * above, scales * scale * above / self.sizes[:, None]
        plain = bool((np.abs(scales - 1.0) <= _STRETCHES).all())
        return Motion(self.skeleton, fps, moves, rotations, None if plain else scales, name=name, shapes=shapes or {})


def matrices(keys: FloatArray) -> FloatArray:
    """Transforms (..., 4, 4) of keys (..., 10)."""
    return quaternions.compose(keys[..., :3], quaternions.normalize(keys[..., 3:7]), keys[..., 7:])


def moving(nodes: Nodes, clips: list[FloatArray]) -> BoolArray:
    """Which nodes (N,) any clip takes away from where the file opens."""
    moved = np.zeros(len(nodes.parents), dtype=bool)
    size = np.maximum(np.abs(nodes.keys), 1.0)
    for keys in clips:
        sign = np.where((keys[..., 3:7] * nodes.keys[:, 3:7]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        apart = np.abs(keys - nodes.keys)
        apart[..., 3:7] = np.abs(sign * keys[..., 3:7] - nodes.keys[:, 3:7])  # q and -q are one turn
        moved |= (apart > _MOVES * size).any(axis=(0, 2))
    return moved


class _Binding:
    """Rest transforms of nodes, collected piece by piece; a bone bound twice in different places gets two joints."""

    def __init__(self) -> None:
        self.rests: dict[int, FloatArray] = {}
        self.repeats: list[tuple[int, FloatArray]] = []

    def bind(self, node: int, rest: FloatArray) -> tuple[int, int]:
        """The node, and which repeat of it has this rest transform (-1 for the node itself)."""
        if _close(self.rests.setdefault(node, rest), rest):
            return node, -1
        for number, (repeated, known) in enumerate(self.repeats):
            if repeated == node and _close(known, rest):
                return node, number
        self.repeats.append((node, rest))
        return node, len(self.repeats) - 1

    def placement(self, piece: Piece, used: IntArray) -> FloatArray:
        """Where a piece is put down: on bones that others share, else where the file says that they were bound."""
        for bone in used:
            if int(piece.bones[bone]) in self.rests:
                return np.asarray(self.rests[int(piece.bones[bone])] @ piece.bone_from_mesh[bone])
        placed = piece.world_from_bone @ piece.bone_from_mesh
        for bone in used:
            if _stands(placed[bone]):
                return np.asarray(placed[bone])
        return np.eye(4)


def build_rig(nodes: Nodes, pieces: list[Piece], moved: BoolArray, *, file: str) -> Rig:
    """The skeleton of all bones of a file, of the nodes that carry meshes, and of what moves them."""
    binding = _Binding()
    placements, bound = [], []
    for piece in pieces:
        used = np.unique(piece.slots[piece.values > 0.0])
        listed = np.unique(np.append(used, np.flatnonzero(piece.bones[:-1] >= 0)))
        placement = binding.placement(piece, used)
        placements.append(placement)
        rests = placement @ np.linalg.inv(piece.bone_from_mesh[listed])
        bound.append((listed, [binding.bind(int(piece.bones[k]), r) for k, r in zip(listed, rests, strict=True)]))
    parents, fixed, kept = _chains(nodes, binding, moved, file=file)
    joint_of = {node: joint for joint, node in enumerate(kept)}
    rest = np.empty((len(kept), 4, 4))
    for joint, node in enumerate(kept):
        rest[joint] = _rest(
            nodes, binding, node, rest[parents[joint]] if parents[joint] >= 0 else np.eye(4), fixed[joint]
        )
    if binding.repeats:
        count = len(binding.repeats)
        parents = np.concatenate([parents, [joint_of[node] for node, _ in binding.repeats]]).astype(np.int32)
        rest = np.concatenate([rest, np.stack([matrix for _, matrix in binding.repeats])])
        fixed = np.concatenate([fixed, np.tile(np.eye(4), (count, 1, 1))])
    joints = []
    for piece, (listed, pairs) in zip(pieces, bound, strict=True):
        numbers = np.zeros(len(piece.bones), dtype=np.int32)
        numbers[listed] = [joint_of[node] if repeat < 0 else len(kept) + repeat for node, repeat in pairs]
        joints.append(numbers)
    sizes = np.cbrt(np.abs(np.linalg.det(rest[:, :3, :3])))
    rest[:, :3, :3] /= sizes[:, None, None]
    names = [nodes.names[node] or f"node{node}" for node in [*kept, *(node for node, _ in binding.repeats)]]
    owners = np.array([*kept, *[-1] * len(binding.repeats)], dtype=np.int32)
    return Rig(Skeleton(unique(names), parents, rest), owners, fixed, sizes, joints, placements)


def _rest(nodes: Nodes, binding: _Binding, node: int, parent: FloatArray, fixed: FloatArray) -> FloatArray:
    """Where a joint stands at rest: as bound, else as the file's bind pose has it, else as it hangs on its parent."""
    bind_pose = nodes.bind_pose.get(node) if nodes.bones[node] else None
    choices = [binding.rests.get(node), bind_pose, parent @ fixed @ matrices(nodes.keys[node])]
    for choice in choices:
        if choice is not None and _stands(choice):
            return choice
    rest = np.eye(4)
    rest[:3, 3] = choices[2][:3, 3] if choices[2] is not None else 0.0
    return rest


def _chains(nodes: Nodes, binding: _Binding, moved: BoolArray, *, file: str) -> tuple[IntArray, FloatArray, list[int]]:
    """Parents and fixed transforms of the joints, parents first, and their nodes.

    Nodes above the bones become joints only where a clip moves them, or where they stretch or mirror, which cannot be
    folded into the place, turn and scale of what hangs below.
    """
    needed = nodes.bones.copy()
    needed[list(binding.rests)] = True
    if not needed.any():
        raise FormatError(file, "it has neither bones nor meshes", "a character needs both", "export them together")
    above = needed.copy()
    for node in range(len(above) - 1, -1, -1):
        if above[node] and nodes.parents[node] >= 0:
            above[nodes.parents[node]] = True
    scales = nodes.keys[:, 7:]
    even = np.ptp(scales, axis=1) <= _MOVES * np.abs(scales).max(axis=1)
    folds = even & (scales[:, 0] > 0.0) & ~moved
    kept = [int(node) for node in np.flatnonzero(above & (needed | ~folds))]
    if len(kept) + len(binding.repeats) > MOST_JOINTS:
        given = f"{len(kept) + len(binding.repeats)} nodes move a mesh"
        raise FormatError(file, given, f"at most {MOST_JOINTS} joints can be posed", "merge meshes that do not move")
    joint_of = {node: joint for joint, node in enumerate(kept)}
    local = matrices(nodes.keys)
    nearest: dict[int, int] = {-1: -1}
    held: dict[int, FloatArray] = {-1: np.eye(4)}
    parents, fixed = np.full(len(kept), -1, dtype=np.int32), np.tile(np.eye(4), (len(kept), 1, 1))
    for node in np.flatnonzero(above).tolist():
        up = int(nodes.parents[node])
        if node in joint_of:
            joint = joint_of[node]
            parents[joint], fixed[joint] = nearest[up], held[up]
            nearest[node], held[node] = joint, np.eye(4)
        else:
            nearest[node], held[node] = nearest[up], held[up] @ local[node]
    return parents, fixed, kept


def _close(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.abs(a - b).max() <= _SAME * max(float(np.abs(a).max()), 1e-6))


def _stands(matrix: FloatArray) -> bool:
    if not np.isfinite(matrix).all():
        return False
    return 1e-18 < abs(float(np.linalg.det(matrix[:3, :3]))) < 1e18
