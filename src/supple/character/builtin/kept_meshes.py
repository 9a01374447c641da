"""Meshes of built-in characters that were made before: kept on disk, since they take most of a second to make."""

from __future__ import annotations

import hashlib
import io
import platform
import zipfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from supple import kept, machine
from supple.arrays import FloatArray, IntArray

Mesh = tuple[FloatArray, IntArray]
_CODE = ("arrays.py", "character/builtin", "geometry")


def kept_mesh(name: str, options: Mapping[str, Any], vertices: int, make: Callable[[], Mesh]) -> Mesh:
    """Points (V, 3) [m] and triangles (T, 3) of a character: those of the last run, or else new ones."""
    if kept.limit() == 0:
        return make()
    file = f"{name}-{_digest(options, vertices)}{kept.MESH}"
    data = kept.read(file)
    found = None if data is None else _unpacked(data)
    if found is None or len(found[0]) != vertices:
        found = make()
        kept.write(file, _packed(found))
    return found


def _digest(options: Mapping[str, Any], vertices: int) -> str:
    """Of all that a mesh follows from."""
    libraries = [f"{library} {version(library)}" for library in ("numpy", "libigl")]
    about = [sorted(options.items()), vertices, platform.machine(), machine.registers(), *libraries]
    return hashlib.blake2b(repr([*about, kept.code_version(*_CODE)]).encode(), digest_size=16).hexdigest()


def _packed(mesh: Mesh) -> bytes:
    data = io.BytesIO()
    np.savez(data, points=mesh[0], triangles=mesh[1])
    return data.getvalue()


def _unpacked(data: bytes) -> Mesh | None:
    """None where it is not whole."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return arrays["points"], arrays["triangles"]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return None
