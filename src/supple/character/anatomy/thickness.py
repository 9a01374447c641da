"""How thick a body is at every place: the largest ball inside it that reaches there."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry.flesh import Flesh
from supple.geometry.subdivision import subdivide_long_edges
from supple.geometry.vectors import cross, lengths, smoothstep

_FINEST = 60.0  # edges along the longest side, at least, on which balls begin: a coarse mesh has too few vertices
_SPACING = 0.25  # of the thickness: how far apart balls begin
_THINNEST = 0.02  # of the size: parts thinner than this need no more balls
_ROUNDS = 12  # in which a ball shrinks; it is done sooner nearly everywhere
_DONE = 1e-3  # of its radius: nothing reaches farther into a ball that is done
_NARROW = np.cos(np.radians(20.0))  # a ball that touches at two places this close together only feels a wrinkle
_HAIR = 1e-4  # of the size: how far off the skin it is asked what surrounds it
_BURIED = 0.9  # winding number outside the skin from which another shell surrounds it
_WITHIN = 0.4  # winding number in the middle of a ball from which it lies in flesh; near a hole it is less than one
_SAME = 0.2  # radii between the middles of two balls of which one says all
_REACH = (1.3, 1.8)  # radii from the middle of a ball: skin within the first is as thick as it, from the second not
_FAR = 4.0  # radii: a corner this far from the nearest ball belongs to no flesh


def local_thickness(points: FloatArray, triangles: IntArray) -> FloatArray:
    """How thick the body is at every point (V,) [m]: the diameter of the largest ball inside it that reaches there.

        t(x) = max_b 2 r_b s(|x - c_b| / r_b),   s = 1 near the ball, falling smoothly to 0 away from it

    over balls of middle c and radius r that touch the skin and lie in the flesh. Each is found by shrinking
    [MaBaeChoi2012]: it begins at a place of the skin and gives way to whatever is nearest to its middle until nothing
    is in it. A finger tip is as thick as the finger, because no larger ball reaches there. Shells that run into each
    other are one body, holes are no matter, and a sheet that encloses nothing has no thickness.
    """
    flesh = Flesh(points, triangles)
    centers, radii = inscribed_balls(flesh)
    return np.asarray(_reached(flesh.points, centers, radii)[flesh.point_of])


def _reached(points: FloatArray, centers: FloatArray, radii: FloatArray) -> FloatArray:
    """The diameter (N,) [m] of the largest ball that reaches each point."""
    from scipy.spatial import cKDTree

    thickness = np.zeros(len(points))
    if len(radii):
        near = cKDTree(points).query_ball_point(centers, _REACH[1] * radii)
        counts = np.array([len(each) for each in near])
        ball, point = np.repeat(np.arange(len(radii)), counts), np.concatenate(near).astype(np.int64)
        away = lengths(points[point] - centers[ball]) / radii[ball]
        np.maximum.at(thickness, point, 2.0 * radii[ball] * (1.0 - smoothstep(away, *_REACH)))
        bare = np.flatnonzero(thickness == 0.0)
        far, nearest = cKDTree(centers).query(points[bare])
        thickness[bare] = 2.0 * radii[nearest] * (far < _FAR * radii[nearest])  # corners that stick out of all balls
    return thickness


def inscribed_balls(flesh: Flesh) -> tuple[FloatArray, FloatArray]:
    """Middles (B, 3) [m] and radii (B,) [m] of balls that fill the flesh and touch its skin; the largest come first."""
    skin = flesh.triangles[_exposed(flesh)]
    if not len(skin):
        return np.empty((0, 3)), np.empty(0)
    positions, faces = subdivide_long_edges(flesh.points, skin, longest=flesh.span / _FINEST)
    corners = positions[faces]
    facing = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    around = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(around, faces[:, corner], facing)
    around /= np.maximum(lengths(around), 1e-300)[:, None]
    places, normals = corners.mean(axis=1), around[faces].sum(axis=1)
    normals /= np.maximum(lengths(normals), 1e-300)[:, None]
    hair = _HAIR * flesh.span
    _, across = flesh.first_crossing(places - hair * normals, -normals, 2.0 * flesh.span)
    across = np.clip(np.where(across > 0.0, across, np.inf), hair, flesh.span)
    some = _spread(places, across, flesh.span)
    centers, radii = _shrink(places[some], normals[some], 0.5 * across[some], flesh, skin)
    within = flesh.winding(centers) > _WITHIN
    return _thin_out(centers[within], radii[within])


def _spread(places: FloatArray, across: FloatArray, span: float) -> IntArray:
    """Some of many places, the denser the thinner the body is `across` (N,) [m] there.

    Of each cell of a grid, whose size goes with the thickness, the place nearest to its middle.
    """
    size = span * 2.0 ** np.floor(np.log2(_SPACING * np.maximum(across / span, _THINNEST)))
    scaled = (places - places.min(axis=0)) / size[:, None]
    cell = np.floor(scaled)
    keys = (lengths(scaled - cell - 0.5), cell[:, 2], cell[:, 1], cell[:, 0], size)
    order = np.lexsort(keys)
    changes = np.diff(np.column_stack([size, cell])[order], axis=0) != 0.0
    first = np.concatenate([[True], changes.any(axis=1)])
    return np.sort(order[first]).astype(np.int32)


def _exposed(flesh: Flesh) -> BoolArray:
    """Triangles (T,) with no flesh on their outside: only they bound the body."""
    corners = flesh.points[flesh.triangles]
    outward = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = lengths(outward)
    outward /= np.maximum(area, 1e-300)[:, None]
    return (area > 0.0) & (flesh.winding(corners.mean(axis=1) + _HAIR * flesh.span * outward) < _BURIED)


def _shrink(
    places: FloatArray, normals: FloatArray, start: FloatArray, flesh: Flesh, skin: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Middles (N, 3) [m] and radii (N,) [m] of balls that touch the skin from inside at `places`, with no skin in them.

    With q the place of the skin nearest to the middle, the ball through p and q has r = |p - q|^2 / (2 n . (p - q)).
    """
    import igl

    tree: Any = igl.AABB()
    faces = np.ascontiguousarray(skin, dtype=np.int64)
    tree.init(flesh.points, faces)
    radii = start.copy()
    left = np.arange(len(places))
    for _ in range(_ROUNDS):
        squared, _, nearest = tree.squared_distance(
            flesh.points, faces, places[left] - radii[left, None] * normals[left]
        )
        apart = places[left] - nearest
        gap, along = np.einsum("ni,ni->n", apart, apart), np.einsum("ni,ni->n", apart, normals[left])
        shrunk = gap / np.maximum(2.0 * along, 1e-9 * flesh.span)
        reaching = (np.sqrt(squared) < (1.0 - _DONE) * radii[left]) & (along > 0.0) & (shrunk < radii[left])
        better = reaching & (gap > 2.0 * (1.0 - _NARROW) * shrunk**2)
        radii[left[better]] = shrunk[better]
        left = left[better]
        if not len(left):
            break
    centers = places - radii[:, None] * normals
    squared, _, _ = tree.squared_distance(flesh.points, faces, centers)
    return centers, np.minimum(radii, np.sqrt(squared))


def _thin_out(centers: FloatArray, radii: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Without balls whose middle lies close to that of a larger one; the largest first."""
    from scipy.spatial import cKDTree

    order = np.lexsort((*centers.T, -radii))
    centers, radii = centers[order], radii[order]
    kept = np.ones(len(radii), dtype=bool)
    if len(radii):
        near = cKDTree(centers).query_ball_point(centers, _SAME * radii)
        for ball, others in enumerate(near):
            if kept[ball]:
                kept[[other for other in others if other > ball]] = False
    return centers[kept], radii[kept]
