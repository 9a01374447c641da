"""What stands at the vertices of a primitive beside places and influences: normals, tangents, colours, coordinates."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, IntArray
from supple.character.attributes import NORMAL, TANGENT, unit
from supple.errors import InputError
from supple.io.gltf.document import Document, Fields

Rows = Callable[[Fields, str, str, int, str], NDArray[Any] | None]
_KEPT = re.compile(r"NORMAL|TANGENT|COLOR_[0-9]{1,2}|TEXCOORD_[1-9][0-9]?|_.+", re.DOTALL)
_BYTES = 12  # that a number of a vertex costs while it is read


class Corners:
    """Reads the attributes of one primitive; what is wrong in them is left out and told, since nothing moves by it."""

    def __init__(self, document: Document, rows: Rows, used: IntArray, count: int, where: str) -> None:
        self._document, self._rows = document, rows
        self._used, self._count, self._where = used, count, where

    def attributes(self, fields: Fields) -> dict[str, Float32Array]:
        """All attributes (V, W) of the used vertices that are kept, by name."""
        found = {}
        for name in fields:
            if _KEPT.fullmatch(name):
                rows = self._read(fields, name, self._where)
                if rows is not None:
                    found[name] = _counted_from_below(name, _unit(name, rows))
        return found

    def of_shapes(self, targets: list[tuple[str, Fields, str]]) -> dict[str, Float32Array]:
        """What morph targets add to normals and tangents; each comes with its name and where it stands."""
        found: dict[str, Float32Array] = {}
        for shape, target, where in targets:
            for name in (NORMAL, TANGENT):
                rows = self._read(target, name, where) if name in target else None
                if rows is not None and rows.shape[1] == 3:
                    key = f"{name}/{shape}"
                    found[key] = found[key] + rows if key in found else rows
        return found

    def _read(self, fields: Fields, name: str, where: str) -> Float32Array | None:
        document = self._document
        try:
            number = document.index(fields, name, f"{where}.attributes", of="accessors")
            kind = None if number is None else document.item("accessors", number).get("type")
            if kind == "SCALAR" and name.startswith("_"):
                return None  # a painted map
            widths = {NORMAL: ("VEC3",), TANGENT: ("VEC3", "VEC4")}.get(name, ("VEC2", "VEC3", "VEC4"))
            if kind not in widths or (name.startswith("TEXCOORD_") and kind != "VEC2"):
                raise document.error(f"{where}.{name}", f"its type is {str(kind)[:20]!r}", f"{widths[0]} is needed")
            rows = self._rows(fields, name, str(kind), self._count, where)
        except InputError as error:
            document.faults.note(error.where.removeprefix(f"{document.path.name}: "), f"{error.given}; it is left out")
            return None
        if rows is None:
            return None
        document.spend(_BYTES * len(self._used) * rows.shape[1], where)
        with np.errstate(invalid="ignore", over="ignore"):
            found = rows[self._used].astype(np.float32)
        if not np.isfinite(found).all():
            document.faults.note(f"{where}.{name}", "some are not finite and become 0")
            found = np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
        return found


def _unit(name: str, rows: Float32Array) -> Float32Array:
    """Normals and tangents of length one; the fourth number of a tangent says which way the third axis goes."""
    if name == NORMAL:
        return unit(rows)
    if name != TANGENT:
        return rows
    hand = np.where(rows[:, 3:] < 0.0, -1.0, 1.0) if rows.shape[1] == 4 else np.ones((len(rows), 1))
    return np.concatenate([unit(rows[:, :3]), hand], axis=1).astype(np.float32)


def _counted_from_below(name: str, rows: Float32Array) -> Float32Array:
    """Texture coordinates with v from the bottom, as ours are; glTF counts from the top."""
    if not name.startswith("TEXCOORD_"):
        return rows
    return np.stack([rows[:, 0], np.float32(1.0) - rows[:, 1]], axis=1)
