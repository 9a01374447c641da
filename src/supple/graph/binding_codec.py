"""Frozen dataclasses of arrays as one stream of bytes, and the way back; nothing but our own dataclasses comes out.

This is for bindings: they name the character that they are for, and come back without being checked again. Characters
themselves are packed by `supple.character.packing`, whose files outlive a version and are checked when they are read.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.errors import InputError

_MAGIC = b"supple binding 1\n"
_SUM = 16  # bytes of the digest at the end
_ALIGN = 64
_KINDS = "biufc"  # of arrays: booleans and numbers
_OURS = "supple."


def pack(value: Any, known: Mapping[str, Any]) -> bytes:
    """Write a value down. What is `known` by a name, to both sides, is only named, and so are device constants."""
    writer = _Writer({id(one): name for name, one in known.items()})
    tree = json.dumps(writer.node(value)).encode()
    tree += b" " * (-(len(_MAGIC) + 8 + len(tree)) % _ALIGN)
    body = b"".join([_MAGIC, struct.pack("<Q", len(tree)), tree, *writer.chunks])
    return body + hashlib.blake2b(body, digest_size=_SUM).digest()


def unpack(data: bytes, known: Mapping[str, Any], *, device: str) -> Any:
    """The value again, with constants for a device; bytes that are not whole are refused."""
    body, found = data[:-_SUM], data[-_SUM:]
    if not body.startswith(_MAGIC) or hashlib.blake2b(body, digest_size=_SUM).digest() != found:
        raise InputError("binding", "it is damaged or of another kind", "its digest must be right", "bind again")
    (length,) = struct.unpack_from("<Q", body, len(_MAGIC))
    start = len(_MAGIC) + 8
    tree = json.loads(body[start : start + length])
    return _Reader(memoryview(body)[start + length :], known, device).value(tree)


class _Writer:
    def __init__(self, names: Mapping[int, str]) -> None:
        self._names, self._seen = names, dict[int, int]()
        self._kept: list[Any] = []  # so that no other object takes the number of one that was written
        self.chunks: list[bytes] = []
        self._size = 0

    def node(self, value: Any) -> Any:
        """A value as JSON; arrays go to the chunks, each once."""
        if value is None or isinstance(value, bool | int | float | str):
            return value if not isinstance(value, float) else {"float": value.hex()}
        if id(value) in self._names:
            return {"known": self._names[id(value)]}
        if isinstance(value, devices.Constants):
            return {"constants": True}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, tuple | list):
            return {type(value).__name__: [self.node(item) for item in value]}
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.node(item) for key, item in value.items()}}
        if dataclasses.is_dataclass(value) and type(value).__module__.startswith(_OURS):
            return self._once(value, self._dataclass)
        if hasattr(value, "tocsr") and hasattr(value, "indptr"):
            return {
                "sparse": value.format,
                "shape": list(value.shape),
                "parts": [self.node(part) for part in (value.data, value.indices, value.indptr)],
            }
        holds = f"it holds a {type(value).__name__}"
        raise InputError("binding", holds, "arrays, numbers and our dataclasses are kept", "make it a property")

    def _once(self, value: Any, write: Any) -> Any:
        if id(value) in self._seen:
            return {"again": self._seen[id(value)]}
        made = write(value)
        self._seen[id(value)] = len(self._kept)
        self._kept.append(value)
        return made

    def _dataclass(self, value: Any) -> Any:
        fields = {field.name: self.node(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"dataclass": f"{type(value).__module__}:{type(value).__qualname__}", "fields": fields}

    def _array(self, array: NDArray[Any]) -> Any:
        if array.dtype.kind not in _KINDS:
            raise InputError("binding", f"it holds an array of {array.dtype}", "numbers are kept", "leave it out")
        data = np.ascontiguousarray(array).tobytes()
        location = [self._size, array.dtype.str, list(array.shape)]
        data += b"\0" * (-len(data) % _ALIGN)
        self.chunks.append(data)
        self._size += len(data)
        return location


class _Reader:
    def __init__(self, chunks: memoryview, known: Mapping[str, Any], device: str) -> None:
        self._chunks, self._known = chunks, known
        self._constants = devices.Constants(device)
        self._made: list[Any] = []

    def value(self, node: Any) -> Any:
        """A value from its JSON."""
        if not isinstance(node, dict):
            return node
        (kind, content), *_ = node.items()
        match kind:
            case "float":
                return float.fromhex(content)
            case "known":
                return self._known[content]
            case "again":
                return self._made[content]
            case "constants":
                return self._constants
            case "array":
                return self._array(content)
            case "scalar":
                return self._array(content)[()]
            case "tuple":
                return tuple(self.value(item) for item in content)
            case "list":
                return [self.value(item) for item in content]
            case "dict":
                return {key: self.value(item) for key, item in content.items()}
            case "sparse":
                from scipy import sparse

                kinds = {"csr": sparse.csr_array, "csc": sparse.csc_array}
                return kinds[content](tuple(self.value(part) for part in node["parts"]), shape=tuple(node["shape"]))
            case _:
                return self._dataclass(content, node["fields"])

    def _array(self, location: Any) -> NDArray[Any]:
        start, kind, shape = location
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(self._chunks, dtype=np.dtype(kind), count=count, offset=start).reshape(shape)
        array.setflags(write=False)
        return array

    def _dataclass(self, name: str, fields: Mapping[str, Any]) -> Any:
        module, _, qualified = name.partition(":")
        kind: Any = importlib.import_module(module) if module.startswith(_OURS) else None
        for part in qualified.split("."):
            kind = getattr(kind, part)
        if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
            raise InputError("binding", f"it names {name}", "our dataclasses are made of it", "bind again")
        made = object.__new__(kind)  # it was checked before it was written
        for field, node in fields.items():
            object.__setattr__(made, field, self.value(node))
        self._made.append(made)
        return made
