"""Arithmetic of delta mush over rings of neighbours (see geometry/rings.py for their layout).

Symbols: x a point, s the smoothing strength, n its number of neighbours, F its tangent frame.
"""

import warp as wp

vec8i = wp.types.vector(length=8, dtype=wp.int32)
Points = wp.array(dtype=wp.vec3f)
Ints = wp.array(dtype=wp.int32)


@wp.kernel(enable_backward=False)
def smooth(
    first: int,
    rings: wp.array(dtype=vec8i),
    counts: Ints,
    other_starts: Ints,
    others: Ints,
    strength: float,
    before: Points,
    after: Points,
):
    """One round of Laplacian smoothing: x <- x + s (mean of neighbours - x); a vertex without neighbours stays.

    A row of eight holds the ring and then its first neighbour again, which is taken off as often as it is too many.
    """
    i = first + wp.tid()
    x = before[i]
    r = rings[i]
    start = before[r[0]]
    total = start + before[r[1]] + before[r[2]] + before[r[3]]
    total += before[r[4]] + before[r[5]] + before[r[6]] + before[r[7]]
    n = counts[i]
    total -= float(8 - n) * start
    for k in range(other_starts[i], other_starts[i + 1]):
        total += before[others[k]]
        n += 1
    after[i] = x + (strength / float(wp.max(n, 1))) * (total - float(n) * x)


@wp.func
def tangent_frame(
    i: int,
    rings: wp.array(dtype=vec8i),
    other_starts: Ints,
    others: Ints,
    fan_starts: Ints,
    fans: wp.array(dtype=wp.vec2i),
    points: Points,
) -> wp.mat33f:
    """Orthonormal frame: columns tangent, bitangent, normal.

    The normal is the area-weighted mean of the triangles, the tangent points to the first neighbour.
    """
    x = points[i]
    r = rings[i]
    t = points[r[0]] - x
    here = t
    n = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(1, 8):
        there = points[r[k]] - x
        n += wp.cross(here, there)
        here = there
    n += wp.cross(here, t)
    for k in range(fan_starts[i], fan_starts[i + 1]):
        n += wp.cross(points[fans[k][0]] - x, points[fans[k][1]] - x)
    if other_starts[i + 1] > other_starts[i]:
        t = points[others[other_starts[i]]] - x
    n = wp.normalize(n)
    t = wp.normalize(t - wp.dot(t, n) * n)
    if wp.dot(n, n) == 0.0 or wp.dot(t, t) == 0.0:  # no triangle, or only flat ones: detail stays in world axes
        return wp.identity(n=3, dtype=wp.float32)
    return wp.matrix_from_cols(t, wp.cross(n, t), n)


@wp.kernel(enable_backward=False)
def encode(
    first: int,
    rings: wp.array(dtype=vec8i),
    other_starts: Ints,
    others: Ints,
    fan_starts: Ints,
    fans: wp.array(dtype=wp.vec2i),
    rest: Points,
    smoothed: Points,
    deltas: Points,
):
    """What smoothing took away at rest, in the smoothed surface's own frames: F^T (v - x)."""
    i = first + wp.tid()
    frame = tangent_frame(i, rings, other_starts, others, fan_starts, fans, smoothed)
    deltas[i] = wp.transpose(frame) * (rest[i] - smoothed[i])


@wp.kernel(enable_backward=False)
def decode(
    first: int,
    rings: wp.array(dtype=vec8i),
    other_starts: Ints,
    others: Ints,
    fan_starts: Ints,
    fans: wp.array(dtype=wp.vec2i),
    smoothed: Points,
    deltas: Points,
    posed: Points,
):
    """Give the detail back in the posed frames: x + F delta [Mancewicz2014]."""
    i = first + wp.tid()
    frame = tangent_frame(i, rings, other_starts, others, fan_starts, fans, smoothed)
    posed[i] = smoothed[i] + frame * deltas[i]
