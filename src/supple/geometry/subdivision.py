"""A finer mesh of the same surface: long edges are halved until they are short."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry import topology

# Which triangles are left when some edges of a triangle are halved. The edges run from corner 0 to 1, 1 to 2, 2 to 0,
# and their middles are 3, 4, 5. Triangles are turned first, so that only these cases are there.
_CASES: dict[tuple[bool, bool, bool], tuple[tuple[int, int, int], ...]] = {
    (False, False, False): ((0, 1, 2),),
    (True, False, False): ((0, 3, 2), (3, 1, 2)),
    (True, True, False): ((0, 3, 2), (3, 4, 2), (3, 1, 4)),
    (True, True, True): ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
}


def subdivide_long_edges(points: FloatArray, triangles: IntArray, *, longest: float) -> tuple[FloatArray, IntArray]:
    """The same surface with no edge longer than `longest` [m]: more points behind the given ones, smaller triangles.

    Neighbours share the points on the edge between them, so no gap opens.
    """
    positions, faces = np.asarray(points, dtype=np.float64), np.asarray(triangles, dtype=np.int32)
    while True:
        edges = topology.unique_edges(faces)
        long = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1) > longest
        if not long.any():
            return positions, faces
        halved = edges[long].astype(np.int64)
        middles = len(positions) + np.arange(len(halved))
        span = len(positions)
        keys = halved[:, 0] * span + halved[:, 1]  # rising, as unique edges are
        ahead = np.roll(faces, -1, axis=1).astype(np.int64)
        sides = np.minimum(faces, ahead) * span + np.maximum(faces, ahead)
        index = np.minimum(np.searchsorted(keys, sides), len(keys) - 1)
        is_cut = keys[index] == sides
        faces = _divide(faces, np.where(is_cut, middles[index], -1), is_cut)
        positions = np.concatenate([positions, 0.5 * (positions[halved[:, 0]] + positions[halved[:, 1]])])


def _divide(faces: IntArray, middles: IntArray, is_cut: BoolArray) -> IntArray:
    parts = []
    for rotation in range(3):
        rotated, halves, edges = (np.roll(one, -rotation, axis=1) for one in (faces, middles, is_cut))
        for case, children in _CASES.items():
            if rotation and len(set(case)) == 1:
                continue  # turned or not, it is the same
            here = (edges == case).all(axis=1)
            corners = np.concatenate([rotated[here], halves[here]], axis=1)
            parts += [corners[:, child] for child in children]
    return np.concatenate(parts).astype(np.int32)
