"""What is under a pixel: rays through it, and pictures of triangle numbers and depths."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.edits.strokes.view import View
from supple.geometry.collision.ray_casting import NONE, RayCaster, RayHits

_WHERE = "pick"


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


def pick(points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike) -> RayHits:
    """What lies under `pixels` (N, 2) of a view of the skin `points` (V, 3).

    For many looks at one skin keep a `RayCaster`, refit it as the skin moves, and cast `view.rays(pixels)`.
    """
    asked = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
    return RayCaster(points, triangles).cast(view.position, view.rays(asked))


def pick_by_rays(points: ArrayLike, triangles: ArrayLike, origins: ArrayLike, *, directions: ArrayLike) -> RayHits:
    """The first triangle that each ray from `origins` (3,) or (N, 3) along `directions` (N, 3) meets."""
    return RayCaster(points, triangles).cast(origins, directions)
