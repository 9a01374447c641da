# mypy: ignore-errors
"""Arithmetic of delta mush over rings of neighbours (see geometry/rings.py for their layout).

Symbols: x a smoothed point, v a rest point, s the smoothing strength, F a tangent frame. Every step comes twice: over
all vertices as straight code for those with an ordered ring, and then over the few irregular ones as loops.
"""

import warp as wp

vec8i = wp.types.vector(length=8, dtype=wp.int32)
Points = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
Rings = wp.array(dtype=vec8i)
Fans = wp.array(dtype=wp.vec2i)
FloatArray = wp.array(dtype=wp.float32)


@wp.kernel(enable_backward=False)
def smooth(first: int, rings: Rings, counts: IntArray, strengths: FloatArray, before: Points, after: Points):
    """One round of Laplacian smoothing: x <- x + s (mean of neighbours - x); an irregular vertex stays.

    A row of eight holds the ring and then its first neighbour again, which is taken off as often as it is too many.
    """
    i = first + wp.tid()
    x = before[i]
    r = rings[i]
    start = before[r[0]]
    total = start + before[r[1]] + before[r[2]] + before[r[3]]
    total += before[r[4]] + before[r[5]] + before[r[6]] + before[r[7]]
    n = float(counts[i])
    after[i] = x + (strengths[i] / wp.max(n, 1.0)) * (total - (8.0 - n) * start - n * x)


@wp.kernel(enable_backward=False)
def smooth_irregular(
    first: int,
    irregular: IntArray,
    other_starts: IntArray,
    others: IntArray,
    strengths: FloatArray,
    before: Points,
    after: Points,
):
    """The same for a vertex with a plain list of neighbours; one without neighbours stays."""
    i = irregular[first + wp.tid()]
    x = before[i]
    total = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(other_starts[i], other_starts[i + 1]):
        total += before[others[k]] - x
    after[i] = x + (strengths[i] / float(wp.max(other_starts[i + 1] - other_starts[i], 1))) * total


@wp.func
def ring_normal(i: int, rings: Rings, points: Points) -> wp.vec3f:
    """Area vectors of the triangles round a vertex, summed: along the mean normal, zero if all are flat.

    For a closed ring the sum of (p_k - x) x (p_k+1 - x) is the sum of p_k x p_k+1 about any centre: p_0 is taken.
    """
    r = rings[i]
    c = points[r[0]]
    p1 = points[r[1]] - c
    p2 = points[r[2]] - c
    p3 = points[r[3]] - c
    p4 = points[r[4]] - c
    p5 = points[r[5]] - c
    p6 = points[r[6]] - c
    p7 = points[r[7]] - c
    n = wp.cross(p1, p2) + wp.cross(p2, p3) + wp.cross(p3, p4)
    return n + wp.cross(p4, p5) + wp.cross(p5, p6) + wp.cross(p6, p7)


@wp.func
def fan_normal(i: int, fan_starts: IntArray, fans: Fans, points: Points) -> wp.vec3f:
    """The same from a plain list of triangles (i, a, b)."""
    x = points[i]
    n = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(fan_starts[i], fan_starts[i + 1]):
        n += wp.cross(points[fans[k][0]] - x, points[fans[k][1]] - x)
    return n


@wp.func
def to_tangent_frame(n: wp.vec3f, edge: wp.vec3f, d: wp.vec3f) -> wp.vec3f:
    """F^T d: with n along the normal and b = n x edge, the bitangent lies along b and the tangent along b x n.

    Without a frame (no triangle, or only flat ones) the detail stays in world axes.
    """
    b = wp.cross(n, edge)
    nn = wp.dot(n, n)
    bb = wp.dot(b, b)
    if nn == 0.0 or bb == 0.0:
        return d
    n_length = wp.sqrt(nn)
    b_length = wp.sqrt(bb)
    return wp.vec3f(wp.dot(wp.cross(b, n), d) / (n_length * b_length), wp.dot(b, d) / b_length, wp.dot(n, d) / n_length)


@wp.func
def from_tangent_frame(n: wp.vec3f, edge: wp.vec3f, d: wp.vec3f) -> wp.vec3f:
    """F d, the way back."""
    b = wp.cross(n, edge)
    nn = wp.dot(n, n)
    bb = wp.dot(b, b)
    if nn == 0.0 or bb == 0.0:
        return d
    per_n = 1.0 / wp.sqrt(nn)
    per_b = 1.0 / wp.sqrt(bb)
    return (d[0] * per_n * per_b) * wp.cross(b, n) + (d[1] * per_b) * b + (d[2] * per_n) * n


@wp.func
def first_edge(i: int, other_starts: IntArray, others: IntArray, points: Points) -> wp.vec3f:
    """From an irregular vertex to its first neighbour; nowhere if it has none."""
    if other_starts[i + 1] > other_starts[i]:
        return points[others[other_starts[i]]] - points[i]
    return wp.vec3f(0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def encode(first: int, rings: Rings, rest: Points, smoothed: Points, deltas: Points):
    """What smoothing took away at rest, in the smoothed surface's frames: F^T (v - x)."""
    i = first + wp.tid()
    x = smoothed[i]
    deltas[i] = to_tangent_frame(ring_normal(i, rings, smoothed), smoothed[rings[i][0]] - x, rest[i] - x)


@wp.kernel(enable_backward=False)
def encode_irregular(
    first: int,
    irregular: IntArray,
    other_starts: IntArray,
    others: IntArray,
    fan_starts: IntArray,
    fans: Fans,
    rest: Points,
    smoothed: Points,
    deltas: Points,
):
    i = irregular[first + wp.tid()]
    edge = first_edge(i, other_starts, others, smoothed)
    deltas[i] = to_tangent_frame(fan_normal(i, fan_starts, fans, smoothed), edge, rest[i] - smoothed[i])


@wp.kernel(enable_backward=False)
def decode(first: int, rings: Rings, smoothed: Points, deltas: Points, posed: Points):
    """Give the detail back in the posed frames: x + F delta [Mancewicz2014]."""
    i = first + wp.tid()
    x = smoothed[i]
    posed[i] = x + from_tangent_frame(ring_normal(i, rings, smoothed), smoothed[rings[i][0]] - x, deltas[i])


@wp.kernel(enable_backward=False)
def decode_irregular(
    first: int,
    irregular: IntArray,
    other_starts: IntArray,
    others: IntArray,
    fan_starts: IntArray,
    fans: Fans,
    smoothed: Points,
    deltas: Points,
    posed: Points,
):
    i = irregular[first + wp.tid()]
    edge = first_edge(i, other_starts, others, smoothed)
    posed[i] = smoothed[i] + from_tangent_frame(fan_normal(i, fan_starts, fans, smoothed), edge, deltas[i])
