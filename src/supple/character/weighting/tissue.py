"""Ways through the flesh: voxels and skin joined where a straight line between them stays inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Bones
from supple.geometry import topology
from supple.geometry.flesh import TWICE, Flesh
from supple.geometry.voxels import INSIDE, STEPS, VoxelGrid, surface_voxels, voxel_windings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.int32)
# A path over 26 neighbours is at most this much longer than the straight line: |(1, sqrt2 - 1, sqrt3 - sqrt2)|.
STAIRS = 1.1281

Links = tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]


@dataclass(frozen=True, eq=False)
class Tissue:
    """A graph of places in the flesh: first the middles of inner voxels, then the points of the skin.

    `places` (N, 3) [m]; the last ones, from `skin_from` on, are the points of the skin. `links` are pairs of places
    and the lengths [m] of straight ways between them that do not leave the flesh; ways along the skin's edges always
    count, so that parts thinner than a voxel (fingers, ears) hang together too. `grid` and `node_of_voxel` find the
    places again. `twice` (D, 3) are the voxels that one shell encloses twice: flesh of two limbs, no places.
    """

    flesh: Flesh
    grid: VoxelGrid
    node_of_voxel: NDArray[np.int64]
    positions: FloatArray
    skin_from: int
    links: Links
    twice: NDArray[np.int32]

    @cached_property
    def graph(self) -> csr_array:
        """The links as a matrix (N, N) of lengths [m], both ways."""
        from scipy.sparse import coo_array

        a, b, length = self.links
        count = len(self.positions)
        both = (np.concatenate([a, b]), np.concatenate([b, a]))
        return coo_array((np.concatenate([length, length]), both), shape=(count, count)).tocsr()

    def nodes_around(self, points: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs (which point, which inner voxel) of every point with the inner ones of the eight voxels around it."""
        return _around(points, self.grid, self.node_of_voxel)

    def seen_from(self, bones: Bones) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Pairs (bone, place) of bones and the places that they see beside them, and from where [m] they see each.

        Bones that see no inner voxel, because they lie outside or in a limb thinner than one, see the nearest place.
        """
        from scipy.spatial import cKDTree

        bone, samples = along(bones, 0.5 * self.grid.side)
        inner = self.flesh.inside(samples)
        which, position = self.nodes_around(samples[inner])
        seen = self.flesh.are_connected(samples[inner][which], self.positions[position])
        sample, position = np.flatnonzero(inner)[which[seen]], position[seen]
        blind = np.setdiff1d(np.arange(len(bones.joints)), bone[sample])
        if len(blind):
            gaps, nearest = (np.asarray(found) for found in cKDTree(self.positions).query(samples))
            best = np.array([np.argmin(np.where(bone == one, gaps, np.inf)) for one in blind])
            sample, position = np.concatenate([sample, best]), np.concatenate([position, nearest[best]])
        return bone[sample], position, samples[sample]


def along(bones: Bones, spacing: float) -> tuple[NDArray[np.int64], FloatArray]:
    """Places along all bones, `spacing` [m] apart or closer, ends included, and the bone of each."""
    counts = np.ceil(np.linalg.norm(bones.ends - bones.starts, axis=1) / spacing).astype(int) + 1
    bone = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(bone)) - np.repeat(np.cumsum(counts) - counts, counts)
    fraction = step / np.maximum(counts - 1, 1)[bone]
    return bone, bones.starts[bone] + fraction[:, None] * (bones.ends - bones.starts)[bone]


def tissue(flesh: Flesh, resolution: int) -> Tissue:
    """Fill the flesh with voxels, `resolution` along the longest side, and join what is joined through flesh."""
    return tissue_in(VoxelGrid.around(flesh.points, resolution), flesh)


def tissue_in(grid: VoxelGrid, flesh: Flesh, *, crossing: bool = False) -> Tissue:
    """Fill the flesh with the voxels of a grid, and join them and the points of the skin where flesh joins them.

    The outermost voxels of the grid must be empty. `crossing` says that the skin is known to cross itself; else that
    is seen from voxels which it surrounds twice.
    """
    surface = surface_voxels(flesh.points, flesh.triangles, grid)
    windings = voxel_windings(flesh.points, flesh.triangles, grid, surface=surface)
    cells = np.argwhere(windings > INSIDE).astype(np.int32)
    counts = windings.ravel()[grid.flat_indices(cells)]
    single = ~flesh.enclosed_twice(grid.centers(cells), counts)
    crowded = crossing or bool((counts > TWICE).any())
    twice, cells, counts = cells[~single], cells[single], counts[single]
    node_of_voxel = np.full(int(np.prod(grid.shape)), -1, dtype=np.int64)
    node_of_voxel[grid.flat_indices(cells)] = np.arange(len(cells))
    centers = grid.centers(cells)
    near_skin = surface.ravel()[grid.flat_indices(cells)]
    every = [
        _voxel_links(flesh, grid, cells, node_of_voxel, near_skin),
        _skin_links(flesh, grid, node_of_voxel, centers, counts if crowded else None),
        _edge_links(flesh, len(cells)),
    ]
    a, b, length = (np.concatenate(part) for part in zip(*every, strict=True))
    positions = np.concatenate([centers, flesh.points])
    return Tissue(flesh, grid, node_of_voxel, positions, len(cells), (a, b, length), twice)


def _voxel_links(
    flesh: Flesh, grid: VoxelGrid, cells: NDArray[np.int32], node_of_voxel: NDArray[np.int64], near_skin: BoolArray
) -> Links:
    """Ways between inner voxels; only those that touch the skin can be cut by it."""
    froms, tos, lengths = [], [], []
    for step in STEPS:
        # The margin of the grid is empty, so a step from an inner voxel never leaves the grid.
        other = node_of_voxel[grid.flat_indices(cells + step)]
        found = np.flatnonzero(other >= 0)
        froms.append(found)
        tos.append(other[found])
        lengths.append(np.full(len(found), grid.side * float(np.linalg.norm(step))))
    a, b, length = np.concatenate(froms), np.concatenate(tos), np.concatenate(lengths)
    centers = grid.centers(cells)
    unsure = near_skin[a] | near_skin[b]
    is_open = np.ones(len(a), dtype=bool)
    is_open[unsure] = flesh.are_connected(centers[a[unsure]], centers[b[unsure]])
    return a[is_open], b[is_open], length[is_open]


def _skin_links(
    flesh: Flesh, grid: VoxelGrid, node_of_voxel: NDArray[np.int64], centers: FloatArray, windings: FloatArray | None
) -> Links:
    """Ways from the skin straight inwards to the inner voxels around each of its points.

    Where limbs run into each other there is flesh on both sides of a skin, but the inner side is enclosed once more.
    A way that crosses nothing keeps that count, so a voxel is on the inner side when its count is that of this side.
    `windings` are the counts of the voxels, None where all are one.
    """
    point, node = _around(flesh.points, grid, node_of_voxel)
    inwards = np.ones(len(point), dtype=bool)
    if windings is not None:
        hair = 1e-3 * grid.side * flesh.normals
        border = 0.5 * (flesh.winding(flesh.points + hair) + flesh.winding(flesh.points - hair))
        inwards = windings[node] > border[point]
    # Counts are blurred near holes, so the side must be the right one by the normal as well.
    inwards &= np.einsum("ni,ni->n", centers[node] - flesh.points[point], flesh.normals[point]) < 0.0
    point, node = point[inwards], node[inwards]
    # From the voxel to just before the skin: the end itself lies on triangles and would count as a crossing.
    ends = centers[node] + (1.0 - 1e-4) * (flesh.points[point] - centers[node])
    seen = flesh.are_connected(centers[node], ends)
    point, node = point[seen], node[seen]
    lengths = np.linalg.norm(centers[node] - flesh.points[point], axis=1)
    return node, point + len(centers), np.maximum(lengths, 1e-9 * grid.side)


def _edge_links(flesh: Flesh, skin_from: int) -> Links:
    edges = topology.unique_edges(flesh.triangles).astype(np.int64)
    lengths = np.linalg.norm(flesh.points[edges[:, 0]] - flesh.points[edges[:, 1]], axis=1)
    return edges[:, 0] + skin_from, edges[:, 1] + skin_from, lengths


def _around(
    points: FloatArray, grid: VoxelGrid, node_of_voxel: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    base = np.floor((points - grid.origin) / grid.side - 0.5 + 1e-9).astype(np.int32)
    cells = base[:, None] + _CORNERS
    within = ((cells >= 0) & (cells < np.array(grid.shape))).all(axis=2)
    which, corner = np.nonzero(within)
    node = node_of_voxel[grid.flat_indices(cells[which, corner])]
    found = node >= 0
    return which[found], node[found]
