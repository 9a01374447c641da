# mypy: ignore-errors
"""Arithmetic of the skeleton on arrays: the system of links and joints, and its books.

The system ((M, -J^T), (-J, 0)) of links and joints (system_kernels.py) has two blocks of rows for every link, its
velocity and its spin, one for a ball and two for a hinge. Links come before those they hang on, and the rows of a joint
right after the link that hangs on it; then no pivot can vanish.

The system is small and its steps depend on each other, so one thread walks through it.
Symbols as in kernels.py; f the bend of a joint in the child's axes, k and d stiffness and damping.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Matrices, Numbers, Vectors, Whole, cross_matrix
from supple.skins.contact.dynamics.skyline_kernels import add_block, add_pair

HINGE = wp.constant(1)
LINEAR = wp.constant(0)  # places in the books: momentum, angular momentum, energy, first moment of all matter
ANGULAR = wp.constant(3)
ENERGY = wp.constant(6)
MOMENT = wp.constant(7)
SCALE = wp.constant(10)  # by how much motion against the whole was slowed
IMPULSE = wp.constant(11)  # what came from outside in this step: momentum, angular momentum, work
TWIST = wp.constant(14)
WORK = wp.constant(17)
KINETIC = wp.constant(18)
BOOKS = wp.constant(19)


@wp.func
def rotation_vector(m: wp.mat33d) -> wp.vec3d:
    """Axis times angle, at most pi long."""
    q = wp.normalize(wp.quat_from_matrix(m))
    sign = wp.float64(1.0)
    if q[3] < wp.float64(0.0):
        sign = wp.float64(-1.0)
    v = sign * wp.vec3d(q[0], q[1], q[2])
    sine = wp.length(v)
    if sine < wp.float64(1.0e-12):
        return wp.float64(2.0) * v
    return (wp.float64(2.0) * wp.atan2(sine, sign * q[3]) / sine) * v


@wp.func
def curvature(f: wp.vec3d) -> wp.mat33d:
    """H = a a^T + (t / 2) cot(t / 2) (1 - a a^T), see dynamics.spring_hessian."""
    one = wp.identity(n=3, dtype=wp.float64)
    t = wp.length(f)
    if t < wp.float64(1.0e-6):
        return one
    along = wp.outer(f, f) / (t * t)
    half = wp.float64(0.5) * t
    across = wp.max(half / wp.tan(half), wp.float64(0.0))
    return along + across * (one - along)


@wp.func
def vector_at(at: int, values: Numbers) -> wp.vec3d:
    return wp.vec3d(values[at], values[at + 1], values[at + 2])


@wp.kernel(enable_backward=False)
def assemble_links(
    first: int,
    links: int,
    pairs: int,
    entries: int,
    starts: Whole,
    firsts: Whole,
    ats: Whole,
    masses: Numbers,
    moments: Vectors,
    squares: Matrices,
    pair_links: Whole,
    blocks: Matrices,
    values: Matrices,
):
    """M^cond = Mb - sum over nodes, without springs."""
    for e in range(entries):
        values[e] = wp.mat33d()
    one = wp.identity(n=3, dtype=wp.float64)
    for i in range(links):
        at = starts[i]
        add_block(at, at, masses[i] * one, firsts, ats, values)
        add_block(at + 1, at, cross_matrix(moments[i]), firsts, ats, values)
        add_block(at + 1, at + 1, wp.trace(squares[i]) * one - squares[i], firsts, ats, values)
    for p in range(pairs):
        a = starts[pair_links[2 * p]]
        b = starts[pair_links[2 * p + 1]]
        if a == b:
            add_block(a, a, -blocks[4 * p], firsts, ats, values)
            add_block(a + 1, a, -blocks[4 * p + 2], firsts, ats, values)
            add_block(a + 1, a + 1, -blocks[4 * p + 3], firsts, ats, values)
        else:
            for left in range(2):
                for over in range(2):
                    add_pair(a + left, b + over, -blocks[4 * p + 2 * left + over], firsts, ats, values)


@wp.kernel(enable_backward=False)
def assemble_joints(
    first: int,
    joints: int,
    dt: wp.float64,
    share: wp.float64,
    starts: Whole,
    rows: Whole,
    firsts: Whole,
    ats: Whole,
    children: Whole,
    parents: Whole,
    kinds: Whole,
    ends: Vectors,
    axes: Vectors,
    springs: Numbers,
    target_rotations: Matrices,
    target_spins: Vectors,
    gains: Numbers,
    positions: Vectors,
    rotations: Matrices,
    velocities: Vectors,
    spins: Vectors,
    values: Matrices,
    right: Vectors,
):
    """Springs and control of the joints, and the rows -J that hold them together.

    `ends` are the joint in the frames of child and parent; `axes` a hinge's axis and two directions square to it.
    `velocities` already have what gravity gives all links alike.
    """
    one = wp.identity(n=3, dtype=wp.float64)
    for c in range(joints):
        child = children[c]
        parent = parents[c]
        a = starts[child]
        b = starts[parent]
        rotation = rotations[child]
        relative = wp.transpose(rotations[parent]) * rotation
        out = rotation_vector(relative)
        off = rotation_vector(wp.transpose(target_rotations[c]) * relative)
        spin = spins[child] - spins[parent]
        own = wp.transpose(rotation) * spin
        resist = (dt * springs[2 * c]) * curvature(out) + (dt * gains[2 * c]) * curvature(off)
        resist += (springs[2 * c + 1] + gains[2 * c + 1]) * one
        torque = springs[2 * c] * out + gains[2 * c] * off + resist * own - gains[2 * c + 1] * target_spins[c]
        twist = rotation * (-dt * torque)
        right[a + 1] = right[a + 1] + twist
        right[b + 1] = right[b + 1] - twist
        block = dt * (rotation * resist * wp.transpose(rotation))
        add_block(a + 1, a + 1, block, firsts, ats, values)
        add_block(b + 1, b + 1, block, firsts, ats, values)
        add_pair(a + 1, b + 1, -block, firsts, ats, values)

        one_end = positions[child] + rotation * ends[2 * c]
        other_end = positions[parent] + rotations[parent] * ends[2 * c + 1]
        middle = wp.float64(0.5) * (one_end + other_end)
        near = middle - positions[child]
        far = middle - positions[parent]
        pace = velocities[child] + wp.cross(spins[child], near) - velocities[parent] - wp.cross(spins[parent], far)
        at = rows[c]
        add_pair(at, a, -one, firsts, ats, values)
        add_pair(at, a + 1, cross_matrix(near), firsts, ats, values)
        add_pair(at, b, one, firsts, ats, values)
        add_pair(at, b + 1, -cross_matrix(far), firsts, ats, values)
        right[at] = pace + (share / dt) * (one_end - other_end)
        if kinds[c] == HINGE:
            e = rotations[parent] * axes[3 * c + 1]
            f = rotations[parent] * axes[3 * c + 2]
            across = wp.matrix_from_rows(e, f, wp.vec3d())
            add_pair(at + 1, a + 1, -across, firsts, ats, values)
            add_pair(at + 1, b + 1, across, firsts, ats, values)
            tilt = wp.cross(rotations[parent] * axes[3 * c], rotation * axes[3 * c])
            right[at + 1] = across * (spin + (share / dt) * tilt)
            last = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))  # the third row says nothing
            add_block(at + 1, at + 1, -wp.outer(last, last), firsts, ats, values)


@wp.kernel(enable_backward=False)
def assemble_roots(
    first: int,
    roots: int,
    dt: wp.float64,
    starts: Whole,
    firsts: Whole,
    ats: Whole,
    links: Whole,
    wanted: Vectors,
    wanted_rotations: Matrices,
    gains: Numbers,
    positions: Vectors,
    rotations: Matrices,
    velocities: Vectors,
    spins: Vectors,
    values: Matrices,
    right: Vectors,
):
    """Control of the roots. `wanted` are the place, the velocity and the angular velocity of each."""
    for r in range(roots):
        i = links[r]
        at = starts[i]
        one = wp.identity(n=3, dtype=wp.float64)
        resist = (dt * gains[4 * r] + gains[4 * r + 1]) * one
        force = (
            gains[4 * r] * (positions[i] - wanted[3 * r])
            + resist * velocities[i]
            - gains[4 * r + 1] * wanted[3 * r + 1]
        )
        right[at] = right[at] - dt * force
        add_block(at, at, dt * resist, firsts, ats, values)
        out = rotation_vector(rotations[i] * wp.transpose(wanted_rotations[r]))
        resist = (dt * gains[4 * r + 2]) * curvature(out) + gains[4 * r + 3] * one
        torque = gains[4 * r + 2] * out + resist * spins[i] - gains[4 * r + 3] * wanted[3 * r + 2]
        right[at + 1] = right[at + 1] - dt * torque
        add_block(at + 1, at + 1, dt * resist, firsts, ats, values)


@wp.kernel(enable_backward=False)
def take(
    first: int, starts: Whole, answer: Vectors, velocities: Vectors, spins: Vectors, jumps: Vectors, twists: Vectors
):
    """The links' changes of velocity, and their new velocities."""
    i = first + wp.tid()
    at = starts[i]
    jumps[i] = answer[at]
    twists[i] = answer[at + 1]
    velocities[i] = velocities[i] + jumps[i]
    spins[i] = spins[i] + twists[i]


@wp.kernel(enable_backward=False)
def fall(first: int, kick: wp.vec3d, velocities: Vectors):
    """What gravity gives all links alike in a step; the flesh goes along, so nothing else feels it."""
    i = first + wp.tid()
    velocities[i] = velocities[i] + kick


@wp.kernel(enable_backward=False)
def close_joints(
    first: int,
    links: int,
    joints: int,
    resting: int,
    downwards: Whole,
    children: Whole,
    parents: Whole,
    ends: Vectors,
    masses: Numbers,
    mass: wp.float64,
    rotations: Matrices,
    shifts: Vectors,
    positions: Vectors,
):
    """Put every link back on the one it hangs on, parents first; a straight step opens joints by second order.

    The centre of all matter stays where it is, or else (`resting`) the roots do.
    """
    for i in range(links):
        shifts[i] = wp.vec3d()
    for q in range(joints):
        c = downwards[q]
        child = children[c]
        parent = parents[c]
        there = positions[parent] + shifts[parent] + rotations[parent] * ends[2 * c + 1]
        shifts[child] = there - positions[child] - rotations[child] * ends[2 * c]
    mean = wp.vec3d()
    if resting == 0:
        for i in range(links):
            mean += (masses[i] / mass) * shifts[i]
    for i in range(links):
        positions[i] = positions[i] + shifts[i] - mean


@wp.kernel(enable_backward=False)
def open_books(first: int, dt: wp.float64, mass: wp.float64, gravity: wp.vec3d, books: Numbers):
    """What gravity brings from outside in this step."""
    for axis in range(3):
        books[IMPULSE + axis] = dt * mass * gravity[axis]
    twist = dt * wp.cross(vector_at(MOMENT, books), gravity)
    for axis in range(3):
        books[TWIST + axis] = twist[axis]
    books[WORK] = wp.float64(0.0)


@wp.kernel(enable_backward=False)
def close_books(
    first: int,
    links: int,
    joints: int,
    pieces: int,
    kept: int,
    guarded: int,
    gravity: wp.vec3d,
    masses: Numbers,
    moments: Vectors,
    squares: Matrices,
    children: Whole,
    parents: Whole,
    springs: Numbers,
    positions: Vectors,
    rotations: Matrices,
    sums: Vectors,
    velocities: Vectors,
    spins: Vectors,
    books: Numbers,
):
    """Hold momentum to what came from outside, and energy to what was there.

    A step is linear, so it misses both by terms of second order. A rigid motion of the whole puts momentum right
    (`kept`); joints do not notice it. If there is more energy than before (`guarded`), motion against the whole is
    slowed until there is not; that changes no momentum, and joints do not notice it either.
    """
    linear = wp.vec3d()
    angular = wp.vec3d()
    kinetic = wp.float64(0.0)
    stored = wp.float64(0.0)
    for piece in range(pieces):
        linear += sums[3 * piece]
        angular += sums[3 * piece + 1]
        kinetic += sums[3 * piece + 2][0]
        stored += sums[3 * piece + 2][1]
    mass = wp.float64(0.0)
    moment = wp.vec3d()
    square = wp.mat33d()
    for i in range(links):
        c = positions[i]
        v = velocities[i]
        o = spins[i]
        s = moments[i]
        p = masses[i] * v + wp.cross(o, s)
        h = wp.cross(s, v) + wp.trace(squares[i]) * o - squares[i] * o
        linear += p
        angular += wp.cross(c, p) + h
        kinetic += wp.float64(0.5) * (wp.dot(v, p) + wp.dot(o, h))
        mass += masses[i]
        moment += masses[i] * c + s
        square += masses[i] * wp.outer(c, c) + wp.outer(c, s) + wp.outer(s, c) + squares[i]
    for joint in range(joints):
        out = rotation_vector(wp.transpose(rotations[parents[joint]]) * rotations[children[joint]])
        stored += wp.float64(0.5) * springs[2 * joint] * wp.dot(out, out)
    stored -= wp.dot(gravity, moment)
    centre = moment / mass
    about = square - mass * wp.outer(centre, centre)
    inverse = wp.inverse(wp.trace(about) * wp.identity(n=3, dtype=wp.float64) - about)
    half = wp.float64(0.5)
    whole_spin = inverse * (angular - wp.cross(centre, linear))
    against = kinetic - half * (wp.dot(linear, linear) / mass + wp.dot(whole_spin, angular - wp.cross(centre, linear)))
    whole = linear / mass
    if kept == 1:
        linear = vector_at(LINEAR, books) + vector_at(IMPULSE, books)
        angular = vector_at(ANGULAR, books) + vector_at(TWIST, books)
    new_whole = linear / mass
    new_spin = inverse * (angular - wp.cross(centre, linear))
    total = half * (mass * wp.dot(new_whole, new_whole) + wp.dot(new_spin, angular - wp.cross(centre, linear)))
    kinetic = total + against
    scale = wp.float64(1.0)
    if guarded == 1:
        excess = kinetic + stored - books[ENERGY] - books[WORK]
        if excess > wp.float64(0.0):
            scale = wp.sqrt(wp.max(wp.float64(0.0), wp.float64(1.0) - excess / wp.max(against, wp.float64(1.0e-300))))
            kinetic = total + scale * scale * against
    if kept == 1 or guarded == 1:
        for i in range(links):
            arm = positions[i] - centre
            velocities[i] = (
                new_whole + wp.cross(new_spin, arm) + scale * (velocities[i] - whole - wp.cross(whole_spin, arm))
            )
            spins[i] = new_spin + scale * (spins[i] - whole_spin)
    for axis in range(3):
        books[LINEAR + axis] = linear[axis]
        books[ANGULAR + axis] = angular[axis]
        books[MOMENT + axis] = moment[axis]
    books[ENERGY] = kinetic + stored
    books[KINETIC] = kinetic
    books[SCALE] = scale


@wp.kernel(enable_backward=False)
def slow(first: int, books: Numbers, flows: Vectors):
    """Flesh moves against the whole only as fast as the books allow."""
    j = first + wp.tid()
    flows[j] = books[SCALE] * flows[j]
