"""From the meshes of all nodes to the one mesh of a character: put down in the world, weighted, joined and welded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.attributes import NORMAL, join_attributes, placed
from supple.character.character import Display
from supple.character.materials import Material
from supple.character.weights import SUM_TOLERANCE, Weights
from supple.errors import InputError
from supple.io.gltf import extras
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.materials import Materials
from supple.io.gltf.meshes import Meshes, Primitive
from supple.io.gltf.soundness import check_all
from supple.io.rigs.rig import Rig
from supple.io.surfaces.welding import rotate_and_scale, weld
from supple.names import unique


@dataclass(frozen=True, eq=False)
class Instance:
    """A mesh shown by a node, bent by a skin or, where `skin` is None, riding on the node.

    `copies` (K, 4, 4) are where it stands in the space of the node, where it is drawn more than once.
    """

    node: int
    mesh: int
    skin: int | None
    copies: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Body:
    """The welded mesh of a character and what belongs to it; `name` is the character's, where the file keeps it."""

    points: FloatArray
    triangles: IntArray
    weights: Weights
    display: Display
    parts: dict[str, IntArray]
    shapes: dict[str, FloatArray]
    maps: dict[str, FloatArray]
    polygons: IntArray | None
    materials: list[Material]
    material_numbers: list[int]
    material_of_triangle: IntArray | None
    name: str | None


@dataclass(frozen=True, eq=False)
class _Piece:
    """One primitive of one instance, in the world and in joints of the skeleton."""

    parts: tuple[str, ...]
    points: FloatArray
    triangles: IntArray
    uvs: FloatArray | None
    joints: IntArray
    values: FloatArray
    shapes: dict[str, FloatArray]
    maps: dict[str, FloatArray]
    attributes: dict[str, Float32Array]
    material: int


def build_body(document: Document, meshes: Meshes, rig: Rig, instances: list[Instance]) -> Body:
    """Join all instances into one mesh."""
    pieces = _pieces(document, meshes, rig, instances)
    if not pieces:
        check_all(document)
        raise InputError(
            document.path.name,
            "it is well formed and none of its meshes has triangles with an area",
            "a character needs a mesh of triangles",
            "check that the mesh was exported as triangles",
        )
    starts = np.cumsum([0, *(len(piece.points) for piece in pieces)])
    total = int(starts[-1])
    widest = max(piece.joints.shape[1] for piece in pieces)
    names = list(dict.fromkeys(name for piece in pieces for name in piece.shapes))
    painted = list(dict.fromkeys(name for piece in pieces for name in piece.maps))
    document.spend(total * (120 + 40 * widest + 48 * len(names) + 16 * len(painted)), "the meshes")
    points = np.concatenate([piece.points for piece in pieces])
    joints = np.concatenate([_widen(piece.joints, widest) for piece in pieces])
    values = np.concatenate([_widen(piece.values, widest) for piece in pieces])
    drawn = np.concatenate([piece.triangles + start for piece, start in zip(pieces, starts[:-1], strict=True)])
    shapes = {name: np.zeros((total, 3)) for name in names}
    maps = {name: np.zeros(total) for name in painted}
    for piece, start in zip(pieces, starts[:-1], strict=True):
        rows = slice(start, start + len(piece.points))
        for name, offsets in piece.shapes.items():
            shapes[name][rows] = offsets
        for name, painting in piece.maps.items():
            maps[name][rows] = painting
    joints, values = _in_one_order(joints, values)
    ours = meshes.extras(instances[0].mesh) if len(instances) == 1 else {}
    columns = [points, values, joints, *shapes.values()]
    given = maps.pop(extras.NUMBER, None)
    again = extras.weld_by_number(columns, given if ours else None)
    first, control, numbers = again or (*weld(columns), None)
    triangles = control[drawn]
    flat = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
    if flat.all():
        raise InputError(
            document.path.name,
            "it is well formed and every triangle is a point or a line",
            "triangles with an area are needed",
            "check that the vertices were exported",
        )
    attributes = join_attributes([(piece.attributes, len(piece.points)) for piece in pieces])
    if numbers is not None and ours.get("normals") != extras.AUTHORED:
        attributes.pop(NORMAL, None)  # Supple computed them
    kept_parts = None if numbers is None else extras.parts(document, ours, numbers)
    materials, numbers_worn, material_indices = _material_rows(document, pieces)
    return Body(
        points[first],
        triangles[~flat],
        Weights(joints[first], values[first]),
        Display(control, drawn[~flat], _uvs(pieces, total), attributes),
        _parts(pieces, starts, control) if kept_parts is None else kept_parts,
        {name: offsets[first] for name, offsets in shapes.items()},
        {_map_name(ours, name): painting[first] for name, painting in maps.items()},
        extras.quads(ours, triangles) if not flat.any() else None,
        materials,
        numbers_worn,
        material_indices[~flat] if materials else None,
        document.text(ours, "name", "") or None,
    )


def _material_rows(document: Document, pieces: list[_Piece]) -> tuple[list[Material], list[int], IntArray]:
    """The materials in use, in the order of the file, their numbers there, and which of them each triangle wears."""
    read = Materials(document)
    used = sorted({piece.material for piece in pieces if piece.material >= 0})
    found = {number: read.read(number) for number in used}
    materials = {number: material for number, material in found.items() if material is not None}
    row_of = {number: row for row, number in enumerate(materials)}
    rows = [np.full(len(piece.triangles), row_of.get(piece.material, -1), dtype=np.int32) for piece in pieces]
    return list(materials.values()), list(materials), np.concatenate(rows)


def _map_name(ours: Fields, attribute: str) -> str:
    """What a painted map was called, or else the name of its attribute in the way of maps."""
    names = ours.get("maps")
    given = names.get(attribute) if isinstance(names, dict) else None
    return given if isinstance(given, str) and given else attribute[1:].lower()


def _pieces(document: Document, meshes: Meshes, rig: Rig, instances: list[Instance]) -> list[_Piece]:
    labels = unique([meshes.name(instance.mesh) for instance in instances])
    pieces = []
    for instance, label in zip(instances, labels, strict=True):
        primitives = meshes.primitives(instance.mesh)
        inner = [f"{label}/{name}" for name in unique([primitive.name for primitive in primitives])]
        for primitive, name in zip(primitives, inner, strict=True):
            where = f"meshes[{instance.mesh}] on nodes[{instance.node}]"
            parts = (label, name) if len(primitives) > 1 else (label,)
            for copy in [np.eye(4)] if instance.copies is None or instance.skin is not None else instance.copies:
                document.spend(150 * len(primitive.points) + 24 * len(primitive.triangles) + 2000, where)
                pieces.append(_place_piece(document, rig, instance, primitive, parts, where, copy))
    return pieces


def _place_piece(
    document: Document,
    rig: Rig,
    instance: Instance,
    primitive: Primitive,
    parts: tuple[str, ...],
    where: str,
    copy: FloatArray,
) -> _Piece:
    skin = instance.skin
    if skin is not None and primitive.joints is not None and primitive.values is not None:
        placement = rig.placements[skin]
        joints, values = _check_weights(document, primitive.joints, primitive.values, len(rig.slots[skin]), where)
        joints = np.where(values > 0.0, rig.slots[skin][joints], 0).astype(np.int32)
    else:
        joint = int(rig.slots[skin][0]) if skin is not None else rig.joint_of[instance.node]
        placement = rig.placements[skin] if skin is not None else rig.skeleton.world_from_joint[joint] @ copy
        if skin is not None:
            document.faults.mend(
                where,
                "it has a skin but no weights",
                "JOINTS_0 and WEIGHTS_0 are needed",
                "it rides on the first joint",
            )
        joints = np.full((len(primitive.points), 1), joint, dtype=np.int32)
        values = np.ones((len(primitive.points), 1))
    if np.array_equal(placement, np.eye(4)):
        points, shapes, attributes = primitive.points, primitive.shapes, primitive.attributes
    else:
        points = rotate_and_scale(placement, primitive.points) + placement[:3, 3]
        shapes = {name: rotate_and_scale(placement, offsets) for name, offsets in primitive.shapes.items()}
        attributes = placed(primitive.attributes, placement)
    mirrored = np.linalg.det(placement[:3, :3]) < 0.0
    triangles = primitive.triangles[:, ::-1] if mirrored else primitive.triangles
    return _Piece(
        parts, points, triangles, primitive.uvs, joints, values, shapes, primitive.maps, attributes, primitive.material
    )


def _check_weights(
    document: Document, joints: IntArray, values: FloatArray, count: int, where: str
) -> tuple[IntArray, FloatArray]:
    """Weights of sum one over joints that exist; what is off is mended when asked for, and rounding always."""
    outside = joints >= count
    if outside.any():
        idle = outside & (values == 0.0)
        if idle.any():
            document.faults.note(where, f"{int(idle.sum())} joint numbers out of range with weight 0 were set to 0")
            joints = np.where(idle, 0, joints).astype(np.int32)
    with np.errstate(all="ignore"):
        sums = values.sum(axis=1)
        sound = (values >= 0.0).all() and (np.abs(sums - 1.0) <= SUM_TOLERANCE).all() and int(joints.max()) < count
    if not sound:
        weights, report = Weights.repaired(joints, values, joint_count=count)
        document.faults.mend(
            where,
            "its weights are not sound",
            "weights of sum one over joints that exist are needed",
            ", ".join(report).replace("joint 0", "the skin's first joint"),
        )
        return weights.joints, weights.values
    return joints, values / sums[:, None]


def _widen(columns: NDArray[Any], width: int) -> NDArray[Any]:
    lacking = width - columns.shape[1]
    return np.pad(columns, ((0, 0), (0, lacking))) if lacking else columns


def _in_one_order(joints: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Influences by falling weight, equal weights by joint, so that equal vertices have equal rows."""
    if joints.shape[1] > 1:
        for keys in (joints, None):
            order = np.argsort(-values if keys is None else keys, axis=1, kind="stable")
            joints, values = np.take_along_axis(joints, order, axis=1), np.take_along_axis(values, order, axis=1)
    used = max(int((values > 0.0).sum(axis=1).max()), 1)
    return np.ascontiguousarray(joints[:, :used]), np.ascontiguousarray(values[:, :used])


def _uvs(pieces: list[_Piece], total: int) -> FloatArray | None:
    if all(piece.uvs is None for piece in pieces):
        return None
    return np.concatenate([np.zeros((len(piece.points), 2)) if piece.uvs is None else piece.uvs for piece in pieces])


def _parts(pieces: list[_Piece], starts: IntArray, control: IntArray) -> dict[str, IntArray]:
    rows: dict[str, list[IntArray]] = {}
    for piece, start in zip(pieces, starts[:-1], strict=True):
        for name in piece.parts:
            rows.setdefault(name, []).append(control[start : start + len(piece.points)])
    count = int(control.max()) + 1
    return {name: _distinct(np.concatenate(found), count) for name, found in rows.items()}


def _distinct(numbers: IntArray, count: int) -> IntArray:
    """The distinct ones of numbers below `count`, rising; by marking them where they are most of all there are."""
    if 4 * len(numbers) < count:
        return np.unique(numbers).astype(np.int32)
    mask = np.zeros(count, dtype=bool)
    mask[numbers] = True
    return np.flatnonzero(mask).astype(np.int32)
