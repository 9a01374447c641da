"""Voxels: which cubes of a grid a surface touches, and which lie inside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.errors import InputError
from supple.geometry.collision.winding import Windings

_PIECE = 4  # cells: larger triangles are cut before they are tested, so that few cells are tested in vain
_BATCH = 4096  # triangles tested at a time, each against some dozens of cells
_SLACK = 1e-9  # cells: rounding may not lose a touch
# Half of the 26 steps to a neighbouring cell; the others are the same steps backwards.
STEPS = np.array(
    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) > (0, 0, 0)], dtype=np.int32
)
INSIDE = 0.5  # winding number of the border between inside and outside
_PROBES = 24  # voxels of a region that are asked before the whole region is decided
_PURE = 0.1  # a winding number this close to a whole one leaves no doubt

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class VoxelGrid:
    """Cubes of side `side` [m], `shape` of them along x, y and z; cube (0, 0, 0) has its lowest corner at `origin`."""

    origin: FloatArray
    side: float
    shape: tuple[int, int, int]

    @classmethod
    def around(cls, points: FloatArray, resolution: int, *, margin: int = 1) -> VoxelGrid:
        """A grid with `resolution` voxels along the longest side of the box around `points`.

        The box lies in the middle of the grid, and at least `margin` voxels of empty space surround it.
        """
        if resolution < 1:
            raise InputError("VoxelGrid", f"resolution is {resolution}", "at least one voxel is needed", "try 64")
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        longest = float((high - low).max())
        if not longest > 0.0:
            raise InputError("VoxelGrid", "all points are at one place", "a box with a side is needed", "scale them")
        side = longest / resolution
        # Room to spare, so that a point on the box does not fall out of the grid by rounding.
        cells = np.maximum(np.ceil((high - low) / side - 1e-9).astype(int), 1) + 2 * margin
        origin = 0.5 * (low + high) - 0.5 * side * cells
        return cls(origin, side, (int(cells[0]), int(cells[1]), int(cells[2])))

    def centers(self, cells: IntArray) -> FloatArray:
        """Middle points (N, 3) [m] of cells (N, 3)."""
        return self.origin + (np.asarray(cells) + 0.5) * self.side

    def cells_of(self, points: FloatArray) -> IntArray:
        """The cells (N, 3) that hold the points; points outside fall into the nearest cell of the border."""
        cells = np.floor((np.asarray(points) - self.origin) / self.side + _SLACK).astype(np.int32)
        return np.clip(cells, 0, np.array(self.shape, dtype=np.int32) - 1)

    def flat_indices(self, cells: IntArray) -> NDArray[np.int64]:
        """Flat numbers (N,) of cells (N, 3); z varies fastest, as in `mask.ravel()`."""
        index = np.asarray(cells, dtype=np.int64)
        return (index[:, 0] * self.shape[1] + index[:, 1]) * self.shape[2] + index[:, 2]


def surface_voxels(points: FloatArray, triangles: IntArray, grid: VoxelGrid) -> BoolArray:
    """Mark every voxel that a triangle touches, however slightly: a mask of the grid's shape.

    Conservative: any point of the surface lies in a marked voxel, because cubes that only share a corner, an edge or
    a face with a triangle count as touched. Tested by separating axes: three faces of the cube, the plane of the
    triangle, nine products of edges. What lies outside the grid is not seen.
    """
    mask = np.zeros(int(np.prod(grid.shape)), dtype=bool)
    for _, flat_indices in _touched_pairs(points, triangles, grid):
        mask[flat_indices] = True
    return mask.reshape(grid.shape)


def touched_voxels(points: FloatArray, triangles: IntArray, grid: VoxelGrid) -> tuple[Indices, Indices]:
    """Which triangle touches which voxel: triangles (P,) and flat numbers of voxels (P,), each pair once or more.

    The voxels are those that `surface_voxels` marks. Large triangles are cut first, and their pairs may come again.
    """
    pairs = list(_touched_pairs(points, triangles, grid)) or [
        (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    ]
    faces, flat_indices = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return faces, flat_indices


def _touched_pairs(points: FloatArray, triangles: IntArray, grid: VoxelGrid) -> Iterator[tuple[Indices, Indices]]:
    """Triangles and the flat numbers of the voxels they touch, some thousand triangles at a time."""
    corners = (np.asarray(points, dtype=np.float64)[np.asarray(triangles)] - grid.origin) / grid.side
    patches, faces = _split_large(corners)
    for first in range(0, len(patches), _BATCH):
        which, cells = _cells_met(patches[first : first + _BATCH], grid.shape)
        yield faces[first + which], grid.flat_indices(cells.astype(np.int32))


def _cells_met(patches: FloatArray, shape: tuple[int, int, int]) -> tuple[Indices, NDArray[np.int64]]:
    """The cells that triangles (T, 3, 3) touch, all measured in cells: which triangle (P,), and the cell (P, 3)."""
    a, b, c = np.moveaxis(patches, 1, 0)
    lowest, highest = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    low = np.maximum(np.ceil(lowest - _SLACK).astype(np.int64) - 1, 0)
    high = np.minimum(np.floor(highest + _SLACK).astype(np.int64), np.array(shape) - 1)
    spans = np.maximum(high - low + 1, 0)
    counts = spans.prod(axis=1)
    which = np.repeat(np.arange(len(patches)), counts)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    deep, wide = spans[which, 2], spans[which, 1] * spans[which, 2]
    cells = low[which] + np.stack([offset // wide, offset % wide // deep, offset % deep], axis=1)
    # A triangle whose box meets one cell only lies in it.
    touching = counts[which] == 1
    unsure = np.flatnonzero(~touching)
    middles = (cells[unsure] + 0.5).T
    touching[unsure] = _touching(patches.transpose(1, 2, 0)[:, :, which[unsure]] - middles)
    return which[touching], cells[touching]


def _split_large(corners: FloatArray) -> tuple[FloatArray, Indices]:
    """Quarter triangles (T, 3, 3) until none spans more than a few cells; most cells in a large box are not touched.

    The pieces (P, 3, 3), and of which triangle each is one (P,).
    """
    patches: list[FloatArray] = [np.empty((0, 3, 3))]
    faces: list[Indices] = [np.empty(0, dtype=np.int64)]
    owners = np.arange(len(corners))
    while len(corners):
        large = np.ptp(corners, axis=1).max(axis=1) > _PIECE
        patches.append(corners[~large])
        faces.append(owners[~large])
        a, b, c = np.moveaxis(corners[large], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        owners = np.tile(owners[large], 4)
    return np.concatenate(patches), np.concatenate(faces)


def _touching(corners: FloatArray) -> BoolArray:
    """Which triangles touch the unit cube around zero; `corners` (3, 3, N) by corner and axis."""
    a, b, c = corners
    edges = (b - a, c - b, a - c)
    normal = np.cross(edges[0], edges[1], axis=0)
    offset = np.abs((normal * a).sum(axis=0))
    touching = offset <= 0.5 * np.abs(normal).sum(axis=0) + _SLACK
    for axis in range(3):
        touching &= (np.minimum(np.minimum(a[axis], b[axis]), c[axis]) <= 0.5 + _SLACK) & (
            np.maximum(np.maximum(a[axis], b[axis]), c[axis]) >= -0.5 - _SLACK
        )
        # The product of the cube's axis with an edge; its component along the axis is zero, and both ends of the edge
        # have the same shadow on it.
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for edge, start, across in zip(edges, (a, b, c), (c, a, b), strict=True):
            one = edge[u] * start[v] - edge[v] * start[u]
            other = edge[u] * across[v] - edge[v] * across[u]
            reach = 0.5 * (np.abs(edge[u]) + np.abs(edge[v])) + _SLACK
            touching &= (np.minimum(one, other) <= reach) & (np.maximum(one, other) >= -reach)
    return touching


def voxel_windings(
    points: FloatArray, triangles: IntArray, grid: VoxelGrid, *, surface: BoolArray | None = None
) -> FloatArray:
    """How often the surface surrounds the middle of each voxel, as an array of the grid's shape: 1 inside, 0 outside.

    The generalised winding number, which works on open, crossing and many-shelled meshes too and lies in between near
    holes. Pass the mask of `surface_voxels` where it is known. Regions that the surface does not touch are asked at a
    few places only, and get that number rounded; in full where those places leave any doubt.
    """
    from scipy.ndimage import label

    windings = Windings(points, triangles)
    touched = surface_voxels(points, triangles, grid) if surface is None else surface

    def winding(flat_indices: Indices) -> FloatArray:
        cells = np.stack(np.unravel_index(flat_indices, grid.shape), axis=1)
        return windings(grid.centers(cells.astype(np.int32)))

    labels, count = label(~touched)
    order = np.argsort(labels.ravel(), kind="stable")
    first = np.searchsorted(labels.ravel()[order], np.arange(1, count + 2))
    regions = [order[start:end] for start, end in itertools.pairwise(first)]
    samples = [region[np.linspace(0, len(region) - 1, min(_PROBES, len(region))).astype(int)] for region in regions]
    probes = iter(winding(np.concatenate(samples)) if samples else ())
    result = np.zeros(int(np.prod(grid.shape)))
    unsure = [np.flatnonzero(touched)]
    for region, sample in zip(regions, samples, strict=True):
        asked = np.fromiter(probes, np.float64, len(sample))
        whole = np.round(asked)
        if (np.abs(asked - whole) < _PURE).all() and np.ptp(whole) == 0:
            result[region] = whole[0]
        else:
            unsure.append(region)
    left = np.concatenate(unsure)
    if len(left):
        result[left] = winding(left)
    return result.reshape(grid.shape)
