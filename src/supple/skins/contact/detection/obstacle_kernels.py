# mypy: ignore-errors
"""Arithmetic of nodes that meet obstacles, on arrays.

Symbols: i a node, x its place; a a patch (nodes of one bone); o an obstacle; n a direction out of what is met; d a
direction along which shadows of two bodies are compared. Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.obstacles.kernels import CAPSULE, MESH, PLANE, SPHERE, body_entry, body_surface

Positions = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
Corners = wp.array(dtype=wp.vec3i)
FloatArray = wp.array(dtype=wp.float32)
Slabs = wp.array2d(dtype=wp.float32)
Flags = wp.array2d(dtype=wp.int32)
Sizes = wp.array(dtype=wp.vec3f)
Meshes = wp.array(dtype=wp.uint64)
Transforms = wp.array(dtype=wp.transformf)
Matrices = wp.array(dtype=wp.mat44f)

AXES = wp.constant(13)
ALIKE = wp.constant(0.5)  # cosine: directions that agree this much are the same side of an obstacle
NOTHING = wp.constant(1.0e9)  # a gap that is none


@wp.func
def box_shadow(lows: Slabs, highs: Slabs, a: int, d: wp.vec3f) -> wp.vec2f:
    """Middle and half width of the shadow of a patch's first three slabs, a box, along d in the bone's frame."""
    middle = float(0.0)
    half = float(0.0)
    for k in range(3):
        middle += 0.5 * (highs[a, k] + lows[a, k]) * d[k]
        half += 0.5 * (highs[a, k] - lows[a, k]) * wp.abs(d[k])
    return wp.vec2f(middle, half)


@wp.func
def shadow_of_body(kind: int, size: wp.vec3f, low: wp.vec3f, high: wp.vec3f, d: wp.vec3f) -> wp.vec2f:
    """Middle and half width of an obstacle's shadow along d, in its own frame; of a mesh, that of its box."""
    if kind == SPHERE:
        return wp.vec2f(0.0, size[0])
    if kind == CAPSULE:
        return wp.vec2f(0.0, size[0] + size[1] * wp.abs(d[1]))
    middle = wp.dot(0.5 * (high + low), d)
    half = 0.5 * (
        (high[0] - low[0]) * wp.abs(d[0]) + (high[1] - low[1]) * wp.abs(d[1]) + (high[2] - low[2]) * wp.abs(d[2])
    )
    return wp.vec2f(middle, half)


@wp.kernel(enable_backward=False)
def broad_phase_obstacles(
    first: int,
    margin: float,
    axes: Positions,
    lows: Slabs,
    highs: Slabs,
    frames: Transforms,
    growths: FloatArray,
    start_growths: FloatArray,
    kinds: IntArray,
    sizes: Sizes,
    box_lows: Positions,
    box_highs: Positions,
    now: Transforms,
    earlier: Transforms,
    flags: Flags,
):
    """Whether a patch may meet an obstacle during the step: no direction is known in which their shadows are apart.

    All in the obstacle's frame, in which the obstacle rests and each node goes straight from where it was, seen from
    where the obstacle was, to where it is: so the shadow of both ends holds the whole way.
    """
    item = first + wp.tid()
    patches = frames.shape[0]
    o = item // patches
    a = item % patches
    ending = wp.transform_multiply(wp.transform_inverse(now[o]), frames[a])
    starting = wp.transform_multiply(wp.transform_inverse(earlier[o]), frames[a])
    meets = int(1)
    count = int(AXES)
    if kinds[o] == PLANE:
        count = 1
    k = int(0)
    while meets == 1 and k < count:
        d = wp.vec3f(0.0, 1.0, 0.0)
        if kinds[o] != PLANE:
            d = wp.transform_vector(ending, axes[k])
        one = box_shadow(lows, highs, a, wp.quat_rotate_inv(wp.transform_get_rotation(ending), d))
        two = box_shadow(lows, highs, a, wp.quat_rotate_inv(wp.transform_get_rotation(starting), d))
        at_end = wp.dot(d, wp.transform_get_translation(ending))
        at_start = wp.dot(d, wp.transform_get_translation(starting)) + two[0]
        low = at_end + one[0] - one[1]
        high = at_end + one[0] + one[1]
        if kinds[o] != PLANE:  # along its own axes a patch is known better than by its box
            low = at_end + lows[a, k]
            high = at_end + highs[a, k]
        low = wp.min(low - growths[a], at_start - two[1] - start_growths[a])
        high = wp.max(high + growths[a], at_start + two[1] + start_growths[a])
        if kinds[o] == PLANE:
            if low > margin:
                meets = 0
        else:
            body = shadow_of_body(kinds[o], sizes[o], box_lows[o], box_highs[o], d)
            if low > body[0] + body[1] + margin or high < body[0] - body[1] - margin:
                meets = 0
        k += 1
    flags[o, a] = meets


@wp.func
def skin_normal(i: int, starts: IntArray, around: IntArray, points: Positions, triangles: Corners) -> wp.vec3f:
    """Way out of the flesh at a node: the sum of its triangles' areas along their normals."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[i], starts[i + 1]):
        corner = triangles[around[m]]
        x = points[corner[0]]
        total += wp.cross(points[corner[1]] - x, points[corner[2]] - x)
    return wp.normalize(total)


@wp.func
def to_local(frame: wp.transformf, x: wp.vec3f) -> wp.vec3f:
    """A place of the world in a frame."""
    return wp.quat_rotate_inv(wp.transform_get_rotation(frame), x - wp.transform_get_translation(frame))


@wp.kernel(enable_backward=False)
def narrow_phase_obstacles(
    first: int,
    obstacles: IntArray,
    flags: Flags,
    patch_of: IntArray,
    margin: float,
    per_time: FloatArray,
    starts: IntArray,
    around: IntArray,
    triangles: Corners,
    points: Positions,
    before: Positions,
    kinds: IntArray,
    sizes: Sizes,
    meshes: Meshes,
    now: Transforms,
    earlier: Transforms,
    reach: float,
    gaps: FloatArray,
    normals: Positions,
    velocities: Positions,
):
    """Gap between a node and an obstacle at the end of the step, the way out, and the obstacle's velocity there.

    Items are all nodes for each of the `obstacles` that some patch is near to; those after a -1 are left alone. A node
    that came in from one side and is nearest to another, or has come out there, went through: it counts from the side
    where it came in. Skin that the obstacle reaches from within the flesh is left to the skin before it.
    """
    item = first + wp.tid()
    nodes = points.shape[0]
    o = obstacles[item // nodes]
    if o < 0:
        return
    i = item % nodes
    gaps[item] = NOTHING
    if flags[o, patch_of[i]] == 0:
        return
    local = to_local(now[o], points[i])
    start = to_local(earlier[o], before[i])
    skin = body_surface(local, kinds[o], sizes[o], meshes[o], reach)
    n = wp.vec3f(skin[0], skin[1], skin[2])
    gap = skin[3]
    if gap >= margin and gap > 1.0001 * wp.length(local - start) + 1.0e-6:
        gaps[item] = gap
        return  # it is farther away than it came
    met = body_entry(start, local, kinds[o], sizes[o], meshes[o])
    entry = wp.vec3f(met[0], met[1], met[2])
    if met[3] <= 1.0 and wp.dot(entry, n) < ALIKE:
        n = entry
        gap = (1.0 - met[3]) * wp.dot(local - start, n)
        outward = skin_normal(i, starts, around, points, triangles)
        if wp.dot(outward, wp.transform_vector(now[o], n)) > ALIKE:
            gap = NOTHING
    gaps[item] = gap
    if gap < margin:
        spot = local - gap * n
        speed = (wp.transform_point(now[o], spot) - wp.transform_point(earlier[o], spot)) * per_time[0]
        if kinds[o] == MESH:
            hit = wp.mesh_query_point_no_sign(meshes[o], spot, reach)
            if hit.result:
                speed += wp.transform_vector(now[o], wp.mesh_eval_velocity(meshes[o], hit.face, hit.u, hit.v))
        normals[item] = wp.transform_vector(now[o], n)
        velocities[item] = speed
