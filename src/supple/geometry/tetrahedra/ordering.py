"""Points that touch the same elements are kept near each other in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry.tetrahedra.tetrahedra import EDGES, Tetrahedra


def reorder(points: FloatArray, corners: IntArray) -> Tetrahedra:
    """Number points along fronts, sort elements by their points, leave unused points out.

    A front sweeps through every piece of the body from one end, so neighbours have near numbers; solvers then read
    memory almost in order. Corners are turned within an element so that the lowest comes first and the volume stays
    positive. The same body comes out the same on every machine: the usual order of Cuthill and McKee sorts by degree,
    and how SciPy's breaks ties depends on the model of the processor.
    """
    from scipy.sparse import coo_array

    used, compact = np.unique(corners, return_inverse=True)
    compact = compact.reshape(-1, 4)
    count = len(used)
    one, other = compact[:, EDGES].reshape(-1, 2).T
    links = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(count, count)).tocsr()
    graph = (links + links.T).tocsr()
    order = _breadth_first_order(graph, count)
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    corners_in_order = _lowest_first(rank[compact])
    return Tetrahedra(points[used[order]], corners_in_order[np.lexsort(corners_in_order.T[::-1])])


def _breadth_first_order(graph: Any, count: int) -> IntArray:
    """All points (P,), front by front; pieces one after another, each from a point that is far from its others."""
    from scipy.sparse.csgraph import breadth_first_order

    order: list[IntArray] = []
    reached = np.zeros(count, dtype=bool)
    while not reached.all():
        start = int(reached.argmin())
        for _ in range(2):  # what is reached last is at an end
            start = int(breadth_first_order(graph, start, directed=False, return_predecessors=False)[-1])
        order.append(breadth_first_order(graph, start, directed=False, return_predecessors=False))
        reached[order[-1]] = True
    return np.concatenate(order)


def _lowest_first(corners: IntArray) -> IntArray:
    """Even permutations of the corners (T, 4) that bring the lowest point to the front and the next to second place."""
    rotations = np.array([(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)])
    first = np.take_along_axis(corners, rotations[corners.argmin(axis=1)], axis=1)
    cycles = np.array([(0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)])
    return np.take_along_axis(first, cycles[first[:, 1:].argmin(axis=1)], axis=1)
