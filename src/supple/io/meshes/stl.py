"""STL meshes, binary and text: loose triangles, welded where corners have the same place."""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np

from supple.arrays import FloatArray
from supple.budget import Budget
from supple.character.character import Character
from supple.errors import FormatError
from supple.io.surfaces.surface import Surface
from supple.io.surfaces.unrigged import MESH_BYTES, TRIANGLE_BYTES, unrigged_character

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
_VERTEX = re.compile(rb"vertex\s++(\S++)\s++(\S++)\s++(\S++)", re.IGNORECASE)  # ++: no way is tried twice
_CORNER_BYTES = 160  # that a corner costs while it is told apart from others
_GLANCE = 1 << 14  # corners between two looks at the clock


def read_character(path: Path, *, repair: bool) -> Character:
    """Read a mesh, which has no skeleton and gets one joint.

    Corners at exactly the same place become one point. Triangles with two corners at one point are left out. An STL
    says neither its unit nor its up axis: metres and y up are taken.
    """
    data, budget = path.read_bytes(), Budget.of(path)
    corners = _binary(data) if _is_binary(data) else _text(data, str(path), budget)
    if not len(corners) or not np.isfinite(corners).all():
        given = "it has no triangles" if not len(corners) else "it has numbers that are not finite"
        raise FormatError(str(path), given, "a mesh of triangles is needed", "export the mesh again")
    budget.spend((3 * _CORNER_BYTES + MESH_BYTES + TRIANGLE_BYTES) * len(corners))
    points, label = np.unique(corners.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)  # -0 becomes 0
    triangles = label.reshape(-1, 3).astype(np.int32)
    a, b, c = triangles.T
    whole = triangles[(a != b) & (b != c) & (c != a)]
    surface = Surface(np.full(len(whole), 3, dtype=np.int32), whole.ravel())
    return unrigged_character(points, surface, path)


def _is_binary(data: bytes) -> bool:
    """Binary files may start with the word 'solid' too; their length gives them away."""
    if len(data) < _HEADER:
        return False
    return len(data) == _HEADER + _RECORD.itemsize * int.from_bytes(data[80:84], "little")


def _binary(data: bytes) -> FloatArray:
    with np.errstate(invalid="ignore"):  # what is not a number stays so, and is refused
        return np.frombuffer(data, dtype=_RECORD, offset=_HEADER)["corners"].astype(np.float64)


def _text(data: bytes, where: str, budget: Budget) -> FloatArray:
    if data.lstrip()[:5].lower() != b"solid":
        given = f"it has {len(data)} bytes and does not start with 'solid'"
        raise FormatError(where, given, "84 bytes and 50 for every triangle are needed", "export the mesh again")
    numbers = array("d")
    try:
        for corner, match in enumerate(_VERTEX.finditer(data)):
            numbers.extend(map(float, match.groups()))
            if corner % _GLANCE == 0:
                budget.look_at_the_clock()
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(where, str(error)[:200], "numbers are needed", "export the mesh again") from None
    values = np.frombuffer(numbers)
    if len(values) % 9:
        given = f"it has {len(values) // 3} corners"
        raise FormatError(where, given, "three for every triangle are needed", "export the mesh again")
    return values.reshape(-1, 3, 3)
