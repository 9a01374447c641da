"""The surface that encloses a body, whatever its mesh: turned outwards, with its holes covered."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry import topology

_FLAT = 1e-4  # of the cube of a patch's size: what encloses less is a sheet


def enclosing_triangles(points: FloatArray, triangles: IntArray) -> tuple[IntArray, IntArray]:
    """Triangles (E, 3) that enclose what `triangles` (T, 3) bound, and the vertices at which covers of holes begin.

    Every patch of the surface is turned so that its triangles run the same way round and outwards, and each of its
    holes is covered by a fan from one vertex of its border. Patches that enclose nothing, such as a cape, are left out.
    """
    import igl

    if not len(triangles):
        return triangles, np.zeros(0, dtype=np.int32)
    turned, patch = igl.bfs_orient(np.ascontiguousarray(triangles, dtype=np.int64))
    pieces, tips = [], []
    for one in np.unique(patch):
        faces = turned[np.asarray(patch).ravel() == one].astype(np.int32)
        covers, begins = _covers(faces, len(points))
        whole = np.concatenate([faces, covers])
        volume = topology.signed_volume(points, whole)
        size = float(np.linalg.norm(np.ptp(points[faces.reshape(-1)], axis=0)))
        if abs(volume) > _FLAT * size**3:
            pieces.append(whole if volume > 0.0 else whole[:, ::-1])
            tips.append(begins)
    none = np.zeros((0, 3), dtype=np.int32)
    return np.ascontiguousarray(np.concatenate([none, *pieces])), np.concatenate([none[:, 0], *tips])


def _covers(faces: IntArray, vertices: int) -> tuple[IntArray, IntArray]:
    """A fan over every hole, against the direction in which the triangles beside it run, and where each begins."""
    border = topology.border_edges(faces)
    if not len(border):
        return np.zeros((0, 3), dtype=np.int32), np.zeros(0, dtype=np.int32)
    loop = topology.shells(np.concatenate([border, border[:, :1]], axis=1), vertices)[border[:, 0]]
    _, first, number = np.unique(loop, return_index=True, return_inverse=True)
    begin = border[first, 0]
    fan = np.stack([begin[number], border[:, 1], border[:, 0]], axis=1)
    proper = (fan[:, 0] != fan[:, 1]) & (fan[:, 0] != fan[:, 2])
    return fan[proper].astype(np.int32), begin.astype(np.int32)
