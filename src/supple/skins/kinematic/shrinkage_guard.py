"""How much smoothing thin parts of a skin can bear before they melt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry.topology import neighbors, ring_areas

LEAST_AREA = 0.25  # that the triangles round a vertex keep of theirs when the rest shape is smoothed
_TRIES = 8


@dataclass(frozen=True, eq=False)
class RestSmoothing:
    """A skin at rest on which smoothing can be tried.

    `mean` is a sparse matrix (V, V) of means over neighbours, `lonely` (V,) the vertices without any, `rest_area` (V,)
    [m²] twice the area of the triangles round every vertex.
    """

    points: FloatArray
    triangles: IntArray
    mean: Any
    lonely: Any
    rest_area: FloatArray

    @classmethod
    def from_mesh(cls, points: FloatArray, triangles: IntArray) -> RestSmoothing:
        """Find the neighbours of all vertices."""
        from scipy.sparse import csr_array

        count = len(points)
        around = neighbors(triangles, count)
        numbers = np.diff(around.starts)
        shares = np.repeat(1.0 / np.maximum(numbers, 1), numbers)
        mean = csr_array((shares, around.indices, around.starts), shape=(count, count))
        return cls(points, triangles, mean, numbers == 0, ring_areas(points, triangles))

    def limit(self, iterations: int, strengths: FloatArray) -> FloatArray:
        """Strengths (V,) no larger than those given, under which `iterations` rounds leave the rest shape its area.

        Laplacian smoothing shrinks a fingertip or a tentacle to a point while it hardly changes a thigh. Detail stored
        in the frames of such a point turns wildly with the least movement. So smoothing is tried on the rest shape, and
        where the triangles round a vertex keep less than `LEAST_AREA` of their area, it is halved there and tried
        again.
        """
        allowed = strengths.copy()
        for _ in range(_TRIES):
            shrinking = (
                ring_areas(self.smooth(self.points, iterations, allowed), self.triangles) < LEAST_AREA * self.rest_area
            )
            if not shrinking.any():
                break
            # The neighbours of what melts are slowed too, so that strength changes gradually over the surface.
            near = np.maximum(shrinking, self.mean @ shrinking.astype(np.float64))
            allowed = allowed * (1.0 - 0.5 * near)
        return allowed

    def smooth(self, values: FloatArray, iterations: int, strengths: FloatArray) -> FloatArray:
        """Values (V, K) after rounds of x <- x + s (mean of neighbours - x)."""
        factors = np.where(self.lonely, 0.0, strengths)[:, None]
        smoothed = values
        for _ in range(iterations):
            step = self.mean @ smoothed
            step -= smoothed
            step *= factors
            step += smoothed
            smoothed = step
        return smoothed


def limit_strengths(points: FloatArray, triangles: IntArray, iterations: int, strengths: FloatArray) -> FloatArray:
    """Strengths (V,) no larger than those given, under which thin parts do not melt; see `RestSmoothing.limit`."""
    return RestSmoothing.from_mesh(points, triangles).limit(iterations, strengths)
