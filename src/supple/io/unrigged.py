"""A mesh that came without a skeleton, given one joint to stand on."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import FormatError, SuppleWarning
from supple.io.surface import Surface


def unrigged_character(
    points: FloatArray, surface: Surface, path: Path, *, parts: dict[str, IntArray] | None = None
) -> Character:
    """A character of one root joint at the middle of its base, on which all weights lie; a warning says so."""
    surface.check(len(points), str(path))
    if not np.isfinite(points).all():
        vertex = int(np.argmin(np.isfinite(points).all(axis=1)))
        given = f"point {vertex} is not finite"
        raise FormatError(str(path), given, "every point needs a place", "export the mesh again")
    low, high = points.min(axis=0), points.max(axis=0)
    base = np.array([0.5 * (low[0] + high[0]), low[1], 0.5 * (low[2] + high[2])])
    tip = np.array([base[0], high[1], base[2]])
    skeleton = Skeleton.from_heads(["root"], [-1], base[None], tails=tip[None])
    weights = Weights(np.zeros((len(points), 1), dtype=np.int32), np.ones((len(points), 1)))
    warnings.warn(
        f"{path.name} has no skeleton; it was given one root joint at the middle of its base, with all weights on it",
        SuppleWarning,
        stacklevel=2,
    )
    return Character(
        points,
        surface.triangles(),
        skeleton,
        weights,
        name=path.stem,
        parts=parts or {},
        polygons=surface.polygons(),
        display=surface.display(),
    )
