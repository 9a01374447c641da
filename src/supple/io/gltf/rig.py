"""From nodes and skins to one skeleton: which nodes become joints, and where they stand at rest.

A skinned point goes to sum_j w_j world_from_node_j joint_from_mesh_j p. Supple writes this with one rest transform per
joint, world_from_node_j inv(rest_j) p', so rest_j = A inv(joint_from_mesh_j) and p' = A p for any transform A of a
skin's own: A says where the bound mesh is put down in the world, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.io.gltf.document import Document
from supple.io.gltf.scene import Scene
from supple.io.gltf.skins import Skin, invertible
from supple.names import unique

MOST_JOINTS, DEEPEST = 1 << 14, 1 << 11
_SAME = 1e-5  # relative; two bind matrices of one joint closer than this are one, rounded twice


@dataclass(frozen=True, eq=False)
class Rig:
    """The skeleton and how to get to it from nodes and skins.

    `nodes` (J,) is the node of each joint, or -1 for a joint that only repeats its parent with another rest transform.
    `fixed` (J, 4, 4) stands between the parent joint and the node: nodes that never move are folded into it.
    `slots[s]` (K,) is the joint of every number in skin s, `placements[s]` (4, 4) puts its meshes down in the world.
    `joint_of` is the joint of a node.
    """

    skeleton: Skeleton
    nodes: IntArray
    fixed: FloatArray
    slots: dict[int, IntArray]
    placements: dict[int, FloatArray]
    joint_of: dict[int, int]


@dataclass(eq=False)
class _Binding:
    """What the skins say about rest transforms, collected skin by skin."""

    rests: dict[int, FloatArray]
    repeats: list[tuple[int, FloatArray]]
    known: dict[tuple[int, bytes], int]


def build_rig(
    document: Document,
    scene: Scene,
    skins: list[Skin],
    *,
    users: dict[int, int],
    riders: Iterable[int],
    moving: BoolArray,
) -> Rig:
    """The skeleton of all joints in use, of nodes that carry meshes, and of what moves them.

    `users` names a node that shows a mesh with each skin in use, `riders` the nodes with meshes that no skin bends,
    `moving` (N,) the nodes that a clip moves.
    """
    binding = _Binding({}, [], {})
    numbered: dict[int, list[tuple[int, int]]] = {}
    placements = {}
    for number, user in sorted(users.items()):
        skin = invertible(document, scene, skins[number], f"skins[{number}].inverseBindMatrices")
        placements[number] = _placement(scene, skin, binding, user)
        rests = placements[number] @ np.linalg.inv(skin.joint_from_mesh)
        numbered[number] = [_bind(binding, int(n), r) for n, r in zip(skin.joints, rests, strict=True)]
    for node in riders:
        binding.rests.setdefault(int(node), _solid(scene.world_from_node[node]))
    parents, fixed, kept = _chains(document, scene, binding, moving)
    count = len(kept)
    joint_of = {node: joint for joint, node in enumerate(kept)}
    names = _names(document, kept, [node for node, _ in binding.repeats])
    rest = np.stack([binding.rests.get(node, _solid(scene.world_from_node[node])) for node in kept])
    if binding.repeats:
        parents = np.concatenate([parents, [joint_of[node] for node, _ in binding.repeats]])
        rest = np.concatenate([rest, np.stack([matrix for _, matrix in binding.repeats])])
        fixed = np.concatenate([fixed, np.tile(np.eye(4), (len(binding.repeats), 1, 1))])
    nodes = np.array([*kept, *[-1] * len(binding.repeats)], dtype=np.int32)
    slots = {
        number: np.array([joint_of[node] if repeat < 0 else count + repeat for node, repeat in pairs], dtype=np.int32)
        for number, pairs in numbered.items()
    }
    small = np.abs(np.linalg.det(rest[:, :3, :3])) < 1e-12
    if small.any():
        raise document.error(
            f"joint {names[int(np.argmax(small))]!r}",
            "it is bound at a size of nearly nothing",
            "joints need a size at rest",
            "apply the scale of the armature before exporting",
        )
    return Rig(Skeleton(names, parents, rest), nodes, fixed, slots, placements, joint_of)


def _bind(binding: _Binding, node: int, rest: FloatArray) -> tuple[int, int]:
    """Give a node its rest transform; a second one that differs makes a joint that repeats it (-1 for none)."""
    if node not in binding.rests:
        binding.rests[node] = rest
    if _close(binding.rests[node], rest):
        return node, -1
    with np.errstate(over="ignore"):  # places beyond single precision only fail to be recognised as the same
        key = (node, rest.astype(np.float32).tobytes())
    if key not in binding.known:
        binding.known[key] = len(binding.repeats)
        binding.repeats.append((node, rest))
    return node, binding.known[key]


def _close(a: FloatArray, b: FloatArray) -> bool:
    return bool(np.abs(a - b).max() <= _SAME * max(float(np.abs(a).max()), 1e-6))


def _placement(scene: Scene, skin: Skin, binding: _Binding, user: int) -> FloatArray:
    """Where to put a bound mesh down: on joints that other meshes share, else as near to the opening pose as a plain
    choice brings it (the whole skin moved as one, not at all, or by the node that holds the armature or the mesh)."""
    for node, matrix in zip(skin.joints, skin.joint_from_mesh, strict=True):
        if int(node) in binding.rests:
            return np.asarray(binding.rests[int(node)] @ matrix)
    shown = scene.world_from_node[skin.joints]
    together = shown @ skin.joint_from_mesh
    spread = max(float(np.ptp(together[:, :3, 3], axis=0).max()), 0.0)
    size = max(float(np.abs(shown[:, :3, 3]).max()), float(np.abs(together).max()), 1e-6)
    if spread <= 1e-3 * size and np.ptp(together[:, :3, :3], axis=0).max() <= 1e-3 * size and _stands(together[0]):
        return np.asarray(together[0])
    top = int(skin.joints[np.argmin(scene.entries[skin.joints])])
    choices = [
        np.eye(4),
        *(scene.world_from_node[n] for n in (scene.parents[top], user, scene.parents[user]) if n >= 0),
    ]
    bound = np.linalg.inv(skin.joint_from_mesh)

    def distance(choice: FloatArray) -> float:
        apart = choice @ bound - shown
        return float((apart[:, :3, 3] ** 2).sum() / size**2 + (apart[:, :3, :3] ** 2).sum())

    best = min((choice for choice in choices if _stands(choice)), key=distance)
    return np.array(best)


def _stands(matrix: FloatArray) -> bool:
    return 1e-9 < abs(float(np.linalg.det(matrix[:3, :3]))) < 1e9


def _solid(world: FloatArray) -> FloatArray:
    """The transform of a node, with a size where it is scaled to nothing, so that it can be inverted."""
    if _stands(world):
        return np.array(world)
    matrix = np.eye(4)
    matrix[:3, 3] = world[:3, 3]
    return matrix


def _chains(
    document: Document, scene: Scene, binding: _Binding, moving: BoolArray
) -> tuple[IntArray, FloatArray, list[int]]:
    """Parents and fixed transforms of the joints, and their nodes: joints of skins first, in the skins' own order.

    Above the joints, nodes that a clip moves become joints too, and so do those that stretch or mirror, because such a
    transform cannot be folded into translation, rotation and scale of what hangs below.
    """
    needed = np.zeros(len(scene), dtype=bool)
    needed[list(binding.rests)] = True
    above = needed.copy()
    for node in scene.order[::-1]:
        if above[node] and scene.parents[node] >= 0:
            above[scene.parents[node]] = True
    even = np.abs(np.ptp(scene.scales, axis=1)) <= 1e-6 * np.abs(scene.scales).max(axis=1)
    folds = even & (scene.scales[:, 0] > 0.0) & ~moving
    carriers = [int(node) for node in scene.order if above[node] and not needed[node] and not folds[node]]
    kept = [*binding.rests, *carriers]  # in the order of the skins, which is the order their authors know
    _check_size(document, len(kept) + len(binding.repeats))
    joint_of = {node: joint for joint, node in enumerate(kept)}
    nearest = np.full(len(scene), -1, dtype=np.int32)
    depth = np.zeros(len(scene), dtype=np.int32)
    offset: dict[int, FloatArray] = {}
    parents, fixed = np.full(len(kept), -1, dtype=np.int32), np.tile(np.eye(4), (len(kept), 1, 1))
    for node in scene.order[above[scene.order]].tolist():
        up = int(scene.parents[node])
        held = np.eye(4) if up < 0 else offset[up]
        if up >= 0:
            nearest[node], depth[node] = nearest[up], depth[up]
        if node in joint_of:
            joint = joint_of[node]
            parents[joint], fixed[joint] = nearest[node], held
            nearest[node], depth[node] = joint, depth[node] + 1
            held = np.eye(4)
        else:
            held = held @ scene.parent_from_node[node]
        offset[node] = held
    if depth.max() > DEEPEST:
        raise document.error("nodes", f"joints hang {int(depth.max())} deep", f"at most {DEEPEST} can be posed")
    return parents, fixed, kept


def _check_size(document: Document, count: int) -> None:
    if count > MOST_JOINTS:
        raise document.error(
            "nodes",
            f"{count} nodes move a mesh",
            f"at most {MOST_JOINTS} joints can be posed",
            "merge meshes that do not move",
        )
    document.spend(1500 * count, "nodes")


def _names(document: Document, nodes: list[int], repeated: list[int]) -> tuple[str, ...]:
    """Names of the joints; a second one of the same name gets a number."""
    every = document.items("nodes")
    return unique([document.text(every[node], "name", f"node{node}") for node in [*nodes, *repeated]])
