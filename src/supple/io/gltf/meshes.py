"""Meshes: the triangles, influences, texture coordinates and shapes of every primitive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.io.gltf.accessors import FLOAT, UNSIGNED, Accessors, as_floats
from supple.io.gltf.corners import Corners
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.materials import own_extras

TRIANGLES, STRIP, FAN = 4, 5, 6
_TARGET = 4096  # bytes that a shape costs however few points it moves


@dataclass(frozen=True, eq=False)
class Primitive:
    """One piece of a mesh with one material; only vertices that triangles use are kept.

    `joints` and `values` (V, K) are numbers into a skin and weights, None where the mesh has none; `shapes` are offsets
    (V, 3) of the points by name, `maps` custom attributes (V,) by their names in the file, `attributes` (V, W) what
    else stands at the vertices. `material` is a number into the materials of the file, -1 for none.
    """

    name: str
    points: FloatArray
    triangles: IntArray
    uvs: FloatArray | None
    joints: IntArray | None
    values: FloatArray | None
    shapes: dict[str, FloatArray]
    maps: dict[str, FloatArray]
    attributes: dict[str, Float32Array]
    material: int


class Meshes:
    """The meshes of a document, read when a node shows them."""

    def __init__(self, document: Document, accessors: Accessors) -> None:
        self._document, self._accessors = document, accessors
        accessors.unpack()
        self._read: dict[int, list[Primitive]] = {}

    def name(self, mesh: int) -> str:
        """What the mesh is called."""
        return self._document.text(self._document.item("meshes", mesh), "name", f"mesh{mesh}")

    def primitives(self, mesh: int) -> list[Primitive]:
        """The pieces of a mesh that have triangles."""
        if mesh not in self._read:
            fields = self._document.item("meshes", mesh)
            where = f"meshes[{mesh}]"
            found = self._document.listing(fields, "primitives", where)
            names = self._shape_names(fields)
            pieces = [
                self._primitive(piece, names, f"{where}.primitives[{number}]", number)
                for number, piece in enumerate(found)
            ]
            self._read[mesh] = [piece for piece in pieces if piece is not None]
        return self._read[mesh]

    def shape_names(self, mesh: int) -> list[str]:
        """The names of a mesh's shapes, in the order in which their weights are animated."""
        fields = self._document.item("meshes", mesh)
        where = f"meshes[{mesh}]"
        counts = [
            len(self._document.listing(piece, "targets", f"{where}.primitives[{number}]"))
            for number, piece in enumerate(self._document.listing(fields, "primitives", where))
            if isinstance(piece, dict)
        ]
        names = self._shape_names(fields)
        return [names[k] if k < len(names) else f"shape{k}" for k in range(max(counts, default=0))]

    def extras(self, mesh: int) -> Fields:
        """What Supple wrote about the mesh beyond the format; empty where another program wrote it."""
        return own_extras(self._document.item("meshes", mesh))

    def _shape_names(self, fields: Fields) -> list[str]:
        extras = fields.get("extras")
        names = extras.get("targetNames") if isinstance(extras, dict) else None
        return [str(name) for name in names] if isinstance(names, list) else []

    def _primitive(self, fields: Any, shape_names: list[str], where: str, number: int) -> Primitive | None:
        document = self._document
        if not isinstance(fields, dict):
            raise document.error(where, "it is no object", "an object is needed")
        mode = document.whole(fields, "mode", where, high=6) if "mode" in fields else TRIANGLES
        attributes = document.mapping(fields, "attributes", where)
        accessor = document.index(attributes, "POSITION", f"{where}.attributes", of="accessors")
        if mode < TRIANGLES or accessor is None:
            document.faults.note(where, "it has no triangles and is left out")
            return None
        rows = self._accessors.rows(accessor, f"{where}.POSITION", shape="VEC3")
        corners = self._corners(fields, len(rows), where)
        triangles, used = _compact(_faces(corners, mode), len(rows))
        if len(triangles) == 0:
            document.faults.note(where, "it has no triangles and is left out")
            return None
        document.spend(80 * len(triangles) + 100 * len(used), where)
        points = as_floats(rows[used])
        if not np.isfinite(points).all():
            raise document.error(f"{where}.POSITION", "some places are not finite", "finite places are needed")
        if not np.ptp(points, axis=0).any():
            document.faults.note(where, "all its vertices are in one place, and it is left out")
            return None
        uvs = self._vertex_rows(attributes, "TEXCOORD_0", "VEC2", len(rows), where)
        uvs = None if uvs is None else as_floats(uvs[used]) * [1.0, -1.0] + [0.0, 1.0]  # glTF counts v from the top
        if uvs is not None and not np.isfinite(uvs).all():
            document.faults.note(f"{where}.TEXCOORD_0", "some are not finite and become 0")
            uvs = np.nan_to_num(uvs, nan=0.0, posinf=0.0, neginf=0.0)
        joints, values = self._influences(attributes, used, len(rows), where)
        corner_rows = Corners(document, self._vertex_rows, used, len(rows), where)
        shapes = self._shapes(fields, shape_names, used, len(rows), where)
        maps = self._maps(attributes, used, len(rows), where)
        material = document.index(fields, "material", where, of="materials")
        return Primitive(
            self._name(material, number),
            points,
            triangles,
            uvs,
            joints,
            values,
            shapes,
            maps,
            corner_rows.attributes(attributes) | corner_rows.of_shapes(self._named_targets(fields, shape_names, where)),
            -1 if material is None else material,
        )

    def _name(self, material: int | None, number: int) -> str:
        if material is None:
            return f"primitive{number}"
        return self._document.text(self._document.item("materials", material), "name", f"material{material}")

    def _corners(self, fields: Fields, count: int, where: str) -> NDArray[Any]:
        number = self._document.index(fields, "indices", where, of="accessors")
        if number is None:
            self._document.spend(8 * count, where)
            return np.arange(count)
        corners = self._accessors.rows(number, f"{where}.indices", shape="SCALAR", kinds=UNSIGNED)[:, 0]
        if int(corners.max()) >= count:
            raise self._document.error(
                f"{where}.indices", f"a triangle names vertex {int(corners.max())}", f"there are {count} vertices"
            )
        return corners

    def _vertex_rows(
        self, attributes: Fields, key: str, shape: str, count: int, where: str, kinds: str = "iuf"
    ) -> NDArray[Any] | None:
        number = self._document.index(attributes, key, f"{where}.attributes", of="accessors")
        if number is None:
            return None
        rows = self._accessors.rows(number, f"{where}.{key}", shape=shape, kinds=kinds)
        if len(rows) != count:
            raise self._document.error(f"{where}.{key}", f"it has {len(rows)} rows", f"POSITION has {count}")
        return rows

    def _influences(
        self, attributes: Fields, used: IntArray, count: int, where: str
    ) -> tuple[IntArray | None, FloatArray | None]:
        """All sets of four influences side by side; sets in which no vertex has a weight are dropped."""
        joints: list[NDArray[np.int64]] = []
        values: list[FloatArray] = []
        while f"JOINTS_{len(joints)}" in attributes or f"WEIGHTS_{len(joints)}" in attributes:
            number = len(joints)
            index = self._vertex_rows(attributes, f"JOINTS_{number}", "VEC4", count, where, UNSIGNED)
            weight = self._vertex_rows(attributes, f"WEIGHTS_{number}", "VEC4", count, where, FLOAT + UNSIGNED)
            if index is None or weight is None:
                raise self._document.error(where, f"JOINTS_{number} or WEIGHTS_{number} is missing", "both are needed")
            self._document.spend(48 * len(used), where)
            weight = as_floats(weight[used])
            if number and not weight.any():
                weight = weight[:, :0]
            joints.append(index[used, : weight.shape[1]].astype(np.int64))
            values.append(weight)
        if not joints:
            return None, None
        index, weight = np.concatenate(joints, axis=1), np.concatenate(values, axis=1)
        return np.minimum(index, np.iinfo(np.int32).max).astype(np.int32), weight

    def _maps(self, attributes: Fields, used: IntArray, count: int, where: str) -> dict[str, FloatArray]:
        """Custom attributes of one number a vertex; what is wider, or not finite, is no painted map."""
        maps: dict[str, FloatArray] = {}
        for key in attributes:
            number = self._document.index(attributes, key, where, of="accessors") if key.startswith("_") else None
            if number is None or self._document.item("accessors", number).get("type") != "SCALAR":
                continue
            rows = self._vertex_rows(attributes, key, "SCALAR", count, where)
            if rows is None:
                continue
            self._document.spend(16 * len(used), f"{where}.{key}")
            values = as_floats(rows[used, 0])
            if np.isfinite(values).all():
                maps[key] = values
        return maps

    def _named_targets(self, fields: Fields, names: list[str], where: str) -> list[tuple[str, Fields, str]]:
        """The morph targets of a primitive with their names, and where they stand."""
        found = []
        for number, target in enumerate(self._document.listing(fields, "targets", where)):
            at = f"{where}.targets[{number}]"
            if not isinstance(target, dict):
                raise self._document.error(at, "it is no object", "an object is needed")
            found.append((names[number] if number < len(names) else f"shape{number}", target, at))
        return found

    def _shapes(
        self, fields: Fields, names: list[str], used: IntArray, count: int, where: str
    ) -> dict[str, FloatArray]:
        shapes: dict[str, FloatArray] = {}
        for name, target, at in self._named_targets(fields, names, where):
            rows = self._vertex_rows(target, "POSITION", "VEC3", count, at)
            self._document.spend(24 * len(used) + _TARGET, at)
            offsets = np.zeros((len(used), 3)) if rows is None else as_floats(rows[used])
            if not np.isfinite(offsets).all():
                raise self._document.error(at, "some offsets are not finite", "finite offsets are needed")
            shapes[name] = offsets + shapes.get(name, 0.0)
        return shapes


def _faces(corners: NDArray[Any], mode: int) -> NDArray[np.int64]:
    """Triangles (T, 3) of a list, a strip or a fan of corners; corners left over draw nothing."""
    index = corners.astype(np.int64)
    if mode == TRIANGLES:
        return index[: len(index) // 3 * 3].reshape(-1, 3)
    if len(index) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == FAN:
        return np.stack([index[1:-1], index[2:], np.full(len(index) - 2, index[0])], axis=1)
    faces = np.stack([index[:-2], index[1:-1], index[2:]], axis=1)
    faces[1::2] = faces[1::2][:, [0, 2, 1]]  # every other triangle of a strip is wound the other way
    return faces


def _compact(faces: NDArray[np.int64], count: int) -> tuple[IntArray, IntArray]:
    """Renumber triangles over the vertices they use, and name those; what a primitive costs follows its triangles."""
    if faces.size * 4 < count:
        used, inverse = np.unique(faces, return_inverse=True)
        return inverse.reshape(-1, 3).astype(np.int32), used.astype(np.int32)
    mask = np.zeros(count, dtype=bool)
    mask[faces] = True
    if mask.all():
        return faces.astype(np.int32), np.arange(count, dtype=np.int32)
    number = np.cumsum(mask, dtype=np.int32) - 1
    return number[faces].astype(np.int32), np.flatnonzero(mask).astype(np.int32)
