# mypy: ignore-errors
"""Arithmetic of the measures on arrays; `points` holds several frames, and items are numbered frame by frame."""

import warp as wp

Points = wp.array2d(dtype=wp.vec3f)
FloatTable = wp.array2d(dtype=wp.float32)
Lengths = wp.array(dtype=wp.float32)
Starts = wp.array(dtype=wp.int32)


@wp.kernel(enable_backward=False)
def edge_ratios(first: int, points: Points, edges: wp.array(dtype=wp.vec2i), rest: Lengths, ratios: FloatTable):
    """| |b - a| / rest length - 1 | of every edge."""
    i = first + wp.tid()
    f = i // edges.shape[0]
    e = i - f * edges.shape[0]
    ends = edges[e]
    ratios[f, e] = wp.abs(wp.length(points[f, ends[1]] - points[f, ends[0]]) / rest[e] - 1.0)


@wp.func
def twice_area(f: int, corner: wp.vec3i, points: Points) -> wp.float32:
    """|(b - a) x (c - a)|."""
    a = points[f, corner[0]]
    return wp.length(wp.cross(points[f, corner[1]] - a, points[f, corner[2]] - a))


@wp.kernel(enable_backward=False)
def area_ratios(first: int, points: Points, triangles: wp.array(dtype=wp.vec3i), rest: Lengths, ratios: FloatTable):
    """| area / rest area - 1 | of every triangle."""
    i = first + wp.tid()
    f = i // triangles.shape[0]
    t = i - f * triangles.shape[0]
    ratios[f, t] = wp.abs(twice_area(f, triangles[t], points) / rest[t] - 1.0)


@wp.kernel(enable_backward=False)
def loop_middles(first: int, vertices: int, starts: Starts, members: Starts, points: Points):
    """The mean of the vertices of every loop, written behind the vertices of the mesh."""
    i = first + wp.tid()
    loops = starts.shape[0] - 1
    f = i // loops
    k = i - f * loops
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[k], starts[k + 1]):
        total += points[f, members[m]]
    points[f, vertices + k] = total / wp.float32(starts[k + 1] - starts[k])


@wp.kernel(enable_backward=False)
def cone_volumes(
    first: int, points: Points, triangles: wp.array(dtype=wp.vec3i), tips: Starts, volumes: wp.array2d(dtype=wp.float64)
):
    """(a - o) . ((b - o) x (c - o)) / 6 with o a vertex of the same surface, so that far from the origin counts too."""
    i = first + wp.tid()
    f = i // triangles.shape[0]
    t = i - f * triangles.shape[0]
    corner = triangles[t]
    o = points[f, tips[t]]
    a = points[f, corner[0]] - o
    b = points[f, corner[1]] - o
    c = points[f, corner[2]] - o
    volumes[f, t] = wp.float64(wp.dot(a, wp.cross(b, c))) / wp.float64(6.0)


@wp.func
def cut_point(f: int, ends: wp.vec2i, alpha: wp.float32, points: Points) -> wp.vec3f:
    """The point `alpha` of the way along an edge."""
    a = points[f, ends[0]]
    return a + alpha * (points[f, ends[1]] - a)


@wp.kernel(enable_backward=False)
def section_radii(
    first: int,
    points: Points,
    starts: Starts,
    ends: wp.array(dtype=wp.vec2i),
    alphas: Lengths,
    weights: Lengths,
    rest_radii: Lengths,
    mean: FloatTable,
    narrowest: FloatTable,
    widest: FloatTable,
):
    """Mean radius of every section, and the least and greatest ratio of a radius to its own at rest.

    The centre is the weighted mean of the section's points; a rest radius of 0 leaves its point out of the extremes.
    """
    i = first + wp.tid()
    count = starts.shape[0] - 1
    f = i // count
    s = i - f * count
    center = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(starts[s], starts[s + 1]):
        center += weights[k] * cut_point(f, ends[k], alphas[k], points)
    total = wp.float32(0.0)
    least = wp.float32(wp.inf)
    most = wp.float32(0.0)
    for k in range(starts[s], starts[s + 1]):
        radius = wp.length(cut_point(f, ends[k], alphas[k], points) - center)
        total += weights[k] * radius
        if rest_radii[k] > 0.0:
            least = wp.min(least, radius / rest_radii[k])
            most = wp.max(most, radius / rest_radii[k])
    mean[f, s] = total
    narrowest[f, s] = least
    widest[f, s] = most
