# mypy: ignore-errors
"""Arithmetic of rigid bodies on arrays: how far a place is from one, the way out, and when a moving place meets it.

Symbols: x a place and b a body; `now` and `earlier` take a body's own frame to the world at the end and at the
beginning of a step; n the direction out of a body. Every kernel works on item `first + tid`.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Sizes = wp.array(dtype=wp.vec3f)
Meshes = wp.array(dtype=wp.uint64)
Transforms = wp.array(dtype=wp.transformf)

SPHERE = wp.constant(0)
CAPSULE = wp.constant(1)
PLANE = wp.constant(2)
MESH = wp.constant(3)
BOX = wp.constant(4)
NEVER = wp.constant(2.0)  # a time beyond the end of the step


@wp.func
def box_surface(x: wp.vec3f, half: wp.vec3f) -> wp.vec4f:
    """Direction out of a box and signed distance to its skin: inside, by the nearest of its six faces."""
    beyond = wp.vec3f(wp.abs(x[0]) - half[0], wp.abs(x[1]) - half[1], wp.abs(x[2]) - half[2])
    if beyond[0] <= 0.0 and beyond[1] <= 0.0 and beyond[2] <= 0.0:
        axis = int(0)
        if beyond[1] > beyond[axis]:
            axis = 1
        if beyond[2] > beyond[axis]:
            axis = 2
        side = 1.0 if x[axis] >= 0.0 else -1.0
        face = wp.vec3f(0.0, 0.0, 0.0)
        face[axis] = side
        return wp.vec4f(face[0], face[1], face[2], beyond[axis])
    away = wp.vec3f(
        wp.max(beyond[0], 0.0) * wp.sign(x[0]),
        wp.max(beyond[1], 0.0) * wp.sign(x[1]),
        wp.max(beyond[2], 0.0) * wp.sign(x[2]),
    )
    far = wp.length(away)
    return wp.vec4f(away[0] / far, away[1] / far, away[2] / far, far)


@wp.func
def body_surface(x: wp.vec3f, kind: int, size: wp.vec3f, mesh: wp.uint64, reach: float) -> wp.vec4f:
    """Direction out of a rigid body and signed distance to its skin (negative inside), in the body's frame.

    A sphere has radius size[0]; a capsule too, about the y axis from -size[1] to size[1]; a plane is y = 0 with the
    body below; a box goes from -size to size; a mesh is closed. Nothing of a mesh farther than `reach` is looked for.
    """
    if kind == PLANE:
        return wp.vec4f(0.0, 1.0, 0.0, x[1])
    if kind == BOX:
        return box_surface(x, size)
    if kind == MESH:
        hit = wp.mesh_query_point_sign_normal(mesh, x, reach)
        if not hit.result:
            return wp.vec4f(0.0, 1.0, 0.0, reach)
        offset = x - wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v)
        far = wp.length(offset)
        out = wp.mesh_eval_face_normal(mesh, hit.face)
        if far > 1.0e-7:
            out = hit.sign * offset / far
        return wp.vec4f(out[0], out[1], out[2], hit.sign * far)
    middle = wp.vec3f(0.0, 0.0, 0.0)
    if kind == CAPSULE:
        middle = wp.vec3f(0.0, wp.clamp(x[1], -size[1], size[1]), 0.0)
    away = x - middle
    distance = wp.length(away)
    away = away / distance if distance > 1.0e-9 else wp.vec3f(1.0, 0.0, 0.0)
    return wp.vec4f(away[0], away[1], away[2], distance - size[0])


@wp.func
def sphere_entry(x: wp.vec3f, direction: wp.vec3f, radius: float) -> float:
    """When a place that starts outside and goes `way` meets a ball: |x + t way| = r, the earlier t; NEVER if not."""
    a = wp.dot(direction, direction)
    b = wp.dot(x, direction)
    c = wp.dot(x, x) - radius * radius
    inside_root = b * b - a * c
    if c < 0.0 or b >= 0.0 or inside_root < 0.0 or a <= 0.0:
        return NEVER
    return c / (wp.sqrt(inside_root) - b)  # without cancellation


@wp.func
def capsule_entry(x: wp.vec3f, direction: wp.vec3f, radius: float, half: float) -> float:
    """The same for a capsule along y: the earliest of its side, between the ends, and its two end balls."""
    if wp.length(x - wp.vec3f(0.0, wp.clamp(x[1], -half, half), 0.0)) < radius:
        return NEVER
    end = wp.vec3f(0.0, half, 0.0)
    earliest = wp.min(sphere_entry(x - end, direction, radius), sphere_entry(x + end, direction, radius))
    across = wp.vec3f(direction[0], 0.0, direction[2])
    side = sphere_entry(wp.vec3f(x[0], 0.0, x[2]), across, radius)
    if wp.abs(x[1] + side * direction[1]) <= half:
        earliest = wp.min(earliest, side)
    return earliest


@wp.func
def box_entry(x: wp.vec3f, direction: wp.vec3f, half: wp.vec3f) -> wp.vec4f:
    """The same for a box, by the three slabs; the direction out of the face that is met, and when."""
    enters = float(-1.0)
    leaves = float(NEVER)
    axis = int(-1)
    for k in range(3):
        if wp.abs(direction[k]) < 1.0e-12:
            if wp.abs(x[k]) > half[k]:
                leaves = -1.0
        else:
            one = (-half[k] - x[k]) / direction[k]
            two = (half[k] - x[k]) / direction[k]
            if wp.min(one, two) > enters:
                enters = wp.min(one, two)
                axis = k
            leaves = wp.min(leaves, wp.max(one, two))
    if axis < 0 or enters < 0.0 or enters > leaves:
        return wp.vec4f(0.0, 0.0, 0.0, NEVER)
    face = wp.vec3f(0.0, 0.0, 0.0)
    face[axis] = -wp.sign(direction[axis])
    return wp.vec4f(face[0], face[1], face[2], enters)


@wp.func
def body_entry(x: wp.vec3f, y: wp.vec3f, kind: int, size: wp.vec3f, mesh: wp.uint64) -> wp.vec4f:
    """Where a place that goes straight from x, outside, to y, in the body's frame, enters the body.

    The direction out of the body there, and when: 0 at x, 1 at y, more if it does not meet the body on its way.
    """
    direction = y - x
    if kind == PLANE:
        when = float(NEVER)
        if x[1] >= 0.0 and y[1] < 0.0:
            when = x[1] / (x[1] - y[1])
        return wp.vec4f(0.0, 1.0, 0.0, when)
    if kind == BOX:
        return box_entry(x, direction, size)
    if kind == MESH:
        far = wp.length(direction)
        if far > 0.0:
            hit = wp.mesh_query_ray(mesh, x, direction / far, far)
            if hit.result and wp.dot(hit.normal, direction) < 0.0:
                return wp.vec4f(hit.normal[0], hit.normal[1], hit.normal[2], hit.t / far)
        return wp.vec4f(0.0, 0.0, 0.0, NEVER)
    when = sphere_entry(x, direction, size[0]) if kind == SPHERE else capsule_entry(x, direction, size[0], size[1])
    entry = x + when * direction
    if kind == CAPSULE:
        entry = entry - wp.vec3f(0.0, wp.clamp(entry[1], -size[1], size[1]), 0.0)
    n = wp.normalize(entry)
    return wp.vec4f(n[0], n[1], n[2], when)


@wp.kernel(enable_backward=False)
def surfaces(
    first: int,
    positions: Vectors,
    which: IntArray,
    reach: FloatArray,
    kinds: IntArray,
    sizes: Sizes,
    meshes: Meshes,
    now: Transforms,
    distances: FloatArray,
    normals: Vectors,
):
    """Signed distance of places to one body, and the way out of it; a mesh is looked for within `reach`."""
    i = first + wp.tid()
    b = which[0]
    local = wp.transform_point(wp.transform_inverse(now[b]), positions[i])
    skin = body_surface(local, kinds[b], sizes[b], meshes[b], reach[0])
    distances[i] = skin[3]
    normals[i] = wp.transform_vector(now[b], wp.vec3f(skin[0], skin[1], skin[2]))


@wp.kernel(enable_backward=False)
def entries(
    first: int,
    starts: Vectors,
    ends: Vectors,
    b: int,
    kinds: IntArray,
    sizes: Sizes,
    meshes: Meshes,
    now: Transforms,
    earlier: Transforms,
    times: FloatArray,
    normals: Vectors,
):
    """When places that go from `starts` to `ends` while body b moves enter it, and the way out of it at the end."""
    i = first + wp.tid()
    x = wp.transform_point(wp.transform_inverse(earlier[b]), starts[i])
    y = wp.transform_point(wp.transform_inverse(now[b]), ends[i])
    hit = body_entry(x, y, kinds[b], sizes[b], meshes[b])
    times[i] = hit[3]
    normals[i] = wp.transform_vector(now[b], wp.vec3f(hit[0], hit[1], hit[2]))
