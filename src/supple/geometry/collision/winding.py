"""How often a surface surrounds places: asked again and again, its tree is built once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray

_ORDER, _ACCURACY = 2, 2.0  # of the expansion by which far triangles are taken together: those that libigl recommends


class Windings:
    """Generalised winding numbers of one surface: `points` (V, 3) [m] and `triangles` (T, 3).

    1 inside, 0 outside, in between near holes, and more where it is enclosed several times [Barill2018].
    """

    def __init__(self, points: FloatArray, triangles: NDArray[np.integer]) -> None:
        import igl

        self._points = np.ascontiguousarray(points, dtype=np.float64)
        self._faces = np.ascontiguousarray(triangles, dtype=np.int64)
        self._tree: Any = None
        if hasattr(igl, "FastWindingNumberBVH"):  # not in libigl 2.6.2
            self._tree = igl.FastWindingNumberBVH()
            self._tree.init(self._points, self._faces, _ORDER)

    def __call__(self, positions: FloatArray) -> FloatArray:
        """The winding numbers (N,) of places (N, 3) [m]."""
        import igl

        if len(positions) == 0:
            return np.empty(0)
        asked = np.ascontiguousarray(positions, dtype=np.float64)
        if self._tree is None:
            return np.asarray(igl.fast_winding_number(self._points, self._faces, asked))
        return np.asarray(self._tree.winding_number(asked, _ACCURACY))
