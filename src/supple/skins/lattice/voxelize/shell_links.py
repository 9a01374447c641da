"""Bridges: shells that float near others hang on the nearest one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.geometry.topology import components
from supple.geometry.voxels import VoxelGrid

_REACH = 2.0  # cells: what floats farther off stays alone
_ROUND = 1.5  # times the shortest gap, and
_CLOSE = 0.25  # cells: places with gaps up to this are joined as well, so that a button does not hang on a thread

Indices = NDArray[np.int64]


def link_shells(
    positions: FloatArray, a: Indices, b: Indices, grid: VoxelGrid
) -> tuple[FloatArray, tuple[Indices, Indices]]:
    """New places (M, 3) [m] and ways between places, old and new, that join parts which lie close to each other.

    `positions` (P, 3) [m] are joined by ways (a, b) and fall into parts. The two nearest parts are bridged first, and
    so on while gaps are within two cells. A part is bridged where it is nearest, not wherever it is near: a glove
    hangs on the wrist, though it is close to the thigh too. Gaps of a cell or more are filled with new places.
    """
    part = components(a, b, len(positions))
    if int(part.max()) == 0:
        nobody = np.empty(0, dtype=np.int64)
        return np.empty((0, 3)), (nobody, nobody)
    one, other, gap = _near(positions, part, grid)
    ends = np.sort(np.stack([part[one], part[other]]), axis=0).astype(np.int64)
    pair = ends[0] * (int(part.max()) + 1) + ends[1]
    order = np.lexsort((gap, pair))  # pairs of parts one after another, in each the shortest gap first
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    groups = np.split(order, starts[1:])
    leader = np.arange(int(part.max()) + 1)
    new: list[FloatArray] = [np.empty((0, 3))]
    froms, tos = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    count = len(positions)
    for group in sorted(groups, key=lambda group: float(gap[group[0]])) if len(order) else ():
        lead, follow = leader[part[one[group[0]]]], leader[part[other[group[0]]]]
        if lead == follow:
            continue
        leader[leader == follow] = lead
        beside = np.abs(grid.cells_of(positions[one[group]]) - grid.cells_of(positions[other[group]])).max(axis=1) <= 1
        if beside[0]:
            kept = group[beside & (gap[group] <= max(_ROUND * gap[group[0]], _CLOSE * grid.side))]
            froms.append(one[kept])
            tos.append(other[kept])
            continue
        between = _between(positions[one[group[0]]], positions[other[group[0]]], 0.5 * grid.side)
        ids = count + np.arange(len(between))
        count += len(between)
        new.append(between)
        froms.append(np.concatenate([one[group[:1]], ids]))
        tos.append(np.concatenate([ids, other[group[:1]]]))
    return np.concatenate(new), (np.concatenate(froms), np.concatenate(tos))


def _near(positions: FloatArray, part: NDArray[np.int32], grid: VoxelGrid) -> tuple[Indices, Indices, FloatArray]:
    """Pairs of places of different parts within reach, and the gaps [m] between them.

    One place of a part in every eighth of a cell is enough. One end of each pair is not in the largest part.
    """
    from scipy.spatial import cKDTree

    eighths = np.floor((positions - grid.origin) / (0.5 * grid.side) + 1e-9).astype(np.int64)
    _, few = np.unique(np.column_stack([part, eighths]), axis=0, return_index=True)
    small = few[part[few] != np.argmax(np.bincount(part))]
    found = cKDTree(positions[small]).sparse_distance_matrix(
        cKDTree(positions[few]), _REACH * grid.side, output_type="ndarray"
    )
    one, other, gap = small[found["i"]], few[found["j"]], found["v"]
    apart = part[one] != part[other]
    return one[apart], other[apart], gap[apart]


def _between(start: FloatArray, end: FloatArray, spacing: float) -> FloatArray:
    """Places on the line from start to end, without both, `spacing` [m] apart or closer."""
    count = int(np.ceil(np.linalg.norm(end - start) / spacing))
    return start + np.linspace(0.0, 1.0, count + 1)[1:-1, None] * (end - start)
