"""The mesh of a GLB: one, with a primitive for every material it wears, each with the vertices it draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import IntArray
from supple.character.attributes import NORMAL, TANGENT
from supple.character.character import Character
from supple.character.weights import Weights
from supple.geometry.topology import triangulate
from supple.io.gltf.extras import AUTHORED, NUMBER, ranges_of, runs_of
from supple.io.gltf.materials import KEY
from supple.io.gltf_out.container import FOR_INDICES, FOR_VERTICES, Glb
from supple.io.gltf_out.materials import add_materials
from supple.io.surfaces.display_mesh import DisplayMesh
from supple.names import UNDERLINED, unique

Columns = dict[str, NDArray[Any]]
_MOST_NUMBERS = 1 << 24  # whole numbers that a float32 tells apart


@dataclass(frozen=True, eq=False)
class _Group:
    """The triangles that wear one material, numbered over their own vertices."""

    material: int
    vertices: IntArray
    triangles: IntArray


class GlbMesh:
    """The mesh of a character, split by materials, ready to be given columns of vertices and morph targets."""

    def __init__(self, glb: Glb, character: Character, display: DisplayMesh) -> None:
        self._glb, self._drawn = glb, display
        count = len(character.materials)
        material_indices = character.material_of_triangle
        look = (
            np.full(len(character.triangles), count)
            if material_indices is None
            else np.where(material_indices < 0, count, material_indices)
        )
        self._looks = look
        self._groups = [_group(material, display.triangles[look == material]) for material in np.unique(look).tolist()]
        sets = [int(name[9:]) for name in display.attributes if name.startswith("TEXCOORD_")]
        self.textures = add_materials(
            glb,
            character.materials,
            bare=bool((look == count).any()),
            coordinates=sets if display.uvs is None else [0, *sets],
        )
        self._primitives: list[dict[str, Any]] = []
        for group in self._groups:
            kind = np.uint16 if len(group.vertices) < 65535 else np.uint32  # the highest number is kept for restarts
            indices = glb.add(group.triangles.ravel().astype(kind), target=FOR_INDICES)
            primitive = {"attributes": {}, "indices": indices, "material": group.material, "mode": 4}
            self._primitives.append(primitive)
        self.fields: dict[str, Any] = {"name": character.name, "primitives": self._primitives}
        glb.scene["meshes"] = [self.fields]

    def add(self, columns: Columns) -> None:
        """Give every drawn vertex attributes: columns (D, *) by name."""
        for group, primitive in zip(self._groups, self._primitives, strict=True):
            primitive["attributes"] |= self._add_columns(columns, group)

    def add_targets(self, targets: Iterable[Columns], names: list[str], weights: list[float]) -> None:
        """Give it morph targets, one after the other: offsets (D, 3) by attribute."""
        for columns in targets:
            for group, primitive in zip(self._groups, self._primitives, strict=True):
                primitive.setdefault("targets", []).append(self._add_columns(columns, group))
        self.fields["weights"] = weights
        self.fields.setdefault("extras", {})["targetNames"] = names

    def _add_columns(self, columns: Columns, group: _Group) -> dict[str, int]:
        rows = {name: values[group.vertices] for name, values in columns.items()}
        if TANGENT in rows and rows[TANGENT].shape[1] == 4 and not rows[TANGENT][:, :3].any(axis=1).all():
            del rows[TANGENT]  # some of these vertices have none, and the format wants all or nothing
        return {
            name: self._glb.add(values, target=FOR_VERTICES, bounds=name == "POSITION") for name, values in rows.items()
        }

    def add_extras(self, character: Character, names: dict[str, str]) -> None:
        """Write down what the format has no place for; `names` are those of the maps by their attributes."""
        extras: dict[str, Any] = {"name": character.name}
        if names:
            extras["maps"] = names
        if len(character.points) <= _MOST_NUMBERS:
            self.add({NUMBER: self._drawn.control_points.astype(np.float32)})
            extras["parts"] = {name: ranges_of(vertices) for name, vertices in character.parts.items()}
        if NORMAL in self._drawn.attributes:
            extras["normals"] = AUTHORED
        runs = self._quads(character)
        if runs is not None:
            extras["quads"] = runs
        self.fields.setdefault("extras", {})[KEY] = extras

    def _quads(self, character: Character) -> list[int] | None:
        """Which of the triangles, as they stand in the file, are halves of quads; None where a quad wears two looks."""
        faces = character.polygons
        if faces is None or not np.array_equal(triangulate(faces), character.triangles):
            return None
        square = faces[:, 3] >= 0
        pieces = np.where(square, 2, 1)
        first = np.cumsum(pieces) - pieces
        if not np.array_equal(self._looks[first + pieces - 1], self._looks[first]):
            return None
        return runs_of(square[np.argsort(self._looks[first], kind="stable")])


def _group(material: int, triangles: IntArray) -> _Group:
    vertices, inverse = np.unique(triangles, return_inverse=True)
    return _Group(material, vertices, inverse.reshape(-1, 3).astype(np.int32))


def rest_columns(character: Character, display: DisplayMesh) -> Columns:
    """Places, normals, texture coordinates and what else stands at the drawn vertices at rest."""
    columns: Columns = {"POSITION": display.positions(character.points), "NORMAL": display.normals(character.points)}
    if display.uvs is not None:
        columns["TEXCOORD_0"] = _from_the_top(display.uvs)
    for name, rows in display.attributes.items():
        if name.startswith("TEXCOORD_"):
            columns[name] = _from_the_top(rows)
        elif name != NORMAL and "/" not in name.removeprefix("_"):
            columns[name] = rows
    return columns | _missing_sets(columns)


def _missing_sets(columns: Columns) -> Columns:
    """Sets that must be there because later ones are: the format counts them from 0 without a gap."""
    found: Columns = {}
    count = len(columns["POSITION"])
    for kind, nothing in (("TEXCOORD_", np.zeros((count, 2))), ("COLOR_", np.ones((count, 4)))):
        numbers = [int(name[len(kind) :]) for name in columns if name.startswith(kind)]
        lacking = set(range(max(numbers, default=0))) - set(numbers)
        found |= {f"{kind}{number}": nothing.astype(np.float32) for number in sorted(lacking)}
    return found


def _from_the_top(uvs: NDArray[Any]) -> NDArray[Any]:
    """Texture coordinates with v counted from the top of the picture, as the format has it."""
    return np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1).astype(np.float32)


def shape_columns(character: Character, display: DisplayMesh, shapes: Iterable[str]) -> Iterator[Columns]:
    """What each of these shapes adds to places, and to normals and tangents where somebody said so."""
    for name in shapes:
        columns: Columns = {"POSITION": character.shapes[name][display.control_points].astype(np.float32)}
        for kind in (NORMAL, TANGENT):
            if f"{kind}/{name}" in display.attributes and kind in display.attributes:
                columns[kind] = display.attributes[f"{kind}/{name}"]
        yield columns


def map_columns(character: Character, display: DisplayMesh) -> tuple[Columns, dict[str, str]]:
    """Painted maps as custom attributes (flesh is `_FLESH`), and the names of the maps by attribute."""
    plain = ["".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in name) for name in character.maps]
    keys = unique((f"_{name.upper()}" for name in plain), taken=(NUMBER, *display.attributes), form=UNDERLINED)
    columns: Columns = {
        key: values[display.control_points].astype(np.float32)
        for key, values in zip(keys, character.maps.values(), strict=True)
    }
    return columns, dict(zip(keys, character.maps, strict=True))


def influence_columns(weights: Weights, control_points: IntArray, joint_count: int) -> Columns:
    """Influences in sets of four, as many sets as are needed; engines that read one set get the largest four."""
    weights = _without_repeats(weights)
    used = weights.influences
    sets = -(-used // 4)
    joints = np.zeros((len(weights), 4 * sets), dtype=np.uint8 if joint_count <= 256 else np.uint16)
    values = np.zeros((len(weights), 4 * sets), dtype=np.float32)
    values[:, :used] = weights.values[:, :used]
    joints[:, :used] = np.where(values[:, :used] > 0.0, weights.joints[:, :used], 0)
    values /= values.sum(axis=1, keepdims=True)
    columns: Columns = {}
    for number in range(sets):
        four = slice(4 * number, 4 * number + 4)
        columns[f"JOINTS_{number}"] = joints[control_points, four]
        columns[f"WEIGHTS_{number}"] = values[control_points, four]
    return columns


def _without_repeats(weights: Weights) -> Weights:
    """The same weights with no joint twice at a vertex, the largest first; the format allows none."""
    joints, values = weights.joints, weights.values
    order = np.argsort(np.where(values > 0.0, joints, np.iinfo(np.int32).max), axis=1, kind="stable")
    joints, values = np.take_along_axis(joints, order, axis=1), np.take_along_axis(values, order, axis=1).copy()
    again = (joints[:, 1:] == joints[:, :-1]) & (values[:, 1:] > 0.0)
    if not again.any():
        return weights
    for column in range(values.shape[1] - 1, 0, -1):  # each is added to the one before, down to the first of its joint
        rows = np.flatnonzero(again[:, column - 1])
        values[rows, column - 1] += values[rows, column]
        values[rows, column] = 0.0
    order = np.argsort(-values, axis=1, kind="stable")
    return Weights(np.take_along_axis(joints, order, axis=1), np.take_along_axis(values, order, axis=1))
