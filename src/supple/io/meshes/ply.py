"""PLY meshes, text and binary of both byte orders."""

from __future__ import annotations

import io
import struct
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.budget import Budget
from supple.character.attributes import NORMAL, unit
from supple.character.character import Character
from supple.errors import FormatError
from supple.io.surfaces.surface import Surface
from supple.io.surfaces.unrigged import MESH_BYTES, TRIANGLE_BYTES, unrigged_character

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I"}  # of counts, as struct has them
_SIZES = {kind: int(kind[1:]) for kind in _TYPES.values()}
_UV_NAMES = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))
_NORMALS, _COLORS = ("nx", "ny", "nz"), ("red", "green", "blue", "alpha")
_CORNERS = ("vertex_indices", "vertex_index")
_USED = {"x", "y", "z", *_CORNERS, *_NORMALS, *_COLORS, *(name for pair in _UV_NAMES for name in pair)}
_LAYER_BYTES = 64  # that normals or colours of a vertex cost
_GLANCE = 1 << 14  # items between two looks at the clock
_ADVICE = "export the mesh again"

Column = tuple[NDArray[Any], NDArray[np.int32]]  # values one after the other, and how many each item of a list has


@dataclass
class _Property:
    name: str
    kind: str
    count_kind: str = ""  # of lists


@dataclass
class _Element:
    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)


def read_character(path: Path, *, repair: bool) -> Character:
    """Read a mesh, which has no skeleton and gets one joint.

    Texture coordinates (s t, u v), normals and colours of vertices are kept; other properties are left out. A PLY says
    neither its unit nor its up axis: metres and y up are taken.
    """
    where, budget = str(path), Budget.of(path)
    data = path.read_bytes()
    order, elements, start = _header(data, where)
    reader = _Text(data, start, budget) if order == "" else _Binary(data, start, order, budget)
    try:
        columns = {element.name: reader.columns(element) for element in elements if element.properties}
    except (ValueError, IndexError, OverflowError, StopIteration):
        given = "its data does not fit its header"
        raise FormatError(where, given, "every element that the header promises", _ADVICE) from None
    vertex, faces = columns.get("vertex", {}), columns.get("face", {})
    if not all(axis in vertex for axis in "xyz"):
        raise FormatError(where, "its vertices lack x, y or z", "all three are needed", _ADVICE)
    listed = next((faces[name] for name in _CORNERS if name in faces), None)
    if listed is None:
        raise FormatError(where, "it has no faces", "a mesh is needed, not a cloud of points", "export faces too")
    corners, counts = listed
    count = len(vertex["x"][0])
    budget.spend(MESH_BYTES * count + TRIANGLE_BYTES * max(len(corners) - 2 * len(counts), 0))
    uvs = next((_side_by_side(vertex, pair) for pair in _UV_NAMES if all(name in vertex for name in pair)), None)
    flat = _whole(corners, count, where)
    layers = {name: (rows, flat) for name, rows in _vertex_layers(vertex, elements, budget).items()}
    surface = Surface(counts.astype(np.int32), flat, uvs, None if uvs is None else flat, layers=layers)
    return unrigged_character(_side_by_side(vertex, ("x", "y", "z")), surface, path)


def _side_by_side(columns: dict[str, Column], names: tuple[str, ...]) -> FloatArray:
    with np.errstate(invalid="ignore"):  # what is not a number stays so, and is refused later
        return np.stack([columns[name][0] for name in names], axis=1).astype(np.float64)


def _vertex_layers(vertex: dict[str, Column], elements: list[_Element], budget: Budget) -> dict[str, Float32Array]:
    """Normals and colours of the vertices, where all numbers of them are there and finite.

    Colours in bytes are those of a screen (sRGB), and become linear.
    """
    found: dict[str, Float32Array] = {}
    kinds = {prop.name: prop.kind for element in elements if element.name == "vertex" for prop in element.properties}
    colors = _COLORS if "alpha" in vertex else _COLORS[:3]
    for name, columns in ((NORMAL, _NORMALS), ("COLOR_0", colors)):
        if not all(column in vertex for column in columns):
            continue
        budget.spend(_LAYER_BYTES * len(vertex["x"][0]))
        rows = _side_by_side(vertex, columns)
        if name == "COLOR_0" and kinds[colors[0]].startswith("u"):
            rows /= np.iinfo(kinds[colors[0]]).max
            rows[:, :3] = np.where(rows[:, :3] <= 0.04045, rows[:, :3] / 12.92, ((rows[:, :3] + 0.055) / 1.055) ** 2.4)
        with np.errstate(over="ignore", invalid="ignore"):
            single = rows.astype(np.float32)
        if np.isfinite(single).all():
            found[name] = unit(single) if name == NORMAL else single
    return found


def _whole(corners: NDArray[Any], count: int, where: str) -> IntArray:
    """Numbers of points that there are."""
    with np.errstate(invalid="ignore"):
        outside = ~((corners >= 0) & (corners < count) & (corners == np.floor(corners)))
    if outside.any():
        given = f"a face names point {corners[int(np.argmax(outside))]:g}"
        raise FormatError(where, given, f"there are {count} points", _ADVICE)
    return corners.astype(np.int32)


def _header(data: bytes, where: str) -> tuple[str, list[_Element], int]:
    end = data.find(b"end_header", 0, 1 << 20)
    if not data.startswith(b"ply") or end < 0:
        raise FormatError(where, "it does not start like a PLY file", "a header is needed", _ADVICE)
    start = data.find(b"\n", end) + 1
    order: str | None = None
    elements: list[_Element] = []
    for line in data[:end].decode("ascii", errors="replace").splitlines():
        words = line.split()
        try:
            if words[:1] == ["format"]:
                order = _ORDERS[words[1]]
            elif words[:1] == ["element"]:
                elements.append(_Element(words[1], int(words[2])))
            elif words[:2] == ["property", "list"]:
                count_kind = _TYPES[words[2]]
                elements[-1].properties.append(_Property(words[4], _TYPES[words[3]], count_kind))
                _LETTERS[count_kind]  # a list has a whole number of items
            elif words[:1] == ["property"]:
                elements[-1].properties.append(_Property(words[2], _TYPES[words[1]]))
        except (KeyError, IndexError, ValueError):
            given = f"its header says {line.strip()!r}"
            raise FormatError(where, given, "elements and properties of known types", _ADVICE) from None
    least = sum(max(element.count, 0) for element in elements if element.properties)
    if order is None or start == 0 or any(element.count < 0 for element in elements) or least > len(data) - start:
        raise FormatError(where, "its header promises more than there is", "a whole file", _ADVICE)
    return order, elements, start


class _Text:
    """Elements of a file in words, one item a line."""

    def __init__(self, data: bytes, start: int, budget: Budget) -> None:
        self._lines = (words for line in io.BytesIO(memoryview(data)[start:]) if (words := line.split()))
        self._budget = budget

    def columns(self, element: _Element) -> dict[str, Column]:
        """The columns of one element that make a mesh; the lines of others are walked over."""
        values, counts = [array("d") for _ in element.properties], [array("i") for _ in element.properties]
        kept = [prop.name in _USED for prop in element.properties]
        for row in range(element.count):
            if row % _GLANCE == 0:
                self._budget.look_at_the_clock()
            words, at = next(self._lines), 0
            for column, prop in enumerate(element.properties):
                length, at = (int(words[at]), at + 1) if prop.count_kind else (1, at)
                if length < 0 or at + length > len(words):
                    raise ValueError
                if kept[column] and (length >= 3 or not prop.count_kind):
                    values[column].extend(map(float, words[at : at + length]))
                    counts[column].append(length)
                at += length
        return {
            prop.name: (np.frombuffer(numbers), np.frombuffer(lengths, dtype=np.int32))
            for prop, keep, numbers, lengths in zip(element.properties, kept, values, counts, strict=True)
            if keep
        }


class _Binary:
    """Elements of a file in bytes."""

    def __init__(self, data: bytes, start: int, order: str, budget: Budget) -> None:
        self._data, self._at, self._order, self._budget = data, start, order, budget

    def columns(self, element: _Element) -> dict[str, Column]:
        """The columns of one element that make a mesh; the bytes of others are walked over."""
        order = self._order
        if any(prop.count_kind for prop in element.properties):
            return self._even_lists(element) or self._lists(element)
        record = np.dtype([(prop.name, order + prop.kind) for prop in element.properties])
        table = np.frombuffer(self._data, dtype=record, count=element.count, offset=self._at)
        self._at += element.count * record.itemsize
        ones = np.ones(1, dtype=np.int32)
        return {prop.name: (table[prop.name], ones) for prop in element.properties if prop.name in _USED}

    def _even_lists(self, element: _Element) -> dict[str, Column]:
        """The one list of every item, where all are as long as the first; nothing where they are not."""
        if len(element.properties) != 1 or not element.count:
            return {}
        prop, order = element.properties[0], self._order
        size = int(np.frombuffer(self._data, dtype=order + prop.count_kind, count=1, offset=self._at)[0])
        bytes_of_item = np.dtype(prop.count_kind).itemsize + max(size, 0) * np.dtype(prop.kind).itemsize
        if size < 3 or self._at + element.count * bytes_of_item > len(self._data):
            return {}
        record = np.dtype([("n", order + prop.count_kind), ("values", order + prop.kind, (size,))])
        table = np.frombuffer(self._data, dtype=record, count=element.count, offset=self._at)
        if not (table["n"] == size).all():
            return {}
        self._at += element.count * record.itemsize
        counts = np.full(element.count, size, dtype=np.int32)
        return {prop.name: (table["values"].reshape(-1), counts)}

    def _lists(self, element: _Element) -> dict[str, Column]:
        """Items of varying length, walked one by one; lists of fewer than three draw nothing and are left out."""
        data, at = self._data, self._at
        order = self._order
        steps = [
            (struct.Struct(order + _LETTERS[prop.count_kind]) if prop.count_kind else None, _SIZES[prop.kind])
            for prop in element.properties
        ]
        values, counts = [bytearray() for _ in steps], [array("i") for _ in steps]
        kept = [prop.name in _USED for prop in element.properties]
        for item in range(element.count):
            if item % _GLANCE == 0:
                self._budget.look_at_the_clock()
            for column, (head, width) in enumerate(steps):
                length = 1
                if head is not None:
                    if at + head.size > len(data):
                        raise ValueError
                    (length,) = head.unpack_from(data, at)
                    at += head.size
                end = at + length * width
                if length < 0 or end > len(data):
                    raise ValueError
                if kept[column] and (length >= 3 or head is None):
                    values[column] += data[at:end]
                    counts[column].append(length)
                at = end
        self._at = at
        return {
            prop.name: (np.frombuffer(content, dtype=order + prop.kind), np.frombuffer(lengths, dtype=np.int32))
            for prop, keep, content, lengths in zip(element.properties, kept, values, counts, strict=True)
            if keep
        }
