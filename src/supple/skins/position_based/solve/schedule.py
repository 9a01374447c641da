"""In which order projected constraints may be walked through.

Two schedules. *Slabs*, for the CPU: the body is cut across its length into a few slabs; one thread walks through the
constraints inside a slab, then through those that span two neighbouring slabs, eight that share no particle at a time.
*Clusters*, for a GPU: elements round an edge form a cluster, which one thread walks through; clusters of one colour
share no particle and run at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import IntArray
from supple.errors import InputError
from supple.geometry.rows import group_by_label
from supple.geometry.tetrahedra.tetrahedra import EDGES
from supple.skins.position_based.body.constraints import Constraints

_WINDOW = 256  # constraints
_BATCH_WINDOW = 2048  # the same for those that are projected eight at a time: few batches are not full
EIGHT = 8
_LARGEST = 8  # elements of a cluster
UNCOLORED = 256


@dataclass(frozen=True, eq=False)
class Schedule:
    """A schedule: constraints `order[starts[g]:starts[g + 1]]` belong to group g.

    Groups `color_starts[c]` to `color_starts[c + 1]` are of colour c, if there are colours: none of them share a
    particle.
    """

    order: IntArray
    starts: IntArray
    color_starts: IntArray | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1


def slab_schedules(members: NDArray[Any], slab_of: IntArray) -> tuple[Schedule, Schedule]:
    """Constraints (C, K) inside each slab, and those that span a slab and the next.

    Both go through memory in order, but within a short window colour by colour: neighbours in the walk then share no
    particle, and a processor can begin with one before it has ended the other, which takes half the time.
    """
    color_of = color_constraints(members, len(slab_of))
    inner, outer = (_interleave_colors(schedule, color_of) for schedule in _inside_and_across(members, slab_of))
    return inner, outer


def _inside_and_across(members: NDArray[Any], slab_of: IntArray) -> tuple[Schedule, Schedule]:
    count = int(slab_of[-1]) + 1
    of_member = slab_of[members]
    lower = of_member.min(axis=1)
    inside = of_member.max(axis=1) == lower
    inner, outer = np.flatnonzero(inside), np.flatnonzero(~inside)
    return _group(inner, lower, count), _group(outer, lower, max(count - 1, 1))


@dataclass(frozen=True, eq=False)
class Batches:
    """Constraints `order` (B, 8), eight of which are projected at once; batches `starts[g]` to `starts[g + 1]` are of
    group g.

    None of a batch share a particle. One that is not full repeats its first: what is done twice from the same start
    is done once.
    """

    order: IntArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1


def slab_batches(members: NDArray[Any], slab_of: IntArray) -> tuple[Batches, Batches]:
    """The constraints of `slab_schedules` in batches: colour by colour within windows, so that batches that follow one
    another hardly share particles either, and a processor can begin with one before it has ended the other."""
    color_of = color_constraints(members, len(slab_of))
    inner, outer = (_batch(schedule, color_of) for schedule in _inside_and_across(members, slab_of))
    return inner, outer


def _batch(schedule: Schedule, color_of: IntArray) -> Batches:
    window, group = _windows(schedule, _BATCH_WINDOW)
    colors = color_of[schedule.order]
    along = np.lexsort((colors, window, group))
    order, group = schedule.order[along], group[along]
    keys = np.column_stack([group, window[along], colors[along]])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1) | (keys[1:, 2] == UNCOLORED)
    firsts = np.flatnonzero(new)
    place = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
    batch = np.cumsum(place % EIGHT == 0) - 1
    begins = np.flatnonzero(place % EIGHT == 0)
    table = np.repeat(order[begins][:, None], EIGHT, axis=1)
    table[batch, place % EIGHT] = order
    starts = np.concatenate([[0], np.cumsum(np.bincount(group[begins], minlength=len(schedule)))])
    return Batches(table.astype(np.int32), starts.astype(np.int32))


def _group(chosen: NDArray[Any], group_of: NDArray[Any], count: int) -> Schedule:
    groups = group_of[chosen]
    order = chosen[np.argsort(groups, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))])
    return Schedule(order.astype(np.int32), starts.astype(np.int32))


def _interleave_colors(schedule: Schedule, color_of: IntArray) -> Schedule:
    """Colour by colour within windows, which begin anew in every group, so that copies of a body walk alike."""
    window, group = _windows(schedule, _WINDOW)
    return Schedule(schedule.order[np.lexsort((color_of[schedule.order], window, group))], schedule.starts)


def _windows(schedule: Schedule, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The window and the group of every place in a schedule."""
    group = np.repeat(np.arange(len(schedule)), np.diff(schedule.starts))
    return (np.arange(len(schedule.order)) - schedule.starts[group]) // size, group


def cluster_schedules(body: Constraints) -> tuple[Schedule, Schedule]:
    """The elements of a body in clusters, its edges in the same clusters, and the clusters in colours.

    Elements are gathered round the longest edges, where up to six share all but two of their particles; an edge goes
    with an element that has it. What one constraint has read is then near at hand for the next.
    """
    of_element, of_edge = _cluster_fans(body)
    count = int(max(of_element.max(initial=-1), of_edge.max(initial=-1))) + 1
    owners = np.concatenate([np.repeat(of_element, 4), np.repeat(of_edge, 2)])
    members = _particles_of_clusters(owners, np.concatenate([body.corners.reshape(-1), body.ends.reshape(-1)]), count)
    color_of = color_constraints(members, len(body.points))
    if (color_of == UNCOLORED).any():
        raise InputError(
            "PositionBased",
            f"more than {UNCOLORED} clusters meet at one particle",
            "the GPU takes no more",
            "use device='cpu', or a mesh with even elements",
        )
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(color_of, kind="stable")] = np.arange(count)
    color_starts = np.concatenate([[0], np.cumsum(np.bincount(color_of))]).astype(np.int32)
    elements, edges = (_group(np.arange(len(of)), rank[of], count) for of in (of_element, of_edge))
    return replace(elements, color_starts=color_starts), replace(edges, color_starts=color_starts)


def _cluster_fans(body: Constraints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A cluster for every element (T,) and every edge (E,), numbered in the order of memory.

    An element goes to the longest edge whose fan still has it, large fans before small ones.
    """
    from supple.skins.position_based.solve import coloring_kernels as kernels

    wp = devices.warp()
    code = np.array([len(body.points), 1], dtype=np.int64)  # of an edge, lower end first
    around, edge = np.unique(np.sort(body.corners[:, EDGES].astype(np.int64), axis=2) @ code, return_inverse=True)
    starts, slots = group_by_label(edge.reshape(-1).astype(np.int32), len(around))
    lengths = np.linalg.norm(body.points[around // code[0]] - body.points[around % code[0]], axis=1)
    # Lengths to a tenth of the mean: rounding may not decide between edges that are alike.
    mean = max(float(lengths.mean()), 1e-300) if len(lengths) else 1.0
    longest = np.argsort(-np.round(10.0 * lengths / mean), kind="stable").astype(np.int32)
    found = wp.full(len(body.corners), -1, dtype=wp.int32, device="cpu")
    on_cpu = [wp.array(a, dtype=wp.int32, device="cpu") for a in (longest, starts, (slots // 6).astype(np.int32))]
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


def _particles_of_clusters(cluster: NDArray[np.int64], particles: IntArray, count: int) -> IntArray:
    """The particles (clusters, M) of every cluster, the first one again where there are fewer than M."""
    span = np.int64(particles.max()) + 1
    pairs = np.unique(cluster * span + particles)
    owner = pairs // span
    begins = np.searchsorted(owner, np.arange(count))
    rank = np.arange(len(pairs)) - begins[owner]
    table = np.repeat((pairs[begins] % span)[:, None], int(rank.max()) + 1, axis=1)
    table[owner, rank] = pairs % span
    return table.astype(np.int32)


def color_constraints(members: NDArray[Any], count: int) -> IntArray:
    """A colour (C,) for every constraint (C, K) over `count` particles: the first that no particle of it has met yet.

    Those of one colour share no particle. There is room for 256 colours; what finds none is `UNCOLORED`.
    """
    from supple.skins.position_based.solve import coloring_kernels as kernels

    wp = devices.warp()
    found = wp.zeros(len(members), dtype=wp.int32, device="cpu")
    table = wp.array(np.ascontiguousarray(members, dtype=np.int32), dtype=wp.int32, ndim=2, device="cpu")
    met = wp.zeros((count, UNCOLORED // 64), dtype=wp.uint64, device="cpu")
    wp.launch(kernels.color_greedily, dim=1, inputs=[table, met, found], device="cpu")
    return np.where(found.numpy() < 0, UNCOLORED, found.numpy()).astype(np.int32)
