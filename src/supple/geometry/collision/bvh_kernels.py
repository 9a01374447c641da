# mypy: ignore-errors
"""Arithmetic of clusters of nodes and triangles in a hierarchy of boxes, on arrays.

Every kernel works on item `first + tid`.
"""

import warp as wp

Positions = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
Corners = wp.array(dtype=wp.vec3i)
Cones = wp.array(dtype=wp.vec4f)


@wp.func
def cone_round(first: int, last: int, directions: Positions, total: wp.vec3f) -> wp.vec4f:
    """A cone that holds the directions of some `ways`: its axis, along their sum, and its half angle.

    The angle is 9 where they spread over more than a half space, or one has no direction: no cone tells anything then.
    """
    axis = wp.normalize(total)
    least = float(1.0)  # the square of the least cosine, 0 where one is not above zero
    for m in range(first, last):
        direction = directions[m]
        along = wp.max(wp.dot(axis, direction), 0.0)
        least = wp.min(least, along * along / wp.max(wp.dot(direction, direction), 1.0e-30))
    angle = float(9.0)
    if least > 0.0:
        angle = wp.acos(wp.sqrt(least)) + 1.0e-3
    return wp.vec4f(axis[0], axis[1], axis[2], angle)


@wp.kernel(enable_backward=False)
def follow_clusters(
    first: int,
    points: Positions,
    corners: Corners,
    starts: IntArray,
    areas: Positions,
    lows: Positions,
    highs: Positions,
    cones: Cones,
):
    """Box of a cluster of triangles, and the cone of their normals; twice the area of each along its normal."""
    c = first + wp.tid()
    low = points[corners[starts[c]][0]]
    high = low
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[c], starts[c + 1]):
        corner = corners[m]
        x = points[corner[0]]
        y = points[corner[1]]
        z = points[corner[2]]
        low = wp.min(low, wp.min(x, wp.min(y, z)))
        high = wp.max(high, wp.max(x, wp.max(y, z)))
        area = wp.cross(y - x, z - x)
        areas[m] = area
        total += area
    lows[c] = low
    highs[c] = high
    cones[c] = cone_round(starts[c], starts[c + 1], areas, total)


@wp.kernel(enable_backward=False)
def follow_nodes(
    first: int,
    points: Positions,
    nodes: IntArray,
    around_starts: IntArray,
    around: IntArray,
    areas: Positions,
    starts: IntArray,
    normals: Positions,
    lows: Positions,
    highs: Positions,
    cones: Cones,
):
    """Box of a cluster of nodes, the way out of the flesh at each, and the cone of these ways."""
    c = first + wp.tid()
    low = points[nodes[starts[c]]]
    high = low
    total = wp.vec3f(0.0, 0.0, 0.0)
    for j in range(starts[c], starts[c + 1]):
        x = points[nodes[j]]
        low = wp.min(low, x)
        high = wp.max(high, x)
        outward = wp.vec3f(0.0, 0.0, 0.0)
        for k in range(around_starts[j], around_starts[j + 1]):
            outward += areas[around[k]]
        outward = wp.normalize(outward)
        normals[j] = outward
        total += outward
    lows[c] = low
    highs[c] = high
    cones[c] = cone_round(starts[c], starts[c + 1], normals, total)


@wp.kernel(enable_backward=False)
def find_roots(first: int, tree: wp.uint64, roots: IntArray):
    """Where the triangles of every patch begin in the hierarchy; -1 for a patch that has none."""
    b = first + wp.tid()
    roots[b] = wp.bvh_get_group_root(tree, b)
