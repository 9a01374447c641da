# mypy: ignore-errors
"""Geometry on the device: arithmetic on arrays only, item `first + tid`."""

import warp as wp


@wp.kernel(enable_backward=False)
def area_vectors(
    first: int,
    each: int,
    points: wp.array(dtype=wp.vec3f),
    triangles: wp.array(dtype=wp.vec3i),
    areas: wp.array(dtype=wp.vec3f),
):
    """(b - a) x (c - a): twice the area, along the normal; of copies of `each` vertices, with the triangles of one."""
    t = first + wp.tid()
    copy = t / triangles.shape[0]
    corner = triangles[t - copy * triangles.shape[0]]
    a = points[copy * each + corner[0]]
    areas[t] = wp.cross(points[copy * each + corner[1]] - a, points[copy * each + corner[2]] - a)


@wp.kernel(enable_backward=False)
def mean_normals(
    first: int,
    starts: wp.array(dtype=wp.int32),
    members: wp.array(dtype=wp.int32),
    areas: wp.array(dtype=wp.vec3f),
    normals: wp.array(dtype=wp.vec3f),
):
    """Unit sum of the area vectors of a normal's triangles."""
    n = first + wp.tid()
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[n], starts[n + 1]):
        total += areas[members[m]]
    normals[n] = wp.normalize(total)


@wp.kernel(enable_backward=False)
def area_sums(
    first: int,
    each: int,
    triangles: int,
    starts: wp.array(dtype=wp.int32),
    members: wp.array(dtype=wp.int32),
    areas: wp.array(dtype=wp.vec3f),
    sums: wp.array(dtype=wp.vec3f),
):
    """The sum of the area vectors around every vertex; `members` are of the `triangles` of one copy."""
    i = first + wp.tid()
    copy = i / each
    v = i - copy * each
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[v], starts[v + 1]):
        total += areas[copy * triangles + members[m]]
    sums[i] = total
