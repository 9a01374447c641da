"""From a mesh to the lattice: which pieces of flesh a cell holds, and which of them hang together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.weighting.tissue import Tissue, tissue_in
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.flesh import Flesh
from supple.geometry.subdivision import subdivide_long_edges
from supple.geometry.voxels import VoxelGrid, touched_voxels
from supple.skins.lattice.voxelize.cells import WHERE, Lattice, find_chains
from supple.skins.lattice.voxelize.self_overlap import assign_overlap
from supple.skins.lattice.voxelize.shell_links import link_shells

_FINER = 2  # places along a cell: flesh is followed on a grid this much finer than the lattice
_EDGE = 0.95  # cells: longer edges of the skin are halved, so that every edge leads to the same or the next cell
_THIN = 0.9  # cells: thinner flesh may hold no place of its own, and its two skins are joined straight through
_BURIED = 1.2  # winding number of a point of the skin above which flesh surrounds it: a bare one has about one half
_ASKED = 4000  # points of the skin that are asked, or up to twice as many
_HAIR = 1e-6  # by how much the grid is wider than the body
_LOOSE = 0.5  # strength of a link that no way crosses, between pieces with a neighbour in common

Indices = NDArray[np.int64]
Pairs = tuple[Indices, Indices]


@dataclass(frozen=True, eq=False)
class VoxelComponents:
    """A lattice, and the places in the flesh from which it was made.

    `tissue` is the graph of ways through the flesh; place p of it lies in node `node_at_position[p]` of `lattice`.
    """

    lattice: Lattice
    tissue: Tissue
    node_at_position: IntArray


def make_lattice(points: FloatArray, triangles: IntArray, resolution: int) -> Lattice:
    """Fill a mesh with voxels, `resolution` of them along its longest side; see `voxelize`."""
    return voxelize(points, triangles, resolution).lattice


def voxelize(points: FloatArray, triangles: IntArray, resolution: int) -> VoxelComponents:
    """Fill a mesh with voxels, `resolution` of them along its longest side, linked through flesh.

    Every cell that the surface touches has a node, and every cell inside. A cell has several nodes where several
    pieces of flesh lie in it that do not hang together nearby: an arm and the belly it rests on, two fingers, two
    thighs that run into each other. Pieces are found on a grid of twice the resolution by ways that stay in the flesh.
    Two pieces in one cell are one node if a way joins them in the cell or through one piece beside it; two pieces
    in neighbouring cells are linked if a way crosses, or if both touch one third piece.

    Open, unwelded, crossing, inside-out and many-shelled meshes will do. Shells that float near others (eyes, teeth,
    buttons) are linked to the nearest one within two voxels.
    """
    if len(triangles) == 0:
        raise InputError(WHERE, "the mesh has no triangles", "flesh needs a skin around it", "use another mesh")
    flesh, vertex_point = _sample(points, triangles, resolution)
    grid = _grid(points, resolution)
    wide, high, deep = grid.shape
    fine = VoxelGrid(grid.origin, grid.side / _FINER, (_FINER * wide, _FINER * high, _FINER * deep))
    body = tissue_in(fine, flesh, crossing=_crosses_itself(flesh))
    touched = _Touched.of(body, grid)
    froms, tos, _ = body.links
    edges: list[Pairs] = [(froms, tos), _thin_edges(body, _THIN * grid.side), touched.edges]
    positions, cells = (
        np.concatenate([body.positions, touched.positions]),
        np.concatenate([grid.cells_of(body.positions), touched.cells]),
    )
    more, more_edges = link_shells(positions, *_concatenate(edges), grid)
    positions, cells = np.concatenate([positions, more]), np.concatenate([cells, grid.cells_of(more)])
    a, b = _concatenate([*edges, more_edges])
    node, node_cells, links, strengths = _nodes(a, b, cells, grid)
    if len(body.twice):
        new, pairs = assign_overlap(node_cells, links, np.unique(body.twice // _FINER, axis=0))
        node_cells, links = np.concatenate([node_cells, new]), np.concatenate([links, pairs])
        strengths = np.concatenate([strengths, np.full(len(pairs), _LOOSE)])
    on_skin = np.zeros(len(node_cells), dtype=bool)
    on_skin[node[body.skin_from :]] = True
    lattice = Lattice(
        grid,
        node_cells,
        links,
        on_skin | _touched_elsewhere(on_skin, grid.flat_indices(node_cells), touched.numbers),
        find_chains(node_cells, links, strengths),
        node[body.skin_from + vertex_point],
    )
    return VoxelComponents(lattice, body, node[: len(body.positions)])


def voxelize_some(points: FloatArray, triangles: IntArray, some: BoolArray, resolution: int) -> VoxelComponents:
    """Fill the part of a mesh that `some` (V,) of its vertices bound; the others are held by the node nearest to them.

    `resolution` counts along the longest side of the whole.
    """
    from scipy.spatial import cKDTree

    if some.all():
        return voxelize(points, triangles, resolution)
    own, faces = topology.compact(points, triangles[some[triangles].all(axis=1)])
    part = max(round(resolution * float(np.ptp(own, axis=0).max() / np.ptp(points, axis=0).max())), 4)
    components = voxelize(own, faces, part)
    used = np.unique(triangles[some[triangles].all(axis=1)])
    nodes = components.lattice.vertex_nodes[cKDTree(own).query(points)[1]]
    nodes[used] = components.lattice.vertex_nodes
    return replace(components, lattice=replace(components.lattice, vertex_nodes=nodes.astype(np.int32)))


def _grid(points: FloatArray, resolution: int) -> VoxelGrid:
    """A grid in which the outermost points lie a hair inside their cells; on the border they would touch two."""
    middle = 0.5 * (np.min(points, axis=0) + np.max(points, axis=0))
    return VoxelGrid.around(middle + (1.0 + _HAIR) * (points - middle), resolution)


def _sample(points: FloatArray, triangles: IntArray, resolution: int) -> tuple[Flesh, Indices]:
    """The flesh with short edges only, and which of its points each vertex (V,) is."""
    flesh = Flesh(points, triangles)
    longest = _EDGE * float(np.ptp(points, axis=0).max()) / resolution
    positions, faces = subdivide_long_edges(flesh.points, flesh.triangles, longest=longest)
    if len(positions) == len(flesh.points):
        return flesh, flesh.point_of
    dense = Flesh(positions, faces)
    return dense, dense.point_of[flesh.point_of]


def _crosses_itself(flesh: Flesh) -> bool:
    """Whether limbs or shells run into each other: some of the skin lies in flesh. Of many points some are asked."""
    sampled = flesh.points[:: max(len(flesh.points) // _ASKED, 1)]
    return bool((flesh.winding(sampled) > _BURIED).any())


@dataclass(frozen=True, eq=False)
class _Touched:
    """What the surface touches: all cells by number, and new places, with ways, in those where no place lies yet."""

    numbers: Indices
    positions: FloatArray
    cells: IntArray
    edges: Pairs

    @classmethod
    def of(cls, body: Tissue, grid: VoxelGrid) -> _Touched:
        faces, numbers = touched_voxels(body.flesh.points, body.flesh.triangles, grid)
        empty = np.ones(int(np.prod(grid.shape)), dtype=bool)
        empty[grid.flat_indices(grid.cells_of(body.positions))] = False
        new = empty[numbers]
        corners = body.flesh.triangles[faces[new]].astype(np.int64)
        cells = np.stack(np.unravel_index(numbers[new], grid.shape), axis=1).astype(np.int32)
        ids = len(body.positions) + np.arange(len(cells))
        edges = np.repeat(ids, 3), body.skin_from + corners.ravel()
        return cls(np.unique(numbers), grid.centers(cells), cells, edges)


def _thin_edges(body: Tissue, reach: float) -> Pairs:
    """Ways straight through thin flesh, from one skin of an ear or a finger to the other.

    A ray goes inwards from every point of the skin, `reach` [m] at most. It must leave the body where it meets the
    skin again; and only points with air outside count, because where limbs run into each other a ray leads from one to
    the other.
    """
    flesh = body.flesh
    hair = 1e-4 * body.grid.side * flesh.normals
    face, _ = flesh.first_crossing(flesh.points - hair, -reach * flesh.normals, 1.0)
    point = np.flatnonzero(face >= 0)
    facing = topology.area_vectors(flesh.points, flesh.triangles)[face[point]]
    point = point[np.einsum("ni,ni->n", facing, flesh.normals[point]) < 0.0]
    corners = flesh.triangles[face[point]].astype(np.int64)
    point, corners = (one[~flesh.inside(flesh.points[point] + hair[point])] for one in (point, corners))
    gaps = np.linalg.norm(flesh.points[corners] - flesh.points[point][:, None], axis=2)
    other = corners[np.arange(len(point)), np.argmin(gaps, axis=1)]
    return body.skin_from + point, body.skin_from + other


def _concatenate(edges: list[Pairs]) -> Pairs:
    return np.concatenate([a for a, _ in edges]), np.concatenate([b for _, b in edges])


def _nodes(a: Indices, b: Indices, cells: IntArray, grid: VoxelGrid) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """The node of every place, the cells of the nodes, the links between nodes and how many ways make each."""
    from scipy.sparse import coo_array

    number = grid.flat_indices(cells)
    within = number[a] == number[b]
    component = topology.components(a[within], b[within], len(cells))
    count = int(component.max()) + 1
    component_cells = np.empty((count, 3), dtype=np.int32)
    component_cells[component] = cells
    beside = np.abs(cells[a] - cells[b]).max(axis=1) == 1
    i, j = component[a[beside]], component[b[beside]]
    ones = np.ones(len(i), dtype=np.float64)
    crossing = coo_array((ones, (np.minimum(i, j), np.maximum(i, j))), shape=(count, count)).tocsr()
    both = crossing + crossing.T
    both.data[:] = 1.0
    # Pieces with a neighbour in common, each pair once.
    common = (both @ both).tocoo()
    i, j = (np.asarray(index, dtype=np.int64) for index in common.coords)
    i, j = i[i < j], j[i < j]
    apart = np.abs(component_cells[i] - component_cells[j]).max(axis=1)
    node_of_component = topology.components(i[apart == 0], j[apart == 0], count)
    nodes = int(node_of_component.max()) + 1
    node_cells = np.empty((nodes, 3), dtype=np.int32)
    node_cells[node_of_component] = component_cells
    direct = crossing.tocoo()
    ends = np.stack(
        [
            node_of_component[np.concatenate([direct.coords[0], i[apart == 1]])],
            node_of_component[np.concatenate([direct.coords[1], j[apart == 1]])],
        ]
    )
    strength = np.concatenate([direct.data, np.full(int((apart == 1).sum()), _LOOSE)])
    links = coo_array((strength, (ends.min(axis=0), ends.max(axis=0))), shape=(nodes, nodes)).tocsr().tocoo()
    return (
        node_of_component[component].astype(np.int32),
        node_cells,
        np.stack(links.coords, axis=1).astype(np.int32),
        links.data,
    )


def _touched_elsewhere(on_skin: BoolArray, numbers: Indices, touched: Indices) -> BoolArray:
    """Nodes in cells that the skin touches between its points only, so that no node of the cell holds any of them."""
    alone = ~np.isin(numbers, numbers[on_skin])
    return alone & np.isin(numbers, touched)
