# mypy: ignore-errors
"""Arithmetic of surfaces that pass through themselves, on arrays; `points` holds several frames of one mesh.

Symbols: f a frame, t and u triangles in patch order, p and q patches (some triangles near each other at rest), g a
group of patches. A box round any of them is its low corner and its high corner, six numbers in one place; boxes of
several frames are numbered frame by frame, and so are the items `first + tid` that kernels work on.
"""

import warp as wp

from supple.geometry.kernels.triangle import closest_on_triangle

Points = wp.array2d(dtype=wp.vec3f)
Box = wp.types.vector(length=6, dtype=wp.float32)
Boxes = wp.array(dtype=Box)
Code = wp.types.vector(length=2, dtype=wp.uint64)
Codes = wp.array(dtype=Code)
Triangles = wp.array(dtype=wp.vec3i)
Starts = wp.array(dtype=wp.int32)
Keys = wp.array(dtype=wp.int64)
Marks = wp.array2d(dtype=wp.int32)

UNSEEN = wp.constant(0)
ASKED = wp.constant(1)  # to be tested: it is near a crossing, or next to a vertex that is inside
OUTSIDE = wp.constant(2)
INSIDE = wp.constant(3)

# The ray of the inside test runs along (1, SLANT_Y, SLANT_Z): no modelled edge or symmetry plane lies in its way.
SLANT_Y = wp.constant(wp.float64(0.0137219))
SLANT_Z = wp.constant(wp.float64(0.0271631))

PATCH = wp.constant(16)  # triangles at most in a patch
EMPTY = wp.constant(wp.uint64((1 << 20) | (1 << 41) | (1 << 62)))

ROUNDING = wp.constant(wp.float64(4.0e-15))


@wp.struct
class Patches:
    """Triangles in patch order, patches in groups; the triangles round vertex v are `corners[corner_starts[v]:...]`."""

    triangles: Triangles
    starts: Starts
    group_starts: Starts
    group_of: Starts
    corner_starts: Starts
    corners: Starts


@wp.struct
class FrameBoxes:
    """Boxes round triangles, patches and groups, frame by frame, and those of the first two as codes."""

    triangles: Boxes
    patches: Boxes
    groups: Boxes
    triangle_codes: Codes
    patch_codes: Codes


@wp.struct
class Adjacency:
    """Patches that share vertices with patch p, `patches[starts[p]:starts[p + 1]]`, and who is worth comparing."""

    starts: Starts
    patches: Starts
    masks: wp.array(dtype=wp.uint32)


@wp.kernel(enable_backward=False)
def triangle_boxes(first: int, points: Points, triangles: Triangles, boxes: Boxes):
    """The box round every triangle."""
    i = first + wp.tid()
    f = i // triangles.shape[0]
    corner = triangles[i - f * triangles.shape[0]]
    a = points[f, corner[0]]
    b = points[f, corner[1]]
    c = points[f, corner[2]]
    lo = wp.min(wp.min(a, b), c)
    hi = wp.max(wp.max(a, b), c)
    boxes[i] = Box(lo[0], lo[1], lo[2], hi[0], hi[1], hi[2])


@wp.func
def pack_lattice(x: wp.vec3f) -> wp.uint64:
    """Three whole numbers below 2^20 side by side, with an empty bit above each."""
    return (
        wp.uint64(wp.int32(x[0]))
        | (wp.uint64(wp.int32(x[1])) << wp.uint64(21))
        | (wp.uint64(wp.int32(x[2])) << wp.uint64(42))
    )


@wp.kernel(enable_backward=False)
def coded_boxes(first: int, members: int, frames: wp.array(dtype=wp.vec4f), boxes: Boxes, codes: Codes):
    """Boxes rounded outward to a lattice of 2^20 steps over the frame: low and high corner, each in one number.

    A frame has its lattice's origin and its steps per metre. Half a step and more is given away on either side, which
    covers the rounding of single precision.
    """
    i = first + wp.tid()
    lattice = frames[i // members]
    box = boxes[i]
    lo = (wp.vec3f(box[0], box[1], box[2]) - wp.vec3f(lattice[0], lattice[1], lattice[2])) * lattice[3]
    hi = (wp.vec3f(box[3], box[4], box[5]) - wp.vec3f(lattice[0], lattice[1], lattice[2])) * lattice[3]
    spare = wp.vec3f(1.5, 1.5, 1.5)
    codes[i] = Code(pack_lattice(lo - spare), pack_lattice(hi + spare))


@wp.func
def codes_apart(a: Code, b: Code) -> bool:
    """Whether two coded boxes have no point in common.

    With the empty bits set, a difference keeps its bit where the high corner is not below the other's low corner: all
    three axes and both ways are compared by two subtractions.
    """
    return (((a[1] | EMPTY) - b[0]) & ((b[1] | EMPTY) - a[0]) & EMPTY) != EMPTY


@wp.kernel(enable_backward=False)
def merge_boxes(first: int, starts: Starts, members: int, boxes: Boxes, merged: Boxes):
    """The box round all members of every patch or group; a frame has `members` of them."""
    i = first + wp.tid()
    count = starts.shape[0] - 1
    f = i // count
    p = i - f * count
    base = f * members
    box = boxes[base + starts[p]]
    for t in range(base + starts[p] + 1, base + starts[p + 1]):
        other = boxes[t]
        for k in range(3):
            box[k] = wp.min(box[k], other[k])
            box[k + 3] = wp.max(box[k + 3], other[k + 3])
    merged[i] = box


@wp.func
def apart(a: Box, b: Box) -> bool:
    """Whether two boxes have no point in common."""
    return a[0] > b[3] or b[0] > a[3] or a[1] > b[4] or b[1] > a[4] or a[2] > b[5] or b[2] > a[5]


@wp.func
def shares_corner(a: wp.vec3i, b: wp.vec3i) -> bool:
    """Whether two triangles meet at a vertex."""
    return (
        a[0] == b[0]
        or a[0] == b[1]
        or a[0] == b[2]
        or a[1] == b[0]
        or a[1] == b[1]
        or a[1] == b[2]
        or a[2] == b[0]
        or a[2] == b[1]
        or a[2] == b[2]
    )


@wp.func
def wide(v: wp.vec3f) -> wp.vec3d:
    """The same point in double precision."""
    return wp.vec3d(wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]))


@wp.func
def volume(u: wp.vec3d, v: wp.vec3d, w: wp.vec3d) -> wp.float64:
    """w . (u x v), six times a tetrahedron's volume; 0 where rounding leaves its sign open.

    The coordinates are exact, being single-precision numbers; the products are rounded. What rounding alone can make is
    a few times 1e-16 of the product of the lengths.
    """
    found = wp.dot(w, wp.cross(u, v))
    least = ROUNDING * wp.length(u) * wp.length(v) * wp.length(w)
    return wp.where(wp.abs(found) <= least, wp.float64(0.0), found)


@wp.func
def pierces(p: wp.vec3d, q: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> bool:
    """Whether the segment pq, whose ends lie on the two sides of the plane of abc, passes through the triangle.

    It does when the line sees the three sides turn the same way: the volumes (p, q, a, b), (p, q, b, c), (p, q, c, a)
    have one sign. Passing exactly through a side counts.
    """
    d = q - p
    x = volume(a - p, b - p, d)
    y = volume(b - p, c - p, d)
    z = volume(c - p, a - p, d)
    zero = wp.float64(0.0)
    return (x >= zero and y >= zero and z >= zero) or (x <= zero and y <= zero and z <= zero)


@wp.func
def edges_pierce(
    a: wp.vec3d,
    b: wp.vec3d,
    c: wp.vec3d,
    sa: wp.float64,
    sb: wp.float64,
    sc: wp.float64,
    x: wp.vec3d,
    y: wp.vec3d,
    z: wp.vec3d,
) -> bool:
    """Whether a side of abc passes through xyz; sa, sb, sc say on which side of the plane of xyz the corners lie."""
    zero = wp.float64(0.0)
    if sa * sb < zero and pierces(a, b, x, y, z):
        return True
    if sb * sc < zero and pierces(b, c, x, y, z):
        return True
    return sc * sa < zero and pierces(c, a, x, y, z)


@wp.func
def cross_each_other(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d, x: wp.vec3d, y: wp.vec3d, z: wp.vec3d) -> bool:
    """Whether triangles abc and xyz pass through each other.

    Each has corners on both sides of the other's plane, and a side of one goes through the other. Touching without
    passing through, and lying in one plane, do not count.
    """
    zero = wp.float64(0.0)
    sx = volume(b - a, c - a, x - a)
    sy = volume(b - a, c - a, y - a)
    sz = volume(b - a, c - a, z - a)
    if (sx >= zero and sy >= zero and sz >= zero) or (sx <= zero and sy <= zero and sz <= zero):
        return False
    sa = volume(y - x, z - x, a - x)
    sb = volume(y - x, z - x, b - x)
    sc = volume(y - x, z - x, c - x)
    if (sa >= zero and sb >= zero and sc >= zero) or (sa <= zero and sb <= zero and sc <= zero):
        return False
    return edges_pierce(a, b, c, sa, sb, sc, x, y, z) or edges_pierce(x, y, z, sx, sy, sz, a, b, c)


@wp.func
def is_known(key: wp.int64, known: Keys) -> bool:
    """Whether a sorted list holds a number."""
    low = wp.int32(0)
    high = known.shape[0]
    while low < high:
        middle = (low + high) // 2
        if known[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < known.shape[0] and known[low] == key


@wp.kernel(enable_backward=False)
def count_crossings(
    first: int,
    points: Points,
    mesh: Patches,
    boxes: FrameBoxes,
    beside: Adjacency,
    known: Keys,
    marks: Marks,
    keys: wp.array2d(dtype=wp.int64),
    found: wp.array(dtype=wp.int32),
    counts: wp.array2d(dtype=wp.int32),
):
    """Pairs of triangles that cross, one from patch p and the other from p or a later patch.

    Patches that share vertices are listed in `beside`; for those, `masks` has a bit for every triangle of the other
    patch that is worth comparing with a triangle of this one: it shares no corner and was not compared before.

    All in one body: a function that takes this many arrays would copy their descriptions at every call.
    """
    i = first + wp.tid()
    patches = mesh.starts.shape[0] - 1
    f = i // patches
    p = i - f * patches
    frame = f * mesh.triangles.shape[0]
    groups = mesh.group_starts.shape[0] - 1
    box = boxes.patches[i]
    box_code = boxes.patch_codes[i]
    count = wp.int32(0)
    for g in range(mesh.group_of[p], groups):
        if not apart(box, boxes.groups[f * groups + g]):
            for q in range(wp.max(mesh.group_starts[g], p), mesh.group_starts[g + 1]):
                other_box = boxes.patch_codes[f * patches + q]
                if not codes_apart(box_code, other_box):
                    known_pair = wp.int32(-1)
                    for e in range(beside.starts[p], beside.starts[p + 1]):
                        known_pair = wp.where(beside.patches[e] == q, e, known_pair)
                    start = mesh.starts[q]
                    width = mesh.starts[q + 1] - start
                    for t in range(mesh.starts[p], mesh.starts[p + 1]):
                        t_box = boxes.triangle_codes[frame + t]
                        if not codes_apart(t_box, other_box):
                            # Without a branch: whether two boxes meet cannot be guessed, and a wrong guess costs more.
                            hits = wp.uint32(0)
                            for k in range(width):
                                meets = wp.where(
                                    codes_apart(t_box, boxes.triangle_codes[frame + start + k]),
                                    wp.uint32(0),
                                    wp.uint32(1),
                                )
                                hits = hits | (meets << wp.uint32(k))
                            if known_pair >= 0:
                                hits = hits & beside.masks[known_pair * PATCH + t - mesh.starts[p]]
                            k = wp.int32(0)
                            while hits != wp.uint32(0):
                                if (hits & wp.uint32(1)) != wp.uint32(0):
                                    u = start + k
                                    mine = mesh.triangles[t]
                                    other = mesh.triangles[u]
                                    if not (
                                        shares_corner(mine, other)
                                        or apart(boxes.triangles[frame + t], boxes.triangles[frame + u])
                                    ):
                                        crossing = cross_each_other(
                                            wide(points[f, mine[0]]),
                                            wide(points[f, mine[1]]),
                                            wide(points[f, mine[2]]),
                                            wide(points[f, other[0]]),
                                            wide(points[f, other[1]]),
                                            wide(points[f, other[2]]),
                                        )
                                        key = wp.int64(t) * wp.int64(mesh.triangles.shape[0]) + wp.int64(u)
                                        if crossing and not is_known(key, known):
                                            count += 1
                                            for c in range(3):
                                                marks[f, mine[c]] = ASKED
                                                marks[f, other[c]] = ASKED
                                            position = wp.atomic_add(found, f, 1)
                                            if position < keys.shape[1]:
                                                keys[f, position] = key
                                hits = hits >> wp.uint32(1)
                                k += 1
    counts[f, p] = count


@wp.func
def off_the_ray(x: wp.vec3d, box: Box) -> bool:
    """Whether a box does not meet the ray from x."""
    a = wide(wp.vec3f(box[0], box[1], box[2])) - x
    b = wide(wp.vec3f(box[3], box[4], box[5])) - x
    zero = wp.float64(0.0)
    return (
        b[0] < zero
        or a[1] - SLANT_Y * b[0] > zero
        or b[1] - SLANT_Y * a[0] < zero
        or a[2] - SLANT_Z * b[0] > zero
        or b[2] - SLANT_Z * a[0] < zero
    )


@wp.func
def ray_leaves(x: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> int:
    """1 if the ray from x leaves the body through abc, -1 if it enters it there, 0 if it misses.

    Seen along the ray, the triangle is (y - SLANT_Y x, z - SLANT_Z x) and the ray is the origin.
    """
    zero = wp.float64(0.0)
    p = a - x
    q = b - x
    r = c - x
    py = p[1] - SLANT_Y * p[0]
    pz = p[2] - SLANT_Z * p[0]
    qy = q[1] - SLANT_Y * q[0]
    qz = q[2] - SLANT_Z * q[0]
    ry = r[1] - SLANT_Y * r[0]
    rz = r[2] - SLANT_Z * r[0]
    u = qy * rz - qz * ry
    v = ry * pz - rz * py
    w = py * qz - pz * qy
    if u > zero and v > zero and w > zero:
        return wp.where(u * p[0] + v * q[0] + w * r[0] > zero, 1, 0)
    if u < zero and v < zero and w < zero:
        return wp.where(u * p[0] + v * q[0] + w * r[0] < zero, -1, 0)
    return 0


@wp.func
def winding_number(f: int, x: wp.vec3d, points: Points, mesh: Patches, boxes: FrameBoxes) -> int:
    """How many times the body covers x (its winding number): 0 outside, 1 inside, 2 where it lies inside itself."""
    total = wp.int32(0)
    groups = mesh.group_starts.shape[0] - 1
    patches = mesh.starts.shape[0] - 1
    for g in range(groups):
        if not off_the_ray(x, boxes.groups[f * groups + g]):
            for p in range(mesh.group_starts[g], mesh.group_starts[g + 1]):
                if not off_the_ray(x, boxes.patches[f * patches + p]):
                    for t in range(mesh.starts[p], mesh.starts[p + 1]):
                        corner = mesh.triangles[t]
                        total += ray_leaves(
                            x, wide(points[f, corner[0]]), wide(points[f, corner[1]]), wide(points[f, corner[2]])
                        )
    return total


@wp.func
def area_vector(f: int, corner: wp.vec3i, points: Points) -> wp.vec3d:
    """(b - a) x (c - a) in double precision."""
    a = wide(points[f, corner[0]])
    return wp.cross(wide(points[f, corner[1]]) - a, wide(points[f, corner[2]]) - a)


@wp.func
def vertex_normal(f: int, v: int, points: Points, mesh: Patches) -> wp.vec3d:
    """Unit sum of the area vectors round a vertex."""
    total = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    for m in range(mesh.corner_starts[v], mesh.corner_starts[v + 1]):
        total += area_vector(f, mesh.triangles[mesh.corners[m]], points)
    return wp.normalize(total)


@wp.kernel(enable_backward=False)
def look_inside(
    first: int,
    reach: wp.float64,
    points: Points,
    mesh: Patches,
    boxes: FrameBoxes,
    marks: Marks,
    changed: wp.array(dtype=wp.int32),
):
    """Decide for every vertex that was asked about; one that is inside asks about its neighbours.

    A vertex is inside when the body covers the place just off its skin, and covers the place just under it once more.
    Two threads may ask about one vertex, or ask again: the answer is the same.
    """
    i = first + wp.tid()
    f = i // points.shape[1]
    v = i - f * points.shape[1]
    if marks[f, v] == ASKED:
        n = vertex_normal(f, v, points, mesh)
        x = wide(points[f, v])
        off = winding_number(f, x + reach * n, points, mesh, boxes)
        under = wp.int32(0)
        if off >= 1:
            under = winding_number(f, x - reach * n, points, mesh, boxes)
        if off >= 1 and under == off + 1:
            marks[f, v] = INSIDE
            for m in range(mesh.corner_starts[v], mesh.corner_starts[v + 1]):
                corner = mesh.triangles[mesh.corners[m]]
                for k in range(3):
                    if marks[f, corner[k]] == UNSEEN:
                        marks[f, corner[k]] = ASKED
                        changed[0] = 1
        else:
            marks[f, v] = OUTSIDE


@wp.func
def box_distance_squared(x: wp.vec3d, box: Box) -> wp.float64:
    """Squared distance from x to a box; 0 inside."""
    a = wide(wp.vec3f(box[0], box[1], box[2])) - x
    b = x - wide(wp.vec3f(box[3], box[4], box[5]))
    zero = wp.float64(0.0)
    gap = wp.vec3d(wp.max(wp.max(a[0], b[0]), zero), wp.max(wp.max(a[1], b[1]), zero), wp.max(wp.max(a[2], b[2]), zero))
    return wp.dot(gap, gap)


@wp.kernel(enable_backward=False)
def measure_depths(
    first: int,
    nearby: wp.float64,
    widest: wp.float64,
    points: Points,
    mesh: Patches,
    boxes: FrameBoxes,
    marks: Marks,
    depths: wp.array2d(dtype=wp.float32),
):
    """How far a vertex x that is inside has to go under its own skin to the nearest skin that faces against it.

    That skin has its nearest point q under the skin of x, n . (q - x) < 0, faces the other way, m . n < 0, and has x
    under it, m . (x - q) < 0: between the two, the body covers itself.
    """
    i = first + wp.tid()
    f = i // points.shape[1]
    v = i - f * points.shape[1]
    depth = wp.float32(0.0)
    if marks[f, v] == INSIDE:
        zero = wp.float64(0.0)
        n = vertex_normal(f, v, points, mesh)
        x = wide(points[f, v])
        groups = mesh.group_starts.shape[0] - 1
        patches = mesh.starts.shape[0] - 1
        # Look in balls of growing radius: with nothing found yet, no box could be passed over.
        reach = nearby * nearby
        best = wp.float64(wp.inf)
        while best > reach and reach < widest * widest:
            reach = wp.float64(4.0) * reach
            best = wp.float64(wp.inf)
            for g in range(groups):
                if box_distance_squared(x, boxes.groups[f * groups + g]) < wp.min(best, reach):
                    for p in range(mesh.group_starts[g], mesh.group_starts[g + 1]):
                        if box_distance_squared(x, boxes.patches[f * patches + p]) < wp.min(best, reach):
                            for t in range(mesh.starts[p], mesh.starts[p + 1]):
                                corner = mesh.triangles[t]
                                m = area_vector(f, corner, points)
                                if wp.dot(m, n) < zero:
                                    q = closest_on_triangle(
                                        x,
                                        wide(points[f, corner[0]]),
                                        wide(points[f, corner[1]]),
                                        wide(points[f, corner[2]]),
                                    )
                                    away = q - x
                                    square = wp.dot(away, away)
                                    if square < best and wp.dot(away, n) < zero and wp.dot(away, m) > zero:
                                        best = square
        if best < wp.float64(wp.inf):
            depth = wp.float32(wp.sqrt(best))
    depths[f, v] = depth
