"""Accessors: typed arrays inside buffers, with strides, normalised integers and sparse changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.io.compressed.unpacking import unpacked_draco, unpacked_view
from supple.io.gltf.document import Document, Fields

Array = NDArray[Any]

COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FLOAT, UNSIGNED = "f", "u"


class Accessors:
    """The arrays of a document, read once each."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._read: dict[int, Array] = {}
        self._unpacked: dict[int, memoryview | None] = {}

    def unpack(self) -> None:
        """Unpack the accessors of all compressed meshes, before any of them is read."""
        for number, rows in unpacked_draco(self._document).items():
            self._take(number, rows)

    def _take(self, number: int, rows: Array) -> None:
        """Let an accessor have rows that were unpacked elsewhere, as its type says."""
        document, where = self._document, f"accessors[{number}]"
        fields = document.item("accessors", number)
        kind = self._component(fields, where)
        shape = (document.whole(fields, "count", where, low=1), WIDTHS.get(str(fields.get("type")), 0))
        if rows.shape != shape:
            raise document.error(where, f"{rows.shape} numbers were unpacked for it", f"it has {shape}")
        document.spend(rows.size * 8, where)
        with np.errstate(invalid="ignore", over="ignore"):
            self._read[number] = _as_said(rows.astype(kind), fields)

    def rows(self, number: int, where: str, *, shape: str, kinds: str = "iuf") -> Array:
        """All elements (N, width) of an accessor that must be of the type `shape`, such as VEC3.

        Integers marked as normalised become floats, -1 to 1 or 0 to 1; other integers stay integers. `kinds` says which
        component types are allowed (NumPy letters), and applies before normalisation.
        """
        document = self._document
        fields = document.item("accessors", number)
        at = f"{where} (accessors[{number}])"
        if fields.get("type") != shape:
            raise document.error(at, f"its type is {str(fields.get('type'))[:20]!r}", f"{shape} is needed")
        kind = self._component(fields, at)
        if kind.kind not in kinds:
            raise document.error(at, f"its componentType is {fields['componentType']}", _allowed(kinds))
        if number not in self._read:
            self._read[number] = self._decode(fields, kind, WIDTHS[shape], at)
        return self._read[number]

    def count(self, number: int) -> int:
        """How many elements an accessor says it has."""
        return self._document.whole(self._document.item("accessors", number), "count", f"accessors[{number}]", low=1)

    def view_of(self, number: int) -> Fields | None:
        """The buffer view of an accessor, if it has one."""
        view = self._document.index(
            self._document.item("accessors", number), "bufferView", f"accessors[{number}]", of="bufferViews"
        )
        return None if view is None else self._document.item("bufferViews", view)

    def _component(self, fields: Fields, where: str) -> np.dtype[Any]:
        code = self._document.whole(fields, "componentType", where)
        if code not in COMPONENTS:
            raise self._document.error(where, f"its componentType is {code}", "5120 to 5123, 5125 or 5126 are known")
        return COMPONENTS[code]

    def _decode(self, fields: Fields, kind: np.dtype[Any], width: int, where: str) -> Array:
        document = self._document
        count = document.whole(fields, "count", where, low=1)
        offset = document.whole(fields, "byteOffset", where) if "byteOffset" in fields else 0
        size = 4 if kind.kind == "f" else 8 if fields.get("normalized") is True else kind.itemsize
        document.spend(count * width * size, where)
        view = document.index(fields, "bufferView", where, of="bufferViews")
        if view is not None:
            rows = self._elements(view, offset, (count, width), kind, where)
        else:
            rows = np.zeros((count, width), dtype=kind)
        sparse = fields.get("sparse")
        if sparse is not None:
            rows = self._with_changes(rows, document.mapping(fields, "sparse", where), kind, f"{where}.sparse")
        return _as_said(rows, fields)

    def _with_changes(self, rows: Array, sparse: Fields, kind: np.dtype[Any], where: str) -> Array:
        """The rows with some of them replaced; at most as many as there are."""
        document = self._document
        count = document.whole(sparse, "count", where, low=1, high=len(rows))
        sparse_indices, values = (document.mapping(sparse, part, where) for part in ("indices", "values"))
        index_kind = self._component(sparse_indices, f"{where}.indices")
        if index_kind.kind != UNSIGNED:
            raise document.error(f"{where}.indices", "its numbers are signed", _allowed(UNSIGNED))
        index = self._part(sparse_indices, (count, 1), index_kind, f"{where}.indices")[:, 0].astype(np.int64)
        if (np.diff(index) <= 0).any() or index[-1] >= len(rows):
            raise document.error(f"{where}.indices", "they do not rise", f"rising numbers below {len(rows)} are needed")
        changed = np.array(rows)
        changed[index] = self._part(values, (count, rows.shape[1]), kind, f"{where}.values")
        return changed

    def _part(self, fields: Fields, shape: tuple[int, int], kind: np.dtype[Any], where: str) -> Array:
        view = self._document.index(fields, "bufferView", where, of="bufferViews")
        if view is None:
            raise self._document.error(where, "it names no bufferView", "one is needed")
        offset = self._document.whole(fields, "byteOffset", where) if "byteOffset" in fields else 0
        return self._elements(view, offset, shape, kind, where)

    def _window(self, view: int) -> tuple[memoryview, int, int]:
        """The bytes, unpacked where they were packed, that a buffer view lies in, its start there, and its length."""
        document, at = self._document, f"bufferViews[{view}]"
        if view not in self._unpacked:
            plain = unpacked_view(document, view)
            self._unpacked[view] = None if plain is None else memoryview(plain)
        unpacked = self._unpacked[view]
        if unpacked is not None:
            return unpacked, 0, len(unpacked)
        fields = document.item("bufferViews", view)
        number = document.index(fields, "buffer", at, of="buffers")
        if number is None:
            raise document.error(at, "it names no buffer", "one is needed")
        content = document.buffer(number)
        start = document.whole(fields, "byteOffset", at) if "byteOffset" in fields else 0
        length = document.whole(fields, "byteLength", at, low=1)
        if start + length > len(content):
            raise document.error(at, f"it ends at byte {start + length}", f"the buffer has {len(content)}")
        return content, start, length

    def _elements(self, view: int, offset: int, shape: tuple[int, int], kind: np.dtype[Any], where: str) -> Array:
        """A window (N, width) onto the bytes of a buffer view; every byte of it is known to be inside."""
        document = self._document
        at = f"bufferViews[{view}]"
        fields = document.item("bufferViews", view)
        content, start, length = self._window(view)
        size = kind.itemsize * shape[1]
        stride = document.whole(fields, "byteStride", at, low=4, high=252) if "byteStride" in fields else size
        if stride < size:
            raise document.error(at, f"its byteStride is {stride}", f"an element of {where} has {size} bytes")
        end = offset + stride * (shape[0] - 1) + size
        if end > length:
            raise document.error(where, f"it ends at byte {end}", f"{at} has {length}")
        return np.ndarray(shape, dtype=kind, buffer=content, offset=start + offset, strides=(stride, kind.itemsize))


def _as_said(rows: Array, fields: Fields) -> Array:
    """Rows of an accessor; integers marked as normalised become floats, -1 to 1 or 0 to 1."""
    if fields.get("normalized") is True and rows.dtype.kind != "f":
        return np.maximum(rows.astype(np.float64) / float(np.iinfo(rows.dtype).max), -1.0)
    return rows


def as_floats(rows: Array) -> FloatArray:
    """Rows as float64; what is not a number stays so, in silence even where its bits would signal."""
    with np.errstate(invalid="ignore"):
        return rows.astype(np.float64)


def _allowed(kinds: str) -> str:
    words = {"f": "floats", "u": "unsigned integers", "i": "signed integers"}
    return " or ".join(words[kind] for kind in kinds) + " are needed"
