"""The flesh under a skin: what is inside, and whether a straight way between two places stays inside."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Bools, Floats, Ints
from supple.geometry import topology
from supple.geometry.rotations import normalised

_WELD = 1e-6  # share of the character's size within which vertices count as one
_INSIDE = 0.5  # generalised winding number of the border
_TWICE = 1.5  # above this a shell encloses a place twice: it crosses itself there
_LAYERS = 12  # surfaces that one short way may cross before it is given up


class Flesh:
    """A closed body guessed from any mesh: unwelded, open, inside out, in many shells that cross each other.

    Vertices at one place are one, triangles that stand twice are one, and shells are turned right side out. `points`
    (N, 3) [m] are what is left, `triangles` (M, 3) join them, and vertex v of the given mesh is point `point_of[v]`.
    """

    def __init__(self, points: Floats, triangles: Ints) -> None:
        import igl

        span = float(np.ptp(points, axis=0).max()) or 1.0
        keys = np.round((points - points.min(axis=0)) / (_WELD * span)).astype(np.int64)
        _, first, point_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.span = span
        self.point_of: NDArray[np.int64] = np.asarray(point_of).reshape(-1)
        self.points: Floats = np.ascontiguousarray(points[first])
        self.triangles: Ints = _distinct(self.point_of[triangles])
        self.shell_of_point = topology.shells(self.triangles, len(self.points))
        self.triangles = self._right_side_out()
        self._shell_of_triangle = self.shell_of_point[self.triangles[:, 0]]
        self._faces = np.ascontiguousarray(self.triangles, dtype=np.int64)
        self._single = len(np.unique(self._shell_of_triangle)) == 1
        self._tree: Any = igl.AABB()
        self._tree.init(self.points, self._faces)

    def _right_side_out(self) -> Ints:
        """Turn shells of negative volume over, each measured about its own middle so that open ones count too."""
        shells = self.shell_of_point[self.triangles[:, 0]]
        count = int(self.shell_of_point.max()) + 1
        sizes = np.bincount(self.shell_of_point, minlength=count)
        middles = np.stack([np.bincount(self.shell_of_point, self.points[:, k], count) for k in range(3)], axis=1)
        a, b, c = np.moveaxis(self.points[self.triangles] - (middles / sizes[:, None])[shells][:, None], 1, 0)
        volumes = np.bincount(shells, np.einsum("ni,ni->n", a, np.cross(b, c)), count)
        over = volumes[shells] < 0.0
        return np.where(over[:, None], self.triangles[:, ::-1], self.triangles)

    @cached_property
    def normals(self) -> Floats:
        """Outward normals (N, 3), triangles weighted by their angle."""
        a, b, c = np.moveaxis(self.points[self.triangles], 1, 0)
        facing = normalised(np.cross(b - a, c - a))
        angles = topology.corner_angles(self.points, self.triangles)
        total = np.zeros_like(self.points)
        for corner in range(3):
            np.add.at(total, self.triangles[:, corner], facing * angles[:, corner, None])
        return normalised(total)

    def winding(self, places: Floats) -> Floats:
        """How often the skin surrounds each place: 1 inside, 0 outside, in between near holes."""
        return self._winding(places, self._faces)

    def _winding(self, places: Floats, faces: NDArray[np.int64]) -> Floats:
        import igl

        if len(places) == 0:
            return np.empty(0)
        return np.asarray(igl.fast_winding_number(self.points, faces, np.ascontiguousarray(places)))

    def inside(self, places: Floats) -> Bools:
        """Which places lie inside."""
        return self.winding(places) > _INSIDE

    def doubled(self, places: Floats) -> Bools:
        """Which places one and the same shell encloses twice, as where two thighs run into each other.

        Such a place belongs to both limbs, and a way through it would lead from one to the other.
        """
        result = np.zeros(len(places), dtype=bool)
        suspects = np.flatnonzero(self.winding(places) > _TWICE)
        if self._single:
            result[suspects] = True
            return result
        for shell in np.unique(self._shell_of_triangle) if len(suspects) else ():
            own = self._winding(places[suspects], self._faces[self._shell_of_triangle == shell])
            result[suspects[own > _TWICE]] = True
        return result

    def joined(self, starts: Floats, ends: Floats) -> Bools:
        """Between which pairs of places the straight way runs through flesh only.

        A way that meets the skin is cut there, unless another shell encloses the crossing: limbs modelled as separate
        overlapping shells, eyes and teeth stay joined, while two fingers of one shell do not, however near they are.
        """
        joined = np.ones(len(starts), dtype=bool)
        ways = np.arange(len(starts))
        places = np.ascontiguousarray(starts, dtype=np.float64)
        for _ in range(_LAYERS):
            left = np.ascontiguousarray(ends[ways] - places)
            face, fraction, _ = self._tree.intersect_ray_first(self.points, self._faces, places, left, 1.0)
            hit = np.flatnonzero(np.asarray(face) >= 0)
            if not len(hit):
                return joined
            # Just past the crossing, so that the next search does not find it again.
            beyond = places[hit] + np.minimum(np.asarray(fraction)[hit] + 1e-3, 1.0)[:, None] * left[hit]
            held = self._held_by_another(beyond, self._shell_of_triangle[np.asarray(face)[hit]])
            joined[ways[hit[~held]]] = False
            ways, places = ways[hit[held]], np.ascontiguousarray(beyond[held])
            if not len(ways):
                return joined
        joined[ways] = False
        return joined

    def _held_by_another(self, places: Floats, shells: Ints) -> Bools:
        """Which places are inside the body even without the shell named for each."""
        if self._single:
            return np.zeros(len(places), dtype=bool)
        rest = self.winding(places)
        for shell in np.unique(shells):
            here = shells == shell
            rest[here] -= self._winding(places[here], self._faces[self._shell_of_triangle == shell])
        return rest > _INSIDE


def _distinct(triangles: NDArray[np.int64]) -> Ints:
    """Triangles with three corners, each once: copies would make a body count as enclosed twice."""
    ordered = np.sort(triangles, axis=1)
    whole = np.flatnonzero((ordered[:, 0] < ordered[:, 1]) & (ordered[:, 1] < ordered[:, 2]))
    _, first = np.unique(ordered[whole], axis=0, return_index=True)
    return triangles[whole[np.sort(first)]].astype(np.int32)
