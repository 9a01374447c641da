"""Which constraints hold a body together: its volumes, bonds and edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.crowd import stacked
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra, edges_of, volumes

_TWO = 1000  # particles from which a second thread is worth its waking
_MORE = 2000  # particles of a slab where there are more than two: each border costs a wait
_MOST_SLABS = 16


@dataclass(frozen=True, eq=False)
class Constraints:
    """A body's particles in the order of memory, its elements and all its edges, with their rest sizes.

    `slab_of` (P,) says which slab a particle lies in; particles of a slab follow one another.
    """

    points: FloatArray
    corners: IntArray
    rest_volumes: FloatArray
    ends: IntArray
    rest_lengths: FloatArray
    slab_of: IntArray

    @property
    def slabs(self) -> int:
        """How many slabs there are."""
        return int(self.slab_of[-1]) + 1

    def stack(self, count: int) -> Constraints:
        """The constraints of `count` bodies alike, one after another."""
        particles = len(self.points)
        return Constraints(
            np.tile(self.points, (count, 1)),
            stacked(self.corners, count, particles),
            np.tile(self.rest_volumes, count),
            stacked(self.ends, count, particles),
            np.tile(self.rest_lengths, count),
            stacked(self.slab_of, count, self.slabs),
        )

    @property
    def size(self) -> float:
        """The mean length of an edge [m]."""
        return float(self.rest_lengths.mean())


def build_constraints(tetrahedra: Tetrahedra) -> Constraints:
    """All constraints of a body, its particles renumbered slab by slab and otherwise as they come."""
    slab_of = _cut_into_slabs(tetrahedra)
    order = np.argsort(slab_of, kind="stable")
    renumbered = np.empty(len(order), dtype=np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    corners = renumbered[tetrahedra.corners]
    corners = corners[np.argsort(corners.min(axis=1), kind="stable")]
    body = Tetrahedra(tetrahedra.points[order], corners)
    ends = edges_of(body)
    lengths = np.linalg.norm(body.points[ends[:, 0]] - body.points[ends[:, 1]], axis=1)
    return Constraints(body.points, body.corners, volumes(body), ends, lengths, slab_of[order].astype(np.int32))


def _cut_into_slabs(tetrahedra: Tetrahedra) -> IntArray:
    """Cut the body into slabs of equally many particles, thick enough that no particle borders two other slabs."""
    count = len(tetrahedra.points)
    slabs = 1
    while slabs < _MOST_SLABS and count >= (_TWO if slabs == 1 else 2 * slabs * _MORE):
        slabs *= 2
    while slabs > 1:
        cuts = [_cut(tetrahedra.points[:, axis], slabs) for axis in range(3)]
        spans = [_span(cut, tetrahedra.corners) for cut in cuts]
        best = min(range(3), key=lambda axis: int((spans[axis] > 0).sum()))
        if _apart(cuts[best], tetrahedra.corners, spans[best]):
            return cuts[best]
        slabs //= 2
    return np.zeros(count, dtype=np.int32)


def _cut(along: FloatArray, slabs: int) -> IntArray:
    rank = np.empty(len(along), dtype=np.int64)
    rank[np.argsort(along, kind="stable")] = np.arange(len(along))
    return (rank * slabs // len(along)).astype(np.int32)


def _span(slab_of: IntArray, members: IntArray) -> IntArray:
    of_member = slab_of[members]
    return np.asarray(of_member.max(axis=1) - of_member.min(axis=1))


def _apart(slab_of: IntArray, corners: IntArray, span: IntArray) -> bool:
    """Whether what spans slabs s and s + 1 touches no particle of what spans s + 1 and s + 2."""
    if span.max(initial=0) > 1:
        return False
    crossing = corners[span == 1]
    lower = slab_of[crossing].min(axis=1)
    least, most = np.full(len(slab_of), 1 << 30), np.full(len(slab_of), -1)
    np.minimum.at(least, crossing, lower[:, None])
    np.maximum.at(most, crossing, lower[:, None])
    return bool((most <= least).all())
