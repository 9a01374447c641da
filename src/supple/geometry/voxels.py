"""Voxels: which cubes of a grid a surface touches, and which lie inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Bools, Floats, Ints
from supple.errors import InputError

_PIECE = 4  # cells: larger triangles are cut before they are tested, so that few cells are tested in vain
_BATCH = 4096  # triangles tested at a time, each against some dozens of cells
_SLACK = 1e-9  # cells: rounding may not lose a touch
_INSIDE = 0.5  # winding number of the border between inside and outside
_PROBES = 24  # voxels of a region that are asked before the whole region is decided
_PURE = 0.1  # a winding number this close to a whole one leaves no doubt


@dataclass(frozen=True, eq=False)
class VoxelGrid:
    """Cubes of side `side` [m], `shape` of them along x, y and z; cube (0, 0, 0) has its lowest corner at `origin`."""

    origin: Floats
    side: float
    shape: tuple[int, int, int]

    @classmethod
    def around(cls, points: Floats, resolution: int, *, margin: int = 1) -> VoxelGrid:
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

    def centres(self, cells: Ints) -> Floats:
        """Middle points (N, 3) [m] of cells (N, 3)."""
        return self.origin + (np.asarray(cells) + 0.5) * self.side

    def cells_of(self, points: Floats) -> Ints:
        """The cells (N, 3) that hold the points; points outside fall into the nearest cell of the border."""
        cells = np.floor((np.asarray(points) - self.origin) / self.side).astype(np.int32)
        return np.clip(cells, 0, np.array(self.shape, dtype=np.int32) - 1)

    def numbers(self, cells: Ints) -> NDArray[np.int64]:
        """Flat numbers (N,) of cells (N, 3); z varies fastest, as in `mask.ravel()`."""
        index = np.asarray(cells, dtype=np.int64)
        return (index[:, 0] * self.shape[1] + index[:, 1]) * self.shape[2] + index[:, 2]


def surface_voxels(points: Floats, triangles: Ints, grid: VoxelGrid) -> Bools:
    """Mark every voxel that a triangle touches, however slightly: a mask of the grid's shape.

    Conservative: any point of the surface lies in a marked voxel, because cubes that only share a corner, an edge or
    a face with a triangle count as touched. Tested by separating axes: three faces of the cube, the plane of the
    triangle, nine products of edges. What lies outside the grid is not seen.
    """
    corners = (np.asarray(points, dtype=np.float64)[np.asarray(triangles)] - grid.origin) / grid.side
    mask = np.zeros(grid.shape, dtype=bool)
    pieces = _cut(corners)
    for first in range(0, len(pieces), _BATCH):
        _mark(pieces[first : first + _BATCH], mask)
    return mask


def _mark(pieces: Floats, mask: Bools) -> None:
    """Mark the cells that triangles (T, 3, 3) touch, all measured in cells."""
    low = np.maximum(np.ceil(pieces.min(axis=1) - _SLACK).astype(np.int64) - 1, 0)
    high = np.minimum(np.floor(pieces.max(axis=1) + _SLACK).astype(np.int64), np.array(mask.shape) - 1)
    spans = np.maximum(high - low + 1, 0)
    counts = spans.prod(axis=1)
    which = np.repeat(np.arange(len(pieces)), counts)
    place = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    deep, wide = spans[which, 2], spans[which, 1] * spans[which, 2]
    cells = low[which] + np.stack([place // wide, place % wide // deep, place % deep], axis=1)
    touched = cells[_touching(pieces[which] - (cells + 0.5)[:, None])]
    mask[touched[:, 0], touched[:, 1], touched[:, 2]] = True


def _cut(corners: Floats) -> Floats:
    """Quarter triangles (T, 3, 3) until none spans more than a few cells; most cells in a large box are not touched."""
    pieces: list[Floats] = [np.empty((0, 3, 3))]
    while len(corners):
        large = np.ptp(corners, axis=1).max(axis=1) > _PIECE
        pieces.append(corners[~large])
        a, b, c = np.moveaxis(corners[large], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return np.concatenate(pieces)


def _touching(corners: Floats) -> Bools:
    """Which triangles (N, 3, 3) touch the unit cube around zero."""
    touching = (corners.min(axis=1) <= 0.5 + _SLACK).all(axis=1) & (corners.max(axis=1) >= -0.5 - _SLACK).all(axis=1)
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    offset = np.abs(np.einsum("ni,ni->n", normal, corners[:, 0]))
    touching &= offset <= 0.5 * np.abs(normal).sum(axis=1) + _SLACK
    for edge in range(3):
        for axis in range(3):
            # The product of the cube's axis with the edge; its component along the axis is zero.
            u, v = (axis + 1) % 3, (axis + 2) % 3
            across = -edges[:, edge, v, None] * corners[:, :, u] + edges[:, edge, u, None] * corners[:, :, v]
            reach = 0.5 * (np.abs(edges[:, edge, u]) + np.abs(edges[:, edge, v])) + _SLACK
            touching &= (across.min(axis=1) <= reach) & (across.max(axis=1) >= -reach)
    return touching


def inside_voxels(points: Floats, triangles: Ints, grid: VoxelGrid, *, surface: Bools | None = None) -> Bools:
    """Mark the voxels whose middle lies inside the surface: generalised winding number above one half.

    Works on open, crossing and many-shelled meshes; holes are closed by the smoothest lid. Pass the mask of
    `surface_voxels` where it is known. Regions that the surface does not touch are asked at a few places only, and in
    full where those leave any doubt.
    """
    import igl
    from scipy.ndimage import label

    vertices = np.ascontiguousarray(points, dtype=np.float64)
    faces = np.ascontiguousarray(triangles, dtype=np.int64)
    touched = surface_voxels(points, triangles, grid) if surface is None else surface

    def winding(numbers: NDArray[np.int64]) -> Floats:
        cells = np.stack(np.unravel_index(numbers, grid.shape), axis=1)
        return np.asarray(igl.fast_winding_number(vertices, faces, grid.centres(cells.astype(np.int32))))

    inside = np.zeros(int(np.prod(grid.shape)), dtype=bool)
    doubtful = [np.flatnonzero(touched)]
    labels, count = label(~touched)
    order = np.argsort(labels.ravel(), kind="stable")
    regions = np.split(order, np.searchsorted(labels.ravel()[order], np.arange(1, count + 1)))[1:]
    for region in regions:
        probes = winding(region[np.linspace(0, len(region) - 1, min(_PROBES, len(region))).astype(int)])
        if (np.abs(probes - np.round(probes)) < _PURE).all() and np.ptp(np.round(probes)) == 0:
            inside[region] = probes[0] > _INSIDE
        else:
            doubtful.append(region)
    unsure = np.concatenate(doubtful)
    inside[unsure] = winding(unsure) > _INSIDE
    return inside.reshape(grid.shape)


def solid_voxels(points: Floats, triangles: Ints, grid: VoxelGrid) -> Bools:
    """Mark the voxels of the flesh: all that the surface touches and all that it encloses.

    The set is closed even where the mesh is open: nothing thin is lost, since every touched voxel belongs to it.
    """
    surface = surface_voxels(points, triangles, grid)
    return surface | inside_voxels(points, triangles, grid, surface=surface)
