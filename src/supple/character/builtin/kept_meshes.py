"""Meshes of built-in characters that were made before, with weights and flesh: kept on disk, since that takes long."""

from __future__ import annotations

import hashlib
import io
import platform
import zipfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from supple import kept, machine
from supple.arrays import FloatArray, IntArray

_CODE = ("arrays.py", "character/builtin", "character/weights.py", "geometry")


class KeptMesh(NamedTuple):
    """Points (V, 3) and triangles (T, 3), joints and values (V, K) of weights, and the depth of flesh (V,)."""

    points: FloatArray
    triangles: IntArray
    joints: IntArray
    values: FloatArray
    flesh: FloatArray


def kept_mesh(name: str, options: Mapping[str, Any], vertices: int, make: Callable[[], KeptMesh]) -> KeptMesh:
    """The mesh of a character, before it is scaled: that of the last run, or else a new one."""
    if kept.limit() == 0:
        return make()
    file = f"{name}-{_digest(options, vertices)}{kept.MESH}"
    data = kept.read(file)
    found = None if data is None else _unpacked(data)
    if found is None or len(found.points) != vertices:
        found = make()
        kept.write(file, _packed(found))
    return found


def _digest(options: Mapping[str, Any], vertices: int) -> str:
    """Of all that a mesh follows from."""
    libraries = [f"{library} {version(library)}" for library in ("numpy", "libigl")]
    about = [sorted(options.items()), vertices, platform.machine(), machine.registers(), *libraries]
    return hashlib.blake2b(repr([*about, kept.code_version(*_CODE)]).encode(), digest_size=16).hexdigest()


def _packed(mesh: KeptMesh) -> bytes:
    data = io.BytesIO()
    np.savez(data, **mesh._asdict())
    return data.getvalue()


def _unpacked(data: bytes) -> KeptMesh | None:
    """None where it is not whole."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return KeptMesh(*(arrays[name] for name in KeptMesh._fields))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return None
