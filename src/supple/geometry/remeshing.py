"""Even out a closed triangle mesh: better triangles of about equal size, on the same surface.

Three moves take turns: vertices slide within the surface towards the middle of the triangles around them, edges flip
to the better diagonal, and vertices step back onto the surface.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.geometry import topology
from supple.geometry.rows import stable_order
from supple.geometry.topology import area_vectors
from supple.geometry.vectors import cross, lengths

Distance = Callable[[FloatArray], FloatArray]


def decimate(points: FloatArray, triangles: IntArray, vertex_count: int) -> tuple[FloatArray, IntArray]:
    """Collapse the shortest edges of a closed shell without handles until exactly `vertex_count` vertices are left."""
    import igl

    wanted = 2 * vertex_count - 4  # Euler: V - E + F = 2 and 2 E = 3 F
    fewer, faces, _, _ = igl.decimate(np.asfortranarray(points), np.asfortranarray(triangles), wanted)
    return np.ascontiguousarray(fewer), np.ascontiguousarray(faces).astype(np.int32)


def even_out(
    points: FloatArray, triangles: IntArray, distance: Distance, *, rounds: int = 9, step: float = 1e-4
) -> tuple[FloatArray, IntArray]:
    """Slide, flip and project for some `rounds`; `step` [m] is the stride of the difference quotients."""
    points, triangles = points.copy(), triangles.copy()
    for iteration in range(rounds):
        points = relax(points, triangles)
        triangles = flip_edges(points, triangles)
        if iteration % 3 == 2:  # sliding leaves the surface only slowly
            points = project(points, triangles, distance, step=step)
    for _ in range(2):
        points = project(points, triangles, distance, step=step)
    return points, triangles


def relax(points: FloatArray, triangles: IntArray, *, fraction: float = 0.7) -> FloatArray:
    """Slide every vertex, within the surface, a `share` of the way to the area-weighted middle of its triangles."""
    normals = area_vectors(points, triangles)
    areas = lengths(normals)
    middles = points.take(triangles, axis=0).mean(axis=1) * areas[:, None]
    count = len(points)
    normal, middle = _scatter(triangles, normals, count), _scatter(triangles, middles, count)
    area = _scatter(triangles, areas[:, None], count)
    shift = middle / area - points
    normal /= lengths(normal)[:, None]
    shift -= normal * np.einsum("ij,ij->i", shift, normal)[:, None]
    return points + fraction * shift


def project(points: FloatArray, triangles: IntArray, distance: Distance, *, step: float) -> FloatArray:
    """Move every vertex along its normal onto the zero of `distance` by one secant step, at most half an edge."""
    normals = area_vectors(points, triangles)
    normal = _scatter(triangles, normals, len(points))
    normal /= lengths(normal)[:, None]
    here, there = np.split(distance(np.concatenate([points, points + step * normal])), 2)
    slope = np.maximum((there - here) / step, 0.2)  # where normals and gradients disagree, creep
    limit = 0.5 * np.sqrt(lengths(normals).mean())
    return points - np.clip(here / slope, -limit, limit)[:, None] * normal


def flip_edges(points: FloatArray, triangles: IntArray) -> IntArray:
    """Flip the edges whose two opposite angles exceed half a turn (the Delaunay rule), each triangle at most once.

    An edge stays where the two triangles fold too sharply, where the new edge exists already, or where one of its
    ends would be left with three neighbours.
    """
    count = len(triangles)
    sides = topology.directed_edges(triangles).astype(np.int64)
    span = len(points)
    key = sides.min(axis=1) * span + sides.max(axis=1)
    order = stable_order(key)
    pair = order.reshape(-1, 2)  # closed manifold: every edge stands twice
    apexes = np.roll(triangles, 1, axis=1).T.ravel()  # across side s (corner s to s + 1) lies corner s + 2
    one, other = pair[:, 0], pair[:, 1]
    a, b = sides[one, 0], sides[one, 1]
    c, d = apexes[one].astype(np.int64), apexes[other].astype(np.int64)
    # The angles add up to more than half a turn when the sine of their sum is negative.
    gain = -_sine_of_sum(points, a, b, c, d)
    valence = np.bincount(np.concatenate([a, b]), minlength=span)
    new_key = np.minimum(c, d) * span + np.maximum(c, d)
    sorted_keys = key[order[::2]]
    found = np.searchsorted(sorted_keys, new_key)
    exists = sorted_keys[np.minimum(found, len(sorted_keys) - 1)] == new_key
    good = (gain > 1e-6) & (valence[a] > 4) & (valence[b] > 4) & ~exists
    good[good] &= _stays_flat(points, a[good], b[good], c[good], d[good])
    score = np.where(good, gain, -1.0)
    triangle_one, triangle_other = one % count, other % count
    best = np.full(count, -1.0)
    np.maximum.at(best, triangle_one, score)
    np.maximum.at(best, triangle_other, score)
    chosen = np.flatnonzero(good & (score >= best[triangle_one]) & (score >= best[triangle_other]))
    chosen = _without_rivals(chosen, triangle_one, triangle_other, new_key, count)
    lost = np.bincount(np.concatenate([a[chosen], b[chosen]]), minlength=span)
    spare = valence - lost >= 4
    chosen = chosen[spare[a[chosen]] & spare[b[chosen]]]
    result = triangles.copy()
    # Triangles (a, b, c) and (b, a, d) become (c, d, b) and (d, c, a).
    result[triangle_one[chosen]] = np.stack([c[chosen], d[chosen], b[chosen]], axis=1)
    result[triangle_other[chosen]] = np.stack([d[chosen], c[chosen], a[chosen]], axis=1)
    return result


def _without_rivals(
    chosen: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    new_key: NDArray[np.int64],
    triangle_count: int,
) -> NDArray[np.int64]:
    """Keep flips that share no triangle and make no edge twice."""
    uses = np.bincount(np.concatenate([one[chosen], other[chosen]]), minlength=triangle_count)
    chosen = chosen[(uses[one[chosen]] == 1) & (uses[other[chosen]] == 1)]
    _, unique = np.unique(new_key[chosen], return_index=True)
    return chosen[np.sort(unique)]


def _sine_of_sum(
    points: FloatArray, a: NDArray[np.int64], b: NDArray[np.int64], c: NDArray[np.int64], d: NDArray[np.int64]
) -> FloatArray:
    """sin(angle at c + angle at d) across the edge from a to b."""

    start, end = points.take(a, axis=0), points.take(b, axis=0)

    def sine_cosine(tip: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        from_tip = points.take(tip, axis=0)
        u, v = start - from_tip, end - from_tip
        size = lengths(u) * lengths(v)
        return lengths(cross(u, v)) / size, np.einsum("ij,ij->i", u, v) / size

    sine_c, cosine_c = sine_cosine(c)
    sine_d, cosine_d = sine_cosine(d)
    return sine_c * cosine_d + cosine_c * sine_d


def _stays_flat(
    points: FloatArray, a: NDArray[np.int64], b: NDArray[np.int64], c: NDArray[np.int64], d: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the two triangles before and after the flip all face the same way to within about 60 degrees."""

    def normal(p: NDArray[np.int64], q: NDArray[np.int64], r: NDArray[np.int64]) -> FloatArray:
        n = cross(points[q] - points[p], points[r] - points[p])
        return n / np.maximum(lengths(n)[:, None], 1e-30)

    mean_normal = normal(a, b, c) + normal(b, a, d)
    mean_normal /= np.maximum(lengths(mean_normal)[:, None], 1e-30)
    faces = (normal(a, b, c), normal(b, a, d), normal(c, d, b), normal(d, c, a))
    return np.min([np.einsum("ij,ij->i", n, mean_normal) for n in faces], axis=0) > 0.6


def _scatter(triangles: IntArray, values: FloatArray, vertex_count: int) -> FloatArray:
    """Sum values per triangle (T, C) into its three vertices (V, C)."""
    flat = triangles.ravel()
    columns = [np.bincount(flat, weights=np.repeat(column, 3), minlength=vertex_count) for column in values.T]
    return np.stack(columns, axis=1)
