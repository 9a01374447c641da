# mypy: ignore-errors
"""Which particles touch what, on arrays: contacts that are held, boxes to search (broad phase), pairs (narrow phase).

Symbols: p a particle as (x, y, z, w), w its inverse mass; c a copy of the character, of which particles are stacked
copy by copy; k a joint's plane through q with unit normal n; e an element, f a face (a, b, c) of the body's boundary;
r a region, which is a joint that bends or a limb that comes near the body; j a part, the particles of one joint.

A particle touches at most one plane and one face at a time: `plane_of` is 2 k on the child's side, 2 k + 1 on the
parent's, `face_of` a face within its copy; -1 for none. Every kernel works on item `first + tid`. Kernels with atomic
steps run on one core on the CPU, where they are not atomic between threads.
"""

import warp as wp

from supple.geometry.collision.spatial_hash.kernels import FoundPairs, boxes_overlap, tetrahedron_barycentric
from supple.geometry.kernels.particle import position
from supple.obstacles.kernels import body_surface
from supple.skins.position_based.contact.contact_arrays import (
    ContactList,
    HeldContacts,
    NewContacts,
    PlaneArrays,
    RigidBodies,
)

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Vec4iArray = wp.array(dtype=wp.vec4i)
Vec3iArray = wp.array(dtype=wp.vec3i)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
IntArray2d = wp.array2d(dtype=wp.int32)
Vec3Array2d = wp.array2d(dtype=wp.vec3f)
Vec2Array = wp.array(dtype=wp.vec2f)
Int64Array = wp.array(dtype=wp.int64)

NONE = wp.constant(2147483647)
NO_ELEMENT = wp.constant(wp.int64(4611686018427387904))
ELEMENTS = wp.constant(wp.int64(4294967296))  # more than there can be: behind the rank of its depth stands the element
DEPTHS = wp.constant(1048576.0)  # steps of depth that are told apart
FARTHEST = wp.constant(3.0e38)
BESIDE = wp.constant(-0.5)  # share of a face's corner: a particle farther beside it than this has slid off
FIRM = wp.constant(0.5)  # inverse mass of what hardly gives way


@wp.func
def face_normal(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Unit normal of a face; zero where it has no area."""
    area = wp.cross(b - a, c - a)
    length = wp.length(area)
    if length > 1.0e-20:
        return area / length
    return wp.vec3f(0.0, 0.0, 0.0)


@wp.func
def face_barycentric(x: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Barycentric coordinates of x, projected on a face; a third each where it has no area."""
    area = wp.cross(b - a, c - a)
    square = wp.dot(area, area)
    if square > 1.0e-38:
        second = wp.dot(wp.cross(x - a, c - a), area) / square
        third = wp.dot(wp.cross(b - a, x - a), area) / square
        return wp.vec3f(1.0 - second - third, second, third)
    return wp.vec3f(0.33333334, 0.33333333, 0.33333333)


# Which particles touch what


@wp.func
def plane_side(code: int) -> float:
    """+1 on the child's side of a plane, -1 on the parent's."""
    return 1.0 - 2.0 * float(code % 2)


@wp.func
def lowest_height(held: HeldContacts, firmness: float) -> float:
    """How far, at most, a particle may be on the wrong side: less than zero until its contact is firm.

    Flesh that is led out comes to its plane or face more and more slowly, and leaves it as gently.
    """
    weak = 1.0 - firmness
    return -weak * weak * held.room


@wp.kernel(enable_backward=False)
def update_held_contacts(
    first: int,
    particles: Vec4Array,
    particles_per_copy: int,
    release: float,
    parts: IntArray,
    limb_of_part: IntArray,
    planes: PlaneArrays,
    faces: Vec3iArray,
    held: HeldContacts,
    held_in_region: IntArray2d,
    contacts: ContactList,
    body_contacts: ContactList,
):
    """Let go of contacts that have opened by `release`, or slid off; count the others for the regions they are in.

    A joint that is open (`holds` 0) lets go of all: particles next to it are always near its plane. So does a
    plane that holds flesh of one side only, which meets nothing there, once its other side has had time to be counted.
    What is held grows firmer by `rate` in every step, up to one, and what is let go of grows weaker, until it is gone:
    a contact that is found a step sooner or later then makes little difference.
    """
    i = first + wp.tid()
    if i == 0:
        contacts.count[0] = 0
        body_contacts.count[0] = 0
    c = i // particles_per_copy
    x = position(particles[i])
    plane_count = planes.extents.shape[0]
    firm = held.firmness[i]
    on_plane = firm[0] - held.rate[0]
    on_face = firm[1] - held.rate[0]
    code = held.plane_of[i]
    if code >= 0:
        k = code // 2
        apart = x - planes.points[c, k]
        height = plane_side(code) * wp.dot(apart, planes.normals[c, k])
        other = code + 1 - 2 * (code % 2)
        met = held.were_on_side[c, other] > 0 or firm[0] < 2.5 * held.rate[0]
        near = height < release and wp.length(apart) <= planes.extents[k] + release
        if planes.holds[c, k] > 0 and met and near:
            wp.atomic_add(held_in_region, c, k, 1)
            wp.atomic_add(held.on_side, c, code, 1)
            on_plane = wp.min(firm[0] + held.rate[0], 1.0)
        elif on_plane <= 0.0:
            held.plane_of[i] = -1
    f = held.face_of[i]
    if f >= 0:
        corner = faces[f]
        shift = c * particles_per_copy
        a = position(particles[shift + corner[0]])
        b = position(particles[shift + corner[1]])
        d = position(particles[shift + corner[2]])
        height = wp.dot(x - a, face_normal(a, b, d))
        u = face_barycentric(x, a, b, d)
        if wp.abs(height) < release and wp.min(wp.min(u[0], u[1]), u[2]) > BESIDE:
            own = limb_of_part[parts[i - shift]]
            other = limb_of_part[parts[corner[0]]]
            if own >= 0:
                wp.atomic_add(held_in_region, c, plane_count + own, 1)
            if other >= 0 and other != own:
                wp.atomic_add(held_in_region, c, plane_count + other, 1)
            on_face = wp.min(firm[1] + held.rate[0], 1.0)
        elif on_face <= 0.0:
            held.face_of[i] = -1
    held.firmness[i] = wp.vec2f(wp.max(on_plane, 0.0), wp.max(on_face, 0.0))


@wp.kernel(enable_backward=False)
def part_bounds(
    first: int,
    particles: Vec4Array,
    particles_per_copy: int,
    starts: IntArray,
    members: IntArray,
    lows: Vec3Array2d,
    highs: Vec3Array2d,
):
    """The box round all elements that have a corner in a part."""
    i = first + wp.tid()
    parts = starts.shape[0] - 1
    c = i // parts
    j = i - c * parts
    low = wp.vec3f(FARTHEST, FARTHEST, FARTHEST)
    high = -low
    for m in range(starts[j], starts[j + 1]):
        x = position(particles[c * particles_per_copy + members[m]])
        low = wp.min(low, x)
        high = wp.max(high, x)
    lows[c, j] = low
    highs[c, j] = high


@wp.kernel(enable_backward=False)
def broad_phase_boxes(
    first: int,
    margin: float,
    fires: IntArray2d,
    held_in_region: IntArray2d,
    groups: IntArray2d,
    sides: IntArray2d,
    joints: int,
    part_lows: Vec3Array2d,
    part_highs: Vec3Array2d,
    lows: Vec3Array2d,
    highs: Vec3Array2d,
):
    """Where the particles and elements of every part are searched: where its box meets those of parts it may touch.

    Regions say which parts may touch: groups[r, j] is 1 for parts on one side, 2 for those on the other. A region
    counts when its angle fires, or while contacts are held there. The first `joints` regions are joints; those after
    are limbs, which leave the two parts of one joint to that joint.
    """
    i = first + wp.tid()
    parts = groups.shape[1]
    c = i // parts
    j = i - c * parts
    low = wp.vec3f(FARTHEST, FARTHEST, FARTHEST)
    high = -low
    around = wp.vec3f(margin, margin, margin)
    for r in range(groups.shape[0]):
        own = groups[r, j]
        if own > 0 and fires[c, r] + held_in_region[c, r] > 0:
            for other in range(parts):
                if groups[r, other] == 3 - own and (r < joints or sides[j, other] < 0):
                    shared_low = wp.max(part_lows[c, j], part_lows[c, other])
                    shared_high = wp.min(part_highs[c, j], part_highs[c, other])
                    if boxes_overlap(shared_low, shared_high, shared_low, shared_high):
                        low = wp.min(low, shared_low - around)
                        high = wp.max(high, shared_high + around)
    lows[c, j] = low
    highs[c, j] = high


@wp.kernel(enable_backward=False)
def narrow_phase(
    lane: int,
    lanes: int,
    pairs: FoundPairs,
    particles: Vec4Array,
    particles_per_copy: int,
    corners: Vec4iArray,
    parts: IntArray,
    planes: PlaneArrays,
    candidates: NewContacts,
):
    """What each pair means: a plane where two parts meet at a joint, else a face; nothing within one part.

    The element's corners are held off the plane as well, from the other side: where the particle is on its own side
    already, it is they who have crossed. Of several planes that of the lowest joint counts, of several elements the
    one in which the particle lies deepest, so that neither the pairs' order nor the elements' does.
    What hardly gives way (hands, feet, heads) is held off at joints only: a hand that the bones drive into a thigh
    would tear it.
    """
    count = wp.min(pairs.found[0], pairs.particles.shape[0])
    for n in range(lane + wp.tid(), count, lanes):
        i = pairs.particles[n]
        e = pairs.elements[n]
        c = i // particles_per_copy
        shift = c * particles_per_copy
        corner = corners[e - c * corners.shape[0]]
        x = position(particles[i])
        barycentric = tetrahedron_barycentric(
            x,
            position(particles[shift + corner[0]]),
            position(particles[shift + corner[1]]),
            position(particles[shift + corner[2]]),
            position(particles[shift + corner[3]]),
        )
        own = parts[i - shift]
        other = parts[corner[int(wp.argmax(barycentric))]]
        lightest = particles[i][3]
        for v in range(4):
            lightest = wp.min(lightest, particles[shift + corner[v]][3])
        code = planes.sides[own, other]
        if own != other and (code >= 0 or lightest > FIRM):
            at_plane = bool(0)
            if code >= 0:
                k = code // 2
                at_plane = wp.length(x - planes.points[c, k]) <= planes.extents[k]
            if at_plane:
                wp.atomic_min(candidates.planes, i, code)
                for v in range(4):
                    if parts[corner[v]] == other:
                        wp.atomic_min(candidates.planes, shift + corner[v], code ^ 1)
            else:
                depth = wp.min(wp.min(barycentric[0], barycentric[1]), wp.min(barycentric[2], barycentric[3]))
                rank = wp.int64(int((1.0 - wp.clamp(depth, 0.0, 1.0)) * DEPTHS))
                wp.atomic_min(candidates.elements, i, rank * ELEMENTS + wp.int64(e))


@wp.kernel(enable_backward=False)
def assign_contacts(
    first: int,
    particles: Vec4Array,
    particles_per_copy: int,
    corners: Vec4iArray,
    rest_points: Vec3Array,
    boundary: wp.uint64,
    max_depth: float,
    candidates: NewContacts,
    held: HeldContacts,
    contacts: ContactList,
):
    """Give every particle its plane and face, and list those that have one.

    One that has a plane keeps it until it is let go of, and a face that looks the other way is not taken for the one it
    has: it would jump. A particle's place in the foreign element is looked up in the rest shape; the nearest face there
    is its way out. One that is deeper than `max_depth` [m] there was driven in by the bones, and would jump if it were
    let out at once.
    """
    i = first + wp.tid()
    firm = held.firmness[i]
    if candidates.planes[i] != NONE:
        if held.plane_of[i] < 0:
            held.plane_of[i] = candidates.planes[i]
            firm = wp.vec2f(held.rate[0], firm[1])
        candidates.planes[i] = NONE
    if candidates.elements[i] != NO_ELEMENT:
        e = int(candidates.elements[i] % ELEMENTS)
        candidates.elements[i] = NO_ELEMENT
        c = i // particles_per_copy
        shift = c * particles_per_copy
        corner = corners[e - c * corners.shape[0]]
        barycentric = tetrahedron_barycentric(
            position(particles[i]),
            position(particles[shift + corner[0]]),
            position(particles[shift + corner[1]]),
            position(particles[shift + corner[2]]),
            position(particles[shift + corner[3]]),
        )
        rest_position = (
            barycentric[0] * rest_points[corner[0]]
            + barycentric[1] * rest_points[corner[1]]
            + barycentric[2] * rest_points[corner[2]]
            + barycentric[3] * rest_points[corner[3]]
        )
        hit = wp.mesh_query_point_no_sign(boundary, rest_position, 1.0e6)
        if hit.result:
            escape = wp.mesh_eval_position(boundary, hit.face, hit.u, hit.v) - rest_position
            if wp.length(escape) <= max_depth:
                if held.face_of[i] < 0:
                    held.face_of[i] = hit.face
                    firm = wp.vec2f(firm[0], held.rate[0])
                else:
                    normal = wp.mesh_eval_face_normal(boundary, hit.face)
                    if wp.dot(normal, wp.mesh_eval_face_normal(boundary, held.face_of[i])) > 0.0:
                        held.face_of[i] = hit.face
    held.firmness[i] = firm
    if held.plane_of[i] >= 0 or held.face_of[i] >= 0:
        contacts.particles[wp.atomic_add(contacts.count, 0, 1)] = i


@wp.kernel(enable_backward=False)
def detect_bodies(first: int, particles: Vec4Array, margin: float, bodies: RigidBodies, contacts: ContactList):
    """List the particles that are inside a rigid body or closer to one than `margin`."""
    i = first + wp.tid()
    x = position(particles[i])
    close = bool(0)
    for b in range(bodies.kinds.shape[0]):
        local = wp.transform_point(wp.transform_inverse(bodies.now[b]), x)
        skin = body_surface(local, bodies.kinds[b], bodies.sizes[b], bodies.meshes[b], bodies.reach)
        if skin[3] < margin:
            close = True
    if close:
        contacts.particles[wp.atomic_add(contacts.count, 0, 1)] = i
