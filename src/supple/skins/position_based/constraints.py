"""Which constraints hold a body together, and in which order they may be walked through.

Two schedules. *Slabs*, for the CPU: the body is cut across its length into a few slabs; one thread walks through the
constraints inside a slab, then through those that span two neighbouring slabs. *Clusters*, for a GPU: elements round
an edge form a cluster, which one thread walks through; clusters of one colour share no particle and run at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.character.crowd import stacked
from supple.errors import InputError
from supple.geometry.rows import group_by_label
from supple.geometry.tetrahedra.tetrahedra import EDGES, Tetrahedra, edges_of, volumes

_TWO = 1000  # particles from which a second thread is worth its waking
_MORE = 2000  # particles of a slab where there are more than two: each border costs a wait
_MOST_SLABS = 16
_WINDOW = 256  # constraints
_LARGEST = 8  # elements of a cluster
UNCOLOURED = 256


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

    def member(self, count: int) -> Constraints:
        """One of `count` bodies alike that are stacked here."""
        particles, elements, edges = (len(each) // count for each in (self.points, self.corners, self.ends))
        return Constraints(
            self.points[:particles],
            self.corners[:elements],
            self.rest_volumes[:elements],
            self.ends[:edges],
            self.rest_lengths[:edges],
            self.slab_of[:particles],
        )

    @property
    def size(self) -> float:
        """The mean length of an edge [m]."""
        return float(self.rest_lengths.mean())


@dataclass(frozen=True, eq=False)
class Walk:
    """A schedule: constraints `order[starts[g]:starts[g + 1]]` belong to group g.

    Groups `colour_starts[c]` to `colour_starts[c + 1]` are of colour c, if there are colours: none of them share a
    particle.
    """

    order: Ints
    starts: Ints
    colour_starts: Ints | None = None

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


def _cut(along: Floats, slabs: int) -> Ints:
    position = np.empty(len(along), dtype=np.int64)
    position[np.argsort(along, kind="stable")] = np.arange(len(along))
    return (position * slabs // len(along)).astype(np.int32)


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
    colour_of = colours(members, len(slab_of))
    inner, outer = np.flatnonzero(inside), np.flatnonzero(~inside)
    return (
        _interleaved(_grouped(inner, lower, count), colour_of),
        _interleaved(_grouped(outer, lower, max(count - 1, 1)), colour_of),
    )


def _grouped(chosen: NDArray[Any], group_of: NDArray[Any], count: int) -> Walk:
    groups = group_of[chosen]
    order = chosen[np.argsort(groups, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))])
    return Walk(order.astype(np.int32), starts.astype(np.int32))


def _interleaved(walk: Walk, colour_of: Ints) -> Walk:
    """Colour by colour within windows, which begin anew in every group, so that copies of a body walk alike."""
    group = np.repeat(np.arange(len(walk)), np.diff(walk.starts))
    window = (np.arange(len(walk.order)) - walk.starts[group]) // _WINDOW
    return Walk(walk.order[np.lexsort((colour_of[walk.order], window, group))], walk.starts)


def clusters(body: Constraints) -> tuple[Walk, Walk]:
    """The elements of a body in clusters, its edges in the same clusters, and the clusters in colours.

    Elements are gathered round the longest edges, where up to six share all but two of their particles; an edge goes
    with an element that has it. What one constraint has read is then near at hand for the next.
    """
    of_element, of_edge = _fans(body)
    count = int(max(of_element.max(initial=-1), of_edge.max(initial=-1))) + 1
    owners = np.concatenate([np.repeat(of_element, 4), np.repeat(of_edge, 2)])
    joined = _joined(owners, np.concatenate([body.corners.reshape(-1), body.ends.reshape(-1)]), count)
    colour_of = colours(joined, len(body.points))
    if (colour_of == UNCOLOURED).any():
        raise InputError(
            "PositionBased",
            f"more than {UNCOLOURED} clusters meet at one particle",
            "the GPU takes no more",
            "use device='cpu', or a mesh with even elements",
        )
    position = np.empty(count, dtype=np.int64)
    position[np.argsort(colour_of, kind="stable")] = np.arange(count)
    colour_starts = np.concatenate([[0], np.cumsum(np.bincount(colour_of))]).astype(np.int32)
    elements, edges = (_grouped(np.arange(len(of)), position[of], count) for of in (of_element, of_edge))
    return replace(elements, colour_starts=colour_starts), replace(edges, colour_starts=colour_starts)


def _fans(body: Constraints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A cluster for every element (T,) and every edge (E,), numbered in the order of memory.

    An element goes to the longest edge whose fan still has it, large fans before small ones.
    """
    from supple.skins.position_based import colour_kernels as kernels

    wp = devices.warp()
    code = np.array([len(body.points), 1], dtype=np.int64)  # of an edge, lower end first
    around, edge = np.unique(np.sort(body.corners[:, EDGES].astype(np.int64), axis=2) @ code, return_inverse=True)
    starts, positions = group_by_label(edge.reshape(-1).astype(np.int32), len(around))
    lengths = np.linalg.norm(body.points[around // code[0]] - body.points[around % code[0]], axis=1)
    # Lengths to a tenth of the mean: rounding may not decide between edges that are alike.
    mean = max(float(lengths.mean()), 1e-300) if len(lengths) else 1.0
    longest = np.argsort(-np.round(10.0 * lengths / mean), kind="stable").astype(np.int32)
    found = wp.full(len(body.corners), -1, dtype=wp.int32, device="cpu")
    on_cpu = [wp.array(a, dtype=wp.int32, device="cpu") for a in (longest, starts, (positions // 6).astype(np.int32))]
    wp.launch(kernels.gather_fans, dim=1, inputs=[_LARGEST, *on_cpu, found], device="cpu")
    _, first, cluster = np.unique(found.numpy(), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    of_element = np.asarray(rank[cluster], dtype=np.int64)
    of_around = np.full(len(around) + 1, -1)
    of_around[edge.reshape(-1)[::-1]] = np.repeat(of_element, 6)[::-1]  # the first in memory is written last
    own = np.sort(body.ends.astype(np.int64), axis=1) @ code
    at = np.searchsorted(around, own)
    known = np.append(around, -1)[at] == own
    alone = len(first) + np.arange(len(own))  # edges that no element has
    _, of_both = np.unique(np.concatenate([of_element, np.where(known, of_around[at], alone)]), return_inverse=True)
    return of_both[: len(of_element)], of_both[len(of_element) :]


def _joined(cluster: NDArray[np.int64], particles: Ints, count: int) -> Ints:
    """The particles (clusters, M) of every cluster, the first one again where there are fewer than M."""
    span = np.int64(particles.max()) + 1
    pairs = np.unique(cluster * span + particles)
    owner = pairs // span
    begins = np.searchsorted(owner, np.arange(count))
    rank = np.arange(len(pairs)) - begins[owner]
    table = np.repeat((pairs[begins] % span)[:, None], int(rank.max()) + 1, axis=1)
    table[owner, rank] = pairs % span
    return table.astype(np.int32)


def colours(members: NDArray[Any], count: int) -> Ints:
    """A colour (C,) for every constraint (C, K) over `count` particles: the first that no particle of it has met yet.

    Those of one colour share no particle. There is room for 256 colours; what finds none is `UNCOLOURED`.
    """
    from supple.skins.position_based import colour_kernels as kernels

    wp = devices.warp()
    found = wp.zeros(len(members), dtype=wp.int32, device="cpu")
    table = wp.array(np.ascontiguousarray(members, dtype=np.int32), dtype=wp.int32, ndim=2, device="cpu")
    met = wp.zeros((count, UNCOLOURED // 64), dtype=wp.uint64, device="cpu")
    wp.launch(kernels.colour, dim=1, inputs=[table, met, found], device="cpu")
    return np.where(found.numpy() < 0, UNCOLOURED, found.numpy()).astype(np.int32)
