# mypy: ignore-errors
"""The moves that part what touches, on arrays: one contact, one after another (Gauss-Seidel), all at once (Jacobi).

Symbols as in `detection_kernels`; b is a rigid body, which takes its own frame to the world, n the direction out of it.
"""

from typing import Any

import warp as wp

from supple.geometry.kernels.particle import position
from supple.obstacles.kernels import body_surface
from supple.skins.position_based.contact.detection_kernels import (
    ContactList,
    HeldContacts,
    PlaneArrays,
    RigidBodies,
    face_barycentric,
    face_normal,
    lowest_height,
    plane_side,
)

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Positions = wp.array(dtype=Any)  # of vec3f, or of vec4f whose last number is something else
Vec3iArray = wp.array(dtype=wp.vec3i)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)
Int64Array = wp.array(dtype=wp.int64)

FIXED_POINT = wp.constant(1.0995116277760e12)  # 2^40 steps a metre: whole numbers add up alike in any order
LARGEST_SUM = wp.constant(1.0e3)  # [m]


# One contact


@wp.func
def project_plane(p: wp.vec4f, q: wp.vec3f, n: wp.vec3f, lowest: float, stiffness: float) -> wp.vec4f:
    """C = (p - q) . n - lowest >= 0: on the wrong side, p moves by -C n, times the stiffness; the plane stays."""
    height = wp.dot(position(p) - q, n) - lowest
    if height < 0.0 and p[3] > 0.0:
        return p - wp.vec4f(n[0], n[1], n[2], 0.0) * (stiffness * height)
    return p


@wp.func
def clamp_barycentric(u: wp.vec3f) -> wp.vec3f:
    """Shares in which a face's corners take a push: none is negative, and their sum is one."""
    positive = wp.vec3f(wp.max(u[0], 0.0), wp.max(u[1], 0.0), wp.max(u[2], 0.0))
    return positive / (positive[0] + positive[1] + positive[2])


@wp.func
def project_face(p: wp.vec4f, a: wp.vec4f, b: wp.vec4f, c: wp.vec4f, lowest: float, stiffness: float) -> wp.vec4f:
    """C = (p - a) . n - lowest >= 0 for a particle that must be outside a face: s and the push s n for unit w.

    With u the place of p on the face, the gradients are n and -u_i n, so s = -k C / (w_p + sum_i w_i u_i^2). The
    particle moves by w_p s n, corner i by -w_i u_i s n: weighed by mass, the moves cancel. s is zero when C >= 0.
    """
    xa = position(a)
    n = face_normal(xa, position(b), position(c))
    height = wp.dot(position(p) - xa, n) - lowest
    if height < 0.0:
        u = clamp_barycentric(face_barycentric(position(p), xa, position(b), position(c)))
        slope = p[3] + a[3] * u[0] * u[0] + b[3] * u[1] * u[1] + c[3] * u[2] * u[2]
        if slope > 1.0e-12:
            s = -stiffness * height / slope
            return wp.vec4f(s * n[0], s * n[1], s * n[2], s)
    return wp.vec4f(0.0, 0.0, 0.0, 0.0)


@wp.func
def apply_correction(p: wp.vec4f, push: wp.vec4f, weight: float) -> wp.vec4f:
    """A particle after its share of a push for unit inverse mass."""
    m = weight * p[3]
    return wp.vec4f(p[0] + m * push[0], p[1] + m * push[1], p[2] + m * push[2], p[3])


@wp.func
def project_onto_plane(
    i: int,
    c: int,
    stiffness: float,
    held: HeldContacts,
    planes: PlaneArrays,
    relative: int,
    settled: Vec3Array,
    particles: Vec4Array,
):
    """Move a particle to its own side of its plane, or to where it settled beyond it if that is `relative`."""
    code = held.plane_of[i]
    plane = code // 2
    n = plane_side(code) * planes.normals[c, plane]
    lowest = lowest_height(held, held.firmness[i][0])
    if relative == 1:
        lowest = wp.min(lowest, wp.dot(settled[i] - planes.points[c, plane], n))
    particles[i] = project_plane(particles[i], planes.points[c, plane], n, lowest, stiffness)


@wp.func
def project_body(p: wp.vec4f, before: wp.vec3f, b: int, stiffness: float, bodies: RigidBodies) -> wp.vec4f:
    """C = signed distance to body b >= 0; friction then takes back up to mu times the push from the sliding.

    Sliding is the move since `before`, less that of the body's own material, along its skin.
    """
    moved = p
    if p[3] > 0.0:
        local = wp.transform_point(wp.transform_inverse(bodies.now[b]), position(p))
        skin = body_surface(local, bodies.kinds[b], bodies.sizes[b], bodies.meshes[b], bodies.reach)
        if skin[3] < 0.0:
            n = wp.transform_vector(bodies.now[b], wp.vec3f(skin[0], skin[1], skin[2]))
            depth = -stiffness * skin[3]
            x = position(p) + depth * n
            sliding = x - before - (position(p) - wp.transform_point(bodies.earlier[b], local))
            sliding = sliding - wp.dot(sliding, n) * n
            length = wp.length(sliding)
            if bodies.frictions[b] > 0.0 and length > 1.0e-12:
                x = x - sliding * (wp.min(length, bodies.frictions[b] * depth) / length)
            moved = wp.vec4f(x[0], x[1], x[2], p[3])
    return moved


# One after another


@wp.kernel(enable_backward=False)
def project_contacts(
    first: int,
    contacts: ContactList,
    particles_per_copy: int,
    stiffness: FloatArray,
    held: HeldContacts,
    planes: PlaneArrays,
    faces: Vec3iArray,
    particles: Vec4Array,
):
    """One sweep over all contacts of the body with itself, in one thread; faces first, planes have the last word."""
    for t in range(first + wp.tid(), contacts.count[0]):
        i = contacts.particles[t]
        c = i // particles_per_copy
        f = held.face_of[i]
        if f >= 0:
            shift = c * particles_per_copy
            ia = shift + faces[f][0]
            ib = shift + faces[f][1]
            ic = shift + faces[f][2]
            p = particles[i]
            a = particles[ia]
            b = particles[ib]
            d = particles[ic]
            push = project_face(p, a, b, d, lowest_height(held, held.firmness[i][1]), stiffness[0])
            if push[3] > 0.0:
                u = clamp_barycentric(face_barycentric(position(p), position(a), position(b), position(d)))
                particles[i] = apply_correction(p, push, 1.0)
                particles[ia] = apply_correction(a, push, -u[0])
                particles[ib] = apply_correction(b, push, -u[1])
                particles[ic] = apply_correction(d, push, -u[2])
        if held.plane_of[i] >= 0:
            code = held.plane_of[i]
            n = plane_side(code) * planes.normals[c, code // 2]
            lowest = lowest_height(held, held.firmness[i][0])
            particles[i] = project_plane(particles[i], planes.points[c, code // 2], n, lowest, stiffness[0])


# All at once


@wp.kernel(enable_backward=False)
def project_planes(
    first: int,
    contacts: ContactList,
    particles_per_copy: int,
    stiffness: FloatArray,
    held: HeldContacts,
    planes: PlaneArrays,
    relative: int,
    settled: Vec3Array,
    particles: Vec4Array,
):
    """Planes move one particle each, so all may run at once."""
    t = first + wp.tid()
    if t < contacts.count[0]:
        i = contacts.particles[t]
        if held.plane_of[i] >= 0:
            c = i // particles_per_copy
            project_onto_plane(i, c, stiffness[0], held, planes, relative, settled, particles)


@wp.func
def accumulate_correction(i: int, move: wp.vec4f, weight: float, w: float, sums: Int64Array, counts: IntArray):
    """Add to what a particle is to move by, in whole steps."""
    for axis in range(3):
        step = wp.clamp(weight * w * move[axis], -LARGEST_SUM, LARGEST_SUM)
        wp.atomic_add(sums, 3 * i + axis, wp.int64(wp.float64(step) * wp.float64(FIXED_POINT)))
    wp.atomic_add(counts, i, 1)


@wp.kernel(enable_backward=False)
def accumulate_face_corrections(
    first: int,
    contacts: ContactList,
    particles_per_copy: int,
    stiffness: FloatArray,
    held: HeldContacts,
    faces: Vec3iArray,
    relative: int,
    settled: Vec3Array,
    particles: Vec4Array,
    sums: Int64Array,
    counts: IntArray,
):
    """Add up what face contacts ask of every particle; several of them may ask of one."""
    t = first + wp.tid()
    if t < contacts.count[0]:
        i = contacts.particles[t]
        f = held.face_of[i]
        if f >= 0:
            shift = (i // particles_per_copy) * particles_per_copy
            ia = shift + faces[f][0]
            ib = shift + faces[f][1]
            ic = shift + faces[f][2]
            p = particles[i]
            a = particles[ia]
            b = particles[ib]
            d = particles[ic]
            lowest = lowest_height(held, held.firmness[i][1])
            if relative == 1:
                n = face_normal(settled[ia], settled[ib], settled[ic])
                lowest = wp.min(lowest, wp.dot(settled[i] - settled[ia], n))
            push = project_face(p, a, b, d, lowest, stiffness[0])
            if push[3] > 0.0:
                u = clamp_barycentric(face_barycentric(position(p), position(a), position(b), position(d)))
                accumulate_correction(i, push, 1.0, p[3], sums, counts)
                accumulate_correction(ia, push, -u[0], a[3], sums, counts)
                accumulate_correction(ib, push, -u[1], b[3], sums, counts)
                accumulate_correction(ic, push, -u[2], d[3], sums, counts)


@wp.kernel(enable_backward=False)
def apply_face_corrections(first: int, sums: Int64Array, counts: IntArray, particles: Vec4Array):
    """Move every particle by the mean of what was asked of it."""
    i = first + wp.tid()
    count = counts[i]
    if count > 0:
        scale = 1.0 / (float(count) * FIXED_POINT)
        p = particles[i]
        particles[i] = wp.vec4f(
            p[0] + float(sums[3 * i]) * scale,
            p[1] + float(sums[3 * i + 1]) * scale,
            p[2] + float(sums[3 * i + 2]) * scale,
            p[3],
        )
        counts[i] = 0
        for axis in range(3):
            sums[3 * i + axis] = wp.int64(0)


@wp.kernel(enable_backward=False)
def project_bodies(
    first: int,
    contacts: ContactList,
    stiffness: FloatArray,
    before: Positions,
    bodies: RigidBodies,
    particles: Vec4Array,
):
    """Push particles out of rigid bodies; each is moved alone, so any number may run at once."""
    t = first + wp.tid()
    if t < contacts.count[0]:
        i = contacts.particles[t]
        p = particles[i]
        x = position(before[i])
        for b in range(bodies.kinds.shape[0]):
            p = project_body(p, x, b, stiffness[0], bodies)
        particles[i] = p


# Both are compiled at once; a kernel met later with another type would compile the whole file again.
wp.overload(project_bodies, {"before": wp.array(dtype=wp.vec3f)})
wp.overload(project_bodies, {"before": wp.array(dtype=wp.vec4f)})
