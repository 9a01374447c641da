"""What rays meet on a surface that moves: a hierarchy of boxes, built once and refitted."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray, frozen, remembered
from supple.errors import InputError

NONE = -1
_WHERE = "RayCaster"
_FEW = 256  # rays worth waking another thread for


@dataclass(frozen=True)
class RayHits:
    """What rays met: `triangles` (N,), -1 for nothing, and the place on them by `barycentric` coordinates (N, 3)."""

    triangles: IntArray
    barycentric: FloatArray

    @property
    def hit(self) -> BoolArray:
        """Which rays met the surface (N,)."""
        return self.triangles != NONE


class RayCaster:
    """Casts rays at a surface: `points` (V, 3) [m] and `triangles` (T, 3).

    `refit(points)` lets it follow a skin that moves, in a fraction of the time of a new one. The triangle is found in
    single precision, seen from the middle of the surface, and the place on it in double.
    """

    def __init__(self, points: ArrayLike, triangles: ArrayLike, *, device: str = "cpu") -> None:
        wp = devices.warp()
        self.device = devices.check_device(device)
        self.triangles: IntArray = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self._set(points)
        faces = devices.to_device(self.triangles.ravel(), wp.int32, self.device)
        self._mesh = (
            wp.Mesh(devices.to_device(self._seen, wp.vec3f, self.device), faces) if len(self.triangles) else None
        )

    def refit(self, points: ArrayLike) -> None:
        """Go along with a surface that has moved."""
        before = len(self.points)
        self._set(points)
        if len(self.points) != before:
            given, needed = f"there are {len(self.points)} points", f"the surface has {before}"
            raise InputError(_WHERE, given, needed, "make another one for another mesh")
        if self._mesh is not None:
            devices.write(self._mesh.points, self._seen)
            self._mesh.refit()

    def cast(self, origins: ArrayLike, directions: ArrayLike) -> RayHits:
        """The first triangle that each ray meets, from `origins` (3,) or (N, 3) along `directions` (N, 3) [m]."""
        ways: FloatArray = frozen(directions, np.float64, (-1, 3), _WHERE, "directions")
        starts: FloatArray = np.broadcast_to(np.asarray(origins, dtype=np.float64), ways.shape)
        frozen(starts, np.float64, ways.shape, _WHERE, "origins")
        faces = self._faces(starts, ways)
        barycentric = np.zeros((len(ways), 3))
        hit = np.flatnonzero(faces != NONE)
        corners = self.points[self.triangles[faces[hit]]] - starts[hit, None]
        found = intersect_planes(corners, ways[hit])
        found = np.maximum(found, 0.0)  # rounding at edges
        barycentric[hit] = found / found.sum(axis=1, keepdims=True)
        return RayHits(faces, barycentric)

    def _set(self, points: ArrayLike) -> None:
        self.points: FloatArray = frozen(points, np.float64, (-1, 3), _WHERE, "points")
        columns = [self.points[:, k] for k in range(3)] if len(self.points) else [np.zeros(1)] * 3
        low, high = (np.array([column.min() for column in columns]), np.array([column.max() for column in columns]))
        self._middle, self._size = 0.5 * (low + high), float((high - low).max())
        self._seen = (self.points - self._middle).astype(np.float32)

    def _faces(self, starts: FloatArray, ways: FloatArray) -> IntArray:
        from supple.geometry.collision import ray_kernels as kernels

        wp = devices.warp()
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        if self._mesh is None or not len(ways):
            return np.full(len(ways), NONE, dtype=np.int32)
        away = starts - self._middle
        longest = float(np.linalg.norm(away, axis=1).max()) + 2.0 * self._size
        faces = wp.empty(len(ways), dtype=wp.int32, device=self.device)
        unit = ways / np.where(lengths > 0.0, lengths, 1.0)
        inputs = [
            self._mesh.id,
            devices.to_device(away.astype(np.float32), wp.vec3f, self.device),
            devices.to_device(unit.astype(np.float32), wp.vec3f, self.device),
            longest,
            faces,
        ]
        devices.Launch(kernels.cast_rays, len(ways), inputs, self.device, smallest=_FEW)()
        return np.where(lengths[:, 0] > 0.0, faces.numpy(), NONE).astype(np.int32)


class _KeptCaster:
    """The caster of one mesh, which goes along with whatever points are asked about."""

    def __init__(self, points: FloatArray, triangles: IntArray) -> None:
        self._caster, self._lock = RayCaster(points, triangles), Lock()

    def cast(self, points: FloatArray, origins: ArrayLike, directions: ArrayLike) -> RayHits:
        with self._lock:
            if points is not self._caster.points:
                self._caster.refit(points)
            return self._caster.cast(origins, directions)


def cast_at(points: ArrayLike, triangles: ArrayLike, *, origins: ArrayLike, directions: ArrayLike) -> RayHits:
    """The first triangle that each ray meets; for a read-only array of triangles its boxes are kept and refitted."""
    where: FloatArray = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces: IntArray = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    if faces.size and (faces.min() < 0 or faces.max() >= len(where)):
        given, needed = f"triangles name point {faces.max()}", f"there are {len(where)} points"
        raise InputError(_WHERE, given, needed, "pass the points of this mesh")
    # A copy of the triangles, so that what is kept does not keep the mesh alive.
    kept = remembered(faces, f"rays {len(where)}", lambda: _KeptCaster(where, faces.copy()))
    return kept.cast(where, origins, directions)


def intersect_planes(corners: FloatArray, directions: FloatArray) -> FloatArray:
    """Where lines through zero meet the planes of triangles (N, 3, 3): barycentric coordinates (N, 3).

    By volumes: that of a corner is the tetrahedron that the line spans with the side opposite to it. A line along the
    plane meets it nowhere, which all of -1 says.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    volumes = np.stack([np.einsum("ni,ni->n", np.cross(p, q), directions) for p, q in ((b, c), (c, a), (a, b))], axis=1)
    total = volumes.sum(axis=1)
    flat = np.abs(total) <= 1e-300
    return np.where(flat[:, None], -1.0, volumes / np.where(flat, 1.0, total)[:, None])
