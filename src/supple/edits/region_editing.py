"""Handles of a region in the hand: they are moved again and again, and the region follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.edits.region import Region, region_round
from supple.errors import InputError
from supple.geometry.arap import Arap
from supple.geometry.laplacian import LaplacianEditing, SmoothOffsets

METHODS = ("smooth", "rigid", "laplacian")
_WHERE = "RegionEditing"


class RegionEditing:
    """A region of a skin in any pose, ready to be pulled by its handles.

    `smooth` swells and dents without a crease, as a thin plate bends: best for handles under a line. `rigid` keeps
    every ring as nearly rigid as can be, also in large turns: best where handles are whole patches that turn, for it
    comes to a point at single ones. `laplacian` keeps detail and may grow and shrink it, as published.

    Only the region is solved for, with one factor for all places of the handles. `points` (V, 3) [m] are the skin as it
    is seen now; what comes out can be encoded for all poses by `encoded`.
    """

    def __init__(self, points: ArrayLike, triangles: ArrayLike, region: Region, *, method: str = "smooth") -> None:
        if method not in METHODS:
            raise InputError(_WHERE, f"method is {method!r}", f"one of {', '.join(METHODS)} is needed", "choose one")
        self.points = frozen(points, np.float64, (-1, 3), _WHERE, "points")
        self.region, self.method = region, method
        faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self._vertices = region.vertices
        if len(self._vertices) and self._vertices[-1] >= len(self.points):
            raise InputError(
                _WHERE,
                f"the region names vertex {self._vertices[-1]}",
                f"there are {len(self.points)} points",
                "find the region on this mesh",
            )
        # One more ring is held beyond the static one, so that the rings of static vertices are whole.
        beyond = region_round(faces, region.vertices, rings=0).static if len(region.static) else region.static
        self._still = np.concatenate([region.static, beyond])
        self._vertices = np.sort(np.concatenate([self._vertices, beyond]))
        local = np.full(len(self.points), -1, dtype=np.int32)
        local[self._vertices] = np.arange(len(self._vertices))
        own = local[faces]
        own = own[(own >= 0).all(axis=1)]
        fixed = local[np.concatenate([region.handles, self._still])]
        rest = self.points[self._vertices]
        self._solver: Arap | LaplacianEditing | SmoothOffsets
        if method == "rigid":
            self._solver = Arap(rest, own, fixed)
        elif method == "smooth":
            self._solver = SmoothOffsets(rest, own, fixed)
        else:
            self._solver = LaplacianEditing(rest, own, fixed, weights="cotangent")

    def moved(self, targets: ArrayLike, *, iterations: int = 10) -> FloatArray:
        """The skin (V, 3) with the handles at `targets` (H, 3); all outside the region is as it was.

        `iterations` count for `rigid` only. It starts from the rest of the region each time, so that the same targets
        give the same skin.
        """
        wanted = frozen(targets, np.float64, (len(self.region.handles), 3), _WHERE, "targets")
        fixed = np.concatenate([wanted, self.points[self._still]])
        if isinstance(self._solver, Arap):
            found = self._solver.solve(fixed, iterations=iterations)
        else:
            found = self._solver.solve(fixed)
        result = self.points.copy()
        result[self._vertices] = found
        return result
