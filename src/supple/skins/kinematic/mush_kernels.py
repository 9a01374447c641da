"""Arithmetic of delta mush over rings of neighbours (see geometry/rings.py for their layout).

Symbols: x a smoothed point, v a rest point, s the smoothing strength, F a tangent frame.
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
    strengths: wp.array(dtype=wp.float32),
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
    after[i] = x + (strengths[i] / float(wp.max(n, 1))) * (total - float(n) * x)


@wp.func
def ring_normal(
    i: int, rings: wp.array(dtype=vec8i), fan_starts: Ints, fans: wp.array(dtype=wp.vec2i), points: Points
) -> wp.vec3f:
    """Area vectors of the triangles round a vertex, summed: along the mean normal, zero if all are flat.

    For an ordered ring the sum of (p_k - x) x (p_k+1 - x) is the sum of p_k x p_k+1 about any centre: p_0 is taken.
    """
    x = points[i]
    r = rings[i]
    c = points[r[0]]
    p1 = points[r[1]] - c
    p2 = points[r[2]] - c
    p3 = points[r[3]] - c
    p4 = points[r[4]] - c
    p5 = points[r[5]] - c
    p6 = points[r[6]] - c
    p7 = points[r[7]] - c
    n = wp.cross(p1, p2) + wp.cross(p2, p3) + wp.cross(p3, p4) + wp.cross(p4, p5) + wp.cross(p5, p6) + wp.cross(p6, p7)
    for k in range(fan_starts[i], fan_starts[i + 1]):
        n += wp.cross(points[fans[k][0]] - x, points[fans[k][1]] - x)
    return n


@wp.func
def first_edge(i: int, rings: wp.array(dtype=vec8i), other_starts: Ints, others: Ints, points: Points) -> wp.vec3f:
    """From a vertex to its first neighbour, which gives its frame a direction."""
    there = rings[i][0]
    if other_starts[i + 1] > other_starts[i]:
        there = others[other_starts[i]]
    return points[there] - points[i]


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
    """What smoothing took away at rest, in the smoothed surface's frame of tangent, bitangent and normal: F^T (v - x).

    With n along the normal and e the first edge, the bitangent lies along b = n x e and the tangent along b x n.
    A vertex without a frame (no triangle, or only flat ones) keeps its detail in world axes.
    """
    i = first + wp.tid()
    d = rest[i] - smoothed[i]
    n = ring_normal(i, rings, fan_starts, fans, smoothed)
    b = wp.cross(n, first_edge(i, rings, other_starts, others, smoothed))
    nn = wp.dot(n, n)
    bb = wp.dot(b, b)
    if nn > 0.0 and bb > 0.0:
        n_length = wp.sqrt(nn)
        b_length = wp.sqrt(bb)
        t = wp.cross(b, n)
        d = wp.vec3f(wp.dot(t, d) / (n_length * b_length), wp.dot(b, d) / b_length, wp.dot(n, d) / n_length)
    deltas[i] = d


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
    d = deltas[i]
    n = ring_normal(i, rings, fan_starts, fans, smoothed)
    b = wp.cross(n, first_edge(i, rings, other_starts, others, smoothed))
    nn = wp.dot(n, n)
    bb = wp.dot(b, b)
    if nn > 0.0 and bb > 0.0:
        per_n = 1.0 / wp.sqrt(nn)
        per_b = 1.0 / wp.sqrt(bb)
        d = (d[0] * per_n * per_b) * wp.cross(b, n) + (d[1] * per_b) * b + (d[2] * per_n) * n
    posed[i] = smoothed[i] + d
