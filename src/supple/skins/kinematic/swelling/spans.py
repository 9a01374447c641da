"""Where skin is measured along its limb: what is folded together there lies in a crease, and does not swell."""

from __future__ import annotations

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.limbs.volumes import LimbVolumes
from supple.geometry import topology

_REACH = 0.25  # of how thick flesh is: how far a span reaches to either side
_STEPS = 8  # edges that a span is followed along, to either side
_ASIDE = 0.5  # what a way aside counts of a way along the bone


def spans_along_limbs(character: Character, limbs: LimbVolumes) -> tuple[IntArray, Float32Array]:
    """Two vertices (V, 2) before and behind every vertex along its bone, and how far (V,) [m] they are apart at rest.

    Where there is no bone to go along, the two are one and their distance is nothing.
    """
    points, parts = character.points, limbs.limbs
    rows = topology.neighbors(limbs.triangles, len(points))
    along = np.zeros_like(points)
    on = parts.bone_of >= 0
    along[on] = parts.along[parts.bone_of[on]]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    reach = _REACH * character.body_shape.thickness
    ends = np.stack([_walk(points, rows, sign * along, reach) for sign in (-1.0, 1.0)], axis=1)
    lengths = np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1)
    return ends.astype(np.int32), lengths.astype(np.float32)


def _walk(points: FloatArray, rows: topology.Neighbors, ways: FloatArray, reach: FloatArray) -> IntArray:
    """The vertices (V,) that are come to from each along its way, edge by edge, until they are far enough."""
    at, best = np.arange(len(points), dtype=np.int32), np.zeros(len(points))
    count = rows.valences
    for _ in range(_STEPS):
        going = np.flatnonzero((best < reach) & (count[at] > 0) & ways.any(axis=1))
        if not len(going):
            break
        sizes = count[at[going]]
        begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        owner = np.repeat(going, sizes)
        others = rows.indices[np.repeat(rows.starts[at[going]] - begins, sizes) + np.arange(len(owner))]
        offset = points[others] - points[owner]
        advance = np.einsum("ni,ni->n", offset, ways[owner])
        aside = np.linalg.norm(offset - advance[:, None] * ways[owner], axis=1)
        score = advance - _ASIDE * aside
        most = np.maximum.reduceat(score, begins)
        first = np.flatnonzero(score == np.repeat(most, sizes))
        chosen = first[np.searchsorted(first, begins)]
        better = most > best[going]
        if not better.any():
            break
        at[going[better]], best[going[better]] = others[chosen[better]], most[better]
    return at
