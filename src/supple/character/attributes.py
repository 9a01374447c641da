"""What stands at the corners of a surface beside places: authored normals, tangents, colours, texture coordinates.

Names are those of glTF, in which most of it comes: NORMAL (3), TANGENT (4: direction, and the sign of the third axis),
COLOR_n (3 or 4, linear), TEXCOORD_n (2, v from the bottom; the first set is `Display.uvs`), and _NAME for what a
program calls its own. What a shape adds to normals and tangents stands under NORMAL/smile and TANGENT/smile.
Nothing moves by any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, frozen
from supple.errors import InputError
from supple.geometry.quaternions import normalize

NORMAL, TANGENT = "NORMAL", "TANGENT"
_WIDTHS = {NORMAL: (3,), TANGENT: (4,), "COLOR": (3, 4), "TEXCOORD": (2,), "_": (1, 2, 3, 4)}
_OFF = 2e-3  # by which the length of a unit vector may be off before it is made one
_NAME = re.compile(r"(NORMAL|TANGENT)(/(?s:.+))?|(COLOR|TEXCOORD)_[0-9]+|_(?s:.+)")


def checked_attribute(name: str, rows: ArrayLike, count: int) -> Float32Array:
    """Rows (count, W) of an attribute, frozen; a name or a width that there is not is refused."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        needed = "NORMAL, TANGENT, COLOR_n, TEXCOORD_n, _NAME, or NORMAL/shape are known"
        raise InputError("Display", f"an attribute is called {name!r}", needed, "rename it, with _ before the name")
    found = frozen(rows, np.float32, (count, -1), "Display", f"attribute {name!r}")
    widths = (3,) if "/" in name and not name.startswith("_") else _WIDTHS[name.split("_")[0] or "_"]
    if found.shape[1] not in widths:
        needed = f"{' or '.join(map(str, widths))} are needed"
        raise InputError("Display", f"attribute {name!r} has {found.shape[1]} numbers a corner", needed, "reshape it")
    return found


def unit(vectors: Float32Array) -> Float32Array:
    """Vectors (N, 3) of length one, as they are where they nearly have it; zero, which stands for none, stays zero."""
    length = np.linalg.norm(vectors.astype(np.float64), axis=1)
    off = (np.abs(length - 1.0) > _OFF) & (length > 0.0)
    if not off.any():
        return vectors
    made = vectors.copy()
    made[off] = vectors[off] / length[off, None]
    return made


def join_attributes(pieces: Sequence[tuple[Mapping[str, Float32Array], int]]) -> dict[str, Float32Array]:
    """Attributes of several surfaces one after the other, each with its number of rows.

    Where one lacks what another has, colours are white, and all else is zero, which stands for none.
    """
    widths: dict[str, int] = {}
    for attributes, _ in pieces:
        for name, rows in attributes.items():
            widths[name] = max(widths.get(name, 0), rows.shape[1])
    joined = {}
    for name, width in widths.items():
        nothing = 1.0 if name.startswith("COLOR_") else 0.0
        columns = [np.full((count, width), nothing, dtype=np.float32) for _, count in pieces]
        for (attributes, _), column in zip(pieces, columns, strict=True):
            if name in attributes:
                column[:, : attributes[name].shape[1]] = attributes[name]
        joined[name] = np.concatenate(columns)
    return joined


def placed(attributes: Mapping[str, Float32Array], placement: FloatArray) -> dict[str, Float32Array]:
    """Attributes of a mesh that is put down by an affine map: normals by its inverse transpose, tangents by itself."""
    linear = placement[:3, :3]
    if np.array_equal(linear, np.eye(3)):
        return dict(attributes)
    size = np.cbrt(abs(np.linalg.det(linear)))
    upright, along = np.linalg.inv(linear).T * size, linear / size
    made = dict(attributes)
    for name, rows in attributes.items():
        kind, _, shape = name.partition("/")
        if kind == NORMAL:
            moved = rows @ upright.T
            made[name] = (moved if shape else normalize(moved)).astype(np.float32)
        elif kind == TANGENT:
            moved, hand = rows[:, :3] @ along.T, rows[:, 3:] * np.sign(np.linalg.det(linear))
            made[name] = np.concatenate([moved if shape else normalize(moved), hand], axis=1).astype(np.float32)
    return made
