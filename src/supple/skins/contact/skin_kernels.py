"""Arithmetic of skin that meets skin, on arrays.

Symbols: i a node, x its place; a and b patches (nodes of one bone); c a cluster; t a triangle; n a direction out of
what is met; d a direction along which shadows of two patches are compared. Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.skins.contact.detection_kernels import AXES, NOTHING, box_shadow

Places = wp.array(dtype=wp.vec3f)
Shares = wp.array(dtype=wp.vec3f)
Whole = wp.array(dtype=wp.int32)
Corners = wp.array(dtype=wp.vec3i)
Cones = wp.array(dtype=wp.vec4f)
Numbers = wp.array(dtype=wp.float32)
Slabs = wp.array2d(dtype=wp.float32)
Flags = wp.array2d(dtype=wp.int32)
Transforms = wp.array(dtype=wp.transformf)

ASKEW = wp.constant(wp.vec3f(0.0129, 0.0071, -0.0107))  # turns rays off the edges that even meshes line up


@wp.func
def cone_round(first: int, last: int, members: Whole, ways: Places, total: wp.vec3f) -> wp.vec4f:
    """A cone that holds the directions of all members' `ways`: its axis, along their sum, and its half angle.

    The angle is 9 where they spread over more than a half space, or one has no direction: no cone tells anything then.
    """
    axis = wp.normalize(total)
    cosine = float(1.0)
    for m in range(first, last):
        cosine = wp.min(cosine, wp.dot(axis, wp.normalize(ways[members[m]])))
    angle = float(9.0)
    if cosine > 0.0:
        angle = wp.acos(cosine) + 1.0e-3
    return wp.vec4f(axis[0], axis[1], axis[2], angle)


@wp.func
def look_alike(one: wp.vec4f, two: wp.vec4f) -> bool:
    """Whether no direction of one cone is at a right angle, or more, to one of the other."""
    spread = one[3] + two[3]
    if spread >= 1.57:
        return False
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2] > wp.sin(spread)


@wp.kernel(enable_backward=False)
def follow_clusters(
    first: int,
    points: Places,
    triangles: Corners,
    starts: Whole,
    members: Whole,
    areas: Places,
    lows: Places,
    highs: Places,
    cones: Cones,
):
    """Box of a cluster of triangles, and the cone of their normals; twice the area of each along its normal."""
    c = first + wp.tid()
    corner = triangles[members[starts[c]]]
    low = points[corner[0]]
    high = low
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[c], starts[c + 1]):
        corner = triangles[members[m]]
        x = points[corner[0]]
        y = points[corner[1]]
        z = points[corner[2]]
        low = wp.min(low, wp.min(x, wp.min(y, z)))
        high = wp.max(high, wp.max(x, wp.max(y, z)))
        area = wp.cross(y - x, z - x)
        areas[members[m]] = area
        total += wp.normalize(area)
    lows[c] = low
    highs[c] = high
    cones[c] = cone_round(starts[c], starts[c + 1], members, areas, total)


@wp.kernel(enable_backward=False)
def follow_nodes(
    first: int,
    points: Places,
    around_starts: Whole,
    around: Whole,
    areas: Places,
    starts: Whole,
    members: Whole,
    normals: Places,
    lows: Places,
    highs: Places,
    cones: Cones,
):
    """Box of a cluster of nodes, the way out of the flesh at each, and the cone of these ways."""
    c = first + wp.tid()
    low = points[members[starts[c]]]
    high = low
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[c], starts[c + 1]):
        i = members[m]
        low = wp.min(low, points[i])
        high = wp.max(high, points[i])
        outward = wp.vec3f(0.0, 0.0, 0.0)
        for k in range(around_starts[i], around_starts[i + 1]):
            outward += areas[around[k]]
        normals[i] = wp.normalize(outward)
        total += normals[i]
    lows[c] = low
    highs[c] = high
    cones[c] = cone_round(starts[c], starts[c + 1], members, normals, total)


@wp.kernel(enable_backward=False)
def near_patches(
    first: int,
    margin: float,
    own: int,
    axes: Places,
    lows: Slabs,
    highs: Slabs,
    frames: Transforms,
    growths: Numbers,
    other_lows: Slabs,
    other_highs: Slabs,
    other_frames: Transforms,
    other_growths: Numbers,
    flags: Flags,
):
    """Whether patch a of one body may meet patch b of another, or of itself: no shadows are known to be apart."""
    item = first + wp.tid()
    others = other_frames.shape[0]
    a = item // others
    b = item % others
    meets = int(1)
    if own == 1 and a == b:
        meets = 0
    between = wp.transform_multiply(wp.transform_inverse(frames[a]), other_frames[b])
    slack = margin + growths[a] + other_growths[b]
    move = wp.transform_get_translation(between)
    turn = wp.transform_get_rotation(between)
    k = int(0)
    while meets == 1 and k < AXES:
        d = axes[k]  # along a's slabs, in its frame
        other = box_shadow(other_lows, other_highs, b, wp.quat_rotate_inv(turn, d))
        middle = wp.dot(d, move) + other[0]
        if lows[a, k] > middle + other[1] + slack or highs[a, k] < middle - other[1] - slack:
            meets = 0
        e = wp.quat_rotate(turn, axes[k])  # along b's slabs, in a's frame
        mine = box_shadow(lows, highs, a, e)
        away = mine[0] - wp.dot(e, move)
        if away - mine[1] > other_highs[b, k] + slack or away + mine[1] < other_lows[b, k] - slack:
            meets = 0
        k += 1
    flags[a, b] = meets


@wp.func
def nearest_on_triangle(p: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Shares of the corners in the place of a triangle that is nearest to p, region by region."""
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
def crossing(origin: wp.vec3f, way: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> int:
    """1 where a ray leaves through a triangle, -1 where it comes in, 0 where it misses."""
    e1 = b - a
    e2 = c - a
    across = wp.cross(way, e2)
    det = wp.dot(e1, across)
    if det == 0.0:
        return 0
    s = origin - a
    u = wp.dot(s, across) / det
    r = wp.cross(s, e1)
    v = wp.dot(way, r) / det
    far = wp.dot(e2, r) / det
    if u < 0.0 or v < 0.0 or u + v > 1.0 or far < 0.0:
        return 0
    return 1 if det < 0.0 else -1


@wp.func
def times_around(
    origin: wp.vec3f,
    way: wp.vec3f,
    tree: wp.uint64,
    roots: Whole,
    starts: Whole,
    members: Whole,
    points: Places,
    triangles: Corners,
) -> int:
    """How often a closed surface surrounds a place: the ways out of it along a ray, less the ways in."""
    total = int(0)
    for b in range(roots.shape[0]):
        if roots[b] >= 0:
            query = wp.bvh_query_ray(tree, origin, way, roots[b])
            c = int(0)
            while wp.bvh_query_next(query, c):
                for m in range(starts[c], starts[c + 1]):
                    corner = triangles[members[m]]
                    total += crossing(origin, way, points[corner[0]], points[corner[1]], points[corner[2]])
    return total


@wp.func
def listed(value: int, low: int, high: int, numbers: Whole) -> bool:
    """Whether a rising row of numbers holds a value."""
    one = low
    two = high
    while one < two:
        middle = (one + two) // 2
        if numbers[middle] < value:
            one = middle + 1
        else:
            two = middle
    return one < high and numbers[one] == value


@wp.func
def in_slabs(x: wp.vec3f, b: int, slack: float, axes: Places, lows: Slabs, highs: Slabs) -> bool:
    """Whether a place in the frame of patch b's bone is within its slabs, widened by `slack`."""
    inside = bool(True)
    k = int(0)
    while inside and k < AXES:
        along = wp.dot(axes[k], x)
        inside = along > lows[b, k] - slack and along < highs[b, k] + slack
        k += 1
    return inside


@wp.func
def other_patch(own: int, a: int, corner: wp.vec3i, patch_of: Whole) -> bool:
    """Whether a triangle has no corner in patch a, if it is of the same body."""
    return own == 0 or (patch_of[corner[0]] != a and patch_of[corner[1]] != a and patch_of[corner[2]] != a)


@wp.kernel(enable_backward=False)
def gather_clusters(
    first: int,
    reach: float,
    lows: Places,
    highs: Places,
    cones: Cones,
    cluster_patch: Whole,
    pair_starts: Whole,
    pairs: Whole,
    axes: Places,
    slab_lows: Slabs,
    slab_highs: Slabs,
    frames: Transforms,
    growths: Numbers,
    tree: wp.uint64,
    roots: Whole,
    other_cones: Cones,
    own_starts: Whole,
    own: Whole,
    counts: Whole,
    found: Flags,
):
    """List the clusters of triangles that a cluster of nodes may touch: near enough, and not looking the same way.

    `own` lists those that belong together with it at rest, all of them. The count may exceed the room in the list; then
    all is searched again, node by node.
    """
    c = first + wp.tid()
    a = cluster_patch[c]
    middle = 0.5 * (lows[c] + highs[c])
    slack = 0.5 * wp.length(highs[c] - lows[c]) + reach
    wide = wp.vec3f(reach, reach, reach)
    count = int(0)
    for m in range(pair_starts[a], pair_starts[a + 1]):
        b = pairs[m]
        local = wp.transform_point(wp.transform_inverse(frames[b]), middle)
        if in_slabs(local, b, growths[b] + slack, axes, slab_lows, slab_highs):
            query = wp.bvh_query_aabb(tree, lows[c] - wide, highs[c] + wide, roots[b])
            other = int(0)
            while wp.bvh_query_next(query, other):
                if not look_alike(cones[c], other_cones[other]) and not listed(
                    other, own_starts[c], own_starts[c + 1], own
                ):
                    if count < found.shape[1]:
                        found[c, count] = other
                    count += 1
    counts[c] = count


@wp.struct
class Nearest:
    """The triangle nearest to a node so far: squared distance, height over its plane, number and place in it."""

    far: float
    upright: float
    triangle: int
    shares: wp.vec3f


@wp.func
def nearer_in_cluster(
    best: Nearest,
    c: int,
    i: int,
    a: int,
    x: wp.vec3f,
    outward: wp.vec3f,
    own: int,
    together_starts: Whole,
    together: Whole,
    starts: Whole,
    members: Whole,
    areas: Places,
    triangles: Corners,
    points: Places,
    patch_of: Whole,
) -> Nearest:
    """The nearest of the triangles in cluster c and the best so far; only those that face against the node's skin.

    Of the triangles at one edge, the one that is seen most from above tells the side, so it is the one that counts.
    """
    for k in range(starts[c], starts[c + 1]):
        t = members[k]
        area = areas[t]
        corner = triangles[t]
        if wp.dot(area, outward) < 0.0 and other_patch(own, a, corner, patch_of):
            u = points[corner[0]]
            v = points[corner[1]]
            w = points[corner[2]]
            share = nearest_on_triangle(x, u, v, w)
            away = x - (share[0] * u + share[1] * v + share[2] * w)
            far = wp.dot(away, away)
            if far < best.far * 1.0001 + 1.0e-14:
                above = wp.abs(wp.dot(away, wp.normalize(area)))
                better = far < best.far * 0.9999 - 1.0e-14 or above > best.upright * 1.0001
                if better or (above > best.upright * 0.9999 and t < best.triangle):
                    bound = bool(False)
                    if own == 1:
                        bound = listed(t, together_starts[i], together_starts[i + 1], together)
                    if not bound:
                        best.far = wp.min(far, best.far)
                        best.upright = above
                        best.triangle = t
                        best.shares = share
    return best


@wp.kernel(enable_backward=False)
def meet_skin(
    first: int,
    own: int,
    margin: float,
    reach: float,
    points: Places,
    patch_of: Whole,
    cluster_of: Whole,
    outwards: Places,
    limits: Numbers,
    eases: Numbers,
    together_starts: Whole,
    together: Whole,
    pair_starts: Whole,
    pairs: Whole,
    counts: Whole,
    found: Flags,
    tree: wp.uint64,
    roots: Whole,
    cluster_starts: Whole,
    members: Whole,
    lows: Places,
    highs: Places,
    cones: Cones,
    areas: Places,
    surface_triangles: Corners,
    surface: Places,
    surface_patch_of: Whole,
    gaps: Numbers,
    normals: Places,
    faces: Whole,
    shares: Shares,
):
    """The triangle of other patches that is nearest to a node, and the gap to it: negative where the node is inside.

    `own` says that node and triangles are of one body: then what belongs together at rest is no contact, nor is what is
    no nearer than `limits`, and depth counts beyond `eases`. Inside is who is behind its triangle and has the closed
    surface all round it.
    """
    i = first + wp.tid()
    gaps[i] = NOTHING
    mine = cluster_of[i]
    if counts[mine] == 0:
        return
    a = patch_of[i]
    x = points[i]
    outward = outwards[i]
    best = Nearest()
    best.far = reach * reach
    best.triangle = -1
    way = wp.vec4f(outward[0], outward[1], outward[2], 0.0)
    if counts[mine] <= found.shape[1]:
        for k in range(counts[mine]):
            c = found[mine, k]
            beside = x - wp.max(lows[c], wp.min(highs[c], x))
            if wp.dot(beside, beside) < best.far * 1.0001 and not look_alike(way, cones[c]):
                best = nearer_in_cluster(
                    best, c, i, a, x, outward, own, together_starts, together, cluster_starts, members, areas,
                    surface_triangles, surface, surface_patch_of,
                )  # fmt: skip
    else:
        wide = wp.vec3f(reach, reach, reach)
        for m in range(pair_starts[a], pair_starts[a + 1]):
            query = wp.bvh_query_aabb(tree, x - wide, x + wide, roots[pairs[m]])
            c = int(0)
            while wp.bvh_query_next(query, c):
                best = nearer_in_cluster(
                    best, c, i, a, x, outward, own, together_starts, together, cluster_starts, members, areas,
                    surface_triangles, surface, surface_patch_of,
                )  # fmt: skip
    if best.triangle < 0:
        return
    corner = surface_triangles[best.triangle]
    u = surface[corner[0]]
    v = surface[corner[1]]
    w = surface[corner[2]]
    away = x - (best.shares[0] * u + best.shares[1] * v + best.shares[2] * w)
    n = wp.normalize(wp.cross(v - u, w - u))
    far = wp.length(away)
    side = 1.0 if wp.dot(away, n) >= 0.0 else -1.0
    if far > 1.0e-7:
        n = side * away / far
    gap = side * far
    limit = margin
    if own == 1:
        limit = wp.min(limits[i], margin)
        gap = gap - eases[i]
    if gap < limit:
        touching = bool(True)
        if side < 0.0:
            start = x
            if own == 1:
                start = x + 1.0e-3 * reach * outward
            ray = wp.normalize(outward + ASKEW)
            around = times_around(start, ray, tree, roots, cluster_starts, members, surface, surface_triangles)
            touching = around > 0
        if touching:
            gaps[i] = gap
            normals[i] = n
            faces[i] = best.triangle
            shares[i] = best.shares


@wp.kernel(enable_backward=False)
def surround(
    first: int,
    places: Places,
    tree: wp.uint64,
    roots: Whole,
    starts: Whole,
    members: Whole,
    triangles: Corners,
    points: Places,
    counts: Whole,
):
    """How often the skin surrounds places."""
    p = first + wp.tid()
    way = wp.normalize(wp.vec3f(0.3, 0.9, 0.1) + ASKEW)
    counts[p] = times_around(places[p], way, tree, roots, starts, members, points, triangles)


@wp.kernel(enable_backward=False)
def find_roots(first: int, tree: wp.uint64, roots: Whole):
    """Where the triangles of every patch begin in the hierarchy; -1 for a patch that has none."""
    b = first + wp.tid()
    roots[b] = wp.bvh_get_group_root(tree, b)
