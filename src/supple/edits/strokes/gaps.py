"""Where a line breaks: it leaves the skin, or goes over to skin that only looks as if it lay beside."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.edits.region import vertices_within
from supple.edits.strokes.reduction import PIXELS
from supple.geometry.topology import kept_edges

_LEAP = 4.0  # times the usual way from pick to pick: what may be a leap to other skin
_DETOUR = 3.0  # times as far over the skin as straight: farther, it is other skin


def find_breaks(missed: FloatArray, leaps: BoolArray) -> IntArray:
    """The numbers of picks on the skin that begin another piece; the first one always does.

    `missed` (N,) is how far beside the skin the pen went before each of them [px], `leaps` (N,) whether it lies on skin
    that is not joined to the one before.
    """
    begins = (missed > PIXELS) | leaps
    begins[:1] = True
    return np.flatnonzero(begins).astype(np.int32)


def find_leaps(points: FloatArray, triangles: IntArray, faces: IntArray, positions: FloatArray) -> BoolArray:
    """Which picks (N,), on `faces` of the mesh at `positions` (N, 3) [m], lie far over the skin from the one before."""
    leaps = np.zeros(len(faces), dtype=bool)
    if len(faces) < 2:
        return leaps
    ways = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    joined = (triangles[faces[1:], :, None] == triangles[faces[:-1], None, :]).any(axis=(1, 2))
    far = np.flatnonzero(~joined & (ways > _LEAP * np.median(ways)))
    if len(far) == 0:
        return leaps
    edges = kept_edges(triangles)
    for number in far:
        here, there = triangles[faces[number]], triangles[faces[number + 1]]
        corners = points[np.concatenate([here, there])]
        sizes = [np.linalg.norm(one - np.roll(one, 1, axis=0), axis=1).max() for one in (corners[:3], corners[3:])]
        reach = _DETOUR * float(ways[number]) + float(sum(sizes))
        leaps[number + 1] = not np.isin(there, vertices_within(reach, points, edges, here)).any()
    return leaps


def drop_crumbs(starts: IntArray, count: int) -> list[IntArray]:
    """The picks of every piece; pieces of a few pixels are left out where there is a longer one."""
    pieces = np.split(np.arange(count, dtype=np.int32), starts[1:])
    whole = [piece for piece in pieces if len(piece) > PIXELS]
    return whole or [max(pieces, key=len)]
