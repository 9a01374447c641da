"""How much each vertex may be smoothed before thin parts melt.

Laplacian smoothing shrinks a fingertip or a tentacle to a point while it hardly changes a thigh. Detail stored in the
frames of such a point turns wildly with the least movement. So smoothing is tried on the rest shape, and where the
triangles round a vertex keep less than `LEAST_AREA` of their area, it is halved there and tried again.
"""

from __future__ import annotations

import numpy as np

from supple.arrays import Floats, Ints
from supple.geometry.topology import neighbours, ring_areas

LEAST_AREA = 0.25
_TRIES = 8


def guarded_strengths(points: Floats, triangles: Ints, iterations: int, strengths: Floats) -> Floats:
    """Strengths (V,) no larger than those given, under which `iterations` rounds leave the rest shape its area."""
    from scipy.sparse import csr_array

    count = len(points)
    around = neighbours(triangles, count)
    share = np.repeat(1.0 / np.maximum(np.diff(around.starts), 1), np.diff(around.starts))
    mean = csr_array((share, around.indices, around.starts), shape=(count, count))
    lonely = np.diff(around.starts) == 0
    rest_area = ring_areas(points, triangles)
    allowed = strengths.copy()
    for _ in range(_TRIES):
        smoothed = points
        for _ in range(iterations):
            smoothed = smoothed + allowed[:, None] * np.where(lonely[:, None], 0.0, mean @ smoothed - smoothed)
        melting = ring_areas(smoothed, triangles) < LEAST_AREA * rest_area
        if not melting.any():
            break
        # The neighbours of what melts are slowed too, so that strength changes gradually over the surface.
        near = np.maximum(melting, mean @ melting.astype(np.float64))
        allowed = allowed * (1.0 - 0.5 * near)
    return allowed
