"""Points that touch the same elements are kept near each other in memory."""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats, Ints
from supple.geometry.tetrahedra.tetrahedra import EDGES, Tetrahedra


def ordered(points: Floats, corners: Ints) -> Tetrahedra:
    """Number points along reverse Cuthill-McKee fronts, sort elements by their points, leave unused points out.

    A front sweeps through the body, so neighbours have near numbers; solvers then read memory almost in order. Corners
    are turned within an element so that the lowest comes first and the volume stays positive. The same body always
    comes out the same.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    used, compact = np.unique(corners, return_inverse=True)
    compact = compact.reshape(-1, 4)
    count = len(used)
    one, other = compact[:, EDGES].reshape(-1, 2).T
    links = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(count, count)).tocsr()
    graph = (links + links.T).tocsr()
    order = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True))
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    turned = _lowest_first(rank[compact])
    return Tetrahedra(points[used[order]], turned[np.lexsort(turned.T[::-1])])


def _lowest_first(corners: Ints) -> Ints:
    """Even permutations of the corners (T, 4) that bring the lowest point to the front and the next to second place."""
    turns = np.array([(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)])
    first = np.take_along_axis(corners, turns[corners.argmin(axis=1)], axis=1)
    cycles = np.array([(0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)])
    return np.take_along_axis(first, cycles[first[:, 1:].argmin(axis=1)], axis=1)
