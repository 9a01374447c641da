"""Handles of a region in the hand: they are moved again and again, and the region follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Floats, frozen
from supple.errors import InputError
from supple.geometry.arap import Arap
from supple.geometry.laplacian import LaplacianEditing
from supple.skins.expressive.edits.region import Region

METHODS = ("rigid", "laplacian")
_WHERE = "RegionEditing"


class RegionEditing:
    """A region of a skin in any pose, ready to be pulled by its handles.

    `rigid` keeps every ring as nearly rigid as can be, also in large turns; `laplacian` keeps detail and may grow and
    shrink it. Only the region is solved for, with one factor for all places of the handles. `points` (V, 3) [m] are the
    skin as it is seen now; what comes out can be encoded for all poses by `encoded`.
    """

    def __init__(self, points: ArrayLike, triangles: ArrayLike, region: Region, *, method: str = "rigid") -> None:
        if method not in METHODS:
            raise InputError(_WHERE, f"method is {method!r}", f"one of {', '.join(METHODS)} is needed", "choose one")
        self.points = frozen(points, np.float64, (-1, 3), _WHERE, "points")
        self.region, self.method = region, method
        faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self._vertices = region.vertices
        if len(self._vertices) and self._vertices[-1] >= len(self.points):
            raise InputError(_WHERE, f"the region names vertex {self._vertices[-1]}",
                             f"there are {len(self.points)} points", "find the region on this mesh")  # fmt: skip
        local = np.full(len(self.points), -1, dtype=np.int32)
        local[self._vertices] = np.arange(len(self._vertices))
        own = local[faces]
        own = own[(own >= 0).all(axis=1)]
        fixed = local[np.concatenate([region.handles, region.static])]
        kind = Arap if method == "rigid" else LaplacianEditing
        self._solver: Arap | LaplacianEditing = kind(self.points[self._vertices], own, fixed)

    def moved(self, targets: ArrayLike, *, iterations: int = 10) -> Floats:
        """The skin (V, 3) with the handles at `targets` (H, 3); all outside the region is as it was.

        It starts from the rest of the region each time, so that the same targets give the same skin.
        """
        wanted = frozen(targets, np.float64, (len(self.region.handles), 3), _WHERE, "targets")
        fixed = np.concatenate([wanted, self.points[self.region.static]])
        if isinstance(self._solver, Arap):
            found = self._solver.solve(fixed, iterations=iterations)
        else:
            found = self._solver.solve(fixed)
        result = self.points.copy()
        result[self._vertices] = found
        return result
