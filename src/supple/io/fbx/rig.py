"""The nodes and skins of an FBX file as one skeleton, and its keys as motions.

Exporters bury units in scaling nodes (a scale of 100 above the bones, 0.01 for the scene), so each joint is given the
size one at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.errors import FormatError
from supple.geometry import quaternions
from supple.io.fbx.pieces import Piece
from supple.io.rigs.rig import NodeTree, Rig, RigBuilder, stands
from supple.motion.motion import Motion

_MOVES = 1e-6  # relative; less is rounding
_STRETCHES = 5e-6  # exporters that write scales as single floats are off by a few times their rounding
_LEAST = 1e-18  # the least determinant of a transform that a mesh or a joint can be put down by


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


def build_rig(nodes: Nodes, pieces: list[Piece], moved: BoolArray, *, file: str) -> Rig:
    """The skeleton of all bones of a file, of the nodes that carry meshes, and of what moves them.

    A piece is a skin of its own, by its number: its slots are the joints of its bones.
    """
    tree = NodeTree(
        nodes.parents, np.arange(len(nodes.parents), dtype=np.int32), matrices(nodes.keys), nodes.keys[:, 7:]
    )
    builder = RigBuilder(tree, lambda given, needed, advice: FormatError(file, given, needed, advice))
    listed: list[IntArray] = []
    for number, piece in enumerate(pieces):
        used = np.unique(piece.slots[piece.values > 0.0])
        listed.append(np.unique(np.append(used, np.flatnonzero(piece.bones[:-1] >= 0))))
        placement = _placement(builder, piece, used)
        rests = placement @ np.linalg.inv(piece.bone_from_mesh[listed[-1]])
        builder.bind(number, piece.bones[listed[-1]], rests, placement)

    def rest_of(node: int, hangs: FloatArray) -> FloatArray:
        """As the file's bind pose has it, else as it hangs on its parent."""
        bind_pose = nodes.bind_pose.get(node) if nodes.bones[node] else None
        for choice in (bind_pose, hangs):
            if choice is not None and stands(choice, least=_LEAST):
                return choice
        return quaternions.compose(hangs[:3, 3], [0.0, 0.0, 0.0, 1.0])

    rig = builder.build(nodes.names.__getitem__, moved, rest_of=rest_of, bones=nodes.bones, unit_size=True)
    slots = {}
    for number, (piece, chosen) in enumerate(zip(pieces, listed, strict=True)):
        slots[number] = np.zeros(len(piece.bones), dtype=np.int32)
        slots[number][chosen] = rig.slots[number]
    return replace(rig, slots=slots)


def motion_of(
    rig: Rig, keys: FloatArray, fps: float, name: str, *, shapes: dict[str, FloatArray] | None = None
) -> Motion:
    """Keys (F, N, 10) of all nodes as a motion of the joints; `shapes` are shares (F,) of shapes by name."""
    moves, turns, scales = rig.opening((keys[..., :3], keys[..., 3:7], keys[..., 7:]), len(keys))
    turns = quaternions.normalize(turns)
    return rig.motion((moves, turns, scales), fps, name, shapes=shapes or {}, rounding=_STRETCHES)


def _placement(builder: RigBuilder, piece: Piece, used: IntArray) -> FloatArray:
    """Where a piece is put down: on bones that others share, else where the file says that they were bound."""
    for bone in used:
        if int(piece.bones[bone]) in builder.rests:
            return np.asarray(builder.rests[int(piece.bones[bone])] @ piece.bone_from_mesh[bone])
    placed = piece.world_from_bone @ piece.bone_from_mesh
    for bone in used:
        if stands(placed[bone], least=_LEAST):
            return np.asarray(placed[bone])
    return np.eye(4)
