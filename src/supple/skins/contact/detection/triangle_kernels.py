# mypy: ignore-errors
"""Arithmetic of obstacles that meet triangles of the skin between their corners, on arrays.

Where a triangle is deepest in a ball or capsule is where it is nearest to the middle or the axis; in others it is found
by projected descent along their signed distance phi (see Macklin and others 2020, local optimization for contacts with
signed distances). Symbols: phi a gap, x a place in the obstacle's frame, a, b, c corners of a triangle there.
"""

import warp as wp

from supple.geometry.kernels.triangle import closest_barycentric
from supple.obstacles.kernels import CAPSULE, MESH, PLANE, SPHERE, body_surface
from supple.skins.contact.detection.obstacle_kernels import (
    ALIKE,
    NOTHING,
    Corners,
    Flags,
    FloatArray,
    IntArray,
    Meshes,
    Positions,
    Sizes,
    Transforms,
    to_local,
)

DESCENTS = wp.constant(16)
STEPS = wp.constant(12)  # along a straight way out of an obstacle
NEARLY = wp.constant(1.0e-3)  # of the longest edge: what is as near as this is there


@wp.func
def place_in(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, weights: wp.vec3f) -> wp.vec3f:
    """The place of a triangle with these barycentric coordinates."""
    return weights[0] * a + weights[1] * b + weights[2] * c


@wp.func
def nearest_on_edge(a: wp.vec3f, b: wp.vec3f, half: float) -> float:
    """Share of the way from a to b where that is nearest to the segment of the y axis from -half to half."""
    d = b - a
    along = wp.dot(d, d)
    across = wp.max(along - d[1] * d[1], 0.0)
    t = float(0.5)
    if across > 1.0e-9 * along:
        t = wp.clamp(-(a[0] * d[0] + a[2] * d[2]) / across, 0.0, 1.0)
    y = wp.clamp(a[1] + t * d[1], -half, half)
    return wp.clamp(wp.dot(wp.vec3f(0.0, y, 0.0) - a, d) / wp.max(along, 1.0e-20), 0.0, 1.0)


@wp.func
def off_axis(x: wp.vec3f, half: float) -> float:
    """How far a place is from the segment of the y axis from -half to half."""
    return wp.length(x - wp.vec3f(0.0, wp.clamp(x[1], -half, half), 0.0))


@wp.func
def nearest_to_axis(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, half: float) -> wp.vec3f:
    """Barycentric coordinates of the place of a triangle that is nearest to that segment.

    That is where they cross, or next to an end of the segment, or on an edge of the triangle.
    """
    normal = wp.cross(b - a, c - a)
    best = closest_barycentric(wp.vec3f(0.0, half, 0.0), a, b, c)
    other = closest_barycentric(wp.vec3f(0.0, -half, 0.0), a, b, c)
    if off_axis(place_in(a, b, c, other), half) < off_axis(place_in(a, b, c, best), half):
        best = other
    if wp.abs(normal[1]) > 0.0:
        height = wp.clamp(wp.dot(a, normal) / normal[1], -half, half)
        other = closest_barycentric(wp.vec3f(0.0, height, 0.0), a, b, c)
        if off_axis(place_in(a, b, c, other), half) < off_axis(place_in(a, b, c, best), half):
            best = other
    t = nearest_on_edge(a, b, half)
    other = wp.vec3f(1.0 - t, t, 0.0)
    if off_axis(place_in(a, b, c, other), half) < off_axis(place_in(a, b, c, best), half):
        best = other
    t = nearest_on_edge(b, c, half)
    other = wp.vec3f(0.0, 1.0 - t, t)
    if off_axis(place_in(a, b, c, other), half) < off_axis(place_in(a, b, c, best), half):
        best = other
    t = nearest_on_edge(c, a, half)
    other = wp.vec3f(t, 0.0, 1.0 - t)
    if off_axis(place_in(a, b, c, other), half) < off_axis(place_in(a, b, c, best), half):
        best = other
    return best


@wp.func
def deepest_barycentric(
    a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, longest: float, kind: int, size: wp.vec3f, mesh: wp.uint64, reach: float
) -> wp.vec3f:
    """Barycentric coordinates of the place of a triangle that is deepest in an obstacle, or nearest to it."""
    if kind == SPHERE:
        return closest_barycentric(wp.vec3f(0.0, 0.0, 0.0), a, b, c)
    if kind == CAPSULE:
        return nearest_to_axis(a, b, c, size[1])
    best = wp.vec3f(1.0, 1.0, 1.0) / 3.0
    x = place_in(a, b, c, best)
    skin = body_surface(x, kind, size, mesh, reach)
    step = longest
    k = int(0)
    while k < DESCENTS and step > NEARLY * longest:
        other = closest_barycentric(x - step * wp.vec3f(skin[0], skin[1], skin[2]), a, b, c)
        y = place_in(a, b, c, other)
        there = body_surface(y, kind, size, mesh, reach)
        if there[3] < skin[3] - 1.0e-4 * NEARLY * longest:
            best = other
            x = y
            skin = there
        else:
            step = 0.5 * step
        k += 1
    return best


@wp.func
def way_out(x: wp.vec3f, d: wp.vec3f, most: float, kind: int, size: wp.vec3f, mesh: wp.uint64, reach: float) -> float:
    """How far an obstacle, in which x is, goes on along d; more than `most` if it goes on beyond that."""
    t = float(0.0)
    phi = body_surface(x, kind, size, mesh, reach)[3]
    k = int(0)
    while k < STEPS and phi < -NEARLY * most and t <= most:
        t -= phi
        phi = body_surface(x + t * d, kind, size, mesh, reach)[3]
        k += 1
    return t


@wp.struct
class TriangleSkin:
    """Triangles of a skin whose nodes are at `points` and began the step at `before`, with `node_gaps` to obstacles."""

    patch_of: IntArray
    triangles: Corners
    points: Positions
    before: Positions
    node_gaps: FloatArray


@wp.struct
class MetBodies:
    """Obstacles as the room of obstacles has them; `halves` are half as wide as they are where they are thinnest."""

    kinds: IntArray
    sizes: Sizes
    meshes: Meshes
    halves: FloatArray
    now: Transforms
    earlier: Transforms


@wp.struct
class TriangleContacts:
    """What is found, for every item."""

    gaps: FloatArray
    normals: Positions
    velocities: Positions
    barycentric: Positions


@wp.kernel(enable_backward=False)
def narrow_phase_triangles(
    first: int,
    obstacles: IntArray,
    flags: Flags,
    margin: float,
    gain: float,
    per_time: FloatArray,
    reach: float,
    surface: TriangleSkin,
    bodies: MetBodies,
    found: TriangleContacts,
):
    """Gap between a triangle and an obstacle that comes nearer to it between its corners than at them, by `gain`.

    Items are all triangles for each of the `obstacles`. An obstacle which lies across a triangle with a corner or with
    its middle, as it may where it came fast, leaves it the way that the flesh is out of. What goes on beyond half of
    where it is thinnest came from the other side of the flesh; and of what is wider than the triangle its corners know
    more, as where skin folds over a ball that is pressed deep into it.
    """
    item = first + wp.tid()
    faces = surface.triangles.shape[0]
    o = obstacles[item // faces]
    if o < 0:
        return
    found.gaps[item] = NOTHING
    kind = bodies.kinds[o]
    corner = surface.triangles[item % faces]
    if kind == PLANE or flags[o, surface.patch_of[corner[0]]] == 0:
        return
    row = (item // faces) * surface.points.shape[0]
    least = wp.min(
        surface.node_gaps[row + corner[0]],
        wp.min(surface.node_gaps[row + corner[1]], surface.node_gaps[row + corner[2]]),
    )
    a = to_local(bodies.now[o], surface.points[corner[0]])
    b = to_local(bodies.now[o], surface.points[corner[1]])
    c = to_local(bodies.now[o], surface.points[corner[2]])
    longest = wp.max(wp.length(b - a), wp.max(wp.length(c - b), wp.length(a - c)))
    if least > longest + margin:
        return
    share = deepest_barycentric(a, b, c, longest, kind, bodies.sizes[o], bodies.meshes[o], reach)
    x = place_in(a, b, c, share)
    skin = body_surface(x, kind, bodies.sizes[o], bodies.meshes[o], reach)
    n = wp.vec3f(skin[0], skin[1], skin[2])
    gap = skin[3]
    inward = -wp.normalize(wp.cross(b - a, c - a))
    agree = wp.dot(n, inward)
    if agree < -ALIKE or (agree < ALIKE and wp.min(share[0], wp.min(share[1], share[2])) > NEARLY):
        if gap >= 0.0:
            return
        start = to_local(
            bodies.earlier[o],
            place_in(surface.before[corner[0]], surface.before[corner[1]], surface.before[corner[2]], share),
        )
        most = wp.min(bodies.halves[o], longest) + wp.length(x - start)
        n = inward
        gap = -way_out(x, inward, most, kind, bodies.sizes[o], bodies.meshes[o], reach)
        if -gap > most:
            return
    if gap >= margin or gap >= least - gain:
        return
    spot = x - gap * n
    speed = (wp.transform_point(bodies.now[o], spot) - wp.transform_point(bodies.earlier[o], spot)) * per_time[0]
    if kind == MESH:
        hit = wp.mesh_query_point_no_sign(bodies.meshes[o], spot, reach)
        if hit.result:
            speed += wp.transform_vector(bodies.now[o], wp.mesh_eval_velocity(bodies.meshes[o], hit.face, hit.u, hit.v))
    found.gaps[item] = gap
    found.normals[item] = wp.transform_vector(bodies.now[o], n)
    found.velocities[item] = speed
    found.barycentric[item] = share
