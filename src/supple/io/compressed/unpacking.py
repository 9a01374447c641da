"""Compressed meshes of a glTF: found, unpacked, and handed to its accessors."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import FormatError, UnfinishedError
from supple.io import sandbox, subprocess_reader
from supple.io.compressed import meshopt
from supple.io.gltf.document import Document, Fields
from supple.io.parcel import write_parcel

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.compressed.draco_child")
Array = NDArray[Any]
_ADVICE = "export it again, or plain"
_READER = subprocess_reader.Reader("Draco", "a whole stream is needed", _ADVICE)


def unpacked_view(document: Document, view: int) -> bytes | None:
    """The bytes of a buffer view that meshopt packed; None where it is plain."""
    at = f"bufferViews[{view}]"
    extensions = document.mapping(document.item("bufferViews", view), "extensions", at)
    name = next((name for name in MESHOPT if name in extensions), None)
    if name is None:
        return None
    fields, at = document.mapping(extensions, name, at), f"{at}.{name}"
    count = document.whole(fields, "count", at, low=1)
    stride = document.whole(fields, "byteStride", at, low=1, high=256)
    document.spend(4 * count * stride, at)
    packed = bytes(_bytes(document, fields, at))
    try:
        return meshopt.unpack(
            packed,
            count=count,
            stride=stride,
            mode=document.text(fields, "mode", ""),
            filtered=document.text(fields, "filter", "NONE"),
            look=lambda: document.spend(0, at),
        )
    except (ValueError, IndexError) as error:
        raise document.error(at, f"it cannot be unpacked ({error})", "a whole stream is needed", _ADVICE) from None


def unpacked_draco(document: Document) -> dict[int, Array]:
    """Rows of the accessors whose numbers Draco packed, by accessor, as their types have them; empty without any."""
    found: list[tuple[Fields, Fields, str]] = []
    for mesh, fields in enumerate(document.items("meshes")):
        for number, piece in enumerate(document.listing(fields, "primitives", f"meshes[{mesh}]")):
            where = f"meshes[{mesh}].primitives[{number}]"
            inner = document.mapping(piece, "extensions", where) if isinstance(piece, dict) else {}
            if DRACO in inner:
                found.append((piece, document.mapping(inner, DRACO, where), where))
    if not found:
        return {}
    if importlib.util.find_spec("DracoPy") is None:
        if not any(_only_packed(document, piece, where) for piece, _, where in found):
            return {}  # the plain numbers are there too
        raise UnfinishedError(
            document.path.name,
            "it is compressed with Draco, which is read with the package DracoPy, and that is not installed",
            "it is needed",
            "pip install 'supple[draco]', or unpack the file with `npx @gltf-transform/cli copy in.glb out.glb`",
        )
    packed = [bytes(_view_bytes(document, fields, where)) for _, fields, where in found]
    arrays = _decoded(document, packed)
    rows: dict[int, Array] = {}
    for number, (piece, fields, where) in enumerate(found):
        indices = document.index(piece, "indices", where, of="accessors")
        if indices is not None:
            rows[indices] = arrays[f"{number} faces"].reshape(-1, 1)
        attributes = document.mapping(piece, "attributes", where)
        for name, own in document.mapping(fields, "attributes", f"{where}.{DRACO}").items():
            accessor = document.index(attributes, name, where, of="accessors")
            key = f"{number} {document.whole_value(own, f'{where}.{DRACO}.{name[:40]}')}"
            if key not in arrays:
                raise document.error(f"{where}.{name[:40]}", "Draco packed no such attribute", "it is needed", _ADVICE)
            if accessor is not None:
                rows[accessor] = arrays[key]
    return rows


def _only_packed(document: Document, piece: Fields, where: str) -> bool:
    """Whether the places of a primitive are nowhere but in its packed form."""
    number = document.index(document.mapping(piece, "attributes", where), "POSITION", where, of="accessors")
    return number is None or "bufferView" not in document.item("accessors", number)


def _decoded(document: Document, packed: list[bytes]) -> dict[str, Array]:
    """The arrays of all packed meshes, from a process of its own; or here, where this process is shut off already."""
    size = sum(map(len, packed))
    if subprocess_reader.SHUT_OFF:
        from supple.io.compressed.draco_child import unpacked

        try:
            return unpacked(packed)
        except Exception as error:
            raise _refused(document, str(error)) from None
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        source = Path(folder) / "packed.npz"
        write_parcel(source, {str(n): np.frombuffer(data, dtype=np.uint8) for n, data in enumerate(packed)}, {})
        try:
            program, most = (*PROGRAM, str(source)), sandbox.memory_for(size)
            arrays, words = subprocess_reader.ask(program, _READER, where=document.path.name, size=size, most=most)
        except FormatError as error:
            raise _refused(document, error.given.removeprefix(f"{_READER.name} ")) from None
    document.spend(2 * sum(array.nbytes for array in arrays.values()), DRACO)
    if "error" in words:
        raise _refused(document, words["error"])
    return arrays


def _refused(document: Document, said: str) -> Exception:
    return document.error(DRACO, f"Draco cannot unpack it ({said[:160]})", "a whole stream is needed", _ADVICE)


def _view_bytes(document: Document, fields: Fields, where: str) -> memoryview:
    view = document.index(fields, "bufferView", f"{where}.{DRACO}", of="bufferViews")
    if view is None:
        raise document.error(f"{where}.{DRACO}", "it names no bufferView", "one is needed")
    return _bytes(document, document.item("bufferViews", view), f"bufferViews[{view}]")


def _bytes(document: Document, fields: Fields, at: str) -> memoryview:
    """The packed bytes that an object with buffer, byteOffset and byteLength names."""
    number = document.index(fields, "buffer", at, of="buffers")
    if number is None:
        raise document.error(at, "it names no buffer", "one is needed")
    content = document.buffer(number)
    start = document.whole(fields, "byteOffset", at) if "byteOffset" in fields else 0
    length = document.whole(fields, "byteLength", at, low=1)
    if start + length > len(content):
        raise document.error(at, f"it ends at byte {start + length}", f"the buffer has {len(content)}")
    return content[start : start + length]
