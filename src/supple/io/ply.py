"""PLY meshes, text and binary of both byte orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supple.character.character import Character
from supple.errors import FormatError
from supple.io.surface import Surface
from supple.io.unrigged import unrigged_character

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_UV_NAMES = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))


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

    Texture coordinates of vertices are kept (s t, u v); colours, normals and other properties are left out. A PLY says
    neither its unit nor its up axis: metres and y up are taken.
    """
    where = str(path)
    data = path.read_bytes()
    order, elements, start = _header(data, where)
    try:
        columns = _text(data[start:], elements) if order == "" else _binary(data, start, elements, order)
    except (ValueError, IndexError, OverflowError):
        given = "its data does not fit its header"
        raise FormatError(where, given, "every element that the header promises", "export the mesh again") from None
    vertex, faces = columns.get("vertex", {}), columns.get("face", {})
    if not all(axis in vertex for axis in "xyz"):
        raise FormatError(where, "its vertices lack x, y or z", "all three are needed", "export the mesh again")
    points = np.stack([vertex[axis][0] for axis in "xyz"], axis=1).astype(np.float64)
    listed = next((faces[name] for name in ("vertex_indices", "vertex_index") if name in faces), None)
    if listed is None:
        raise FormatError(where, "it has no faces", "a mesh is needed, not a cloud of points", "export faces too")
    corners, counts = listed
    if len(corners) and int(corners.max()) >= len(points):
        given = f"a face names point {int(corners.max())}"
        raise FormatError(where, given, f"there are {len(points)} points", "export the mesh again")
    uvs = next(
        (np.stack([vertex[u][0], vertex[v][0]], axis=1) for u, v in _UV_NAMES if u in vertex and v in vertex), None
    )
    flat = corners.astype(np.int32)
    surface = Surface(
        counts.astype(np.int32), flat, None if uvs is None else uvs.astype(np.float64), None if uvs is None else flat
    )
    return unrigged_character(points, surface, path)


def _header(data: bytes, where: str) -> tuple[str, list[_Element], int]:
    end = data.find(b"end_header", 0, 1 << 20)
    if not data.startswith(b"ply") or end < 0:
        raise FormatError(where, "it does not start like a PLY file", "a header is needed", "export the mesh again")
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
                elements[-1].properties.append(_Property(words[4], _TYPES[words[3]], _TYPES[words[2]]))
            elif words[:1] == ["property"]:
                elements[-1].properties.append(_Property(words[2], _TYPES[words[1]]))
        except (KeyError, IndexError, ValueError):
            given = f"its header says {line.strip()!r}"
            raise FormatError(where, given, "elements and properties of known types", "export the mesh again") from None
    least = sum(max(element.count, 0) for element in elements if element.properties)
    if order is None or start == 0 or any(element.count < 0 for element in elements) or least > len(data) - start:
        raise FormatError(where, "its header promises more than there is", "a whole file", "export the mesh again")
    return order, elements, start


Column = tuple[NDArray[np.generic], NDArray[np.int64]]  # values one after the other, and how many each item has


def _text(data: bytes, elements: list[_Element]) -> dict[str, dict[str, Column]]:
    lines = [line for line in data.decode("ascii", errors="replace").splitlines() if line.strip()]
    columns: dict[str, dict[str, Column]] = {}
    first = 0
    for element in elements:
        rows = [line.split() for line in lines[first : first + element.count]]
        if len(rows) < element.count:
            raise ValueError
        first += element.count
        columns[element.name] = _text_columns(rows, element)
    return columns


def _text_columns(rows: list[list[str]], element: _Element) -> dict[str, Column]:
    found: dict[str, Column] = {}
    offsets = [0] * len(rows)
    for prop in element.properties:
        counts = [int(row[at]) for row, at in zip(rows, offsets, strict=True)] if prop.count_kind else [1] * len(rows)
        if min(counts, default=0) < 0:
            raise ValueError
        begin = [at + 1 for at in offsets] if prop.count_kind else offsets
        ends = [at + count for at, count in zip(begin, counts, strict=True)]
        if any(end > len(row) for end, row in zip(ends, rows, strict=True)):
            raise ValueError
        values = [float(word) for row, a, b in zip(rows, begin, ends, strict=True) for word in row[a:b]]
        found[prop.name] = (np.array(values), np.array(counts, dtype=np.int64))
        offsets = ends
    return found


def _binary(data: bytes, start: int, elements: list[_Element], order: str) -> dict[str, dict[str, Column]]:
    columns: dict[str, dict[str, Column]] = {}
    for element in elements:
        if not any(prop.count_kind for prop in element.properties):
            record = np.dtype([(prop.name, order + prop.kind) for prop in element.properties])
            table = np.frombuffer(data, dtype=record, count=element.count, offset=start)
            ones = np.ones(element.count, dtype=np.int64)
            columns[element.name] = {prop.name: (table[prop.name], ones) for prop in element.properties}
            start += element.count * record.itemsize
        else:
            columns[element.name], start = _binary_lists(data, start, element, order)
    return columns


def _binary_lists(data: bytes, start: int, element: _Element, order: str) -> tuple[dict[str, Column], int]:
    """Items of varying length are walked one by one, after a try whether all are as long as the first."""
    if len(element.properties) == 1 and element.count:
        prop = element.properties[0]
        size = int(np.frombuffer(data, dtype=order + prop.count_kind, count=1, offset=start)[0])
        record = np.dtype([("n", order + prop.count_kind), ("values", order + prop.kind, (max(size, 0),))])
        if start + element.count * record.itemsize <= len(data):
            table = np.frombuffer(data, dtype=record, count=element.count, offset=start)
            if (table["n"] == size).all():
                counts = np.full(element.count, size, dtype=np.int64)
                return {prop.name: (table["values"].reshape(-1), counts)}, start + element.count * record.itemsize
    values: list[list[NDArray[np.generic]]] = [[] for _ in element.properties]
    counts_of: list[list[int]] = [[] for _ in element.properties]
    for _ in range(element.count):
        for column, prop in enumerate(element.properties):
            count = 1
            if prop.count_kind:
                count = int(np.frombuffer(data, dtype=order + prop.count_kind, count=1, offset=start)[0])
                start += np.dtype(prop.count_kind).itemsize
            if count < 0 or start + count * np.dtype(prop.kind).itemsize > len(data):
                raise ValueError
            values[column].append(np.frombuffer(data, dtype=order + prop.kind, count=count, offset=start))
            counts_of[column].append(count)
            start += count * np.dtype(prop.kind).itemsize
    found: dict[str, Column] = {}
    for prop, pieces, counts_list in zip(element.properties, values, counts_of, strict=True):
        whole = np.concatenate(pieces) if pieces else np.zeros(0)
        found[prop.name] = (whole, np.array(counts_list, dtype=np.int64))
    return found, start
