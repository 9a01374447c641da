"""As-rigid-as-possible deformation: handles move, the rings between them turn and stretch as little as they can."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.geometry.cholesky.cholesky import factor_symmetric
from supple.geometry.laplacian import check_fixed, held, weighted_edges

_WHERE = "Arap"


class Arap:
    """Finds the shape in which every ring of a surface is as nearly rigid as the handles allow [Sorkine2007].

        E = sum_i sum_j w_ij |(x_i - x_j) - R_i (p_i - p_j)|^2,   R_i rotations             [Toothman2020, Eq. 8]

    A round fits all R_i to the shape and then solves L x = sum w (R_i + R_j)(p_i - p_j) / 2 for it; no round raises E.
    L depends on the mesh and on which vertices are `fixed`, not on where they go: it is factored once, so that handles
    may be dragged. Pieces of the mesh without a fixed vertex stay where they are.

    `vectors` (V, 3) stand in for the rest points in all differences, with weights from the rest points; with scale
    vectors it is the published variant for attached skins [Toothman2020, Eq. 19].

    Limits: only the surface resists, so thick parts bend like sheets; runs on the CPU, in double precision.
    """

    def __init__(
        self,
        rest_points: ArrayLike,
        triangles: ArrayLike,
        fixed: ArrayLike,
        *,
        vectors: ArrayLike | None = None,
        weights: str = "cotangent",
    ) -> None:
        wp = devices.warp()
        points = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self.rest = points if vectors is None else frozen(vectors, np.float64, points.shape, _WHERE, "vectors")
        self.fixed = check_fixed(fixed, len(points), _WHERE)
        edges = weighted_edges(points, faces, weights=weights)
        stay = held(self.fixed, edges)
        free = np.setdiff1d(np.arange(len(points)), stay).astype(np.int32)
        laplacian = edges.laplacian()
        self._free, self._held = free, stay
        self._coupling = laplacian[free][:, stay].tocsr()
        self._factor: Any = None
        if len(free):
            inner = laplacian[free][:, free].tocsc()
            self._factor = factor_symmetric(inner)
        one, other = np.concatenate([edges.ends, edges.ends[:, ::-1]]).T
        order = np.argsort(one, kind="stable")
        one, other = one[order], other[order]
        self._one, self._other, self._weights = one, other, np.tile(edges.weights, 2)[order]
        starts = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=len(points)))]).astype(np.int32)
        weighted = self._weights[:, None] * (self.rest[one] - self.rest[other])
        rows = [devices.to_device(array, wp.int32, "cpu") for array in (starts, other)]
        rows.append(devices.to_device(weighted, wp.vec3d, "cpu"))
        self._shape = wp.zeros(len(points), dtype=wp.vec3d, device="cpu")
        self._rotations = wp.zeros(len(points), dtype=wp.mat33d, device="cpu")
        self._sums = wp.zeros(max(len(free), 1), dtype=wp.vec3d, device="cpu")
        self._record(rows, devices.to_device(free, wp.int32, "cpu"))

    def _record(self, rows: list[Any], free: Any) -> None:
        from supple.geometry.arap import kernels

        self._fit = devices.Launch(kernels.fit, len(self.rest), [*rows, self._shape, self._rotations], "cpu")
        inputs = [free, *rows, self._rotations, self._sums]
        self._gather = devices.Launch(kernels.gather, len(self._free), inputs, "cpu")

    def solve(self, targets: ArrayLike, *, start: ArrayLike | None = None, iterations: int = 10) -> FloatArray:
        """The shape (V, 3) with the `fixed` vertices at `targets` (F, 3), in their order.

        `start` (V, 3) is a first guess, such as the shape before the handles moved on; without one it is the rest.
        """
        if not 1 <= iterations <= 100_000:
            raise InputError(_WHERE, f"iterations is {iterations}", "the range is 1 to 100000", "try 10")
        x, anchored = self._begin(targets, start)
        for _ in range(iterations):
            self._fit()
            self._solve(x, anchored)
        return np.array(x)

    def solve_with_rotations(self, rotations: ArrayLike, targets: ArrayLike) -> FloatArray:
        """The shape (V, 3) of one solve in which the rings' `turns` (V, 3, 3) are given, as those of bones are."""
        given = frozen(rotations, np.float64, (len(self.rest), 3, 3), _WHERE, "turns")
        x, anchored = self._begin(targets, None)
        devices.to_host(self._rotations)[...] = given
        self._solve(x, anchored)
        return np.array(x)

    def rotations(self, points: ArrayLike) -> FloatArray:
        """The rotations (V, 3, 3) that fit the rings of a shape (V, 3) best."""
        devices.to_host(self._shape)[...] = frozen(points, np.float64, self.rest.shape, _WHERE, "points")
        self._fit()
        return np.array(devices.to_host(self._rotations))

    def energy(self, points: ArrayLike) -> float:
        """E of a shape (V, 3) with the turns that fit it best [m^2]."""
        x = np.asarray(points, dtype=np.float64)
        rotations = self.rotations(x)
        apart = x[self._one] - x[self._other]
        rigid = np.einsum("eij,ej->ei", rotations[self._one], self.rest[self._one] - self.rest[self._other])
        return float(self._weights @ np.sum((apart - rigid) ** 2, axis=1))

    def gradient(self, points: ArrayLike) -> FloatArray:
        """dE / dx (V, 3) [m], also at fixed vertices; the turns, being the best ones, do not add to it."""
        x = np.asarray(points, dtype=np.float64)
        rotations = self.rotations(x)
        mean = 0.5 * (rotations[self._one] + rotations[self._other])
        rest = self.rest[self._one] - self.rest[self._other]
        pull = 4.0 * self._weights[:, None] * (x[self._one] - x[self._other] - np.einsum("eij,ej->ei", mean, rest))
        return np.stack([np.bincount(self._one, pull[:, k], len(x)) for k in range(3)], axis=1)

    def _begin(self, targets: ArrayLike, start: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        """The shape's buffer with handles in place, and what held vertices add to the right hand side."""
        wanted = frozen(targets, np.float64, (len(self.fixed), 3), _WHERE, "targets")
        guess = self.rest if start is None else frozen(start, np.float64, self.rest.shape, _WHERE, "start")
        x = devices.to_host(self._shape)
        x[...] = guess
        x[self._held] = self.rest[self._held]
        x[self.fixed] = wanted
        return x, np.asarray(self._coupling @ x[self._held])

    def _solve(self, x: FloatArray, anchored: FloatArray) -> None:
        if self._factor is not None:
            self._gather()
            x[self._free] = self._factor.solve(devices.to_host(self._sums) - anchored)
