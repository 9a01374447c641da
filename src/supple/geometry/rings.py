"""The ring of neighbours round every vertex, laid out so that a kernel can walk it without branching.

Most vertices of a character have a closed ring of three to eight neighbours. Those are kept in order in rows of eight,
which compile to straight code (half the time of a loop over compressed rows). All others (borders, poles with more
neighbours, places where the mesh is not a surface) are *irregular* and keep plain lists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, IntArray
from supple.geometry.rows import group_by_label
from supple.geometry.topology import neighbors

WIDTH = 8


@dataclass(frozen=True)
class Rings:
    """Neighbours of every vertex.

    `ordered` (V, 8) goes once round a regular vertex against the clock, filled up with its first neighbour; an
    irregular vertex has only itself there. `counts` (V,) is the length of the ordered ring, 0 for irregular vertices.
    Those have their neighbours in `others[other_starts[v]:other_starts[v + 1]]` and their triangles (v, a, b) as rows
    (a, b) of `fans[fan_starts[v]:fan_starts[v + 1]]`.
    """

    ordered: IntArray
    counts: IntArray
    other_starts: IntArray
    others: IntArray
    fan_starts: IntArray
    fans: IntArray

    @property
    def valences(self) -> IntArray:
        """How many neighbours each vertex has (V,)."""
        return self.counts + np.diff(self.other_starts)


def rings(triangles: IntArray, vertex_count: int) -> Rings:
    """Find the ring of every vertex."""
    faces = np.asarray(triangles, dtype=np.int32)
    vertex, ahead, behind = (np.roll(faces, -rotation, axis=1).reshape(-1).astype(np.int64) for rotation in range(3))
    key = vertex * vertex_count + ahead
    order = np.argsort(key, kind="stable")
    key, behind, ahead = key[order], behind[order], ahead[order]
    valence = np.bincount(vertex, minlength=vertex_count)
    first = np.concatenate([[0], np.cumsum(valence)])[:-1]
    doubled = np.zeros(vertex_count, dtype=bool)
    doubled[(key[1:][key[1:] == key[:-1]]) // max(vertex_count, 1)] = True
    regular = (valence >= 3) & (valence <= WIDTH) & ~doubled
    start = np.where(regular, ahead[np.minimum(first, max(len(ahead) - 1, 0))], np.arange(vertex_count))
    ordered = np.tile(start[:, None], (1, WIDTH))
    here = start.copy()
    for step in range(1, WIDTH + 1):
        walking = np.flatnonzero(regular & (step <= valence))
        wanted = walking * vertex_count + here[walking]
        position = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        found = key[position] == wanted
        regular[walking[~found]] = False
        walking, position = walking[found], position[found]
        here[walking] = behind[position]
        closed = here[walking] == start[walking]
        regular[walking[closed != (valence[walking] == step)]] = False  # back too early, or not back at the end
        going = walking[~closed & regular[walking]]
        if step < WIDTH:
            ordered[going, step] = here[going]
    ordered[~regular] = np.flatnonzero(~regular)[:, None]
    counts = np.where(regular, valence, 0)
    return Rings(ordered.astype(np.int32), counts.astype(np.int32), *_irregular(faces, regular))


def _irregular(faces: IntArray, regular: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Plain lists of neighbours and triangles for the vertices that have no ordered ring."""
    count = len(regular)
    around = neighbors(faces, count)
    owner = np.repeat(np.arange(count), np.diff(around.starts))
    keep = ~regular[owner]
    others = around.indices[keep].astype(np.int32)
    other_starts = np.concatenate([[0], np.cumsum(np.bincount(owner[keep], minlength=count))]).astype(np.int32)
    corners = np.flatnonzero(~regular[faces.reshape(-1)])
    fan_starts, members = group_by_label(faces.reshape(-1)[corners], count)
    corner = corners[members]
    face, rotation = corner // 3, corner % 3
    fans = np.stack([faces[face, (rotation + 1) % 3], faces[face, (rotation + 2) % 3]], axis=1).astype(np.int32)
    return other_starts, others, fan_starts, fans
