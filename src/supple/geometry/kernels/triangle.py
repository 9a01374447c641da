# mypy: ignore-errors
"""Points nearest to points on triangles and segments, and rays through triangles.

Those of double precision measure a surface; those of single precision are for the steps of a simulation.
"""

import warp as wp


@wp.func
def closest_barycentric(p: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Barycentric coordinates of the place of a triangle that is nearest to p, region by region."""
    ab = b - a
    ac = c - a
    ap = p - a
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return wp.vec3f(1.0, 0.0, 0.0)
    bp = p - b
    d3 = wp.dot(ab, bp)
    d4 = wp.dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return wp.vec3f(0.0, 1.0, 0.0)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3)
        return wp.vec3f(1.0 - v, v, 0.0)
    cp = p - c
    d5 = wp.dot(ab, cp)
    d6 = wp.dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return wp.vec3f(0.0, 0.0, 1.0)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6)
        return wp.vec3f(1.0 - w, 0.0, w)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and (d4 - d3) >= 0.0 and (d5 - d6) >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return wp.vec3f(0.0, 1.0 - w, w)
    total = va + vb + vc
    return wp.vec3f(va / total, vb / total, vc / total)


@wp.func
def ray_crossing(origin: wp.vec3f, direction: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> int:
    """1 where a ray leaves through a triangle, -1 where it comes in, 0 where it misses."""
    e1 = b - a
    e2 = c - a
    across = wp.cross(direction, e2)
    det = wp.dot(e1, across)
    if det == 0.0:
        return 0
    s = origin - a
    u = wp.dot(s, across) / det
    r = wp.cross(s, e1)
    v = wp.dot(direction, r) / det
    far = wp.dot(e2, r) / det
    if u < 0.0 or v < 0.0 or u + v > 1.0 or far < 0.0:
        return 0
    return 1 if det < 0.0 else -1


@wp.func
def closest_on_triangle(p: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> wp.vec3d:
    """The point of triangle abc nearest to p: over the inside if p lies above it, else on the nearest side."""
    u = b - a
    v = c - a
    w = p - a
    uu = wp.dot(u, u)
    uv = wp.dot(u, v)
    vv = wp.dot(v, v)
    wu = wp.dot(w, u)
    wv = wp.dot(w, v)
    zero = wp.float64(0.0)
    det = uu * vv - uv * uv
    s = vv * wu - uv * wv
    t = uu * wv - uv * wu
    if det > zero and s >= zero and t >= zero and s + t <= det:
        return a + (s / det) * u + (t / det) * v
    best = closest_on_segment(p, a, b)
    other = closest_on_segment(p, b, c)
    if wp.length_sq(other - p) < wp.length_sq(best - p):
        best = other
    other = closest_on_segment(p, c, a)
    if wp.length_sq(other - p) < wp.length_sq(best - p):
        best = other
    return best


@wp.func
def closest_on_segment(p: wp.vec3d, a: wp.vec3d, b: wp.vec3d) -> wp.vec3d:
    """The point of the segment ab nearest to p."""
    d = b - a
    square = wp.dot(d, d)
    if square == wp.float64(0.0):
        return a
    return a + wp.clamp(wp.dot(p - a, d) / square, wp.float64(0.0), wp.float64(1.0)) * d


@wp.func
def closest_on_segment(x: wp.vec3f, start: wp.vec3f, end: wp.vec3f) -> wp.vec3f:  # noqa: F811 - Warp chooses by type
    """The same in single precision."""
    direction = end - start
    t = wp.dot(x - start, direction) / wp.max(wp.dot(direction, direction), 1.0e-20)
    return start + wp.clamp(t, 0.0, 1.0) * direction
