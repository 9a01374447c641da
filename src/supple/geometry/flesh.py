"""The flesh under a skin: what is inside, and whether a straight way between two places stays inside."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry import topology
from supple.geometry.collision.winding import Windings
from supple.geometry.quaternions import normalize

_WELD = 1e-6  # share of the character's size within which vertices count as one
_INSIDE = 0.5  # generalised winding number of the border
_HELD = 0.8  # well inside: near a hole of its own a shell cannot hold another one's skin
TWICE = 1.5  # above this a shell encloses a place twice: it crosses itself there
_ENLARGED = 1e5  # size at which rays are cast: libigl takes triangles for parallel to a ray by an absolute tolerance
_PATCH = 12  # edges around a hole that is patched: a lost face, the open end of a coarse tube
_LAYERS = 12  # surfaces that one short way may cross before it is given up


class Flesh:
    """A closed body guessed from any mesh: unwelded, open, inside out, in many shells that cross each other.

    Vertices at one place are one, triangles that stand twice are one, small holes are patched, and shells are turned
    right side out. `points` (N, 3) [m] are what is left, `triangles` (M, 3) join them, and vertex v of the given mesh
    is point `point_of[v]`.
    """

    def __init__(self, points: FloatArray, triangles: IntArray) -> None:
        import igl

        span = float(np.ptp(points, axis=0).max()) or 1.0
        keys = np.round((points - points.min(axis=0)) / (_WELD * span)).astype(np.int64)
        _, first, point_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.span = span
        self.point_of: NDArray[np.int64] = np.asarray(point_of).reshape(-1)
        self.points: FloatArray = np.ascontiguousarray(points[first])
        self.triangles: IntArray = _patch_holes(_distinct(self.point_of[triangles]))
        self.shell_of_point = topology.shells(self.triangles, len(self.points))
        self.triangles = self._right_side_out()
        self._shell_of_triangle = self.shell_of_point[self.triangles[:, 0]]
        self._faces = np.ascontiguousarray(self.triangles, dtype=np.int64)
        self._single = len(np.unique(self._shell_of_triangle)) == 1
        self._shell_windings: dict[int, Windings] = {}
        self._tree: Any = igl.AABB()
        self._enlarged = self.points * (_ENLARGED / span)
        self._tree.init(self._enlarged, self._faces)

    def _right_side_out(self) -> IntArray:
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
    def normals(self) -> FloatArray:
        """Outward normals (N, 3), triangles weighted by their angle."""
        a, b, c = np.moveaxis(self.points[self.triangles], 1, 0)
        facing = normalize(np.cross(b - a, c - a))
        angles = topology.corner_angles(self.points, self.triangles)
        total = np.zeros_like(self.points)
        for corner in range(3):
            np.add.at(total, self.triangles[:, corner], facing * angles[:, corner, None])
        return normalize(total)

    def broad_normals(self, width: float) -> FloatArray:
        """Normals (N, 3) averaged over the skin within about `width` [m], so that wrinkles do not count.

        One backward step of heat flow over the surface, (A + width^2 L) n = A n0, with areas A and the graph Laplacian
        L times 1/sqrt(3), its weight for equilateral triangles: whatever the triangles, nothing can turn negative.
        """
        from scipy.sparse import coo_array, diags_array
        from scipy.sparse.linalg import splu

        count = len(self.points)
        a, b, c = np.moveaxis(self.points[self.triangles], 1, 0)
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        area = np.bincount(self.triangles.ravel(), np.repeat(areas, 3), count) + 1e-12 * self.span**2
        i, j = topology.unique_edges(self.triangles).T
        flow = np.full(2 * len(i), width**2 / np.sqrt(3.0))
        links = coo_array((flow, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(count, count)).tocsr()
        system = diags_array(area + links.sum(axis=1)) - links
        solver = splu(
            system.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        return normalize(np.asarray(solver.solve(area[:, None] * self.normals)))

    def winding(self, positions: FloatArray) -> FloatArray:
        """How often the skin surrounds each place: 1 inside, 0 outside, in between near holes."""
        return self._windings(positions)

    @cached_property
    def _windings(self) -> Windings:
        return Windings(self.points, self._faces)

    def _shell_winding(self, positions: FloatArray, shell: int) -> FloatArray:
        """How often one shell alone surrounds each place."""
        if shell not in self._shell_windings:
            own = self._faces[self._shell_of_triangle == shell]
            self._shell_windings[shell] = Windings(self.points, own)
        return self._shell_windings[shell](positions)

    def inside(self, positions: FloatArray) -> BoolArray:
        """Which places lie inside."""
        return self.winding(positions) > _INSIDE

    def enclosed_twice(self, positions: FloatArray, windings: FloatArray) -> BoolArray:
        """Which places one and the same shell encloses twice, as where two thighs run into each other.

        Such a place belongs to both limbs, and a way through it would lead from one to the other.
        """
        result = np.zeros(len(positions), dtype=bool)
        suspects = np.flatnonzero(windings > TWICE)
        if self._single:
            result[suspects] = True
            return result
        for shell in np.unique(self._shell_of_triangle) if len(suspects) else ():
            own = self._shell_winding(positions[suspects], int(shell))
            result[suspects[own > TWICE]] = True
        return result

    def are_connected(self, starts: FloatArray, ends: FloatArray) -> BoolArray:
        """Between which pairs of places the straight way runs through flesh only.

        A way that meets the skin is cut there, unless another shell encloses the crossing: limbs modelled as separate
        overlapping shells, eyes and teeth stay joined, while two fingers of one shell do not, however near they are.
        """
        connected = np.ones(len(starts), dtype=bool)
        rays = np.arange(len(starts))
        positions = np.ascontiguousarray(starts, dtype=np.float64)
        for _ in range(_LAYERS):
            left = ends[rays] - positions
            face, fraction = self.first_crossing(positions, left, 1.0)
            hit = np.flatnonzero(face >= 0)
            if not len(hit):
                return connected
            # Just past the crossing, so that the next search does not find it again.
            beyond = positions[hit] + np.minimum(fraction[hit] + 1e-3, 1.0)[:, None] * left[hit]
            held = self._held_by_another(beyond, self._shell_of_triangle[face[hit]])
            connected[rays[hit[~held]]] = False
            rays, positions = rays[hit[held]], np.ascontiguousarray(beyond[held])
            if not len(rays):
                return connected
        connected[rays] = False
        return connected

    def first_crossing(
        self, positions: FloatArray, directions: FloatArray, farthest: float
    ) -> tuple[NDArray[np.int64], FloatArray]:
        """The first triangle that each way from a place meets, -1 for none, and at which multiple of the way."""
        scale = _ENLARGED / self.span
        face, multiple, _ = self._tree.intersect_ray_first(
            self._enlarged, self._faces, positions * scale, directions * scale, farthest
        )
        return np.asarray(face), np.asarray(multiple)

    def _held_by_another(self, positions: FloatArray, shells: IntArray) -> BoolArray:
        """Which places are inside the body even without the shell named for each."""
        if self._single:
            return np.zeros(len(positions), dtype=bool)
        rest = self.winding(positions)
        for shell in np.unique(shells):
            here = shells == shell
            rest[here] -= self._shell_winding(positions[here], int(shell))
        return rest > _HELD


def _distinct(triangles: NDArray[np.int64]) -> IntArray:
    """Triangles with three corners, each once: copies would make a body count as enclosed twice."""
    ordered = np.sort(triangles, axis=1)
    proper = np.flatnonzero((ordered[:, 0] < ordered[:, 1]) & (ordered[:, 1] < ordered[:, 2]))
    _, first = np.unique(ordered[proper], axis=0, return_index=True)
    return triangles[proper[np.sort(first)]].astype(np.int32)


def _patch_holes(triangles: IntArray) -> IntArray:
    """Close holes with few edges around them; two that face each other would let a way slip from limb to limb."""
    border = topology.border_edges(triangles)
    starts, counts = np.unique(border[:, 0], return_counts=True)
    plain = np.isin(border[:, 0], starts[counts == 1])
    following = dict(border[plain].tolist())
    patches: list[tuple[int, int, int]] = []
    while following:
        start, ahead = following.popitem()
        loop = [start]
        while ahead != start and ahead in following:
            loop.append(ahead)
            ahead = following.pop(ahead)
        if ahead == start and 3 <= len(loop) <= _PATCH:
            # A border runs with its triangles, so a patch must run against it.
            patches += [(start, loop[k + 1], loop[k]) for k in range(1, len(loop) - 1)]
    return np.concatenate([triangles, np.array(patches, dtype=np.int32).reshape(-1, 3)])
