"""Where a body is about as thin as an element: the middle of it, so that a coarse lattice does not lose it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.geometry import topology
from supple.geometry.tetrahedra.solid import Solid

_SAMPLES = 20_000  # places on the skin
_UNDER = 1e-4  # share of the body's size by which a way inwards starts under the skin
# Thickness over spacing. Above the larger, a part always has lattice nodes in its middle that the skin does not reach:
# a place is at most sqrt(5)/4 of the spacing from a node, and nodes nearer to the skin than 0.36 may be pulled onto it.
# Below the smaller it is not worth an element.
_THICK, _THINNEST = 2.0 * (0.25 * np.sqrt(5.0) + 0.36), 0.35


@dataclass(frozen=True, eq=False)
class ThinParts:
    """Places (M, 3) [m] in the middle between the skin and the skin opposite, and the thickness (M,) [m] there."""

    middles: FloatArray
    thickness: FloatArray

    @classmethod
    def from_body(cls, body: Solid) -> ThinParts:
        """Look straight inwards from many places of the skin."""
        positions, normals = _sample_surface(body)
        size = float(np.ptp(body.points, axis=0).max())
        starts = positions - _UNDER * size * normals
        held = body.inside(starts)
        starts, directions = starts[held], -size * normals[held]
        deep = body.first_exits(starts, directions)
        through = np.isfinite(deep)
        starts, directions, deep = starts[through], directions[through], deep[through]
        return cls(starts + 0.5 * deep[:, None] * directions, deep * size)

    def at(self, spacing: float) -> FloatArray:
        """The middles (K, 3) [m] of parts that a lattice of this spacing [m] would miss and should not."""
        missed = (self.thickness < _THICK * spacing) & (self.thickness > _THINNEST * spacing)
        return np.asarray(self.middles[missed])


def nearest_nodes(positions: FloatArray) -> NDArray[np.int64]:
    """The nodes (N, 3) of the body-centred lattice nearest to places (N, 3) in lattice units."""
    even = 2 * np.round(positions / 2.0)
    odd = 2 * np.floor(positions / 2.0) + 1
    closer = np.linalg.norm(positions - even, axis=1) <= np.linalg.norm(positions - odd, axis=1)
    return np.where(closer[:, None], even, odd).astype(np.int64)


def _sample_surface(body: Solid) -> tuple[FloatArray, FloatArray]:
    """Places (N, 3) spread over the skin, about as many for equal areas, and the outward normals (N, 3) there.

    Every triangle is cut into k^2 alike and gives their middles, whatever its number and that of its corners: another
    numbering of the same skin finds the same places. Of many small triangles in one small cube one is enough.
    """
    vectors = topology.area_vectors(body.points, body.triangles)
    doubled = np.linalg.norm(vectors, axis=1)
    some = np.flatnonzero(doubled > 0.0)
    fair = doubled.sum() / _SAMPLES
    if len(some) > 2 * _SAMPLES:
        some = _keep_one_per_cube(body, some, np.sqrt(0.5 * fair))
    cuts = np.ceil(np.sqrt(doubled[some] / fair)).astype(np.int64)
    positions, normals = [], []
    for number in np.unique(cuts):
        chosen = some[cuts == number]
        a, b, c = np.moveaxis(body.points[body.triangles[chosen]], 1, 0)
        u, v = _middles(int(number))
        positions.append((a[:, None] + u[:, None] * (b - a)[:, None] + v[:, None] * (c - a)[:, None]).reshape(-1, 3))
        normals.append(np.repeat(vectors[chosen] / doubled[chosen, None], len(u), axis=0))
    return np.concatenate(positions), np.concatenate(normals)


def _middles(cuts: int) -> tuple[FloatArray, FloatArray]:
    """Where the middles of the `cuts`^2 parts of a triangle lie, along its first and its second side from a corner."""
    i, j = np.meshgrid(np.arange(cuts), np.arange(cuts), indexing="ij")
    up, down = i + j < cuts, i + j < cuts - 1
    u = np.concatenate([i[up] + 1.0 / 3.0, i[down] + 2.0 / 3.0]) / cuts
    v = np.concatenate([j[up] + 1.0 / 3.0, j[down] + 2.0 / 3.0]) / cuts
    return u, v


def _keep_one_per_cube(body: Solid, some: NDArray[np.int64], side: float) -> NDArray[np.int64]:
    """One of the triangles whose middles share a cube of this side [m]: the first by its place, not by its number."""
    middles = body.points[body.triangles[some]].mean(axis=1)
    cubes = np.floor(middles / side)
    order = np.lexsort((*middles.T, *cubes.T))
    fresh = np.concatenate([[True], (np.diff(cubes[order], axis=0) != 0.0).any(axis=1)])
    return some[order[fresh]]
