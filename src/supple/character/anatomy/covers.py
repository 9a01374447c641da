"""Flesh under something hard: armour, a shield on an arm, a cape on one bone hold what they lie on."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.shells import Shells
from supple.geometry.vectors import smoothstep

_SMALL = (0.1, 0.3)  # of the trunk's thickness: what is smaller than the first, as a button, holds nothing
_FARTHEST = 0.3  # of the trunk's thickness, and
_BESIDE = 0.5  # of its own size: how far beside and below itself a shell holds flesh


def cover(points: FloatArray, triangles: IntArray, shells: Shells, trunk: FloatArray) -> FloatArray:
    """How much of every vertex (V,) is held by hard shells that lie on it, 0 to 1; `trunk` (V,) [m] is how thick it is.

    They move as one piece. Flesh that swung on below them would come through, so it goes with the bones as they do.
    """
    import igl

    held = np.zeros(len(points))
    flesh = np.flatnonzero(shells.is_flesh)
    owner = shells.number[triangles[:, 0]]
    for shell in np.flatnonzero(shells.hard & shells.lying) if len(flesh) else ():
        own = np.flatnonzero(shells.number == shell)
        thick = float(trunk[own].mean())
        size = float(np.linalg.norm(np.ptp(points[own], axis=0)))
        strength = float(smoothstep(np.array(size / max(thick, 1e-300)), *_SMALL))
        if strength == 0.0:
            continue
        faces = np.ascontiguousarray(triangles[owner == shell], dtype=np.int64)
        away = np.sqrt(igl.point_mesh_squared_distance(points[flesh], points, faces)[0])
        width = min(_FARTHEST * thick, _BESIDE * size)
        gap = float(np.sqrt(igl.point_mesh_squared_distance(points[own], points, _of(triangles, shells))[0]).max())
        near = 1.0 - smoothstep((away - gap) / max(width, 1e-300), 0.5, 1.5)
        held[flesh] = np.maximum(held[flesh], strength * near)
    return held


def _of(triangles: IntArray, shells: Shells) -> np.ndarray:
    return np.ascontiguousarray(shells.flesh_triangles(triangles), dtype=np.int64)
