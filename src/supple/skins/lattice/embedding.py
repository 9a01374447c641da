"""How the skin hangs on the voxels around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import Floats, Ints
from supple.errors import InputError
from supple.skins.lattice.cells import WHERE, Lattice

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Tie:
    """Vertex v hangs on nodes `corners[v]` (V, K) with `shares[v]` (V, K), which are positive and sum to one.

    Unused places have share zero and name the vertex's own node.
    """

    corners: Ints
    shares: Floats

    def matrix(self, node_count: int) -> csr_array:
        """The shares as a matrix (V, N)."""
        from scipy.sparse import csr_array

        rows = np.repeat(np.arange(len(self.corners)), self.corners.shape[1])
        shape = (len(self.corners), node_count)
        matrix = csr_array((self.shares.ravel(), (rows, self.corners.ravel())), shape=shape)
        matrix.eliminate_zeros()
        return matrix


def _hat(offsets: Floats) -> Floats:
    """Linear: 1 at a voxel's middle, 0 at the next one's."""
    return np.maximum(1.0 - np.abs(offsets), 0.0)


def _bell(offsets: Floats) -> Floats:
    """The quadratic B-spline, three voxels wide: its slope is continuous."""
    away = np.abs(offsets)
    return np.where(away < 0.5, 0.75 - away**2, 0.5 * np.maximum(1.5 - away, 0.0) ** 2)


_KINDS: dict[str, Callable[[Floats], Floats]] = {"trilinear": _hat, "smooth": _bell}
TIES = tuple(_KINDS)


def tie_of(lattice: Lattice, points: Floats, kind: str = "smooth") -> Tie:
    """Hang the skin's vertices (V, 3) [m], from which the lattice was made, on the nodes around them.

    "trilinear" takes the eight cells around a vertex, as published; "smooth" takes 27 by a quadratic B-spline, so that
    the skin has no crease where it passes from cell to cell. The share of a node is b(x) b(y) b(z) with offsets from
    its middle in voxels. Only the vertex's own node and those linked with it count, so skin of an arm never hangs on
    the belly beside it; shares are made to sum to one over those that are there. Linked nodes in one cell share.
    """
    if kind not in _KINDS:
        raise InputError(WHERE, f"the tie is {kind!r}", f"one of {', '.join(TIES)} is needed", "choose one")
    if len(points) != len(lattice.homes):
        raise InputError(
            WHERE, f"there are {len(points)} points", f"the lattice holds {len(lattice.homes)}", "use the same mesh"
        )
    around = lattice.neighbors("all")
    counts = around.valences[lattice.homes] + 1
    starts = np.cumsum(counts) - counts
    vertex = np.repeat(np.arange(len(points)), counts)
    position = np.arange(len(vertex)) - starts[vertex]
    home = lattice.homes[vertex]
    # The first of every row is the home, the others are around it.
    others = np.append(around.indices, 0)
    node = np.where(position == 0, home, others[around.starts[home] + position - 1])
    offsets = (np.asarray(points, dtype=np.float64)[vertex] - lattice.points[node]) / lattice.side
    share = _KINDS[kind](offsets).prod(axis=1)
    keys = vertex * int(np.prod(lattice.grid.shape)) + lattice.grid.flat_indices(lattice.cells[node])
    _, same, crowd = np.unique(keys, return_inverse=True, return_counts=True)
    share /= crowd[same]
    kept = np.flatnonzero(share > 0.0)
    vertex, node, share = vertex[kept], node[kept], share[kept]
    used = np.bincount(vertex, minlength=len(points))
    column = np.arange(len(vertex)) - (np.cumsum(used) - used)[vertex]
    corners = np.repeat(lattice.homes[:, None], used.max(), axis=1)
    shares = np.zeros(corners.shape)
    corners[vertex, column] = node
    shares[vertex, column] = share
    return Tie(corners, shares / shares.sum(axis=1, keepdims=True))
