"""Which constraints hold a body together, and in which order they may be walked through.

Two schedules. *Slabs*, for the CPU: the body is cut across its length into a few slabs; one thread walks through the
constraints inside a slab, then through those that span two neighbouring slabs. *Colours*, for a GPU: constraints of
one colour share no particle and are projected all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.character.crowd import stacked
from supple.errors import InputError
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra, edges_of, volumes

_THIN = 500  # particles; slabs of fewer are not worth a thread
_MOST_SLABS = 16
_WINDOW = 256  # constraints
_WORDS = 4  # of 64 colours each


@dataclass(frozen=True, eq=False)
class Constraints:
    """A body's particles in the order of memory, its elements and all its edges, with their rest sizes.

    `slab_of` (P,) says which slab a particle lies in; particles of a slab follow one another.
    """

    points: Floats
    corners: Ints
    rest_volumes: Floats
    ends: Ints
    rest_lengths: Floats
    slab_of: Ints

    @property
    def slabs(self) -> int:
        """How many slabs there are."""
        return int(self.slab_of[-1]) + 1

    def stacked(self, count: int) -> Constraints:
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


@dataclass(frozen=True, eq=False)
class Walk:
    """A schedule: constraints `order[starts[g]:starts[g + 1]]` belong to group g."""

    order: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1


def constraints_of(tetrahedra: Tetrahedra) -> Constraints:
    """All constraints of a body, its particles renumbered slab by slab and otherwise as they come."""
    slab_of = _slabs(tetrahedra)
    order = np.argsort(slab_of, kind="stable")
    renumbered = np.empty(len(order), dtype=np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    corners = renumbered[tetrahedra.corners]
    corners = corners[np.argsort(corners.min(axis=1), kind="stable")]
    body = Tetrahedra(tetrahedra.points[order], corners)
    ends = edges_of(body)
    lengths = np.linalg.norm(body.points[ends[:, 0]] - body.points[ends[:, 1]], axis=1)
    return Constraints(body.points, body.corners, volumes(body), ends, lengths, slab_of[order].astype(np.int32))


def _slabs(tetrahedra: Tetrahedra) -> Ints:
    """Cut the body into slabs of equally many particles, thick enough that no particle borders two other slabs."""
    count = len(tetrahedra.points)
    slabs = 1
    while slabs < _MOST_SLABS and count >= 2 * slabs * _THIN:
        slabs *= 2
    while slabs > 1:
        cuts = [_cut(tetrahedra.points[:, axis], slabs) for axis in range(3)]
        spans = [_span(cut, tetrahedra.corners) for cut in cuts]
        best = min(range(3), key=lambda axis: int((spans[axis] > 0).sum()))
        if _apart(cuts[best], tetrahedra.corners, spans[best]):
            return cuts[best]
        slabs //= 2
    return np.zeros(count, dtype=np.int32)


def _cut(along: Floats, slabs: int) -> Ints:
    place = np.empty(len(along), dtype=np.int64)
    place[np.argsort(along, kind="stable")] = np.arange(len(along))
    return (place * slabs // len(along)).astype(np.int32)


def _span(slab_of: Ints, members: Ints) -> Ints:
    of_member = slab_of[members]
    return np.asarray(of_member.max(axis=1) - of_member.min(axis=1))


def _apart(slab_of: Ints, corners: Ints, span: Ints) -> bool:
    """Whether what spans slabs s and s + 1 touches no particle of what spans s + 1 and s + 2."""
    if span.max(initial=0) > 1:
        return False
    crossing = corners[span == 1]
    lower = slab_of[crossing].min(axis=1)
    least, most = np.full(len(slab_of), 1 << 30), np.full(len(slab_of), -1)
    np.minimum.at(least, crossing, lower[:, None])
    np.maximum.at(most, crossing, lower[:, None])
    return bool((most <= least).all())


def walks(members: NDArray[Any], slab_of: Ints) -> tuple[Walk, Walk]:
    """Constraints (C, K) inside each slab, and those that span a slab and the next.

    Both go through memory in order, but within a short window colour by colour: neighbours in the walk then share no
    particle, and a processor can begin with one before it has ended the other, which takes half the time.
    """
    count = int(slab_of[-1]) + 1
    of_member = slab_of[members]
    lower = of_member.min(axis=1)
    inside = of_member.max(axis=1) == lower
    painted = colours(members, len(slab_of))
    colour_of = np.empty(len(members), dtype=np.int64)
    colour_of[painted.order] = np.repeat(np.arange(len(painted)), np.diff(painted.starts))
    inner, outer = np.flatnonzero(inside), np.flatnonzero(~inside)
    return (
        _interleaved(_grouped(inner, lower, count), colour_of),
        _interleaved(_grouped(outer, lower, max(count - 1, 1)), colour_of),
    )


def _grouped(chosen: NDArray[Any], group_of: Ints, count: int) -> Walk:
    groups = group_of[chosen]
    order = chosen[np.argsort(groups, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))])
    return Walk(order.astype(np.int32), starts.astype(np.int32))


def _interleaved(walk: Walk, colour_of: NDArray[np.int64]) -> Walk:
    """Colour by colour within windows, which begin anew in every group, so that copies of a body walk alike."""
    group = np.repeat(np.arange(len(walk)), np.diff(walk.starts))
    window = (np.arange(len(walk.order)) - walk.starts[group]) // _WINDOW
    return Walk(walk.order[np.lexsort((colour_of[walk.order], window, group))], walk.starts)


def colours(members: Ints, count: int) -> Walk:
    """Constraints (C, K) over `count` particles in colours, greedily: the first colour that no particle has met yet.

    Within a colour they stand in the order of memory. A particle in n constraints of K members meets at most
    K (n - 1) + 1 colours; there is room for 256.
    """
    from supple.skins.position_based import colour_kernels as kernels

    wp = devices.warp()
    found = wp.zeros(len(members), dtype=wp.int32, device="cpu")
    table = wp.array(np.ascontiguousarray(members, dtype=np.int32), dtype=wp.int32, ndim=2, device="cpu")
    met = wp.zeros((count, _WORDS), dtype=wp.uint64, device="cpu")
    wp.launch(kernels.colour, dim=1, inputs=[table, met, found], device="cpu")
    colour_of = found.numpy()
    if (colour_of < 0).any():
        raise InputError(
            "PositionBased", f"more than {64 * _WORDS} constraints meet at one particle", "the GPU takes no more",
            "use device='cpu', or a mesh with even elements",
        )  # fmt: skip
    return _grouped(np.arange(len(members)), colour_of, int(colour_of.max(initial=-1)) + 1)
