"""Turn a function that is negative inside into a closed surface of quads, looking only near the surface.

Space is cut into cells. Every piece of surface inside a cell becomes one vertex, and every side of a cell that crosses
the surface becomes one quad between the four cells around it (the dual of marching cubes). Cells with two sheets of
surface get two vertices, so sheets that come near each other stay apart and the surface is a manifold.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.errors import UnfinishedError
from supple.geometry.rows import stable_order

Distance = Callable[[FloatArray], FloatArray]

_CORNERS = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)])  # corner x + 2 y + 4 z
_AROUND = np.array([0, 1, 3, 2])  # the four cells around an edge, in turn
_SAFETY = 2.0  # how many times too long a distance may be without surface being lost
_CELLS = 4  # along the side of a block, an even number
_BLOCKS_AT_ONCE = 4096


def polygonize(distance: Distance, low: FloatArray, high: FloatArray, *, cell: float) -> tuple[FloatArray, IntArray]:
    """Vertices (V, 3) and quads (Q, 4), anticlockwise from outside, of the surface where `distance` is zero.

    `low` and `high` are corners of a box that holds the surface, `cell` [m] is the size of the cells. `distance` may
    be wrong by a factor of two, but not more: where it says that the surface is farther away than that from a block
    of cells, the block is not looked at. What is thinner than two cells is lost or merged.
    """
    blocks = _blocks_near(distance, low, high, size=_CELLS * cell)
    cells, values = _crossing_cells(distance, low, blocks, cell)
    return _dual_surface(low, cells, values, cell)


def _blocks_near(distance: Distance, low: FloatArray, high: FloatArray, *, size: float) -> NDArray[np.int64]:
    """Blocks (B, 3) of side `size` that the surface may pass through, halved down from large ones."""
    halvings = max(0, int(np.log2(float((high - low).max()) / (4.0 * size))))
    counts = np.ceil((high - low) / (size * 2**halvings)).astype(np.int64)
    blocks = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    for level in range(halvings, -1, -1):
        blocks = blocks[_may_cross(distance, low, blocks, size * 2**level)]
        if level:
            blocks = (2 * blocks[:, None, :] + _CORNERS).reshape(-1, 3)
    return blocks


def _may_cross(distance: Distance, low: FloatArray, blocks: NDArray[np.int64], side: float) -> NDArray[np.bool_]:
    """Which blocks (B, 3) of a side [m] the surface may pass through, as far as their middles tell."""
    near = np.abs(distance(low + (blocks + 0.5) * side)) < _SAFETY * 0.5 * np.sqrt(3.0) * side
    return np.asarray(near)


def _crossing_cells(
    distance: Distance, low: FloatArray, blocks: NDArray[np.int64], cell: float
) -> tuple[NDArray[np.int64], FloatArray]:
    """Places (C, 3) of the cells whose corners differ in sign, and the values (C, 8) at their corners.

    Cells are in the order of their blocks. Halves of blocks that are far from the surface are left out, and corners
    that halves share are asked for once.
    """
    half = _CELLS // 2
    lattice = np.stack(np.meshgrid(*[np.arange(half + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    span = (blocks.max(axis=0, initial=0) + 1) * _CELLS + 1
    all_cells, corners = [], []
    for i in range(0, len(blocks), _BLOCKS_AT_ONCE):
        halves = (2 * blocks[i : i + _BLOCKS_AT_ONCE, None, :] + _CORNERS).reshape(-1, 3)
        near = np.flatnonzero(_may_cross(distance, low, halves, half * cell))
        start = halves[near] * half
        at = start[:, None, :] + lattice
        key, where = np.unique((at[..., 0] * span[1] + at[..., 1]) * span[2] + at[..., 2], return_inverse=True)
        lattice_points = np.stack([key // (span[1] * span[2]), key // span[2] % span[1], key % span[2]], axis=1)
        samples = distance(low + lattice_points * cell)[where].reshape(-1, half + 1, half + 1, half + 1)
        views = [samples[:, x : x + half, y : y + half, z : z + half] for x, y, z in _CORNERS]
        inside = np.sum([view < 0.0 for view in views], axis=0)
        which, x, y, z = np.nonzero((inside > 0) & (inside < 8))
        cells = start[which] + np.stack([x, y, z], axis=1)
        within = cells % _CELLS @ np.array([_CELLS * _CELLS, _CELLS, 1])
        order = stable_order(near[which] // 8 * _CELLS**3 + within)
        all_cells.append(cells[order])
        corners.append(np.stack([view[which, x, y, z] for view in views], axis=1)[order])
    if not all_cells or not sum(map(len, all_cells)):
        raise UnfinishedError(
            "polygonise", "no surface was found", "the function must change sign", "use smaller cells"
        )
    return np.concatenate(all_cells), np.concatenate(corners)


def _dual_surface(
    low: FloatArray, cells: NDArray[np.int64], values: FloatArray, cell: float
) -> tuple[FloatArray, IntArray]:
    inside = values < 0.0
    code = (inside << np.arange(8)).sum(axis=1)
    patch_of, patch_count = _patches()
    first = np.concatenate([[0], np.cumsum(patch_count[code])])  # number of the first vertex of every cell
    total = int(first[-1])
    sums, hits = np.zeros((total, 3)), np.zeros(total)
    keys, owners, outward = [], [], []
    span = cells.max(axis=0) + 2
    for edge, (start, end) in enumerate(_EDGES):
        crossing = np.flatnonzero(inside[:, start] != inside[:, end])
        a, b = values[crossing, start], values[crossing, end]
        t = (a / (a - b))[:, None]
        where = cells[crossing] + (1.0 - t) * _CORNERS[start] + t * _CORNERS[end]
        vertex = first[crossing] + patch_of[code[crossing], edge]
        for axis in range(3):
            sums[:, axis] += np.bincount(vertex, weights=where[:, axis], minlength=total)
        hits += np.bincount(vertex, minlength=total)
        base = cells[crossing] + _CORNERS[start]
        axis, around = divmod(edge, 4)
        number = (base[:, 0] * span[1] + base[:, 1]) * span[2] + base[:, 2]
        keys.append((number * 3 + axis) * 4 + _AROUND[around])
        owners.append(vertex)
        outward.append(inside[crossing, start])
    key = np.concatenate(keys)
    order = stable_order(key)
    if len(key) % 4 or not np.array_equal(key[order] % 4, np.tile(np.arange(4), len(key) // 4)):
        raise UnfinishedError(
            "polygonise", "the surface leaves the searched cells", "every crossing needs four cells", "widen the box"
        )
    quads = np.concatenate(owners)[order].reshape(-1, 4)
    ahead = np.concatenate(outward)[order][::4]
    quads = np.where(ahead[:, None], quads, quads[:, ::-1])
    return low + cell * sums / hits[:, None], quads.astype(np.int32)


def _corner(axis: int, along: int, b: int, c: int) -> int:
    bits = [0, 0, 0]
    bits[axis], bits[(axis + 1) % 3], bits[(axis + 2) % 3] = along, b, c
    return bits[0] + 2 * bits[1] + 4 * bits[2]


# Edge 4 a + b + 2 c runs along axis a, at place (b, c) on the two axes after it.
_EDGES = [(_corner(a, 0, b, c), _corner(a, 1, b, c)) for a in range(3) for c in (0, 1) for b in (0, 1)]


@cache
def _patches() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every pattern of corner signs: which piece of surface each edge belongs to (256, 12), and how many there are.

    Two crossed edges of a face belong together; where all four are crossed, the two at each inside corner do, which
    is the same choice seen from both sides of the face.
    """
    patch_of, patch_count = np.zeros((256, 12), dtype=np.int64), np.zeros(256, dtype=np.int64)
    faces = [
        [e for e, ends in enumerate(_EDGES) if all((corner >> axis) & 1 == side for corner in ends)]
        for axis in range(3)
        for side in (0, 1)
    ]
    for code in range(256):
        crossed = [e for e, (a, b) in enumerate(_EDGES) if (code >> a & 1) != (code >> b & 1)]
        label = {e: e for e in crossed}
        for face in faces:
            here = [e for e in face if e in label]
            for one, other in itertools.combinations(here, 2):
                lattice_points = set(_EDGES[one]) & set(_EDGES[other])
                if len(here) == 2 or any(code >> corner & 1 for corner in lattice_points):
                    low, high = sorted((label[one], label[other]))
                    label = {e: low if name == high else name for e, name in label.items()}
        numbers = {name: i for i, name in enumerate(sorted(set(label.values())))}
        patch_count[code] = len(numbers)
        for e, name in label.items():
            patch_of[code, e] = numbers[name]
    return patch_of, patch_count
