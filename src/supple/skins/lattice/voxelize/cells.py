"""The lattice: voxels of flesh, and which of them hang together through flesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.topology import Neighbors, neighbors_from_edges
from supple.geometry.voxels import STEPS, VoxelGrid

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WHERE = "LayeredLattice"
COARSEST = 4  # voxels along the longest side, at least
# Sets of neighbours, by how many coordinates of the cell change: one over a face, two over an edge, three at a corner.
SETS = {"faces": (1,), "faces-corners": (1, 3), "edges-corners": (2, 3), "all": (1, 2, 3)}
_EXACTLY = 2.0**36  # steps in which lengths of links [voxels] are kept: few enough that no sum of them is rounded


@dataclass(frozen=True, eq=False)
class Lattice:
    """The flesh of a character as N voxels, called nodes, and the links between them.

    `cells` (N, 3) are the places of the nodes in `grid`. Where an arm rests on a belly one cell holds a piece of each:
    two nodes, which no link joins. `links` (L, 2) are pairs of nodes in neighbouring cells (26 of them) that hang
    together through flesh, each pair once, lower node first. `on_surface` (N,) marks nodes that the skin touches.
    `chains` (N, 6) are the neighbours along -x, +x, -y, +y, -z, +z, or -1; they are mutual, and where flesh forks the
    stronger branch is kept. `vertex_nodes` (V,) is the node that holds each vertex of the skin, empty without a skin.
    """

    grid: VoxelGrid
    cells: IntArray
    links: IntArray
    on_surface: BoolArray
    chains: IntArray
    vertex_nodes: IntArray

    @classmethod
    def from_cells(cls, grid: VoxelGrid, cells: IntArray) -> Lattice:
        """A plain lattice: one node for each of the given cells (N, 3), all neighbouring ones linked.

        Nodes with an empty cell beside them, over a face, an edge or a corner, are on the surface.
        """
        where = "Lattice.from_cells"
        given: IntArray = frozen(cells, np.int32, (-1, 3), where, "cells")
        if len(given) and not ((given >= 0) & (given < np.array(grid.shape))).all():
            raise InputError(where, "cells leave the grid", f"the grid has {grid.shape} cells", "use a larger grid")
        numbers = grid.flat_indices(given)
        if len(np.unique(numbers)) < len(numbers):
            raise InputError(where, "a cell comes twice", "each cell once is needed", "remove the copies")
        node_of_cell = np.full(int(np.prod(grid.shape)), -1, dtype=np.int32)
        node_of_cell[numbers] = np.arange(len(given), dtype=np.int32)
        pairs = [np.empty((0, 2), dtype=np.int32)]
        for step in STEPS:
            ahead = given + step
            within = np.flatnonzero(((ahead >= 0) & (ahead < np.array(grid.shape))).all(axis=1))
            other = node_of_cell[grid.flat_indices(ahead[within])]
            found = other >= 0
            pairs.append(np.stack([within[found], other[found]], axis=1))
        ordered = np.sort(np.concatenate(pairs), axis=1).astype(np.int32)
        links = ordered[np.lexsort((ordered[:, 1], ordered[:, 0]))]
        around = np.bincount(links.ravel(), minlength=len(given))
        chains = find_chains(given, links, np.ones(len(links)))
        return cls(grid, given, links, around < 26, chains, np.empty(0, dtype=np.int32))

    @cached_property
    def points(self) -> FloatArray:
        """Middles of the nodes at rest (N, 3) [m]; nodes of one cell have one middle."""
        return self.grid.centers(self.cells)

    @cached_property
    def graph(self) -> csr_array:
        """The links as a matrix (N, N) of lengths in voxels, both ways."""
        from scipy.sparse import coo_array

        low, high = self.links.T
        lengths = np.linalg.norm(self.cells[low] - self.cells[high], axis=1)
        lengths = np.round(_EXACTLY * lengths) / _EXACTLY  # ways that are equally long come out equal, on every machine
        ends = np.concatenate([low, high]), np.concatenate([high, low])
        return coo_array((np.tile(lengths, 2), ends), shape=(len(self), len(self))).tocsr()

    @cached_property
    def rest_volumes(self) -> FloatArray:
        """What the octants of every node enclose at rest (N,) [m³]; 0 where an axis has no neighbour at all."""
        ends = (self.chains >= 0).reshape(-1, 3, 2).sum(axis=2)
        return np.asarray((0.5 * self.side * ends).prod(axis=1))

    def neighbor_table(self, kind: str) -> IntArray:
        """Neighbours (N, K) of a set as 8 n + 2 c: the node, and how many coordinates of its cell differ; or -1."""
        around = self.neighbors(kind)
        counts = np.diff(around.starts)
        owners = np.repeat(np.arange(len(counts)), counts)
        slots = np.arange(len(owners)) - around.starts[owners]
        apart = (self.cells[owners] != self.cells[around.indices]).sum(axis=1)
        table = np.full((len(counts), max(int(counts.max(initial=0)), 1)), -1, dtype=np.int32)
        table[owners, slots] = 8 * around.indices.astype(np.int64) + 2 * apart
        return table

    @property
    def side(self) -> float:
        """Side of a voxel [m]."""
        return self.grid.side

    def __len__(self) -> int:
        return len(self.cells)

    def neighbors(self, kind: str = "all") -> Neighbors:
        """The linked nodes around every node: over "faces" (6), "faces-corners" (14), "edges-corners" (20), "all" (26).

        The numbers are what a node deep in the flesh has. Beside a fold of the skin there may be more: two in one cell.
        """
        if kind not in SETS:
            raise InputError(WHERE, f"neighbours are {kind!r}", f"one of {', '.join(SETS)} is needed", "choose one")
        if kind not in self._around:
            changed = (self.cells[self.links[:, 0]] != self.cells[self.links[:, 1]]).sum(axis=1)
            self._around[kind] = neighbors_from_edges(self.links[np.isin(changed, SETS[kind])], len(self))
        return self._around[kind]

    @cached_property
    def _around(self) -> dict[str, Neighbors]:
        """Neighbours by kind, as far as anybody has asked for them."""
        return {}


def find_chains(cells: IntArray, links: IntArray, strengths: FloatArray) -> IntArray:
    """The neighbours (N, 6) along -x, +x, -y, +y, -z, +z over the given links, -1 for none.

    A node has one neighbour on each side, and that one has it back. Where several would do, strong links go first;
    of equally strong ones that of the lowest nodes.
    """
    chains = np.full((len(cells), 6), -1, dtype=np.int32)
    steps = cells[links[:, 1]] - cells[links[:, 0]]
    straight = np.abs(steps).sum(axis=1) == 1
    rank = np.empty(len(links), dtype=np.int64)
    rank[np.argsort(-strengths, kind="stable")] = np.arange(len(links))
    for axis in range(3):
        along = np.flatnonzero(straight & (steps[:, axis] != 0))
        forward = steps[along, axis] > 0
        behind = np.where(forward, links[along, 0], links[along, 1])
        ahead = np.where(forward, links[along, 1], links[along, 0])
        left = rank[along]
        while len(behind):
            best = np.full((2, len(cells)), len(links), dtype=np.int64)
            np.minimum.at(best[0], behind, left)
            np.minimum.at(best[1], ahead, left)
            chosen = (best[0, behind] == left) & (best[1, ahead] == left)
            chains[behind[chosen], 2 * axis + 1] = ahead[chosen]
            chains[ahead[chosen], 2 * axis] = behind[chosen]
            open_ = (chains[behind, 2 * axis + 1] < 0) & (chains[ahead, 2 * axis] < 0)
            behind, ahead, left = behind[open_], ahead[open_], left[open_]
    return chains
