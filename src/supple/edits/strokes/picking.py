"""What is under a pixel: a picture of triangle numbers, drawn from the skin as it is now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.edits.strokes.view import View

NONE = -1
_WHERE = "pick"
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Picks:
    """What rays met: `triangles` (N,), -1 for nothing, and the place on them by `barycentric` coordinates (N, 3)."""

    triangles: IntArray
    barycentric: FloatArray

    @property
    def hit(self) -> BoolArray:
        """Which rays met the skin (N,)."""
        return self.triangles != NONE


def id_buffer(points: ArrayLike, triangles: ArrayLike, view: View) -> IntArray:
    """The number of the triangle seen in every pixel (height, width), -1 where there is none."""
    return _rasterize(points, triangles, view)[0]


def depth_buffer(points: ArrayLike, triangles: ArrayLike, view: View) -> FloatArray:
    """How far ahead the skin seen in every pixel is (height, width) [m]; infinite where there is none."""
    near = _rasterize(points, triangles, view)[1]
    return np.where(near > 0.0, 1.0 / np.where(near > 0.0, near, 1.0), np.inf)


def _rasterize(points: ArrayLike, triangles: ArrayLike, view: View) -> tuple[IntArray, FloatArray]:
    """Triangle numbers and 1 / depth of every pixel."""
    from supple.edits.strokes import kernels

    wp = devices.warp()
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    pixels, depths = view.project(frozen(points, np.float64, (-1, 3), _WHERE, "points"))
    wide, high = view.size
    ids = wp.full((high, wide), NONE, dtype=wp.int32, device="cpu")
    near = wp.zeros((high, wide), dtype=wp.float64, device="cpu")
    seen = [devices.to_device(pixels, wp.vec2d, "cpu"), devices.to_device(depths, wp.float64, "cpu")]
    least = 1e-6 * float(np.abs(depths).max(initial=1e-12))
    inputs = [len(faces), devices.to_device(faces, wp.vec3i, "cpu"), *seen, wp.float64(least), ids, near]
    wp.launch(kernels.rasterize, dim=1, inputs=inputs, device="cpu")
    return np.array(ids.numpy()), np.array(near.numpy())


def pick(
    points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike, buffer: IntArray | None = None
) -> Picks:
    """What lies under `pixels` (N, 2) of a view of the skin `points` (V, 3).

    The triangle is looked up in the `buffer` that `id_buffer` drew of the same view, or in one drawn now; then the ray
    through the pixel is met with that triangle alone. Where the ray passes beside it, because a pixel is wider than an
    edge, all triangles are asked.
    """
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    asked = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
    drawn = (
        id_buffer(where, faces, view)
        if buffer is None
        else frozen(buffer, np.int32, (view.size[1], view.size[0]), _WHERE, "buffer")
    )
    directions = view.rays(asked)
    column, row = np.floor(asked).astype(int).T
    inside = (column >= 0) & (column < view.size[0]) & (row >= 0) & (row < view.size[1])
    found = np.full(len(asked), NONE, dtype=np.int32)
    found[inside] = drawn[row[inside], column[inside]]
    barycentric = np.zeros((len(asked), 3))
    known = np.flatnonzero(found != NONE)
    if len(known):
        corners = where[faces[found[known]]]
        barycentric[known] = _intersect(corners, np.asarray(view.position), directions[known])[0]
    open_ = (found == NONE) | (barycentric.min(axis=1) < -_ROUNDING)
    if open_.any():
        by_ray = pick_by_rays(where, faces, view.position, directions=directions[open_])
        found[open_], barycentric[open_] = by_ray.triangles, by_ray.barycentric
    return Picks(found, barycentric)


def pick_by_rays(points: ArrayLike, triangles: ArrayLike, origin: ArrayLike, *, directions: ArrayLike) -> Picks:
    """The first triangle each ray from `origin` (3,) along `directions` (N, 3) meets, all triangles asked in turn."""
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    rays = frozen(directions, np.float64, (-1, 3), _WHERE, "directions")
    eye = frozen(origin, np.float64, (3,), _WHERE, "origin")
    corners = where[faces]
    found, barycentric = np.full(len(rays), NONE, dtype=np.int32), np.zeros((len(rays), 3))
    for ray, direction in enumerate(rays):
        coordinates, ahead = _intersect(corners, eye, np.broadcast_to(direction, (len(corners), 3)))
        ahead = np.where((coordinates.min(axis=1) >= -_ROUNDING) & (ahead > 0.0), ahead, np.inf)
        first = int(np.argmin(ahead)) if len(ahead) else 0
        if len(ahead) and np.isfinite(ahead[first]):
            found[ray], barycentric[ray] = first, coordinates[first]
    return Picks(found, barycentric)


def _intersect(corners: FloatArray, origin: FloatArray, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where lines meet the planes of triangles (N, 3, 3): barycentric coordinates (N, 3), and how far ahead (N,) [m].

    By volumes: the share of a corner is that of the tetrahedron that the line spans with the side opposite to it.
    """
    a, b, c = np.moveaxis(corners - origin, 1, 0)
    volumes = np.stack([np.einsum("ni,ni->n", np.cross(p, q), directions) for p, q in ((b, c), (c, a), (a, b))], axis=1)
    total = volumes.sum(axis=1)
    flat = np.abs(total) <= 1e-300
    barycentric = np.where(flat[:, None], -1.0, volumes / np.where(flat, 1.0, total)[:, None])
    ahead = np.einsum("nk,nki,ni->n", barycentric, corners - origin, directions)
    return barycentric, ahead
