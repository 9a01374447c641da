"""From curves back to the mesh: every vertex lies in a cell of a part's grid, or in several, and goes along with it.

A cell is what two neighbouring curves and two neighbouring rings enclose; its four corners are nodes. At each end
of a part one more node in the middle of the last ring closes it. A vertex on a curve keeps its ratio between two
nodes, one between curves its place between four, and its height above them. Where limbs meet, a vertex goes along with
several parts, each as much as that limb moves it and as near as its curves are, so that there is no seam.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.geometry.quaternions import normalize
from supple.skins.curves.network.cells import Cells, locate
from supple.skins.curves.network.curve_network import Network

_LEAST = 1e-3  # shares of a part below this are left to the other parts
_CLOSE = 0.35  # steps between nodes; a part whose curves are farther away than this counts less and less
_FLAT = 1e-6  # sine of the angle between a cell's sides below which it has no area
_REGULARIZATION = 1e-2  # how much a fitted node keeps to its sampled place, against one vertex of the mesh


@dataclass(frozen=True, eq=False)
class Transfer:
    """How the mesh follows the nodes of a network; made once by `Transfer.from_network`.

    Row r lets vertex `vertices[r]` follow one cell, by `weights[r]`; the weights of a vertex sum to one. The sparse
    matrices `interpolation`, `around` and `along` (R, n) take the place in the cell and the cell's two directions there
    from the nodes.
    """

    network: Network
    vertices: IntArray
    weights: FloatArray
    interpolation: Any
    around: Any
    along: Any

    @classmethod
    def from_network(cls, network: Network, *, smooth: bool = True) -> Transfer:
        """Find the cells that every vertex lies in.

        Between nodes places follow cubic curves [CatmullRom1974], which have no kinks at the nodes; with `smooth`
        off they follow straight lines.
        """
        from scipy.sparse import vstack

        rest = network.character.points
        part_weight = part_weights(network)
        near = _CLOSE * _median_spacing(network)
        rows, counts, cells = [], [], []
        for number, part in enumerate(network.parts):
            vertices = np.flatnonzero(part_weight[:, number] > 0.0)
            found = locate(part.grid(rest), rest[vertices], smooth=smooth)
            rows.append(vertices)
            counts.append(part_weight[vertices, number] / (1.0 + (found.distance / near) ** 2) ** 2)
            cells.append(_cell_matrices(found, int(network.starts[number]), len(network)))
        vertices, count = np.concatenate(rows), np.concatenate(counts)
        interpolation, around, along = (vstack(column, format="csr") for column in zip(*cells, strict=True))
        weights = count / np.bincount(vertices, weights=count)[vertices]
        return cls(network, vertices.astype(np.int32), weights, interpolation, around, along)

    @cached_property
    def matrix(self) -> Any:
        """Sparse matrix (V, n): how much every node counts for every vertex. Rows sum to one."""
        from scipy.sparse import csr_array

        count = len(self.vertices)
        pairs = (self.vertices, np.arange(count))
        whole = (csr_array((self.weights, pairs), shape=(self._vertex_count, count)) @ self.interpolation).tocsr()
        whole.eliminate_zeros()
        return whole

    def offsets(self, node_offsets: ArrayLike) -> FloatArray:
        """Offsets (V, 3) [m] of all vertices from those of the nodes (n, 3): where those agree, the same."""
        return np.asarray(self.matrix @ self._check_nodes(node_offsets))

    def carry(self, nodes: ArrayLike) -> FloatArray:
        """The mesh (V, 3) [m] that goes with the nodes (n, 3) [m], by the curves alone.

        v' = sum_r s_r (place_r + R'_r R_r^T h_r): the place in the cell, and what is left of the vertex over it, turned
        as the cell has turned since rest.
        """
        moved = self._check_nodes(nodes)
        rows = self.interpolation @ moved + np.einsum("rij,rj->ri", self._frames(moved), self.heights)
        return self._sum_rows(rows)

    def apply_to_base(self, base: ArrayLike, nodes: ArrayLike) -> FloatArray:
        """A mesh `base` (V, 3) [m] moved so that its skin goes through the nodes (n, 3) [m].

        v' = base_v + sum_i T_vi (p'_i - base_i), with base_i where the nodes lie on the base. `base` is what the bones
        do, so the network carries only what is left.
        """
        return np.asarray(base, dtype=np.float64) + self.offsets(self._check_nodes(nodes) - self.network.nodes(base))

    def fit(self, offsets: ArrayLike) -> FloatArray:
        """The offsets (n, 3) [m] of the nodes from which the mesh comes nearest to its own `offsets` (V, 3) [m].

        Least squares over all vertices, min |T o - d|^2 + f |o - s|^2, where s are the offsets on the skin at the
        nodes. Nodes are then a little off the skin, and the mesh is nearer to it than with s alone.
        """
        given = np.asarray(offsets, dtype=np.float64)
        sampled = self.network.nodes(given)
        solved = self._factor(self.matrix.T @ (given - self.matrix @ sampled))
        return np.asarray(sampled + solved)

    @cached_property
    def heights(self) -> FloatArray:
        """What is left of every row's vertex over its cell, in the frame of the cell at rest (R, 3)."""
        rest = self.network.character.points
        nodes = self.network.nodes(rest)
        left = rest[self.vertices] - self.interpolation @ nodes
        return np.asarray(np.einsum("rji,rj->ri", self._frames(nodes), left))

    @property
    def _vertex_count(self) -> int:
        return len(self.network.character.points)

    @cached_property
    def _factor(self) -> Any:
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import factorized

        solve = factorized((self.matrix.T @ self.matrix + _REGULARIZATION * eye_array(len(self.network))).tocsc())
        return lambda right: np.stack([solve(np.ascontiguousarray(column)) for column in right.T], axis=1)

    def _frames(self, nodes: FloatArray) -> FloatArray:
        """How the cells are turned: rotations (R, 3, 3) with the normal as last column, midway between the two sides.

        Lengths do not count, so that long thin cells and skew ones turn what stands over them and do not tear it. A
        cell without area takes the world's axes.
        """
        around, along = normalize(self.around @ nodes), normalize(self.along @ nodes)
        normal = np.cross(around, along)
        flat = np.linalg.norm(normal, axis=1) <= _FLAT
        normal = normalize(normal)
        side = normalize(around + np.cross(along, normal))
        frames = np.stack([side, np.cross(normal, side), normal], axis=2)
        frames[flat] = np.eye(3)
        return np.asarray(frames)

    def _sum_rows(self, rows: FloatArray) -> FloatArray:
        total = np.zeros((self._vertex_count, 3))
        np.add.at(total, self.vertices, self.weights[:, None] * rows)
        return total

    def _check_nodes(self, nodes: ArrayLike) -> FloatArray:
        given = np.asarray(nodes, dtype=np.float64)
        if given.shape != (len(self.network), 3):
            raise InputError(
                "Transfer",
                f"nodes have shape {given.shape}",
                f"the network has {len(self.network)} nodes, so ({len(self.network)}, 3) is needed",
                "pass all nodes in the order of Network.nodes",
            )
        return given


def part_weights(network: Network) -> FloatArray:
    """How much every vertex follows every part (V, P): as much as the limb moves it; rows sum to one.

    A vertex that only limbs without curves move goes with the part whose nodes are nearest.
    """
    weights = np.stack([part.limb.weights for part in network.parts], axis=1)
    weights = np.where(weights < _LEAST, 0.0, weights)
    lost = np.flatnonzero(weights.sum(axis=1) <= 0.0)
    if len(lost):
        from scipy.spatial import cKDTree

        owner = np.repeat(np.arange(len(network.parts)), np.diff(network.starts))
        _, near = cKDTree(network.nodes(network.character.points)).query(network.character.points[lost])
        weights[lost, owner[near]] = 1.0
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _median_spacing(network: Network) -> float:
    """How far neighbouring nodes of a curve are apart [m], in the middle of all."""
    steps = [np.linalg.norm(np.diff(part.grid(network.character.points), axis=1), axis=2) for part in network.parts]
    return max(float(np.median(np.concatenate([step.ravel() for step in steps]))), 1e-300)


def _cell_matrices(cells: Cells, first: int, count: int) -> tuple[Any, Any, Any]:
    """Places and directions in the cells of one part, as matrices (M, n) over all nodes of the network."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(len(cells.corners)), cells.corners.shape[1])
    columns = cells.corners.ravel()
    nodes = cells.curves * cells.nodes
    inner = np.arange(nodes)
    ring = np.arange(cells.curves) * cells.nodes
    # The two nodes past the last are the middles of the first and the last ring.
    parts = (
        (np.ones(nodes), inner, first + inner),
        (np.full(cells.curves, 1.0 / cells.curves), np.full(cells.curves, nodes), first + ring),
        (np.full(cells.curves, 1.0 / cells.curves), np.full(cells.curves, nodes + 1), first + ring + cells.nodes - 1),
    )
    value, row, column = (np.concatenate(list(pieces)) for pieces in zip(*parts, strict=True))
    spread = csr_array((value, (row, column)), shape=(nodes + 2, count))
    shape = (len(cells.corners), nodes + 2)
    interpolation, around, along = (
        csr_array((values.ravel(), (rows, columns)), shape=shape) @ spread
        for values in (cells.weights, cells.around, cells.along)
    )
    return interpolation, around, along
