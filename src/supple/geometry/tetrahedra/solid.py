"""The body that is to be filled: what is inside it, how far its skin is, and where a straight way leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry import topology

_INSIDE = 0.5  # generalised winding number of the border
_PURE = 0.1  # a winding number this close to a whole one leaves no doubt
_LAYERS = 12  # surfaces that one short way may cross before its last place is taken
_PAST = 1e-3  # share of a way after a crossing at which it is asked whether that still is inside
_SAMPLES = 16  # parts into which a way is cut to find where it leaves through a hole


class Solid:
    """A solid guessed from any mesh: open, inside out, crossing itself, in many shells.

    What a shell of its own encloses twice, as where two thighs run into each other, counts as outside: it would join
    parts that move apart.
    """

    def __init__(self, points: ArrayLike, triangles: ArrayLike, where: str) -> None:
        import igl

        from supple.geometry.flesh import Flesh

        vertices, faces = check_surface(points, triangles, where)
        self._flesh = Flesh(vertices, _orient_consistently(faces))
        self.points = self._flesh.points
        self.triangles = self._flesh.triangles
        self._faces = np.ascontiguousarray(self.triangles, dtype=np.int64)
        self._tree: Any = igl.AABB()
        self._tree.init(self.points, self._faces)

    @property
    def volume(self) -> float:
        """Volume [m³] between the shells, roughly where they are open or cross."""
        return abs(topology.signed_volume(self.points, self.triangles))

    def inside(self, positions: FloatArray) -> BoolArray:
        """Which places (N, 3) lie inside."""
        winding = self._flesh.winding(positions)
        return (winding > _INSIDE) & ~self._flesh.enclosed_twice(positions, winding)

    def clear(self, positions: FloatArray) -> tuple[BoolArray, BoolArray]:
        """Which places (N, 3) lie inside, and for which there is no doubt about it."""
        winding = self._flesh.winding(positions)
        return winding > _INSIDE, (np.abs(winding - np.round(winding)) < _PURE) & (winding < 2.0 - _INSIDE)

    def distance(self, positions: FloatArray) -> FloatArray:
        """How far (N,) [m] the skin is from places (N, 3)."""
        if len(positions) == 0:
            return np.empty(0)
        squared, _, _ = self._tree.squared_distance(self.points, self._faces, np.ascontiguousarray(positions))
        return np.sqrt(np.asarray(squared, dtype=np.float64))

    def first_exits(self, starts: FloatArray, directions: FloatArray) -> FloatArray:
        """At which share (N,) of a way (N, 3) from a start inside (N, 3) it first leaves the body; inf if it does not.

        Air thinner than a thousandth of the way is not seen.
        """
        exits = np.full(len(starts), np.inf)
        rows, done = np.arange(len(starts)), np.zeros(len(starts))
        for _ in range(_LAYERS):
            left = directions[rows] * (1.0 - done)[:, None]
            face, fraction = self._flesh.first_crossing(starts[rows] + done[:, None] * directions[rows], left, 1.0)
            hit = face >= 0
            rows, met = rows[hit], done[hit] + fraction[hit] * (1.0 - done[hit])
            if not len(rows):
                break
            beyond = np.minimum(met + _PAST, 1.0)
            still = self.inside(starts[rows] + beyond[:, None] * directions[rows])
            exits[rows[~still]] = met[~still]
            going_on = still & (beyond < 1.0)
            rows, done = rows[going_on], beyond[going_on]
            if not len(rows):
                break
        return exits

    def exits_through_holes(self, starts: FloatArray, directions: FloatArray) -> FloatArray:
        """At which share (N,) of a way it leaves the body where no triangle marks the border.

        Starts are inside and ends outside; the border is where the winding number falls below one half.
        """
        low, width = np.zeros(len(starts)), 1.0
        for _ in range(2):
            width /= _SAMPLES
            fractions = low[:, None] + width * np.arange(1, _SAMPLES)
            positions = starts[:, None] + fractions[:, :, None] * directions[:, None]
            out = ~self.inside(positions.reshape(-1, 3)).reshape(fractions.shape)
            low = low + width * np.where(out.any(axis=1), out.argmax(axis=1), _SAMPLES - 1)
        return low + 0.5 * width


def check_surface(points: ArrayLike, triangles: ArrayLike, where: str) -> tuple[FloatArray, IntArray]:
    """The surface with everything that is no triangle left out; refuses what has no extent at all."""
    vertices = frozen(points, np.float64, (-1, 3), where, "points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    if len(faces) == 0 or len(vertices) == 0:
        raise InputError(
            where,
            f"the surface has {len(vertices)} points and {len(faces)} triangles",
            "a surface is needed",
            "load a character with a mesh",
        )
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise InputError(
            where,
            f"triangles name points {faces.min()} to {faces.max()}",
            f"there are points 0 to {len(vertices) - 1}",
            "check the triangles",
        )
    used = vertices[np.unique(faces)]
    size = float(np.ptp(used, axis=0).max())
    areas = np.linalg.norm(topology.area_vectors(vertices, faces), axis=1)
    whole = areas > 1e-14 * size**2
    if not whole.any():
        raise InputError(
            where,
            "every triangle has lost its area",
            "a surface that encloses something is needed",
            "check the scale and the points of the mesh",
        )
    return vertices, faces[whole]


def _orient_consistently(faces: IntArray) -> IntArray:
    """Turn triangles over until neighbours agree; whole pieces may still be inside out."""
    import igl

    if topology.census(faces).flipped_edges == 0:
        return faces
    oriented, _ = igl.bfs_orient(np.ascontiguousarray(faces, dtype=np.int64))
    return np.asarray(oriented, dtype=np.int32)
