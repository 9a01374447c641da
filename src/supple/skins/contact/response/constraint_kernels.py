# mypy: ignore-errors
"""Arithmetic of rows: what may not go on, and what a push on it does, for contacts and joint limits alike.

A row is a place where two things meet: nodes with shares s (one, or the corners of an element, or a node against the
corners of a triangle, whose shares then are negative), and perhaps a free body. With V_j = sum w (c' + o x r) what the
links do to node j, f_j the push on it, G = W D W^T how it gives way and P = 1 - m G, the velocity of the place is

    u = sum_j s_j (P_j V_j + G_j f_j) - (c' + o x r of the body),                             [Galoppo2007, 5.4]

so links and bodies, its hands, take part by two 3x3 blocks each, u += A c' + B o, and feel a push p by (A^T p, B^T p).
C = sum_j |s_j| (sum of |s_j| over all rows) G_j is how softly it answers alone; rows that share nodes answer too little
rather than too much, and are answered again. The limit of a joint is a row of how its two links turn.
"""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import HINGE, JointLimits, Joints, rotation_vector
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Matrices, Vectors, cross_matrix

CORNERS = wp.constant(4)
NOTHING = wp.constant(wp.float64(1.0e-3))  # of how much links yield: who yields less has no flesh
PARTED = wp.constant(wp.float64(0.2))  # share of a depth that bones and skin leave in a step, at most
FREE = wp.constant(wp.float64(1.0e9))  # [m/s]: who may go on so fast is not held
COUPLED_LINKS = wp.constant(17)  # links that carry four corners, and a body
SWING = wp.constant(1)  # what a limit bounds, beside an angle
BACKWARDS = wp.constant(wp.float64(0.6))  # of two axes: who is swung this far back has no twist
CONTACTS = wp.constant(0)  # places in the counts: how many contacts are given,
VIOLATED = wp.constant(1)  # how many rows go on too fast,
PASSES = wp.constant(2)  # how many passes were made,
ENTRIES = wp.constant(3)  # how many places the system has,
CROWDED = wp.constant(4)  # and whether rows answer too little at once


@wp.struct
class Flesh:
    """Nodes and the links that carry them, as they are at the start of the step.

    `warm_start` are the pushes of the step before, by the first node of their rows: what pressed then is begun with.
    """

    carriers: int
    free: int
    links: IntArray
    weights: FloatArray
    arms: Vectors
    masses: FloatArray
    blended_rotations: Matrices
    block_inverses: Matrices
    positions: Vectors
    world_velocities: Vectors
    touch_weights: FloatArray
    warm_start: Vectors


@wp.struct
class Contacts:
    """Contacts as they are given."""

    corners: IntArray
    weights: FloatArray
    normals: Vectors
    velocities: Vectors
    gaps: FloatArray
    frictions: FloatArray
    bodies: IntArray
    points: Vectors


@wp.struct
class Constraints:
    """What the solution needs of every row. `initial_gaps` is its gap [m, rad] at the start of the step.

    `skin` says that skin meets skin, `inverse_mass` is how much its links yield, each by itself. Of the limits of
    balls, `bends` (in world axes) and `highs` [rad] are how far the joint is bent and may be.
    """

    skin: IntArray
    normals: Vectors
    frictions: FloatArray
    compliance: Matrices
    inverse_mass: FloatArray
    initial_gaps: FloatArray
    node_compliances: Matrices
    counts: IntArray
    coupled_links: IntArray
    linear_blocks: Matrices
    angular_blocks: Matrices
    bends: Vectors
    highs: FloatArray


@wp.struct
class SolverState:
    """One solution for pushes: where rows begin, what they want along their normals, and what was found so far.

    `velocity_changes` are the changes of links and bodies, `node_impulses` the pushes on free nodes.
    """

    initial_velocities: Vectors
    target_velocities: FloatArray
    impulses: Vectors
    impulse_changes: Vectors
    residuals: Vectors
    previous_residuals: Vectors
    active: IntArray
    inactive: IntArray
    sliding: IntArray
    velocity_changes: Vectors
    node_impulses: Vectors


@wp.func
def project_onto_cone(impulse: wp.vec3d, n: wp.vec3d, friction: wp.float64) -> wp.vec3d:
    """The push with the same share along n, if it does not pull, and along the surface at most friction times that."""
    pressed = wp.dot(n, impulse)
    along = impulse - pressed * n
    pressed = wp.max(pressed, wp.float64(0.0))
    size = wp.length(along)
    if size > friction * pressed:
        along = (friction * pressed / size) * along
    return pressed * n + along


@wp.kernel(enable_backward=False)
def open_constraints(
    first: int,
    counts: IntArray,
    flesh: Flesh,
    contacts: Contacts,
    link_rows: IntArray,
    body_start: int,
    size: int,
    limits: int,
    first_columns: IntArray,
    wide_first_columns: IntArray,
    wide_row_offsets: IntArray,
    state: SolverState,
):
    """Which places of the system contacts couple, which nodes they share, and nothing pushed yet."""
    for i in range(size):
        wide_first_columns[i] = i
        if i < body_start:
            wide_first_columns[i] = first_columns[i]
        elif (i - body_start) % 2 > 0:
            wide_first_columns[i] = i - 1
        state.velocity_changes[i] = wp.vec3d()
    for a in range(CORNERS * counts[CONTACTS]):
        if contacts.corners[a] < flesh.free:
            flesh.touch_weights[contacts.corners[a]] = wp.float64(0.0)
    crowded = int(0)
    for c in range(counts[CONTACTS]):
        least = int(size)
        for sweep in range(2):  # first the earliest hand, then all reach back to it
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                j = contacts.corners[a]
                if contacts.weights[a] != wp.float64(0.0):
                    if sweep == 0 and j < flesh.free:
                        if flesh.touch_weights[j] > wp.float64(0.0):
                            crowded = 1
                        flesh.touch_weights[j] = flesh.touch_weights[j] + wp.abs(contacts.weights[a])
                    for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
                        if flesh.weights[e] > wp.float64(0.0):
                            at = link_rows[flesh.links[e]]
                            if sweep == 0:
                                least = wp.min(least, at)
                            else:
                                for i in range(at, at + 2):
                                    wide_first_columns[i] = wp.min(wide_first_columns[i], least)
        if contacts.bodies[c] >= 0:
            at = body_start + 2 * contacts.bodies[c]
            for i in range(at, at + 2):
                wide_first_columns[i] = wp.min(wide_first_columns[i], least)
    wide_row_offsets[0] = 0
    for i in range(size):
        wide_row_offsets[i + 1] = wide_row_offsets[i] + i - wide_first_columns[i] + 1
    for c in range(counts[CONTACTS] + limits):
        state.impulses[c] = wp.vec3d()
    for c in range(counts[CONTACTS]):
        state.impulses[c] = project_onto_cone(
            flesh.warm_start[contacts.corners[CORNERS * c]], contacts.normals[c], contacts.frictions[c]
        )
    counts[VIOLATED] = 0
    counts[PASSES] = 0
    counts[ENTRIES] = wide_row_offsets[size]
    counts[CROWDED] = crowded


@wp.func
def add_coupled_link(row: int, at: int, move: wp.mat33d, rotation: wp.mat33d, constraints: Constraints):
    """One more hand of a row, or more of one that it has."""
    begin = COUPLED_LINKS * row
    position = int(begin)
    while position < begin + constraints.counts[row] and constraints.coupled_links[position] != at:
        position += 1
    if position == begin + constraints.counts[row]:
        constraints.counts[row] = constraints.counts[row] + 1
        constraints.coupled_links[position] = at
        constraints.linear_blocks[position] = wp.mat33d()
        constraints.angular_blocks[position] = wp.mat33d()
    constraints.linear_blocks[position] = constraints.linear_blocks[position] + move
    constraints.angular_blocks[position] = constraints.angular_blocks[position] + rotation


@wp.kernel(enable_backward=False)
def build_contacts(
    first: int,
    counts: IntArray,
    flesh: Flesh,
    contacts: Contacts,
    link_rows: IntArray,
    body_start: int,
    masses: FloatArray,
    body_masses: FloatArray,
    body_positions: Vectors,
    firmness: wp.float64,
    recovery_speed: wp.float64,
    slop: wp.float64,
    max_depth: wp.float64,
    dt: wp.float64,
    constraints: Constraints,
    state: SolverState,
):
    """The row of a contact: its hands, how softly it answers, how fast it is and may be.

    A place that began the step outside may come as far as to touch; one that began inside may not go deeper, and if it
    has no flesh to be lifted by, or is skin in skin, it comes out at the pace `recovery_speed` [m/s]. Skin that began
    deeper in skin than `max_depth` [m] is left alone: nobody knows any more which way is out.
    """
    c = first + wp.tid()
    if c >= counts[CONTACTS]:
        return
    n = contacts.normals[c]
    one = wp.identity(n=3, dtype=wp.float64)
    constraints.counts[c] = 0
    constraints.skin[c] = 0
    total = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        total += contacts.weights[a]
    if total < wp.float64(0.5):
        constraints.skin[c] = 1
    compliance = wp.mat33d()
    velocity = -contacts.velocities[c]
    inverse_mass = wp.float64(0.0)
    bare = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        s = contacts.weights[a]
        constraints.node_compliances[a] = wp.mat33d()
        if s != wp.float64(0.0):
            j = contacts.corners[a]
            velocity += s * flesh.world_velocities[j]
            passed = one
            if j < flesh.free:
                node_compliance = (
                    flesh.blended_rotations[j] * flesh.block_inverses[j] * wp.transpose(flesh.blended_rotations[j])
                )
                constraints.node_compliances[a] = node_compliance
                compliance += (wp.abs(s) * flesh.touch_weights[j]) * node_compliance
                passed = one - flesh.masses[j] * node_compliance
            for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
                w = flesh.weights[e]
                if w > wp.float64(0.0):
                    move = (s * w) * passed
                    add_coupled_link(
                        c, link_rows[flesh.links[e]], move, -(move * cross_matrix(flesh.arms[e])), constraints
                    )
                    inverse_mass += s * s * w * w / masses[flesh.links[e]]
    b = contacts.bodies[c]
    if b >= 0:
        add_coupled_link(c, body_start + 2 * b, -one, cross_matrix(contacts.points[c] - body_positions[b]), constraints)
        inverse_mass += wp.float64(1.0) / body_masses[b]
    if wp.dot(n, compliance * n) < NOTHING * inverse_mass:  # the core, or flesh that bones have crushed
        compliance += (firmness * inverse_mass) * one
        counts[CROWDED] = 1
        bare = wp.float64(1.0)
    constraints.compliance[c] = compliance
    constraints.inverse_mass[c] = inverse_mass
    constraints.normals[c] = n
    constraints.frictions[c] = contacts.frictions[c]
    constraints.initial_gaps[c] = contacts.gaps[c] - dt * wp.dot(n, velocity)
    state.initial_velocities[c] = velocity
    state.target_velocities[c] = -wp.max(constraints.initial_gaps[c], wp.float64(0.0)) / dt
    if constraints.initial_gaps[c] < -slop and (bare > wp.float64(0.0) or constraints.skin[c] == 1):
        state.target_velocities[c] = wp.min(recovery_speed, -PARTED * constraints.initial_gaps[c] / dt)
    if constraints.skin[c] == 1 and constraints.initial_gaps[c] < -max_depth:
        state.target_velocities[c] = -FREE


@wp.func
def swing_of(axis: wp.vec3d, middle: wp.vec3d, ahead: wp.vec3d, most: wp.float64) -> wp.vec4d:
    """Against which turn (3) a swing is bound, seen where its axis will be `ahead`, and how far it may still go.

    The angle s between axis a and middle c grows as s' = o . (c x a) / |c x a|.
    """
    across = wp.cross(middle, ahead)
    size = wp.length(across)
    if size < wp.float64(1.0e-6):
        return wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(10.0))
    n = -across / size
    angle = wp.atan2(-wp.dot(n, wp.cross(middle, axis)), wp.dot(middle, axis))
    return wp.vec4d(n[0], n[1], n[2], most - angle)


@wp.func
def twist_of(
    relative: wp.mat33d, a: wp.vec3d, half: wp.vec3d, turn: wp.vec3d, low: wp.float64, high: wp.float64
) -> wp.vec4d:
    """Against which turn (3) a twist is bound, on the side that it will be nearer to, and how far it may still go.

    `half` is the sum of the axis now and at rest, in the world, `turn` by how much the joint turns in the step. The
    twist t about the axis grows as t' = o . (a + b) / (1 + a . b), a and b those two.
    """
    q = wp.normalize(wp.quat_from_matrix(relative))
    angle = wp.float64(2.0) * wp.atan2(q[0] * a[0] + q[1] * a[1] + q[2] * a[2], q[3])
    if angle > wp.float64(3.141592653589793):
        angle -= wp.float64(6.283185307179586)
    if angle < wp.float64(-3.141592653589793):
        angle += wp.float64(6.283185307179586)
    size = wp.length(half)
    if size < BACKWARDS:
        return wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(10.0))
    n = half / size
    scale = wp.float64(0.5) * size  # from the twist to the turn about `half`
    ahead = angle + wp.dot(turn, n) / scale
    room = scale * (angle - low)
    if ahead - low >= high - ahead:
        n = -n
        room = scale * (high - angle)
    return wp.vec4d(n[0], n[1], n[2], room)


@wp.kernel(enable_backward=False)
def build_limits(
    first: int,
    counts: IntArray,
    limits: JointLimits,
    dt: wp.float64,
    joints: Joints,
    links: Links,
    link_rows: IntArray,
    firmness: wp.float64,
    friction: wp.float64,
    recovery_speed: wp.float64,
    constraints: Constraints,
    state: SolverState,
):
    """The row of a joint's limit, behind those of the contacts.

    The limit of a hinge bounds its angle about the axis, from the side that it will be nearer to; that of a ball its
    angle, seen along the way that it is foreseen to have turned at the end of the step; or its swing, or its twist. Who
    is pressed against a limit does not turn freely along it, either: a slender link, struck aslant, would spin. Who is
    beyond it comes back at the pace `recovery_speed` [rad/s].
    """
    item = first + wp.tid()
    c = limits.limited[item]
    kind = limits.limit_kinds[item]
    row = counts[CONTACTS] + item
    child = joints.children[c]
    parent = joints.parents[c]
    relative = wp.transpose(links.rotations[parent]) * links.rotations[child]
    spin = links.angular_velocities[child] - links.angular_velocities[parent]
    direction = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    room = limits.highs[c]
    constraints.highs[row] = wp.float64(-1.0)
    if kind > 0:  # a swing or a twist
        axis = links.rotations[child] * limits.cone_axes[c]
        bound = wp.vec4d()
        if kind == SWING:
            middle = links.rotations[parent] * limits.cone_middles[c]
            bound = swing_of(axis, middle, axis + dt * wp.cross(spin, axis), limits.swings[c])
        else:
            half = axis + links.rotations[parent] * limits.cone_axes[c]
            bound = twist_of(
                relative, limits.cone_axes[c], half, dt * spin, limits.twist_lows[c], limits.twist_highs[c]
            )
        direction = wp.vec3d(bound[0], bound[1], bound[2])
        room = bound[3]
    elif joints.kinds[c] == HINGE:
        axis = links.rotations[child] * joints.axes[3 * c]
        angle = wp.dot(rotation_vector(relative), joints.axes[3 * c])
        ahead = angle + dt * wp.dot(spin, axis)
        direction = -axis
        room = limits.highs[c] - angle
        if ahead - limits.lows[c] < limits.highs[c] - ahead:
            direction = axis
            room = angle - limits.lows[c]
    else:
        constraints.highs[row] = limits.highs[c]
        constraints.bends[row] = links.rotations[child] * rotation_vector(relative)
        ends = constraints.bends[row] + dt * spin
        if wp.length(ends) > wp.float64(1.0e-12):
            direction = -wp.normalize(ends)
            room = limits.highs[c] + wp.dot(direction, constraints.bends[row])
    one = wp.identity(n=3, dtype=wp.float64)
    constraints.counts[row] = 0
    constraints.skin[row] = 0
    add_coupled_link(row, link_rows[child], wp.mat33d(), one, constraints)
    add_coupled_link(row, link_rows[parent], wp.mat33d(), -one, constraints)
    inverse_mass = wp.float64(1.0) / wp.trace(links.second_moments[child])
    inverse_mass += wp.float64(1.0) / wp.trace(links.second_moments[parent])
    compliance = (firmness * inverse_mass) * one
    constraints.compliance[row] = compliance
    constraints.inverse_mass[row] = inverse_mass
    constraints.normals[row] = direction
    constraints.frictions[row] = friction
    constraints.initial_gaps[row] = room
    state.initial_velocities[row] = spin
    state.target_velocities[row] = wp.min(-room / dt, recovery_speed)


@wp.func
def link_velocity(p: int, constraints: Constraints, values: Vectors) -> wp.vec3d:
    """What one hand does to its row's place."""
    return (
        constraints.linear_blocks[p] * values[constraints.coupled_links[p]]
        + constraints.angular_blocks[p] * values[constraints.coupled_links[p] + 1]
    )


@wp.func
def constraint_velocity(c: int, constraints: Constraints, values: Vectors) -> wp.vec3d:
    """What links and bodies do to a row's place."""
    velocity = wp.vec3d()
    for p in range(COUPLED_LINKS * c, COUPLED_LINKS * c + constraints.counts[c]):
        velocity += link_velocity(p, constraints, values)
    return velocity


@wp.func
def compute_residuals(
    count: int, constraints: Constraints, state: SolverState, contacts: Contacts, contact_count: int, free: int
):
    """How fast all rows go on with what was found so far."""
    for c in range(count):
        velocity = (
            state.initial_velocities[c]
            - state.target_velocities[c] * constraints.normals[c]
            + constraint_velocity(c, constraints, state.velocity_changes)
        )
        if c < contact_count:
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                if contacts.weights[a] != wp.float64(0.0) and contacts.corners[a] < free:
                    velocity += contacts.weights[a] * (
                        constraints.node_compliances[a] * state.node_impulses[contacts.corners[a]]
                    )
        state.residuals[c] = velocity


@wp.kernel(enable_backward=False)
def find_violations(
    first: int,
    counts: IntArray,
    limits: int,
    free: int,
    dt: wp.float64,
    tolerance: wp.float64,
    slop: wp.float64,
    contacts: Contacts,
    constraints: Constraints,
    state: SolverState,
):
    """How fast every row goes on while nothing pushes, and how many go on too fast or end too deep."""
    compute_residuals(counts[CONTACTS] + limits, constraints, state, contacts, counts[CONTACTS], free)
    for c in range(counts[CONTACTS] + limits):
        n = constraints.normals[c]
        deep = (
            constraints.initial_gaps[c] + dt * wp.dot(n, state.initial_velocities[c]) < -slop
            and constraints.skin[c] == 0
        )
        if deep or wp.dot(n, state.residuals[c]) < -tolerance:
            counts[VIOLATED] = counts[VIOLATED] + 1
