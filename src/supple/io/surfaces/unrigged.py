"""A mesh that came without a skeleton, given one joint to stand on."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io.surfaces.surface import Surface

MESH_BYTES, TRIANGLE_BYTES = 160, 200  # that a point and a triangle cost while they become a character
FARTHEST = 1e30  # of a point; what is beyond has no square in single precision


def unrigged_character(
    points: FloatArray, surface: Surface, path: Path, *, parts: dict[str, IntArray] | None = None
) -> Character:
    """A character of one root joint at the middle of its base, on which all weights lie; a warning says so."""
    surface.check(len(points), str(path))
    beyond = ~(np.abs(points) < FARTHEST).all(axis=1)
    if beyond.any():
        given = f"point {int(np.argmax(beyond))} is not finite, or too far away"
        raise FormatError(str(path), given, "every point needs a place", "export the mesh again")
    low, high = points.min(axis=0), points.max(axis=0)
    base = np.array([0.5 * (low[0] + high[0]), low[1], 0.5 * (low[2] + high[2])])
    tip = np.array([base[0], high[1], base[2]])
    skeleton = Skeleton.from_heads(["root"], [-1], base[None], tails=tip[None])
    weights = Weights(np.zeros((len(points), 1), dtype=np.int32), np.ones((len(points), 1)))
    try:
        character = Character(
            points,
            surface.triangles(),
            skeleton,
            weights,
            name=path.stem,
            parts=parts or {},
            polygons=surface.polygons(),
            display=surface.display(),
        )
    except InputError as error:
        raise FormatError(f"{path}: {error.where}", error.given, error.needed, "export the mesh again") from None
    warnings.warn(
        f"{path.name} has no skeleton; it was given one root joint at the middle of its base, with all weights on it",
        SuppleWarning,
        stacklevel=2,
    )
    return character
