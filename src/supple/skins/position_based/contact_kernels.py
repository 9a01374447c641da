# mypy: ignore-errors
"""Arithmetic of contacts on arrays: which particles touch what, and the moves that part them.

Symbols: p a particle as (x, y, z, w), w its inverse mass; c a copy of the character, of which particles are stacked
copy by copy; k a joint's plane through q with unit normal n; e an element, f a face (a, b, c) of the body's boundary;
r a region, which is a joint that bends or a limb that comes near the body; j a part, the particles of one joint.

A particle touches at most one plane and one face at a time: `plane_of` is 2 k on the child's side, 2 k + 1 on the
parent's, `face_of` a face within its copy; -1 for none. Every kernel works on item `first + tid`. Kernels with atomic
steps run on one core on the CPU, where they are not atomic between threads.
"""

import warp as wp

from supple.geometry.collision.spatial_hash.kernels import boxes_meet, corner_shares, position

Particles = wp.array(dtype=wp.vec4f)
Points = wp.array(dtype=wp.vec3f)
Corners = wp.array(dtype=wp.vec4i)
Faces = wp.array(dtype=wp.vec3i)
Whole = wp.array(dtype=wp.int32)
Numbers = wp.array(dtype=wp.float32)
Table = wp.array2d(dtype=wp.int32)
Boxes = wp.array2d(dtype=wp.vec3f)
Pairs = wp.array(dtype=wp.vec2f)
Sums = wp.array(dtype=wp.int64)

NONE = wp.constant(2147483647)
NO_ELEMENT = wp.constant(wp.int64(4611686018427387904))
ELEMENTS = wp.constant(wp.int64(4294967296))  # more than there can be: behind the rank of its depth stands the element
DEPTHS = wp.constant(1048576.0)  # steps of depth that are told apart
FARTHEST = wp.constant(3.0e38)
BESIDE = wp.constant(-0.5)  # share of a face's corner: a particle farther beside it than this has slid off
FIRM = wp.constant(0.5)  # inverse mass of what hardly gives way
FIXED_POINT = wp.constant(1.0995116277760e12)  # 2^40 steps a metre: whole numbers add up alike in any order
LARGEST_SUM = wp.constant(1.0e3)  # [m]


# One contact


@wp.func
def project_plane(p: wp.vec4f, q: wp.vec3f, n: wp.vec3f, stiffness: float) -> wp.vec4f:
    """C = (p - q) . n >= 0: on the wrong side, p moves by -C n, times the stiffness; the plane does not move."""
    height = wp.dot(position(p) - q, n)
    if height < 0.0 and p[3] > 0.0:
        return p - wp.vec4f(n[0], n[1], n[2], 0.0) * (stiffness * height)
    return p


@wp.func
def face_normal(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Unit normal of a face; zero where it has no area."""
    area = wp.cross(b - a, c - a)
    length = wp.length(area)
    if length > 1.0e-20:
        return area / length
    return wp.vec3f(0.0, 0.0, 0.0)


@wp.func
def face_shares(x: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> wp.vec3f:
    """Barycentric coordinates of x, projected on a face; a third each where it has no area."""
    area = wp.cross(b - a, c - a)
    square = wp.dot(area, area)
    if square > 1.0e-38:
        second = wp.dot(wp.cross(x - a, c - a), area) / square
        third = wp.dot(wp.cross(b - a, x - a), area) / square
        return wp.vec3f(1.0 - second - third, second, third)
    return wp.vec3f(0.33333334, 0.33333333, 0.33333333)


@wp.func
def pushing_shares(u: wp.vec3f) -> wp.vec3f:
    """Shares in which a face's corners take a push: none is negative, and their sum is one."""
    positive = wp.vec3f(wp.max(u[0], 0.0), wp.max(u[1], 0.0), wp.max(u[2], 0.0))
    return positive / (positive[0] + positive[1] + positive[2])


@wp.func
def project_face(p: wp.vec4f, a: wp.vec4f, b: wp.vec4f, c: wp.vec4f, stiffness: float) -> wp.vec4f:
    """C = (p - a) . n >= 0 for a particle that must be outside a face: returns s and the push s n for unit w.

    With u the place of p on the face, the gradients are n and -u_i n, so s = -k C / (w_p + sum_i w_i u_i^2). The
    particle moves by w_p s n, corner i by -w_i u_i s n: weighed by mass, the moves cancel. s is zero when C >= 0.
    """
    xa = position(a)
    n = face_normal(xa, position(b), position(c))
    height = wp.dot(position(p) - xa, n)
    if height < 0.0:
        u = pushing_shares(face_shares(position(p), xa, position(b), position(c)))
        slope = p[3] + a[3] * u[0] * u[0] + b[3] * u[1] * u[1] + c[3] * u[2] * u[2]
        if slope > 1.0e-12:
            s = -stiffness * height / slope
            return wp.vec4f(s * n[0], s * n[1], s * n[2], s)
    return wp.vec4f(0.0, 0.0, 0.0, 0.0)


@wp.func
def pushed(p: wp.vec4f, push: wp.vec4f, share: float) -> wp.vec4f:
    """A particle after its share of a push for unit inverse mass."""
    m = share * p[3]
    return wp.vec4f(p[0] + m * push[0], p[1] + m * push[1], p[2] + m * push[2], p[3])


# Which particles touch what


@wp.func
def plane_side(code: int) -> float:
    """+1 on the child's side of a plane, -1 on the parent's."""
    return 1.0 - 2.0 * float(code % 2)


@wp.kernel(enable_backward=False)
def keep_held(
    first: int,
    particles: Particles,
    particles_per_copy: int,
    release: float,
    parts: Whole,
    plane_points: Boxes,
    plane_normals: Boxes,
    holds: Table,
    extents: Numbers,
    faces: Faces,
    limb_of_part: Whole,
    pace: Numbers,
    plane_of: Whole,
    face_of: Whole,
    firmness: Pairs,
    held: Table,
    touched: Whole,
    near: Whole,
):
    """Let go of contacts that have opened by `release`, or slid off; count the others for the regions they are in.

    A joint that is open (`holds` 0) lets go of all: particles next to it are always near its plane. What is held grows
    firmer by `pace` in every step, up to one, and what is let go of grows weaker, until it is gone: a contact that is
    found a step sooner or later then makes little difference.
    """
    i = first + wp.tid()
    if i == 0:
        touched[0] = 0
        near[0] = 0
    c = i // particles_per_copy
    x = position(particles[i])
    planes = extents.shape[0]
    firm = firmness[i]
    on_plane = firm[0] - pace[0]
    on_face = firm[1] - pace[0]
    code = plane_of[i]
    if code >= 0:
        k = code // 2
        apart = x - plane_points[c, k]
        height = plane_side(code) * wp.dot(apart, plane_normals[c, k])
        if holds[c, k] > 0 and height < release and wp.length(apart) <= extents[k] + release:
            wp.atomic_add(held, c, k, 1)
            on_plane = wp.min(firm[0] + pace[0], 1.0)
        elif on_plane <= 0.0:
            plane_of[i] = -1
    f = face_of[i]
    if f >= 0:
        corner = faces[f]
        shift = c * particles_per_copy
        a = position(particles[shift + corner[0]])
        b = position(particles[shift + corner[1]])
        d = position(particles[shift + corner[2]])
        height = wp.dot(x - a, face_normal(a, b, d))
        u = face_shares(x, a, b, d)
        if wp.abs(height) < release and wp.min(wp.min(u[0], u[1]), u[2]) > BESIDE:
            own = limb_of_part[parts[i - shift]]
            other = limb_of_part[parts[corner[0]]]
            if own >= 0:
                wp.atomic_add(held, c, planes + own, 1)
            if other >= 0 and other != own:
                wp.atomic_add(held, c, planes + other, 1)
            on_face = wp.min(firm[1] + pace[0], 1.0)
        elif on_face <= 0.0:
            face_of[i] = -1
    firmness[i] = wp.vec2f(wp.max(on_plane, 0.0), wp.max(on_face, 0.0))


@wp.kernel(enable_backward=False)
def part_boxes(
    first: int, particles: Particles, particles_per_copy: int, starts: Whole, members: Whole, lows: Boxes, highs: Boxes
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
def search_boxes(
    first: int,
    margin: float,
    fires: Table,
    held: Table,
    groups: Table,
    sides: Table,
    joints: int,
    part_lows: Boxes,
    part_highs: Boxes,
    lows: Boxes,
    highs: Boxes,
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
        if own > 0 and fires[c, r] + held[c, r] > 0:
            for other in range(parts):
                if groups[r, other] == 3 - own and (r < joints or sides[j, other] < 0):
                    shared_low = wp.max(part_lows[c, j], part_lows[c, other])
                    shared_high = wp.min(part_highs[c, j], part_highs[c, other])
                    if boxes_meet(shared_low, shared_high, shared_low, shared_high):
                        low = wp.min(low, shared_low - around)
                        high = wp.max(high, shared_high + around)
    lows[c, j] = low
    highs[c, j] = high


@wp.kernel(enable_backward=False)
def sort_pairs(
    lane: int,
    lanes: int,
    found: Whole,
    pair_particles: Whole,
    pair_elements: Whole,
    particles: Particles,
    particles_per_copy: int,
    corners: Corners,
    parts: Whole,
    sides: Table,
    plane_points: Boxes,
    extents: Numbers,
    new_plane: Whole,
    new_element: Sums,
):
    """What each pair means: a plane where two parts meet at a joint, else a face; nothing within one part.

    The element's corners are held off the plane as well, from the other side: where the particle is on its own side
    already, it is they who have crossed. Of several planes that of the lowest joint counts, of several elements the
    one in which the particle lies deepest, so that neither the pairs' order nor the elements' does.
    What hardly gives way (hands, feet, heads) is held off at joints only: a hand that the bones drive into a thigh
    would tear it.
    """
    count = wp.min(found[0], pair_particles.shape[0])
    for n in range(lane + wp.tid(), count, lanes):
        i = pair_particles[n]
        e = pair_elements[n]
        c = i // particles_per_copy
        shift = c * particles_per_copy
        corner = corners[e - c * corners.shape[0]]
        x = position(particles[i])
        share = corner_shares(
            x,
            position(particles[shift + corner[0]]),
            position(particles[shift + corner[1]]),
            position(particles[shift + corner[2]]),
            position(particles[shift + corner[3]]),
        )
        own = parts[i - shift]
        other = parts[corner[int(wp.argmax(share))]]
        lightest = particles[i][3]
        for v in range(4):
            lightest = wp.min(lightest, particles[shift + corner[v]][3])
        code = sides[own, other]
        if own != other and (code >= 0 or lightest > FIRM):
            at_plane = bool(0)
            if code >= 0:
                k = code // 2
                at_plane = wp.length(x - plane_points[c, k]) <= extents[k]
            if at_plane:
                wp.atomic_min(new_plane, i, code)
                for v in range(4):
                    if parts[corner[v]] == other:
                        wp.atomic_min(new_plane, shift + corner[v], code ^ 1)
            else:
                depth = wp.min(wp.min(share[0], share[1]), wp.min(share[2], share[3]))
                rank = wp.int64(int((1.0 - wp.clamp(depth, 0.0, 1.0)) * DEPTHS))
                wp.atomic_min(new_element, i, rank * ELEMENTS + wp.int64(e))


@wp.kernel(enable_backward=False)
def settle_contacts(
    first: int,
    particles: Particles,
    particles_per_copy: int,
    corners: Corners,
    rest_points: Points,
    boundary: wp.uint64,
    deepest: float,
    pace: Numbers,
    new_plane: Whole,
    new_element: Sums,
    plane_of: Whole,
    face_of: Whole,
    firmness: Pairs,
    touched: Whole,
    touching: Whole,
):
    """Give every particle its plane and face, and list those that have one.

    One that has a plane keeps it until it is let go of, and a face that looks the other way is not taken for the one it
    has: it would jump. A particle's place in the foreign element is looked up in the rest shape; the nearest face there
    is its way out. One that is deeper than `deepest` [m] there was driven in by the bones, and would jump if it were
    let out at once.
    """
    i = first + wp.tid()
    firm = firmness[i]
    if new_plane[i] != NONE:
        if plane_of[i] < 0:
            plane_of[i] = new_plane[i]
            firm = wp.vec2f(pace[0], firm[1])
        new_plane[i] = NONE
    if new_element[i] != NO_ELEMENT:
        e = int(new_element[i] % ELEMENTS)
        new_element[i] = NO_ELEMENT
        c = i // particles_per_copy
        shift = c * particles_per_copy
        corner = corners[e - c * corners.shape[0]]
        share = corner_shares(
            position(particles[i]),
            position(particles[shift + corner[0]]),
            position(particles[shift + corner[1]]),
            position(particles[shift + corner[2]]),
            position(particles[shift + corner[3]]),
        )
        at_rest = (
            share[0] * rest_points[corner[0]]
            + share[1] * rest_points[corner[1]]
            + share[2] * rest_points[corner[2]]
            + share[3] * rest_points[corner[3]]
        )
        hit = wp.mesh_query_point_no_sign(boundary, at_rest, 1.0e6)
        if hit.result:
            way_out = wp.mesh_eval_position(boundary, hit.face, hit.u, hit.v) - at_rest
            if wp.length(way_out) <= deepest:
                if face_of[i] < 0:
                    face_of[i] = hit.face
                    firm = wp.vec2f(firm[0], pace[0])
                elif (
                    wp.dot(wp.mesh_eval_face_normal(boundary, hit.face), wp.mesh_eval_face_normal(boundary, face_of[i]))
                    > 0.0
                ):
                    face_of[i] = hit.face
    firmness[i] = firm
    if plane_of[i] >= 0 or face_of[i] >= 0:
        touching[wp.atomic_add(touched, 0, 1)] = i


# Parting them, one after another


@wp.func
def eased(stiffness: float, firmness: float) -> float:
    """How much of a contact one round parts while it grows firm; a dozen rounds at a third already part most of it."""
    return stiffness * firmness * firmness * firmness


@wp.func
def part_from_plane(i: int, code: int, c: int, k: float, points: Boxes, normals: Boxes, particles: Particles):
    """Move a particle to its own side of its plane."""
    plane = code // 2
    n = plane_side(code) * normals[c, plane]
    particles[i] = project_plane(particles[i], points[c, plane], n, k)


@wp.kernel(enable_backward=False)
def part_contacts(
    first: int,
    touched: Whole,
    touching: Whole,
    particles_per_copy: int,
    stiffness: Numbers,
    firmness: Pairs,
    plane_of: Whole,
    plane_points: Boxes,
    plane_normals: Boxes,
    face_of: Whole,
    faces: Faces,
    particles: Particles,
):
    """One sweep over all contacts of the body with itself, in one thread; faces first, planes have the last word."""
    for t in range(first + wp.tid(), touched[0]):
        i = touching[t]
        c = i // particles_per_copy
        f = face_of[i]
        if f >= 0:
            shift = c * particles_per_copy
            ia = shift + faces[f][0]
            ib = shift + faces[f][1]
            ic = shift + faces[f][2]
            p = particles[i]
            a = particles[ia]
            b = particles[ib]
            d = particles[ic]
            push = project_face(p, a, b, d, eased(stiffness[0], firmness[i][1]))
            if push[3] > 0.0:
                u = pushing_shares(face_shares(position(p), position(a), position(b), position(d)))
                particles[i] = pushed(p, push, 1.0)
                particles[ia] = pushed(a, push, -u[0])
                particles[ib] = pushed(b, push, -u[1])
                particles[ic] = pushed(d, push, -u[2])
        if plane_of[i] >= 0:
            k = eased(stiffness[0], firmness[i][0])
            part_from_plane(i, plane_of[i], c, k, plane_points, plane_normals, particles)


# Parting them, all at once


@wp.kernel(enable_backward=False)
def part_planes(
    first: int,
    touched: Whole,
    touching: Whole,
    particles_per_copy: int,
    stiffness: Numbers,
    firmness: Pairs,
    plane_of: Whole,
    plane_points: Boxes,
    plane_normals: Boxes,
    particles: Particles,
):
    """Planes move one particle each, so all may run at once."""
    t = first + wp.tid()
    if t < touched[0]:
        i = touching[t]
        if plane_of[i] >= 0:
            c = i // particles_per_copy
            k = eased(stiffness[0], firmness[i][0])
            part_from_plane(i, plane_of[i], c, k, plane_points, plane_normals, particles)


@wp.func
def add_move(i: int, move: wp.vec4f, share: float, w: float, sums: Sums, counts: Whole):
    """Add to what a particle is to move by, in whole steps."""
    for axis in range(3):
        step = wp.clamp(share * w * move[axis], -LARGEST_SUM, LARGEST_SUM)
        wp.atomic_add(sums, 3 * i + axis, wp.int64(wp.float64(step) * wp.float64(FIXED_POINT)))
    wp.atomic_add(counts, i, 1)


@wp.kernel(enable_backward=False)
def gather_faces(
    first: int,
    touched: Whole,
    touching: Whole,
    particles_per_copy: int,
    stiffness: Numbers,
    firmness: Pairs,
    face_of: Whole,
    faces: Faces,
    particles: Particles,
    sums: Sums,
    counts: Whole,
):
    """Add up what face contacts ask of every particle; several of them may ask of one."""
    t = first + wp.tid()
    if t < touched[0]:
        i = touching[t]
        f = face_of[i]
        if f >= 0:
            shift = (i // particles_per_copy) * particles_per_copy
            ia = shift + faces[f][0]
            ib = shift + faces[f][1]
            ic = shift + faces[f][2]
            p = particles[i]
            a = particles[ia]
            b = particles[ib]
            d = particles[ic]
            push = project_face(p, a, b, d, eased(stiffness[0], firmness[i][1]))
            if push[3] > 0.0:
                u = pushing_shares(face_shares(position(p), position(a), position(b), position(d)))
                add_move(i, push, 1.0, p[3], sums, counts)
                add_move(ia, push, -u[0], a[3], sums, counts)
                add_move(ib, push, -u[1], b[3], sums, counts)
                add_move(ic, push, -u[2], d[3], sums, counts)


@wp.kernel(enable_backward=False)
def part_faces(first: int, sums: Sums, counts: Whole, particles: Particles):
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
