"""Skins: which nodes are joints of a mesh, and where they stood when it was bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.io.gltf.accessors import FLOAT, Accessors, as_floats
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.scene import Scene

_FLATTEST, _LARGEST = 1e-9, 1e9  # determinants of matrices that invert well enough to bind a mesh by


@dataclass(frozen=True, eq=False)
class Skin:
    """Nodes (K,) of the joints, and inverse bind matrices (K, 4, 4): from the mesh's space at bind to each joint."""

    joints: IntArray
    joint_from_mesh: FloatArray


def read_skins(document: Document, accessors: Accessors, scene: Scene) -> list[Skin]:
    """All skins of a file, checked, whether a mesh uses them or not."""
    skins = document.items("skins")
    return [_read(document, accessors, scene, fields, f"skins[{number}]") for number, fields in enumerate(skins)]


def _read(document: Document, accessors: Accessors, scene: Scene, fields: Fields, where: str) -> Skin:
    listed = document.listing(fields, "joints", where)
    joints = np.array([document.index_value(v, f"{where}.joints", of="nodes") for v in listed], dtype=np.int32)
    if len(joints) == 0:
        raise document.error(where, "it has no joints", "at least one is needed")
    _check_roots(document, scene, fields, joints, where)
    document.spend(300 * len(joints), where)
    number = document.index(fields, "inverseBindMatrices", where, of="accessors")
    if number is None:  # the mesh was modelled in the space of its joints
        return Skin(joints, np.tile(np.eye(4), (len(joints), 1, 1)))
    at = f"{where}.inverseBindMatrices"
    if accessors.count(number) < len(joints):
        raise document.error(at, f"there are {accessors.count(number)}", f"{len(joints)} joints need one each")
    if "byteStride" in (accessors.view_of(number) or {}):
        document.faults.mend(at, "they have a byteStride", "only vertex data may", "read with it all the same")
    rows = accessors.rows(number, at, shape="MAT4", kinds=FLOAT)[: len(joints)]
    matrices = as_floats(rows).reshape(-1, 4, 4).transpose(0, 2, 1).copy()
    return Skin(joints, matrices)


def _check_roots(document: Document, scene: Scene, fields: Fields, joints: IntArray, where: str) -> None:
    roots = scene.roots[joints]
    if (roots != roots[0]).any():
        document.faults.mend(
            f"{where}.joints", "they hang on different roots", "one common root is needed", "each tree moves by itself"
        )
    skeleton = document.index(fields, "skeleton", where, of="nodes")
    if skeleton is not None and not scene.below(skeleton, joints).all():
        document.faults.mend(
            f"{where}.skeleton", f"node {skeleton} is not above all joints", "it must be", "it is not used"
        )


def invertible(document: Document, scene: Scene, skin: Skin, where: str) -> Skin:
    """Refuse bind matrices that cannot be inverted, or bind those joints where the file shows them."""
    joints, matrices = skin.joints, skin.joint_from_mesh.copy()
    matrices[:, 3, :3][np.abs(matrices[:, 3, :3]) < 1e-5] = 0.0
    with np.errstate(all="ignore"):
        size = np.abs(np.linalg.det(matrices[:, :3, :3]))
        fine = np.isfinite(matrices).all(axis=(1, 2)) & (size > _FLATTEST) & (size < _LARGEST)
        fine &= np.abs(matrices[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1) < 1e-3
    matrices[fine, 3] = [0.0, 0.0, 0.0, 1.0]
    if fine.all():
        return Skin(joints, matrices)
    document.faults.mend(
        where,
        f"{int((~fine).sum())} of {len(fine)} cannot be inverted or are not finite (the first is number "
        f"{int(np.argmin(fine))})",
        "affine matrices are needed",
        "those joints are bound where the file shows them",
    )
    world = scene.world_from_node[joints[~fine]]
    flat = ~(np.abs(np.linalg.det(world[:, :3, :3])) > _FLATTEST)
    world[flat, :3, :3] = np.eye(3)
    matrices[~fine] = np.linalg.inv(world)
    return Skin(joints, matrices)
