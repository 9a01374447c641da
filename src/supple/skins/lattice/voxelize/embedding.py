"""How the skin hangs on the voxels around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.errors import InputError
from supple.skins.lattice.voxelize.cells import WHERE, Lattice

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vertex v hangs on `nodes[v]` (V, K) with `weights[v]` (V, K), which are positive and sum to one.

    Unused places have share zero and name the vertex's own node.
    """

    nodes: IntArray
    weights: FloatArray

    def matrix(self, node_count: int) -> csr_array:
        """The shares as a matrix (V, N)."""
        from scipy.sparse import csr_array

        rows = np.repeat(np.arange(len(self.nodes)), self.nodes.shape[1])
        shape = (len(self.nodes), node_count)
        matrix = csr_array((self.weights.ravel(), (rows, self.nodes.ravel())), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    def rows(self, some: BoolArray) -> Embedding:
        """How `some` (V,) of the vertices hang."""
        return self if some.all() else Embedding(self.nodes[some], self.weights[some])


def _linear_spline(offsets: FloatArray) -> FloatArray:
    """Linear: 1 at a voxel's middle, 0 at the next one's."""
    return np.maximum(1.0 - np.abs(offsets), 0.0)


def _quadratic_spline(offsets: FloatArray) -> FloatArray:
    """The quadratic B-spline, three voxels wide: its slope is continuous."""
    away = np.abs(offsets)
    return np.where(away < 0.5, 0.75 - away**2, 0.5 * np.maximum(1.5 - away, 0.0) ** 2)


_KERNELS: dict[str, Callable[[FloatArray], FloatArray]] = {"trilinear": _linear_spline, "smooth": _quadratic_spline}
EMBEDDINGS = tuple(_KERNELS)


def embed(lattice: Lattice, points: FloatArray, kind: str = "smooth", within: BoolArray | None = None) -> Embedding:
    """Hang the skin's vertices (V, 3) [m], from which the lattice was made, on the nodes around them.

    "trilinear" takes the eight cells around a vertex, as published; "smooth" takes 27 by a quadratic B-spline, so that
    the skin has no crease where it passes from cell to cell. The share of a node is b(x) b(y) b(z) with offsets from
    its middle in voxels. Only the vertex's own node and those linked with it count, so skin of an arm never hangs on
    the belly beside it; shares are made to sum to one over those that are there. Linked nodes in one cell share.
    Vertices that are not `within` (V,) the voxels hang on their own node alone.
    """
    if kind not in _KERNELS:
        raise InputError(WHERE, f"the tie is {kind!r}", f"one of {', '.join(EMBEDDINGS)} is needed", "choose one")
    if len(points) != len(lattice.vertex_nodes):
        raise InputError(
            WHERE,
            f"there are {len(points)} points",
            f"the lattice holds {len(lattice.vertex_nodes)}",
            "use the same mesh",
        )
    around = lattice.neighbors("all")
    counts = around.valences[lattice.vertex_nodes] + 1
    starts = np.cumsum(counts) - counts
    vertex = np.repeat(np.arange(len(points)), counts)
    position = np.arange(len(vertex)) - starts[vertex]
    home = lattice.vertex_nodes[vertex]
    # The first of every row is the home, the others are around it.
    others = np.append(around.indices, 0)
    node = np.where(position == 0, home, others[around.starts[home] + position - 1])
    offsets = (np.asarray(points, dtype=np.float64)[vertex] - lattice.points[node]) / lattice.side
    weight = _KERNELS[kind](offsets).prod(axis=1)
    if within is not None:
        weight = np.where(within[vertex], weight, position == 0)
    keys = vertex * int(np.prod(lattice.grid.shape)) + lattice.grid.flat_indices(lattice.cells[node])
    _, same, crowd = np.unique(keys, return_inverse=True, return_counts=True)
    weight /= crowd[same]
    kept = np.flatnonzero(weight > 0.0)
    vertex, node, weight = vertex[kept], node[kept], weight[kept]
    used = np.bincount(vertex, minlength=len(points))
    column = np.arange(len(vertex)) - (np.cumsum(used) - used)[vertex]
    nodes = np.repeat(lattice.vertex_nodes[:, None], used.max(), axis=1)
    weights = np.zeros(nodes.shape)
    nodes[vertex, column] = node
    weights[vertex, column] = weight
    return Embedding(nodes, weights / weights.sum(axis=1, keepdims=True))
