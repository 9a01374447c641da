"""Edge weights and Laplacians of a surface, and edits that keep its detail or spread smoothly.

    delta_i = sum_j w_ij (v_i - v_j) / sum_j w_ij                                    [Sorkine2004; Toothman2020, Eq. 3]

says how a vertex stands above its neighbours: the detail of a surface, whatever its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.cholesky.cholesky import factor_symmetric
from supple.geometry.quaternions import nearest_rotation
from supple.geometry.topology import ring_areas, unique_edges

WEIGHTS = ("cotangent", "uniform")
_FLATTEST = 1e-4  # sine of an angle below which its cotangent is cut off: a sliver would outweigh the whole mesh
_STAY = 1e-13
_WHERE = "LaplacianEditing"


@dataclass(frozen=True)
class WeightedEdges:
    """Every edge once, `ends` (E, 2), with its weight `weights` (E,), among `count` vertices."""

    ends: IntArray
    weights: FloatArray
    count: int

    def laplacian(self) -> Any:
        """The sparse matrix (V, V) with (L x)_i = sum_j w_ij (x_i - x_j)."""
        from scipy.sparse import csc_array

        one, other = self.ends.T
        rows, columns = np.concatenate([one, other, one, other]), np.concatenate([other, one, one, other])
        values = np.concatenate([-self.weights, -self.weights, self.weights, self.weights])
        return csc_array((values, (rows, columns)), shape=(self.count, self.count))


def weighted_edges(points: FloatArray, triangles: IntArray, *, weights: str = "cotangent") -> WeightedEdges:
    """Edges with w_ij = (cot alpha + cot beta) / 2 of the angles opposite, or with 1 each [Toothman2020, Eq. 7].

    The angles of slivers count as if they were a little less thin, so that every weight is finite.
    """
    if weights not in WEIGHTS:
        raise InputError(
            "weighted_edges", f"weights is {weights!r}", f"one of {', '.join(WEIGHTS)} is needed", "use 'cotangent'"
        )
    ends = unique_edges(triangles)
    if weights == "uniform":
        return WeightedEdges(ends, np.ones(len(ends)), len(points))
    corners = np.asarray(points, dtype=np.float64)[triangles]
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    size = np.linalg.norm(ahead, axis=2) * np.linalg.norm(back, axis=2)
    sine = np.maximum(np.linalg.norm(np.cross(ahead, back), axis=2), np.maximum(_FLATTEST * size, 1e-300))
    cotangent = np.einsum("tki,tki->tk", ahead, back) / sine
    opposite_edges = np.sort(np.stack([np.roll(triangles, -1, axis=1), np.roll(triangles, 1, axis=1)], axis=2), axis=2)
    span = len(points)
    keys = ends[:, 0].astype(np.int64) * span + ends[:, 1]
    index = np.searchsorted(
        keys, opposite_edges[..., 0].astype(np.int64).ravel() * span + opposite_edges[..., 1].ravel()
    )
    total: FloatArray = np.bincount(index, cotangent.ravel(), len(ends)).astype(np.float64)
    return WeightedEdges(ends, 0.5 * total, span)


def held(fixed: IntArray, edges: WeightedEdges) -> IntArray:
    """`fixed` and, of every connected piece without any of them, all vertices: nothing would tell where they go."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    reached = np.flatnonzero(edges.weights != 0.0)
    graph = coo_array((np.ones(len(reached), np.int8), tuple(edges.ends[reached].T)), shape=(edges.count, edges.count))
    piece = connected_components(graph, directed=False)[1]
    anchored = np.zeros(edges.count, dtype=bool)
    anchored[np.unique(piece[fixed])] = True
    return np.union1d(fixed, np.flatnonzero(~anchored[piece])).astype(np.int32)


def check_fixed(fixed: ArrayLike, count: int, where: str) -> IntArray:
    """The numbers of the vertices whose place is given: at least one, none twice, all of this mesh."""
    given = frozen(fixed, np.int32, (-1,), where, "fixed")
    if len(given) == 0 or given.min() < 0 or given.max() >= count or len(np.unique(given)) != len(given):
        raise InputError(
            where,
            f"fixed names {len(given)} vertices of {count}, or one twice, or one that is not there",
            f"different numbers of 0 to {count - 1} are needed",
            "pass handles and the static ring, each vertex once",
        )
    return given


class LaplacianEditing:
    """Moves handles of a surface and lets the rest follow so that its detail stays [Sorkine2004].

    Minimises sum_i |T_i delta_i - delta_i(x)|^2, where T_i = s + h x . is the similarity that best takes the ring of
    vertex i to where it is now; T_i is linear in x, so this is one linear system, factored once for a mesh and the
    vertices `fixed` whose place is given. Handles that are moved, scaled and turned a little all alike take the surface
    with them exactly. Larger turns are only approximate in T_i; `rounds` solve again with the detail turned by true
    rotations, and come to them.

    Limits: very large turns still crease; `Arap` does not.
    """

    def __init__(self, rest_points: ArrayLike, triangles: ArrayLike, fixed: ArrayLike, *, weights: str = "uniform"):
        from scipy.sparse import diags_array, eye_array

        self._rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        count = len(self._rest)
        self.fixed = check_fixed(fixed, count, _WHERE)
        self._edges = edges = weighted_edges(self._rest, faces, weights=weights)
        self._held = held(self.fixed, edges)
        self._free = np.setdiff1d(np.arange(count), self._held)
        plain = edges.laplacian()
        total = np.asarray(plain.diagonal())
        self._laplacian = (diags_array(1.0 / np.where(np.abs(total) > 1e-12, total, 1.0)) @ plain).tocsc()
        self._detail = self._laplacian @ self._rest
        self._coordinates = (3 * self._free[:, None] + np.arange(3)).ravel()
        self._similar = self._system().tocsc()
        # A hint of wanting to stay keeps it solvable where too few vertices are fixed to say how all is turned.
        self._normal = (self._similar.T @ self._similar + _STAY * eye_array(3 * count)).tocsc()
        self._smooth = (self._laplacian.T @ self._laplacian + _STAY * eye_array(count)).tocsc()
        if len(self._free):
            self._factor = factor_symmetric(self._normal[self._coordinates][:, self._coordinates])
            self._smooth_factor = factor_symmetric(self._smooth[self._free][:, self._free])

    def _system(self) -> Any:
        """The matrix (3 V, 3 V) of x -> delta(x) - T(x) delta, row 3 i + k for coordinate k of vertex i.

        With q the ring about its own mean (in rest and now), the best s and h are

            s = sum q . q' / sum q . q,   h = C^-1 sum q x q',   C = sum |q|^2 - q q^T.
        """
        from scipy.sparse import coo_array, eye_array, kron

        count, rest = len(self._rest), self._rest
        one = np.concatenate([self._edges.ends[:, 0], self._edges.ends[:, 1], np.arange(count)])
        other = np.concatenate([self._edges.ends[:, 1], self._edges.ends[:, 0], np.arange(count)])
        size = np.bincount(one, minlength=count)
        mean = np.stack([np.bincount(one, rest[other, k], count) for k in range(3)], axis=1) / size[:, None]
        q = rest[other] - mean[one]  # sums to zero over a ring, so it may stand beside x' without the mean of x'
        squares = np.bincount(one, np.einsum("ei,ei->e", q, q), count)
        spread = np.einsum("v,ij->vij", squares, np.eye(3))
        outer = np.einsum("ei,ej->eij", q, q).reshape(-1, 9)
        spread -= np.stack([np.bincount(one, outer[:, k], count) for k in range(9)], axis=1).reshape(-1, 3, 3)
        inverse = np.linalg.pinv(spread, rcond=1e-9, hermitian=True)
        detail = self._detail[one]
        # T delta = s delta + h x delta, both linear in x': blocks (E, 3, 3) that act on x'_other.
        scale = np.einsum("ei,ej->eij", detail, q) / np.where(squares > 0.0, squares, 1.0)[one][:, None, None]
        rotation = -_cross(detail) @ inverse[one] @ _cross(q)
        blocks = scale + rotation
        rows = (3 * one[:, None, None] + np.arange(3)[:, None]) + np.zeros((1, 1, 3), dtype=np.int64)
        columns = (3 * other[:, None, None] + np.arange(3)) + np.zeros((1, 3, 1), dtype=np.int64)
        bent = coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * count, 3 * count))
        return kron(self._laplacian, eye_array(3), format="csc") - bent.tocsc()

    def solve(self, targets: ArrayLike, *, rounds: int = 2) -> FloatArray:
        """The surface (V, 3) with the `fixed` vertices at `targets` (F, 3), in their order."""
        wanted = frozen(targets, np.float64, (len(self.fixed), 3), _WHERE, "targets")
        if not 0 <= rounds <= 1000:
            raise InputError(_WHERE, f"rounds is {rounds}", "the range is 0 to 1000", "try 2")
        x = self._rest.copy()
        x[self.fixed] = wanted
        if not len(self._free):
            return x
        known = np.zeros_like(x)
        known[self._held] = x[self._held]
        stay = _STAY * self._rest[self._free]
        right = stay.ravel() - (self._normal @ known.ravel())[self._coordinates]
        x[self._free] = self._factor.solve(right).reshape(-1, 3)
        anchored = (self._smooth @ known)[self._free] - stay
        for _ in range(rounds):
            rotated = np.einsum("vij,vj->vi", self._rotations(x), self._detail)
            x[self._free] = self._smooth_factor.solve((self._laplacian.T @ rotated)[self._free] - anchored)
        return x

    def _rotations(self, x: FloatArray) -> FloatArray:
        """Similarities (V, 3, 3), true rotations times a size, that take the rest ring of every vertex to its ring."""
        one, other = np.concatenate([self._edges.ends, self._edges.ends[:, ::-1]]).T
        before, after = self._rest[other] - self._rest[one], x[other] - x[one]
        count = len(x)
        outer = np.einsum("ei,ej->eij", after, before).reshape(-1, 9)
        spread = np.stack([np.bincount(one, outer[:, k], count) for k in range(9)], axis=1).reshape(-1, 3, 3)
        rotations = nearest_rotation(spread)
        squares = np.bincount(one, np.einsum("ei,ei->e", before, before), count)
        size = np.einsum("vij,vij->v", rotations, spread) / np.where(squares > 0.0, squares, 1.0)
        return rotations * size[:, None, None]

    def energy(self, points: ArrayLike) -> float:
        """sum_i |delta_i(x) - T_i(x) delta_i|^2 of a shape (V, 3): what the first solve makes least."""
        x = frozen(points, np.float64, self._rest.shape, _WHERE, "points")
        return float(np.sum((self._similar @ x.ravel()) ** 2))


class SmoothOffsets:
    """Moves handles of a surface and spreads their move over the rest as a thin plate bends [Botsch2004].

    The moves u minimise sum_i A_i |(L u)_i / A_i|^2 with A_i a third of the area round vertex i: no crease at handles,
    and none at the border where a second ring is fixed. Large moves shear the surface, because nothing turns.
    """

    def __init__(self, rest_points: ArrayLike, triangles: ArrayLike, fixed: ArrayLike) -> None:
        from scipy.sparse import diags_array

        where = "SmoothOffsets"
        self._rest = frozen(rest_points, np.float64, (-1, 3), where, "rest_points")
        faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
        self.fixed = check_fixed(fixed, len(self._rest), where)
        edges = weighted_edges(self._rest, faces)
        self._held = held(self.fixed, edges)
        self._free = np.setdiff1d(np.arange(len(self._rest)), self._held)
        laplacian, areas = edges.laplacian(), ring_areas(self._rest, faces) / 6.0
        plate = laplacian @ diags_array(1.0 / np.maximum(areas, 1e-9 * max(float(areas.max()), 1e-300))) @ laplacian
        self._coupling = plate.tocsc()[self._free][:, self._held]
        inner = plate.tocsc()[self._free][:, self._free]
        self._factor = factor_symmetric(inner) if len(self._free) else None

    def solve(self, targets: ArrayLike) -> FloatArray:
        """The surface (V, 3) with the `fixed` vertices at `targets` (F, 3), in their order."""
        wanted = frozen(targets, np.float64, (len(self.fixed), 3), "SmoothOffsets", "targets")
        moves = np.zeros_like(self._rest)
        moves[self.fixed] = wanted - self._rest[self.fixed]
        if self._factor is not None:
            moves[self._free] = self._factor.solve(-(self._coupling @ moves[self._held]))
        x: FloatArray = self._rest + moves
        x[self.fixed] = wanted
        return x


def _cross(vectors: FloatArray) -> FloatArray:
    """Matrices (..., 3, 3) with [v] w = v x w."""
    found = np.zeros((*vectors.shape[:-1], 3, 3))
    found[..., 0, 1], found[..., 0, 2], found[..., 1, 2] = -vectors[..., 2], vectors[..., 1], -vectors[..., 0]
    return found - np.swapaxes(found, -1, -2)
