"""Where a body is about as thin as an element: the middle of it, so that a coarse lattice does not lose it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Floats
from supple.geometry import topology
from supple.geometry.tetrahedra.body import Body

_SAMPLES = 20_000  # places on the skin
_UNDER = 1e-4  # share of the body's size by which a way inwards starts under the skin
# Thickness over spacing. Above the larger, a part always has lattice nodes in its middle that the skin does not reach:
# a place is at most sqrt(5)/4 of the spacing from a node, and nodes nearer to the skin than 0.36 may be pulled onto it.
# Below the smaller it is not worth an element.
_THICK, _THINNEST = 2.0 * (0.25 * np.sqrt(5.0) + 0.36), 0.35


@dataclass(frozen=True, eq=False)
class ThinParts:
    """Places (M, 3) [m] in the middle between the skin and the skin opposite, and the thickness (M,) [m] there."""

    middles: Floats
    thickness: Floats

    @classmethod
    def of(cls, body: Body) -> ThinParts:
        """Look straight inwards from many places of the skin."""
        places, normals = _spread(body)
        size = float(np.ptp(body.points, axis=0).max())
        starts = places - _UNDER * size * normals
        held = body.inside(starts)
        starts, ways = starts[held], -size * normals[held]
        deep = body.first_exits(starts, ways)
        through = np.isfinite(deep)
        starts, ways, deep = starts[through], ways[through], deep[through]
        return cls(starts + 0.5 * deep[:, None] * ways, deep * size)

    def at(self, spacing: float) -> Floats:
        """The middles (K, 3) [m] of parts that a lattice of this spacing [m] would miss and should not."""
        missed = (self.thickness < _THICK * spacing) & (self.thickness > _THINNEST * spacing)
        return np.asarray(self.middles[missed])


def nearest_nodes(places: Floats) -> NDArray[np.int64]:
    """The nodes (N, 3) of the body-centred lattice nearest to places (N, 3) in lattice units."""
    even = 2 * np.round(places / 2.0)
    odd = 2 * np.floor(places / 2.0) + 1
    closer = np.linalg.norm(places - even, axis=1) <= np.linalg.norm(places - odd, axis=1)
    return np.where(closer[:, None], even, odd).astype(np.int64)


def _spread(body: Body) -> tuple[Floats, Floats]:
    """Places (N, 3) spread over the skin, as many for equal areas, and the outward normals (N, 3) there."""
    vectors = topology.area_vectors(body.points, body.triangles)
    doubled = np.linalg.norm(vectors, axis=1)
    total = np.cumsum(doubled)
    # Evenly spaced along the summed area; within a triangle by the two-dimensional golden ratio sequence.
    along = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * total[-1]
    triangle = np.minimum(np.searchsorted(total, along), len(total) - 1)
    triangle = triangle[doubled[triangle] > 0.0]
    step = np.arange(len(triangle))
    u, v = (0.5 + 0.7548776662466927 * step) % 1.0, (0.5 + 0.5698402909980532 * step) % 1.0
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
    a, b, c = np.moveaxis(body.points[body.triangles[triangle]], 1, 0)
    return a + u * (b - a) + v * (c - a), vectors[triangle] / doubled[triangle, None]
