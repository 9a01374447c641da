# mypy: ignore-errors
"""Arithmetic of skin that meets skin, on arrays.

Symbols: i a node, x its place, j its row among the nodes of the skin; a and b patches (nodes of one bone); c a cluster;
m a row among the triangles; n a direction out of what is met; d a direction along which shadows of two patches are
compared. Rows of nodes and of triangles stand in the order of their clusters. Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.geometry.kernels.triangle import closest_barycentric, ray_crossing
from supple.skins.contact.detection.obstacle_kernels import AXES, NOTHING, box_shadow

Positions = wp.array(dtype=wp.vec3f)
Barycentrics = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
Corners = wp.array(dtype=wp.vec3i)
Cones = wp.array(dtype=wp.vec4f)
FloatArray = wp.array(dtype=wp.float32)
Slabs = wp.array2d(dtype=wp.float32)
Table = wp.array2d(dtype=wp.int32)
Bits = wp.array2d(dtype=wp.uint8)
Transforms = wp.array(dtype=wp.transformf)

ALL = wp.constant(255)  # bits: all triangles of a cluster
ASKEW = wp.constant(wp.vec3f(0.0129, 0.0071, -0.0107))  # turns rays off the edges that even meshes line up


@wp.func
def cones_agree(one: wp.vec4f, two: wp.vec4f) -> bool:
    """Whether no direction of one cone is at a right angle, or more, to one of the other."""
    spread = one[3] + two[3]
    if spread >= 1.57:
        return False
    square = spread * spread
    sine = spread * (1.0 - square / 6.0 * (1.0 - square / 20.0))  # never below it, and cheaper
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2] > sine


@wp.func
def box_center(lows: Slabs, highs: Slabs, a: int) -> wp.vec3f:
    """Middle of the box of a patch's first three slabs."""
    return 0.5 * wp.vec3f(lows[a, 0] + highs[a, 0], lows[a, 1] + highs[a, 1], lows[a, 2] + highs[a, 2])


@wp.func
def box_radius(lows: Slabs, highs: Slabs, a: int) -> float:
    """Radius of the ball round that box."""
    return 0.5 * wp.length(wp.vec3f(highs[a, 0] - lows[a, 0], highs[a, 1] - lows[a, 1], highs[a, 2] - lows[a, 2]))


@wp.kernel(enable_backward=False)
def broad_phase_patches(
    first: int,
    margin: float,
    own: int,
    axes: Positions,
    lows: Slabs,
    highs: Slabs,
    frames: Transforms,
    growths: FloatArray,
    other_lows: Slabs,
    other_highs: Slabs,
    other_frames: Transforms,
    other_growths: FloatArray,
    roots: IntArray,
    counts: IntArray,
    near: Table,
):
    """List the patches b with triangles, of another body or of its own, that patch a may meet.

    They may unless a direction is known in which their shadows are apart.
    """
    a = first + wp.tid()
    center = wp.transform_point(frames[a], box_center(lows, highs, a))
    wide = margin + growths[a] + box_radius(lows, highs, a)
    back = wp.transform_inverse(frames[a])
    count = int(0)
    for b in range(other_frames.shape[0]):
        meets = roots[b] >= 0 and not (own == 1 and a == b)
        if meets:
            away = wp.transform_point(other_frames[b], box_center(other_lows, other_highs, b)) - center
            reach = wide + other_growths[b] + box_radius(other_lows, other_highs, b)
            meets = wp.dot(away, away) <= reach * reach
        if meets:
            between = wp.transform_multiply(back, other_frames[b])
            slack = margin + growths[a] + other_growths[b]
            move = wp.transform_get_translation(between)
            rotation = wp.quat_to_matrix(wp.transform_get_rotation(between))
            k = int(0)
            while meets and k < AXES:
                d = axes[k]  # along a's slabs, in its frame
                other = box_shadow(other_lows, other_highs, b, d * rotation)
                middle = wp.dot(d, move) + other[0]
                if lows[a, k] > middle + other[1] + slack or highs[a, k] < middle - other[1] - slack:
                    meets = False
                e = rotation * d  # along b's slabs, in a's frame
                mine = box_shadow(lows, highs, a, e)
                aside = mine[0] - wp.dot(e, move)
                if aside - mine[1] > other_highs[b, k] + slack or aside + mine[1] < other_lows[b, k] - slack:
                    meets = False
                k += 1
        if meets:
            near[a, count] = b
            count += 1
    counts[a] = count


@wp.func
def winding_number(
    origin: wp.vec3f, direction: wp.vec3f, tree: wp.uint64, starts: IntArray, corners: Corners, points: Positions
) -> int:
    """How often a closed surface surrounds a place: the ways out of it along a ray, less the ways in."""
    total = int(0)
    query = wp.bvh_query_ray(tree, origin, direction)
    c = int(0)
    while wp.bvh_query_next(query, c):
        for m in range(starts[c], starts[c + 1]):
            corner = corners[m]
            total += ray_crossing(origin, direction, points[corner[0]], points[corner[1]], points[corner[2]])
    return total


@wp.func
def find_row(cluster: int, low: int, high: int, excluded: IntArray) -> int:
    """Where the settled table tells of a cluster, by twice its number or one more than that; -1 if it does not."""
    if low == high:
        return -1
    index = low
    left = high - low
    while left > 1:  # no branch but the end: half of them would be guessed wrong
        half = left // 2
        index = wp.where(excluded[index + half] <= 2 * cluster + 1, index + half, index)
        left -= half
    return wp.where(excluded[index] // 2 == cluster, index, -1)


@wp.func
def squared_box_distance(low: wp.vec3f, high: wp.vec3f, other_low: wp.vec3f, other_high: wp.vec3f) -> float:
    """Squared distance between two boxes."""
    between = wp.max(wp.max(other_low - high, low - other_high), wp.vec3f(0.0, 0.0, 0.0))
    return wp.dot(between, between)


@wp.kernel(enable_backward=False)
def gather_clusters(
    first: int,
    reach: float,
    lows: Positions,
    highs: Positions,
    cones: Cones,
    cluster_patch: IntArray,
    near_counts: IntArray,
    near: Table,
    tree: wp.uint64,
    roots: IntArray,
    other_lows: Positions,
    other_highs: Positions,
    other_cones: Cones,
    excluded_starts: IntArray,
    excluded: IntArray,
    excluded_bits: Bits,
    counts: IntArray,
    found: Table,
    rows: Table,
):
    """List the clusters of triangles that a cluster of nodes may touch: near enough, and not looking the same way.

    `rows` says where the `excluded` table tells who of both belongs together at rest; -1 where nobody does. The count
    may exceed the room in the list; then all is searched again, node by node.
    """
    c = first + wp.tid()
    a = cluster_patch[c]
    wide = wp.vec3f(reach, reach, reach)
    low = lows[c]
    high = highs[c]
    cone = cones[c]
    max_squared = reach * reach * 1.0001  # rounding
    count = int(0)
    for m in range(near_counts[a]):
        query = wp.bvh_query_aabb(tree, low - wide, high + wide, roots[near[a, m]])
        other = int(0)
        while wp.bvh_query_next(query, other):
            far = squared_box_distance(low, high, other_lows[other], other_highs[other])
            if far < max_squared and not cones_agree(cone, other_cones[other]):
                row = find_row(other, excluded_starts[c], excluded_starts[c + 1], excluded)
                if row < 0 or excluded[row] % 2 == 0:
                    if count < found.shape[1]:
                        found[c, count] = other
                        rows[c, count] = row
                    count += 1
    counts[c] = count


@wp.struct
class Nearest:
    """The triangle nearest to a node so far: squared distance, height over its plane, row, number and place in it."""

    far: float
    upright: float
    row: int
    triangle: int
    barycentric: wp.vec3f


@wp.func
def nearer_in_cluster(
    best: Nearest,
    c: int,
    bits: int,
    x: wp.vec3f,
    outward: wp.vec3f,
    starts: IntArray,
    members: IntArray,
    areas: Positions,
    corners: Corners,
    points: Positions,
) -> Nearest:
    """The nearest of the triangles in cluster c and the best so far; only those that face against the node's skin.

    A bit is set for every triangle that does not count. Of the triangles at one edge, the one that is seen most from
    above tells the side, so it is the one that counts.
    """
    start = starts[c]
    for m in range(start, starts[c + 1]):
        if ((bits >> (m - start)) & 1) == 0:
            area = areas[m]
            if wp.dot(area, outward) < 0.0:
                corner = corners[m]
                u = points[corner[0]]
                v = points[corner[1]]
                w = points[corner[2]]
                barycentric = closest_barycentric(x, u, v, w)
                away = x - (barycentric[0] * u + barycentric[1] * v + barycentric[2] * w)
                far = wp.dot(away, away)
                if far < best.far * 1.0001 + 1.0e-14:
                    above = wp.abs(wp.dot(away, wp.normalize(area)))
                    better = far < best.far * 0.9999 - 1.0e-14 or above > best.upright * 1.0001
                    if better or (above > best.upright * 0.9999 and members[m] < best.triangle):
                        best.far = wp.min(far, best.far)
                        best.upright = above
                        best.row = m
                        best.triangle = members[m]
                        best.barycentric = barycentric
    return best


@wp.kernel(enable_backward=False)
def narrow_phase_skin(
    first: int,
    own: int,
    margin: float,
    reach: float,
    points: Positions,
    nodes: IntArray,
    node_starts: IntArray,
    cluster_of: IntArray,
    cluster_patch: IntArray,
    outwards: Positions,
    contact_distances: FloatArray,
    rest_overlaps: FloatArray,
    excluded_starts: IntArray,
    excluded: IntArray,
    excluded_bits: Bits,
    near_counts: IntArray,
    near: Table,
    counts: IntArray,
    found: Table,
    rows: Table,
    tree: wp.uint64,
    roots: IntArray,
    starts: IntArray,
    members: IntArray,
    corners: Corners,
    areas: Positions,
    lows: Positions,
    highs: Positions,
    cones: Cones,
    surface: Positions,
    gaps: FloatArray,
    normals: Positions,
    faces: IntArray,
    barycentric: Barycentrics,
):
    """The triangle of other patches that is nearest to a node, and the gap to it: negative where the node is inside.

    `own` says that node and triangles are of one body: then what is no nearer than `contact_distances` is no contact,
    and depth counts beyond `rest_overlaps`. What is `excluded` belongs together at rest and is none either. Inside is
    who is behind its triangle and has the closed surface all round it.
    """
    j = first + wp.tid()
    gaps[j] = NOTHING
    mine = cluster_of[j]
    if counts[mine] == 0:
        return
    seat = j - node_starts[mine]
    x = points[nodes[j]]
    outward = outwards[j]
    best = Nearest()
    best.far = reach * reach
    best.row = -1
    best.triangle = -1
    if counts[mine] <= found.shape[1]:
        direction = wp.vec4f(outward[0], outward[1], outward[2], 0.0)
        for k in range(counts[mine]):
            bits = int(0)
            if rows[mine, k] >= 0:
                bits = int(excluded_bits[rows[mine, k], seat])
            if bits != ALL:
                c = found[mine, k]
                beside = x - wp.max(lows[c], wp.min(highs[c], x))
                if wp.dot(beside, beside) < best.far * 1.0001 and not cones_agree(direction, cones[c]):
                    best = nearer_in_cluster(best, c, bits, x, outward, starts, members, areas, corners, surface)
    else:
        a = cluster_patch[mine]
        wide = wp.vec3f(reach, reach, reach)
        for m in range(near_counts[a]):
            query = wp.bvh_query_aabb(tree, x - wide, x + wide, roots[near[a, m]])
            c = int(0)
            while wp.bvh_query_next(query, c):
                bits = int(0)
                row = find_row(c, excluded_starts[mine], excluded_starts[mine + 1], excluded)
                if row >= 0:
                    bits = int(excluded_bits[row, seat])
                best = nearer_in_cluster(best, c, bits, x, outward, starts, members, areas, corners, surface)
    if best.row < 0:
        return
    corner = corners[best.row]
    u = surface[corner[0]]
    v = surface[corner[1]]
    w = surface[corner[2]]
    away = x - (best.barycentric[0] * u + best.barycentric[1] * v + best.barycentric[2] * w)
    n = wp.normalize(wp.cross(v - u, w - u))
    far = wp.length(away)
    side = 1.0 if wp.dot(away, n) >= 0.0 else -1.0
    if far > 1.0e-7:
        n = side * away / far
    gap = side * far
    limit = margin
    if own == 1:
        limit = wp.min(contact_distances[j], margin)
        gap = gap - rest_overlaps[j]
    if gap < limit:
        touching = bool(True)
        if side < 0.0:
            start = x
            if own == 1:
                start = x + 1.0e-3 * reach * outward
            touching = winding_number(start, wp.normalize(outward + ASKEW), tree, starts, corners, surface) > 0
        if touching:
            gaps[j] = gap
            normals[j] = n
            faces[j] = best.triangle
            barycentric[j] = best.barycentric


@wp.kernel(enable_backward=False)
def winding_numbers(
    first: int,
    local: Positions,
    now: Transforms,
    tree: wp.uint64,
    starts: IntArray,
    corners: Corners,
    points: Positions,
    counts: IntArray,
):
    """How often the skin surrounds the middle of an obstacle."""
    o = first + wp.tid()
    direction = wp.normalize(wp.vec3f(0.3, 0.9, 0.1) + ASKEW)
    counts[o] = winding_number(wp.transform_point(now[o], local[o]), direction, tree, starts, corners, points)
