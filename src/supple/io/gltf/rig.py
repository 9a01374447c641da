"""The nodes and skins of a glTF as one skeleton."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.io.gltf.document import Document
from supple.io.gltf.scene import Scene
from supple.io.gltf.skins import Skin, invertible
from supple.io.rigs.rig import NodeTree, Rig, RigBuilder, stands

_LEAST = 1e-9  # the least determinant of a transform that a mesh or a joint can be put down by
_JOINT_BYTES = 1500


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
    tree = NodeTree(scene.parents, scene.order, scene.parent_from_node, scene.scales)
    builder = RigBuilder(tree, lambda given, needed, advice: document.error("nodes", given, needed, advice))
    for number, user in sorted(users.items()):
        skin = invertible(document, scene, skins[number], f"skins[{number}].inverseBindMatrices")
        placement = _placement(scene, skin, builder, user)
        builder.bind(number, skin.joints, placement @ np.linalg.inv(skin.joint_from_mesh), placement)
    for node in riders:
        builder.rests.setdefault(int(node), _solid(scene.world_from_node[node]))
    nodes = document.items("nodes")
    rig = builder.build(
        lambda node: document.text(nodes[node], "name", ""),
        moving,
        rest_of=lambda node, _: _solid(scene.world_from_node[node]),
    )
    document.spend(_JOINT_BYTES * len(rig.nodes), "nodes")
    return rig


def _placement(scene: Scene, skin: Skin, builder: RigBuilder, user: int) -> FloatArray:
    """Where to put a bound mesh down: on joints that other meshes share, else as near to the opening pose as a plain
    choice brings it (the whole skin moved as one, not at all, or by the node that holds the armature or the mesh)."""
    for node, matrix in zip(skin.joints, skin.joint_from_mesh, strict=True):
        if int(node) in builder.rests:
            return np.asarray(builder.rests[int(node)] @ matrix)
    shown = scene.world_from_node[skin.joints]
    together = shown @ skin.joint_from_mesh
    spread = max(float(np.ptp(together[:, :3, 3], axis=0).max()), 0.0)
    size = max(float(np.abs(shown[:, :3, 3]).max()), float(np.abs(together).max()), 1e-6)
    if (
        spread <= 1e-3 * size
        and np.ptp(together[:, :3, :3], axis=0).max() <= 1e-3 * size
        and stands(together[0], least=_LEAST)
    ):
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

    best = min((choice for choice in choices if stands(choice, least=_LEAST)), key=distance)
    return np.array(best)


def _solid(world: FloatArray) -> FloatArray:
    """The transform of a node, with a size where it is scaled to nothing, so that it can be inverted."""
    if stands(world, least=_LEAST):
        return np.array(world)
    matrix = np.eye(4)
    matrix[:3, 3] = world[:3, 3]
    return matrix
