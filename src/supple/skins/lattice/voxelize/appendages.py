"""Ends that stand off a firm part, such as ears off a head: they swing though the part itself does not."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.geometry.topology import components
from supple.skins.lattice.voxelize.cells import Lattice

_CORE = 0.5  # of the largest depth: what lies deeper is the core of a part
_MARGIN = 1.5  # voxels of skin round the core
_SHORTEST = 3.0  # voxels, and
_SLENDER = 0.6  # of the depth of the part: shorter ends, such as noses, belong to it


def appendage_freedom(lattice: Lattice, part: BoolArray, skin_depths: FloatArray) -> FloatArray:
    """How freely nodes (N,) on free ends may swing [voxels]; 0 for nodes that are on none.

    It is t^2 / 2 T, t being how far out a node is on the way through flesh and T the length of its end: the end bends
    from its base, instead of being drawn out of it.

    `part` (N,) marks the nodes of firm parts and `skin_depths` (N,) says how deep they lie below the skin [voxels]. The
    core of a part is what lies deeper than half of its deepest node, with flesh of the same thickness around it. What
    is left stands off, and is a free end where it is long and leads to nothing else; a neck leads to the body.
    """
    from scipy.sparse.csgraph import dijkstra

    out = np.zeros(len(lattice))
    low, high = lattice.links.T.astype(np.int64)
    within = part[low] & part[high]
    label = components(low[within], high[within], len(lattice))
    for number in np.unique(label[part]):
        mine = part & (label == number)
        deepest = float(skin_depths[mine].max())
        core = np.flatnonzero(mine & (skin_depths >= _CORE * deepest))
        from_core = np.asarray(dijkstra(lattice.graph, indices=core, min_only=True))
        beyond = np.where(mine & np.isfinite(from_core), from_core - _CORE * deepest - _MARGIN, 0.0)
        left = beyond > 0.0
        joined = left[low] & left[high]
        end = components(low[joined], high[joined], len(lattice))
        leads_on = np.unique(end[np.concatenate([low[left[low] & ~part[high]], high[left[high] & ~part[low]]])])
        longest = np.zeros(int(end.max()) + 1)
        np.maximum.at(longest, end[left], beyond[left])
        free = longest >= max(_SHORTEST, _SLENDER * deepest)
        free[leads_on] = False
        stands_off = left & free[end]
        out[stands_off] = 0.5 * beyond[stands_off] ** 2 / longest[end[stands_off]]
    return out
