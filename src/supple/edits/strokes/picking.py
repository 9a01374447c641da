"""What is under a pixel: rays through it, and pictures of triangle numbers and depths."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen, remembered
from supple.edits.strokes.view import View
from supple.geometry.collision.ray_casting import RayHits, cast_at

_WHERE = "pick"
_BANDS = 8  # strips of the picture that are drawn side by side


def id_buffer(points: ArrayLike, triangles: ArrayLike, view: View) -> IntArray:
    """The number of the triangle seen in every pixel (height, width), -1 where there is none."""
    return np.array(_rasterize(points, triangles, view)[0])


def depth_buffer(points: ArrayLike, triangles: ArrayLike, view: View) -> FloatArray:
    """How far ahead the skin seen in every pixel is (height, width) [m]; infinite where there is none."""
    _, near, farthest = _rasterize(points, triangles, view)
    return depths_from(near, view, farthest)


def depths_from(near: FloatArray, view: View, farthest: float) -> FloatArray:
    """How far ahead (...) [m] the nearness (...) of a picture is; infinite where nothing is seen."""
    seen = np.where(near > 0.0, near, 1.0)
    return np.where(near > 0.0, farthest - seen if view.is_parallel else 1.0 / seen, np.inf)


def nearness(points: ArrayLike, triangles: ArrayLike, view: View) -> tuple[FloatArray, float]:
    """A picture (height, width) of how near the skin is, for `depths_from`, and what that needs to know."""
    _, near, farthest = _rasterize(points, triangles, view)
    return near, farthest


def _rasterize(points: ArrayLike, triangles: ArrayLike, view: View) -> tuple[IntArray, FloatArray, float]:
    """Triangle numbers and nearness of every pixel.

    Nearness is linear in the picture and zero where nothing is seen: 1 / depth, or with parallel rays the distance from
    the farthest place on.
    """
    from supple.edits.strokes import kernels

    wp = devices.warp()
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    pixels, depths = view.project(frozen(points, np.float64, (-1, 3), _WHERE, "points"))
    wide, high = view.size
    size = float(np.abs(depths).max(initial=1e-12))
    if view.is_parallel:
        near = np.where(depths > 0.0, 2.0 * size - depths, 0.0)
    else:
        near = np.where(depths > 1e-6 * size, 1.0 / np.where(depths != 0.0, depths, 1.0), 0.0)
    corners = remembered(faces, "picture", lambda: devices.to_device(faces.copy(), wp.vec3i, "cpu"))
    ids = wp.empty((high, wide), dtype=wp.int32, device="cpu")
    picture = wp.empty((high, wide), dtype=wp.float64, device="cpu")
    seen = [devices.to_device(pixels, wp.vec2d, "cpu"), devices.to_device(near, wp.float64, "cpu")]
    inputs = [_BANDS, len(faces), corners, *seen, ids, picture]
    devices.Launch(kernels.rasterize, _BANDS, inputs, "cpu", smallest=1)()
    return ids.numpy(), picture.numpy(), 2.0 * size


def pick(points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike) -> RayHits:
    """What lies under `pixels` (N, 2) of a view of the skin `points` (V, 3).

    The first look at a mesh sorts it into boxes; those are kept as long as its array of triangles, if that is read-only
    as a character's is, and follow the points from look to look.
    """
    asked = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
    return cast_at(points, triangles, origins=view.origins(asked), directions=view.rays(asked))


def pick_by_rays(points: ArrayLike, triangles: ArrayLike, origins: ArrayLike, *, directions: ArrayLike) -> RayHits:
    """The first triangle that each ray from `origins` (3,) or (N, 3) along `directions` (N, 3) meets."""
    return cast_at(points, triangles, origins=origins, directions=directions)
