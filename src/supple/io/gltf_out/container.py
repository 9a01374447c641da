"""The bytes of a GLB file: a JSON chunk that describes, and a binary chunk that holds the numbers."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import InputError
from supple.files import atomic

MOST_BYTES = 2**32 - 1  # lengths are 32-bit in a GLB
FOR_VERTICES, FOR_INDICES = 34962, 34963
_COMPONENTS = {"uint8": 5121, "uint16": 5123, "uint32": 5125, "float32": 5126}
_SHAPES = {(): "SCALAR", (1,): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class Glb:
    """A GLB under construction: `scene` is its JSON, to which arrays are added as accessors."""

    def __init__(self) -> None:
        self.scene: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "supple"},
            "accessors": [],
            "bufferViews": [],
        }
        self._pieces: list[bytes] = []
        self._length = 0

    def use(self, *extensions: str) -> None:
        """Say that these extensions are used."""
        if extensions:
            known = self.scene.setdefault("extensionsUsed", [])
            self.scene["extensionsUsed"] = sorted({*known, *extensions})

    def add(self, array: NDArray[Any], *, target: int | None = None, bounds: bool = False) -> int:
        """Add an array as an accessor and return its number; matrices are written column by column."""
        shape = _SHAPES[array.shape[1:]]
        flat = np.ascontiguousarray(array.swapaxes(1, 2) if shape == "MAT4" else array)
        accessor: dict[str, Any] = {
            "bufferView": self.add_bytes(flat.tobytes(), target=target),
            "componentType": _COMPONENTS[flat.dtype.name],
            "count": len(flat),
            "type": shape,
        }
        if bounds:
            rows = flat.reshape(len(flat), -1)
            accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.scene["accessors"].append(accessor)
        return len(self.scene["accessors"]) - 1

    def add_bytes(self, data: bytes, *, target: int | None = None) -> int:
        """Add bytes as a buffer view, such as a picture, and return its number."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self._length, "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.scene["bufferViews"].append(view)
        padding = b"\0" * (-len(data) % 4)
        self._pieces += [data, padding]
        self._length += len(data) + len(padding)
        return len(self.scene["bufferViews"]) - 1

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        self.scene["buffers"] = [{"byteLength": self._length}]
        text = json.dumps(self.scene, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + self._length
        check_room(total, path)
        with atomic(path) as waiting, waiting.open("wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, total))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self._length, b"BIN\0"))
            for piece in self._pieces:
                file.write(piece)


def check_room(size: int, path: Path) -> None:
    """Refuse what no GLB can hold, before any of it is made."""
    if size > MOST_BYTES:
        raise InputError(
            str(path),
            f"it would have {size / 1e9:.1f} GB",
            "a GLB holds at most 4.3 GB",
            "bake fewer frames, or save it as .usdc or .abc",
        )
