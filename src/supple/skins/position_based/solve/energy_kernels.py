# mypy: ignore-errors
"""Arithmetic of the energy whose least is the shape at which flesh settles, and of its gradient.

Symbols: x_i a particle and q_i where the bones alone carry it; a_i the point of its bone and b_i its distance from it
at rest; V, d volume and length, V_0, d_0 those at rest; s_t = sum_j |g_j|^2 for the gradients g of 6 V at rest.

  E(x) = sum_t k_V / (2 s_t) (6 V_t - 6 (1 + p_t) V_t0)^2 + sum_e k_d / 2 (d_e - d_e0)^2
       + sum_i k_b / 2 max(|x_i - a_i| - b_i, 0)^2 + sum_i (k_q + h_i) / 2 |x_i - q_i|^2
       + sum_i k_c / 2 min((x_i - c) . n, 0)^2

p_t is the pressure in an element (`pressure_kernels`). Without slack, bonds push as well as pull. h_i holds particles
that are partly firm. The last sum is over particles that are held off the plane through a joint, at c with normal n,
and over those held off a face of the body, whose corners are pushed back by as much; its normal counts as fixed there.
G is the gradient of E.

Flesh that swings is held together by the same strains, relative to the sizes that it has where it settled.
"""

import warp as wp

from supple.geometry.kernels.block import sum_of_eight
from supple.geometry.kernels.particle import position, translate
from supple.skins.position_based.contact.detection_kernels import (
    ContactList,
    HeldContacts,
    PlaneArrays,
    face_barycentric,
    face_normal,
    lowest_height,
    plane_side,
)
from supple.skins.position_based.contact.response_kernels import FIXED_POINT, LARGEST_SUM, Int64Array, clamp_barycentric

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Vec2Array = wp.array(dtype=wp.vec2f)
Vec4iArray = wp.array(dtype=wp.vec4i)
Vec3iArray = wp.array(dtype=wp.vec3i)
Vec2iArray = wp.array(dtype=wp.vec2i)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

VOLUME = wp.constant(0)  # weights of the energy: k_V, k_b, k_d, k_q
BIND = wp.constant(1)
STRETCH = wp.constant(2)
PULL = wp.constant(3)
ONE_SIDED = wp.constant(4)  # 1: flesh may come nearer to its bone than it was at rest
CONTACT = wp.constant(5)  # k_c
TINY = wp.constant(1.0e-12)
LANES = 8  # threads of a GPU that share a particle


@wp.struct
class Elements:
    """The elements and edges of one body: corners, (6 V_0, 1 / s), ends and lengths at rest."""

    corners: Vec4iArray
    sizes: Vec2Array
    ends: Vec2iArray
    lengths: FloatArray


@wp.struct
class Star:
    """The same round every particle of one body, in compressed rows.

    `others` are the three other corners of an element, so that (particle, others) has positive volume, and its number,
    `slopes` its 1 / s; `far_ends` are the other ends of edges.
    """

    starts: IntArray
    others: Vec4iArray
    slopes: FloatArray
    edge_starts: IntArray
    far_ends: IntArray
    lengths: FloatArray


@wp.struct
class Attachments:
    """What holds every single particle: the point of its bone and its distance from there, q, and h."""

    anchors: Vec3Array
    lengths: FloatArray
    kinematic: Vec3Array
    hold_stiffness: FloatArray


# The strain of one element and of one edge. At rest sizes, the forces add up to G, and the numbers beside them to the
# energy. With `relative` 1, the sizes are those at `settled`, and the numbers add up to
# D_i = sum_t 4 k_V |g_i|^2 / s_t + sum_e 2 k_d: more than neighbours can undo.


@wp.func
def six_volumes(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, d: wp.vec3f) -> float:
    return wp.dot(wp.cross(c - b, d - b), b - a)


@wp.func
def target_volume(relative: int, at_rest: float, settled: Vec3Array, a: int, b: int, c: int, d: int) -> float:
    """Six times the volume that an element wants."""
    if relative == 1:
        return six_volumes(settled[a], settled[b], settled[c], settled[d])
    return at_rest


@wp.func
def target_length(relative: int, at_rest: float, settled: Vec3Array, a: int, b: int) -> float:
    """The length that an edge wants."""
    if relative == 1:
        return wp.length(settled[a] - settled[b])
    return at_rest


@wp.func
def volume_number(relative: int, weight: float, error: float, g: wp.vec3f) -> float:
    """What an element with the gradient g adds to the number of a corner: a quarter of its energy, or its part of D."""
    if relative == 1:
        return 4.0 * weight * wp.dot(g, g)
    return 0.125 * weight * error * error


@wp.func
def edge_strain(relative: int, k: float, apart: wp.vec3f, target: float) -> wp.vec4f:
    """k_d (d - d_0) along an edge, and half of its energy, or its part of D."""
    length = wp.length(apart)
    error = length - target
    f = (k * error / wp.max(length, TINY)) * apart
    number = 2.0 * k
    if relative == 0:
        number = 0.25 * k * error * error
    return wp.vec4f(f[0], f[1], f[2], number)


@wp.func
def element_pull(
    relative: int, weight: float, wanted: float, x: wp.vec3f, b: wp.vec3f, c: wp.vec3f, d: wp.vec3f
) -> wp.vec4f:
    """What an element does to its corner x, and its number there."""
    n = wp.cross(c - b, d - b)
    error = wp.dot(n, b - x) - wanted
    f = (-weight * error) * n
    return wp.vec4f(f[0], f[1], f[2], volume_number(relative, weight, error, n))


@wp.func
def scatter_add(sums: Vec4Array, at: int, force: wp.vec3f, number: float):
    s = sums[at]
    sums[at] = wp.vec4f(s[0] + force[0], s[1] + force[1], s[2] + force[2], s[3] + number)


@wp.kernel(enable_backward=False)
def strain_by_element(
    first: int,
    lanes: int,
    particles_per_copy: int,
    weights: FloatArray,
    elements: Elements,
    targets: FloatArray,
    relative: int,
    settled: Vec3Array,
    particles: Vec4Array,
    sums: Vec4Array,
):
    """One thread goes through a part of a body's elements and edges; each such lane has sums of its own."""
    n = first + wp.tid()
    c = n // lanes
    lane = n - c * lanes
    shift = c * particles_per_copy
    own = lane * particles.shape[0] + shift
    for i in range(particles_per_copy):
        sums[own + i] = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    k = weights[VOLUME]
    count = elements.corners.shape[0]
    for t in range(count * lane // lanes, count * (lane + 1) // lanes):
        v = elements.corners[t]
        a = particles[shift + v[0]]
        b = particles[shift + v[1]]
        d = particles[shift + v[2]]
        e = particles[shift + v[3]]
        if a[3] + b[3] + d[3] + e[3] > 0.0:
            ab = position(b) - position(a)
            ad = position(d) - position(a)
            ae = position(e) - position(a)
            g_b = wp.cross(ad, ae)
            g_d = wp.cross(ae, ab)
            g_e = wp.cross(ab, ad)
            g_a = -(g_b + g_d + g_e)
            size = elements.sizes[t]
            wanted = targets[c * count + t]
            wanted = target_volume(relative, wanted, settled, shift + v[0], shift + v[1], shift + v[2], shift + v[3])
            error = wp.dot(g_e, ae) - wanted
            weight = k * size[1]
            f = weight * error
            scatter_add(sums, own + v[0], f * g_a, volume_number(relative, weight, error, g_a))
            scatter_add(sums, own + v[1], f * g_b, volume_number(relative, weight, error, g_b))
            scatter_add(sums, own + v[2], f * g_d, volume_number(relative, weight, error, g_d))
            scatter_add(sums, own + v[3], f * g_e, volume_number(relative, weight, error, g_e))
    k = weights[STRETCH]
    count = elements.ends.shape[0]
    for t in range(count * lane // lanes, count * (lane + 1) // lanes):
        m = elements.ends[t]
        a = particles[shift + m[0]]
        b = particles[shift + m[1]]
        if a[3] + b[3] > 0.0:
            wanted = target_length(relative, elements.lengths[t], settled, shift + m[0], shift + m[1])
            pull = edge_strain(relative, k, position(a) - position(b), wanted)
            scatter_add(sums, own + m[0], position(pull), pull[3])
            scatter_add(sums, own + m[1], -position(pull), pull[3])


@wp.func
def sum_of_lanes(x: wp.vec4f) -> wp.vec4f:
    return wp.vec4f(sum_of_eight(x[0]), sum_of_eight(x[1]), sum_of_eight(x[2]), sum_of_eight(x[3]))


@wp.kernel(enable_backward=False)
def strain_by_particle(
    first: int,
    lanes: int,
    particles_per_copy: int,
    weights: FloatArray,
    star: Star,
    targets: FloatArray,
    relative: int,
    settled: Vec3Array,
    particles: Vec4Array,
    sums: Vec4Array,
):
    """What is round one particle, shared by so many threads beside one another: `LANES` of a GPU, one elsewhere."""
    t = first + wp.tid()
    lane = t % lanes
    p = t // lanes
    i = p % particles_per_copy
    shift = p - i
    copy = (p // particles_per_copy) * (targets.shape[0] // (particles.shape[0] // particles_per_copy))
    own = particles[p]
    total = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    if own[3] > 0.0:
        x = position(own)
        for t in range(star.starts[i] + lane, star.starts[i + 1], lanes):
            other = star.others[t]
            b = position(particles[shift + other[0]])
            c = position(particles[shift + other[1]])
            d = position(particles[shift + other[2]])
            weight = weights[VOLUME] * star.slopes[t]
            wanted = targets[copy + other[3]]
            wanted = target_volume(relative, wanted, settled, p, shift + other[0], shift + other[1], shift + other[2])
            total += element_pull(relative, weight, wanted, x, b, c, d)
        k = weights[STRETCH]
        for e in range(star.edge_starts[i] + lane, star.edge_starts[i + 1], lanes):
            end = shift + star.far_ends[e]
            wanted = target_length(relative, star.lengths[e], settled, p, end)
            total += edge_strain(relative, k, x - position(particles[end]), wanted)
    strain = sum_of_lanes(total)
    if lane == 0:
        sums[p] = strain


@wp.func
def gather_sum(p: int, lanes: int, count: int, sums: Vec4Array) -> wp.vec4f:
    total = sums[p]
    for lane in range(1, lanes):
        total += sums[lane * count + p]
    return total


@wp.func
def face_pressure(i: int, f: int, shift: int, k: float, held: HeldContacts, faces: Vec3iArray, particles: Vec4Array):
    """What a particle that has come through its face is pushed by, k_c min(C, 0) n, and its energy."""
    a = position(particles[shift + faces[f][0]])
    n = face_normal(a, position(particles[shift + faces[f][1]]), position(particles[shift + faces[f][2]]))
    depth = wp.min(wp.dot(position(particles[i]) - a, n) - lowest_height(held, held.firmness[i][1]), 0.0)
    push = (k * depth) * n
    return wp.vec4f(push[0], push[1], push[2], 0.5 * k * depth * depth)


@wp.kernel(enable_backward=False)
def press_faces(
    first: int,
    contacts: ContactList,
    particles_per_copy: int,
    weights: FloatArray,
    held: HeldContacts,
    faces: Vec3iArray,
    particles: Vec4Array,
    pressed: Int64Array,
):
    """Faces give way to what has come through them: their corners share the push, added up in whole steps."""
    t = first + wp.tid()
    if t < contacts.count[0]:
        i = contacts.particles[t]
        f = held.face_of[i]
        if f >= 0:
            shift = (i // particles_per_copy) * particles_per_copy
            push = face_pressure(i, f, shift, weights[CONTACT], held, faces, particles)
            if push[3] > 0.0:
                a = position(particles[shift + faces[f][0]])
                b = position(particles[shift + faces[f][1]])
                d = position(particles[shift + faces[f][2]])
                u = clamp_barycentric(face_barycentric(position(particles[i]), a, b, d))
                for k in range(3):
                    for axis in range(3):
                        part = wp.clamp(-u[k] * push[axis], -LARGEST_SUM, LARGEST_SUM)
                        at = 3 * (shift + faces[f][k]) + axis
                        wp.atomic_add(pressed, at, wp.int64(wp.float64(part) * wp.float64(FIXED_POINT)))


@wp.kernel(enable_backward=False)
def gradient(
    first: int,
    lanes: int,
    sums: Vec4Array,
    particles_per_copy: int,
    weights: FloatArray,
    attachments: Attachments,
    held: HeldContacts,
    planes: PlaneArrays,
    faces: Vec3iArray,
    pressed: Int64Array,
    particles: Vec4Array,
    gradients: Vec3Array,
    energies: FloatArray,
):
    """G of every particle, and its share of the energy; zero for particles that cannot be moved."""
    p = first + wp.tid()
    own = particles[p]
    g = wp.vec3f(0.0, 0.0, 0.0)
    energy = float(0.0)
    if own[3] > 0.0:
        x = position(own)
        strain = gather_sum(p, lanes, particles.shape[0], sums)
        apart = x - attachments.anchors[p]
        length = wp.length(apart)
        error = length - attachments.lengths[p]
        if weights[ONE_SIDED] != 0.0:
            error = wp.max(error, 0.0)
        off = x - attachments.kinematic[p]
        pull = weights[PULL] + attachments.hold_stiffness[p]
        g = position(strain) + (weights[BIND] * error / wp.max(length, TINY)) * apart + pull * off
        energy = strain[3] + 0.5 * (weights[BIND] * error * error + pull * wp.dot(off, off))
        code = held.plane_of[p]
        if code >= 0:
            c = p // particles_per_copy
            n = plane_side(code) * planes.normals[c, code // 2]
            lowest = lowest_height(held, held.firmness[p][0])
            depth = wp.min(wp.dot(x - planes.points[c, code // 2], n) - lowest, 0.0)
            g += (weights[CONTACT] * depth) * n
            energy += 0.5 * weights[CONTACT] * depth * depth
        face = held.face_of[p]
        if face >= 0:
            shift = (p // particles_per_copy) * particles_per_copy
            push = face_pressure(p, face, shift, weights[CONTACT], held, faces, particles)
            g += position(push)
            energy += push[3]
        g += wp.vec3f(float(pressed[3 * p]), float(pressed[3 * p + 1]), float(pressed[3 * p + 2])) / FIXED_POINT
    for axis in range(3):
        if pressed[3 * p + axis] != wp.int64(0):
            pressed[3 * p + axis] = wp.int64(0)
    gradients[p] = g
    energies[p] = energy


@wp.kernel(enable_backward=False)
def relax_strain(first: int, lanes: int, sums: Vec4Array, particles: Vec4Array):
    """Swinging flesh comes nearer to the sizes that it has where it settled: x moves by -G / D, all at once."""
    p = first + wp.tid()
    own = particles[p]
    if own[3] > 0.0:
        strain = gather_sum(p, lanes, particles.shape[0], sums)
        if strain[3] > 0.0:
            particles[p] = translate(own, -position(strain) / strain[3])
