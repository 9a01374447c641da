"""The two wrappings of glTF: plain JSON, and the binary container GLB."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from supple.errors import FormatError
from supple.records import parse_json

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_HEADER, _CHUNK = struct.Struct("<4sII"), struct.Struct("<II")


def unwrap(data: bytes, path: Path) -> tuple[dict[str, Any], memoryview | None]:
    """The JSON of a file and, for GLB, the bytes of its binary chunk; `data` is the whole file."""
    if path.suffix.lower() == ".gltf" and data[:4] != MAGIC:
        return parse(data, path), None
    return _unwrap_glb(memoryview(data), path)


def _unwrap_glb(data: memoryview, path: Path) -> tuple[dict[str, Any], memoryview | None]:
    if len(data) < _HEADER.size:
        raise _broken(path, f"the file ends after {len(data)} bytes", f"a GLB starts with {_HEADER.size} bytes")
    magic, version, length = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise _broken(path, f"the file starts with {bytes(magic)!r}", "a GLB starts with b'glTF'")
    if version != 2:
        raise FormatError(str(path), f"its version is {version}", "2.0 is read", "re-export it as glTF 2.0")
    if length < _HEADER.size + _CHUNK.size or length > len(data):
        raise _broken(path, f"it is {len(data)} bytes long", f"its header says {length}")
    text: memoryview | None = None
    binary: memoryview | None = None
    offset, number = _HEADER.size, 0
    while offset < length:  # bytes after `length` are none of the container's, and are left alone
        if length - offset < _CHUNK.size:
            raise _broken(path, f"chunk {number} is cut off in its header", "every chunk has 8 bytes of header")
        size, kind = _CHUNK.unpack_from(data, offset)
        offset += _CHUNK.size
        if size % 4 or size > length - offset:
            raise _broken(
                path, f"chunk {number} has {size} bytes", f"multiples of 4 up to {length - offset} fit the file"
            )
        content = data[offset : offset + size]
        if number == 0 and kind != JSON_CHUNK:
            raise _broken(path, f"the first chunk is of kind {kind:#x}", "the first chunk is JSON")
        if (kind == JSON_CHUNK and text is not None) or (kind == BINARY_CHUNK and binary is not None):
            raise _broken(path, f"chunk {number} repeats a kind of chunk", "there is one JSON and one binary chunk")
        if kind == JSON_CHUNK:
            text = content
        elif kind == BINARY_CHUNK:
            if number != 1:
                raise _broken(path, f"the binary chunk is chunk {number}", "it comes right after the JSON")
            binary = content
        offset, number = offset + size, number + 1
    if text is None:
        raise _broken(path, "there is no JSON chunk", "one is needed")
    return parse(bytes(text), path), binary


def parse(text: bytes, path: Path) -> dict[str, Any]:
    """Strict JSON, with an object at the top that says it is glTF 2."""
    try:
        root = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise _broken(path, f"its JSON cannot be read ({error})", "JSON in UTF-8 is needed") from None
    asset = root.get("asset") if isinstance(root, dict) else None
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(root, dict) or not isinstance(version, str):
        raise _broken(path, "its JSON names no asset version", "glTF 2.0 says so under asset.version")
    if not version.startswith("2."):
        raise FormatError(str(path), f"its version is {version[:20]!r}", "2.0 is read", "re-export it as glTF 2.0")
    return root


def _broken(path: Path, given: str, needed: str) -> FormatError:
    return FormatError(str(path), given, needed, "the file is damaged or no glTF; export or download it again")
