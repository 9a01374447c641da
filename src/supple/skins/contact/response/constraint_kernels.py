# mypy: ignore-errors
"""Arithmetic of constraints: where two things meet or a joint ends, and how links, flesh and bodies move there.

A constraint c has the velocity w = w0 + J d, with d the changes of the links' and dynamic bodies' velocities. A point
of the flesh with weights s (a node; a vertex of the skin, embedded in nodes by shares a; or one against a triangle,
whose weights are then negative) takes part by the links that carry it and by nodes that yield [Galoppo2007, 5.4]:

    J = sum s (1 - sum_j a_j m_j G_j) (1, -[r]x) of its links,     G_j = W D W^T of node j,
    C = f sum |s| W C_p W^T,                                       how softly its flesh yields.

D is the stand-in for M~s^-1 where all flesh is pushed alike. C stands in for the whole Js M~s^-1 Js^T with one block
for each contact, the one on its diagonal: C_p is how point p yields to an impulse on itself (point_compliance.py). What
it does to others, and what f > 1 is too much, is an offset of w (flesh_response_kernels.py); where many contacts crowd
on the same flesh, f grows with them, so that not each answers for all. The limit of a joint is a constraint on how two
links turn.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import (
    FloatArray,
    IntArray,
    Links,
    Matrices,
    Nodes,
    Vectors,
    cross_matrix,
)

CORNERS = wp.constant(4)
COUPLED_LINKS = wp.constant(17)  # links that carry four corners, and a body
SWING, TWIST = wp.constant(1), wp.constant(2)  # what a limit bounds, beside an angle
FRICTION = wp.constant(3)  # not a limit, but what holds a joint that less would turn
SPEED = wp.constant(4)  # and how fast contacts may turn a joint
FLATTENED = wp.constant(wp.float64(-2.0))  # the bound of what carries flesh that is pressed flat, or has none: none
TINY = wp.constant(wp.float64(1.0e-300))
BACKWARDS = wp.constant(wp.float64(0.6))  # of two axes: who is swung this far back has no twist
CONTACTS = wp.constant(0)  # places in the counts: how many contacts are given,
VIOLATED = wp.constant(1)  # how many constraints are violated by the free step,
ITERATIONS = wp.constant(2)  # how many iterations were made,
ENTRIES = wp.constant(3)  # how many blocks the system has,
KNOWN = wp.constant(4)  # whether anything pressed in the step before,
ISLAND = wp.constant(5)  # and which of the islands is answered


@wp.struct
class Solve:
    """What the solution is asked for; the numbers are chosen, with their reasons, in contact_solver.py."""

    dt: wp.float64
    limits: int
    share: wp.float64
    crowded_share: wp.float64
    firmness: wp.float64
    flat_firmness: wp.float64
    stiction: wp.float64
    limit_firmness: wp.float64
    slop: wp.float64
    recovery: wp.float64
    recovery_speed: wp.float64
    limit_speed: wp.float64
    most_turn: wp.float64
    tolerance: wp.float64
    friction_tolerance: wp.float64
    speed: wp.float64
    most: int
    most_loaded: int


@wp.struct
class SkinPoints:
    """Vertices v of the skin as contact points: `skin_carriers` links each, and nodes from `skin_starts` with shares a.

    `skin_arms` are those at the links, by `skin_pivots` if it is `pivoted` (skin_points.py). `skin_positions` and
    `skin_velocities` are theirs at the start of the step and as predicted, `flesh_offsets` how far
    flesh is predicted to have taken each point from where bones carry it. Points are numbered on
    from the `first_vertex`, after all nodes, and from the `first_carried` on once more, as the bones alone carry them:
    there flesh that is pressed flat is met.
    """

    first_vertex: int
    first_carried: int
    skin_carriers: int
    skin_links: IntArray
    skin_weights: FloatArray
    skin_starts: IntArray
    skin_nodes: IntArray
    skin_shares: FloatArray
    pivoted: int
    skin_pivots: Vectors
    skin_arms: Vectors
    skin_positions: Vectors
    skin_velocities: Vectors
    flesh_offsets: Vectors


@wp.func
def point_of(p: int, skin: SkinPoints) -> int:
    """The node or vertex of a point, be it of the flesh or carried by bones alone."""
    if p >= skin.first_carried:
        return p - skin.first_carried
    return p


@wp.struct
class Flesh:
    """How nodes yield together (`lumped_inverses`, D), and points where they are touched (`point_compliances`, C_p).

    Room for what touches each node, for the right sides and `responses` of M~s, with those `held_responses` that belong
    to the impulses held, and `warm_start`: last impulses by place, of which there are `places` of the flesh and as many
    carried, of nodes again for skin on skin (`kept_at`), and of limits from `first_limit` on (`limit_kept_at`);
    those of this step come to `next_warm_start`.
    """

    places: int
    first_limit: int
    lumped_inverses: Matrices
    point_compliances: Matrices
    rhs: Vectors
    responses: Vectors
    held_responses: Vectors
    touch_weights: FloatArray
    world_velocities: Vectors
    warm_start: Vectors
    next_warm_start: Vectors


@wp.struct
class Contacts:
    """Contacts as they are given."""

    corners: IntArray
    keys: IntArray
    weights: FloatArray
    normals: Vectors
    velocities: Vectors
    gaps: FloatArray
    frictions: FloatArray
    bodies: IntArray
    points: Vectors


@wp.struct
class Constraints:
    """The rows of the step problem. `initial_velocities` are w0, `target_velocities` what is wanted along the normal.

    `compliances` and `tangent_compliances` are along the normal and the surface; `gaps` [m, rad] at the start of the
    step; `coupled_links` with their blocks are J, `counts` of them each. The limit of a joint, whichever way it turns,
    is |w + b| <= `radii` with b its `bends` [rad/s]; `radii` of others are negative. `bounds` [N m s] are of the
    friction of joints, which has no normal, and negative for all else. `inverse_masses` [1/kg] are what the links of a
    contact yield, each by itself. `offsets` are by how much flesh,
    as a whole, moves a contact otherwise than its compliance says, w0 apart.
    """

    normals: Vectors
    frictions: FloatArray
    compliances: FloatArray
    tangent_compliances: FloatArray
    gaps: FloatArray
    initial_velocities: Vectors
    target_velocities: FloatArray
    offsets: Vectors
    bends: Vectors
    radii: FloatArray
    bounds: FloatArray
    inverse_masses: FloatArray
    counts: IntArray
    coupled_links: IntArray
    linear_blocks: Matrices
    angular_blocks: Matrices


@wp.struct
class SolverState:
    """What was found so far.

    `velocity_changes` d of links and bodies with `momenta` A d, made by the `applied` impulses; `impulses` and
    `velocities` of constraints, their `directions` J times the last change, `friction_bounds`, `loads` of friction that
    is given, and the `stiffness` of active ones. What is `held` is the best so far, with the velocities that the whole
    flesh has then.
    """

    velocity_changes: Vectors
    momenta: Vectors
    impulses: Vectors
    loads: Vectors
    applied: Vectors
    velocities: Vectors
    directions: Vectors
    friction_bounds: FloatArray
    stiffness: Matrices
    active: IntArray
    held_impulses: Vectors
    held_velocities: Vectors
    held_changes: Vectors


@wp.func
def project_onto_cone(impulse: wp.vec3d, n: wp.vec3d, friction: wp.float64) -> wp.vec3d:
    """The impulse with the same part along n, if it does not pull, and along the surface at most friction times it."""
    pressed = wp.dot(n, impulse)
    along = impulse - pressed * n
    pressed = wp.max(pressed, wp.float64(0.0))
    size = wp.length(along)
    if size > friction * pressed:
        along = (friction * pressed / size) * along
    return pressed * n + along


@wp.func
def is_skin(c: int, contacts: Contacts) -> int:
    """Whether skin meets skin."""
    total = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        total += contacts.weights[a]
    if total < wp.float64(0.5):
        return 1
    return 0


@wp.func
def kept_at(c: int, flesh: Flesh, contacts: Contacts) -> int:
    """Where the impulse of a contact is kept, by its key; skin on skin is kept apart."""
    return 2 * is_skin(c, contacts) * flesh.places + contacts.keys[c]


@wp.func
def reach_back(
    p: int, least: int, sweep: int, nodes: Nodes, skin: SkinPoints, link_rows: IntArray, wide: IntArray
) -> int:
    """The earliest row of the links of a point (`sweep` 0), or let them all reach back to it (1)."""
    q = point_of(p, skin)
    first = nodes.carriers * q
    count = nodes.carriers
    if q >= skin.first_vertex:
        first = skin.skin_carriers * (q - skin.first_vertex)
        count = skin.skin_carriers
    for e in range(first, first + count):
        w = wp.float64(0.0)
        link = int(0)
        if q >= skin.first_vertex:
            w = skin.skin_weights[e]
            link = skin.skin_links[e]
        else:
            w = nodes.weights[e]
            link = nodes.links[e]
        if w > wp.float64(0.0):
            at = link_rows[link]
            if sweep == 0:
                least = wp.min(least, at)
            else:
                for i in range(at, at + 2):
                    wide[i] = wp.min(wide[i], least)
    return least


@wp.func
def touch(p: int, s: wp.float64, clear: int, nodes: Nodes, skin: SkinPoints, flesh: Flesh):
    """Add to what touches the nodes of a point, or begin with nothing."""
    if p < skin.first_vertex:
        if p < nodes.free:
            if clear == 1:
                flesh.touch_weights[p] = wp.float64(0.0)
            else:
                flesh.touch_weights[p] = flesh.touch_weights[p] + wp.abs(s)
    elif p < skin.first_carried:
        v = p - skin.first_vertex
        for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
            j = skin.skin_nodes[e]
            if clear == 1:
                flesh.touch_weights[j] = wp.float64(0.0)
            else:
                flesh.touch_weights[j] = flesh.touch_weights[j] + wp.abs(s * skin.skin_shares[e])


@wp.func
def crowding(p: int, nodes: Nodes, skin: SkinPoints, flesh: Flesh) -> wp.float64:
    """How many points like this one touch its nodes: sum a_j t_j / sum a_j^2, with t_j what touches node j."""
    if p < skin.first_vertex:
        if p < nodes.free:
            return flesh.touch_weights[p]
        return wp.float64(0.0)
    total = wp.float64(0.0)
    own = TINY
    if p < skin.first_carried:
        v = p - skin.first_vertex
        for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
            a = wp.abs(skin.skin_shares[e])
            total += a * flesh.touch_weights[skin.skin_nodes[e]]
            own += a * a
    return total / own


@wp.kernel(enable_backward=False)
def open_constraints(
    first: int,
    solve: Solve,
    counts: IntArray,
    nodes: Nodes,
    skin: SkinPoints,
    flesh: Flesh,
    contacts: Contacts,
    link_rows: IntArray,
    body_start: int,
    first_columns: IntArray,
    wide_first_columns: IntArray,
    wide_row_offsets: IntArray,
    state: SolverState,
):
    """Which blocks of the system contacts couple, and what pressed in the step before."""
    size = state.velocity_changes.shape[0]
    for i in range(size):
        wide_first_columns[i] = i
        if i < body_start:
            wide_first_columns[i] = first_columns[i]
        elif (i - body_start) % 2 > 0:
            wide_first_columns[i] = i - 1
        state.velocity_changes[i] = wp.vec3d()
        state.held_changes[i] = wp.vec3d()
        state.momenta[i] = wp.vec3d()
    for a in range(CORNERS * counts[CONTACTS]):
        touch(contacts.corners[a], wp.float64(0.0), 1, nodes, skin, flesh)
    for c in range(counts[CONTACTS]):
        if contacts.gaps[c] < wp.float64(0.0):  # who only comes near hardly pushes
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                touch(contacts.corners[a], contacts.weights[a], 0, nodes, skin, flesh)
    for c in range(counts[CONTACTS]):
        least = int(size)
        for sweep in range(2):  # first the earliest link, then all reach back to it
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                if contacts.weights[a] != wp.float64(0.0):
                    least = reach_back(contacts.corners[a], least, sweep, nodes, skin, link_rows, wide_first_columns)
        if contacts.bodies[c] >= 0:
            at = body_start + 2 * contacts.bodies[c]
            for i in range(at, at + 2):
                wide_first_columns[i] = wp.min(wide_first_columns[i], least)
    wide_row_offsets[0] = 0
    for i in range(size):
        wide_row_offsets[i + 1] = wide_row_offsets[i] + i - wide_first_columns[i] + 1
    for c in range(counts[CONTACTS] + solve.limits):
        state.held_impulses[c] = wp.vec3d()
        state.impulses[c] = wp.vec3d()
        if c < counts[CONTACTS]:
            state.impulses[c] = project_onto_cone(
                flesh.warm_start[kept_at(c, flesh, contacts)], contacts.normals[c], contacts.frictions[c]
            )
    counts[VIOLATED] = 0
    counts[ITERATIONS] = 0
    counts[KNOWN] = 0
    for c in range(counts[CONTACTS]):
        if wp.dot(state.impulses[c], contacts.normals[c]) > wp.float64(0.0):
            counts[KNOWN] = 1
    counts[ENTRIES] = wide_row_offsets[size]


@wp.func
def add_coupled_link(row: int, at: int, move: wp.mat33d, rotation: wp.mat33d, constraints: Constraints):
    """One more link of a constraint, or more of one that it has."""
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


@wp.func
def node_compliance(j: int, nodes: Nodes, flesh: Flesh) -> wp.mat33d:
    """G = W D W^T of a free node."""
    return nodes.blended_rotations[j] * flesh.lumped_inverses[j] * wp.transpose(nodes.blended_rotations[j])


@wp.func
def add_point(
    c: int,
    p: int,
    s: wp.float64,
    nodes: Nodes,
    skin: SkinPoints,
    flesh: Flesh,
    links: Links,
    link_rows: IntArray,
    constraints: Constraints,
) -> wp.float64:
    """The links of one point of a contact; how much they yield, each by itself [1/kg]."""
    inverse_mass = wp.float64(0.0)
    passed = wp.identity(n=3, dtype=wp.float64)
    q = point_of(p, skin)
    if q < skin.first_vertex:
        if p < nodes.free:
            passed -= nodes.masses[p] * node_compliance(p, nodes, flesh)
        for e in range(nodes.carriers * q, nodes.carriers * q + nodes.carriers):
            w = nodes.weights[e]
            if w > wp.float64(0.0):
                move = (s * w) * passed
                at = link_rows[nodes.links[e]]
                add_coupled_link(c, at, move, -(move * cross_matrix(nodes.arms[e])), constraints)
                inverse_mass += s * s * w * w / links.masses[nodes.links[e]]
    else:
        v = q - skin.first_vertex
        count = skin.skin_starts[v + 1]
        if p >= skin.first_carried:
            count = skin.skin_starts[v]
        for e in range(skin.skin_starts[v], count):
            j = skin.skin_nodes[e]
            passed -= (skin.skin_shares[e] * nodes.masses[j]) * node_compliance(j, nodes, flesh)
        for e in range(skin.skin_carriers * v, skin.skin_carriers * v + skin.skin_carriers):
            w = skin.skin_weights[e]
            if w > wp.float64(0.0):
                i = skin.skin_links[e]
                move = (s * w) * passed
                add_coupled_link(c, link_rows[i], move, -(move * cross_matrix(skin.skin_arms[e])), constraints)
                inverse_mass += s * s * w * w / links.masses[i]
    return inverse_mass


@wp.func
def flesh_compliance(p: int, nodes: Nodes, skin: SkinPoints, flesh: Flesh) -> wp.mat33d:
    """W C_p W^T of a point; W of a vertex is that of the node which carries most of it."""
    at = int(-1)
    if p < skin.first_vertex:
        if p < nodes.free:
            at = p
    elif p < skin.first_carried:
        v = p - skin.first_vertex
        most = wp.float64(0.0)
        for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
            if skin.skin_shares[e] > most:
                most = skin.skin_shares[e]
                at = skin.skin_nodes[e]
    if at < 0:
        return wp.mat33d()
    return nodes.blended_rotations[at] * flesh.point_compliances[p] * wp.transpose(nodes.blended_rotations[at])


@wp.func
def predicted_velocity(p: int, nodes: Nodes, skin: SkinPoints, flesh: Flesh) -> wp.vec3d:
    """How fast a point is if nothing is met."""
    q = point_of(p, skin)
    velocity = wp.vec3d()
    if q < skin.first_vertex:
        velocity = flesh.world_velocities[q]
        if p != q and q < nodes.free:
            velocity -= nodes.blended_rotations[q] * nodes.node_velocities[q]
        return velocity
    v = q - skin.first_vertex
    velocity = skin.skin_velocities[v]
    if p != q:
        for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
            j = skin.skin_nodes[e]
            velocity -= skin.skin_shares[e] * (nodes.blended_rotations[j] * nodes.node_velocities[j])
    return velocity


@wp.kernel(enable_backward=False)
def build_contacts(
    first: int,
    solve: Solve,
    counts: IntArray,
    nodes: Nodes,
    skin: SkinPoints,
    flesh: Flesh,
    contacts: Contacts,
    links: Links,
    link_rows: IntArray,
    body_start: int,
    body_masses: FloatArray,
    body_positions: Vectors,
    constraints: Constraints,
):
    """The constraint of a contact: its links, how softly it yields, how fast it is and may be.

    A point that began the step outside may come as far as to touch. One that began inside may not go deeper, and comes
    out by a part of its depth, no faster than `recovery_speed`; not skin out of skin: nobody sees how deep it is.
    """
    c = first + wp.tid()
    if c >= counts[CONTACTS]:
        return
    n = contacts.normals[c]
    one = wp.identity(n=3, dtype=wp.float64)
    constraints.counts[c] = 0
    compliance = wp.mat33d()
    crowd = wp.float64(0.0)
    velocity = -contacts.velocities[c]
    inverse_mass = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        s = contacts.weights[a]
        if s != wp.float64(0.0):
            p = contacts.corners[a]
            velocity += s * predicted_velocity(p, nodes, skin, flesh)
            inverse_mass += add_point(c, p, s, nodes, skin, flesh, links, link_rows, constraints)
            compliance += wp.abs(s) * flesh_compliance(p, nodes, skin, flesh)
            crowd = wp.max(crowd, crowding(p, nodes, skin, flesh))
    b = contacts.bodies[c]
    if b >= 0:
        add_coupled_link(c, body_start + 2 * b, -one, cross_matrix(contacts.points[c] - body_positions[b]), constraints)
        inverse_mass += wp.float64(1.0) / body_masses[b]
    along = wp.dot(n, compliance * n)
    least = solve.firmness * inverse_mass
    if contacts.corners[CORNERS * c] >= skin.first_carried:
        least = solve.flat_firmness * inverse_mass
    across = wp.float64(0.5) * (wp.trace(compliance) - along)
    share = wp.max(solve.share, solve.crowded_share * crowd)
    constraints.compliances[c] = wp.max(share * along, least)
    constraints.tangent_compliances[c] = wp.max(share * across, solve.stiction * inverse_mass)
    constraints.inverse_masses[c] = inverse_mass
    constraints.normals[c] = n
    constraints.radii[c] = wp.float64(-1.0)
    constraints.bounds[c] = wp.float64(-1.0)
    if contacts.corners[CORNERS * c] >= skin.first_carried or (is_skin(c, contacts) == 1 and share * along < least):
        constraints.bounds[c] = FLATTENED  # and where bone meets bone beside a joint, which may leave no way out
    constraints.frictions[c] = contacts.frictions[c]
    constraints.gaps[c] = contacts.gaps[c] - solve.dt * wp.dot(n, velocity)
    constraints.offsets[c] = wp.vec3d()
    constraints.initial_velocities[c] = velocity
    inside = -constraints.gaps[c] - solve.slop
    if inside > wp.float64(0.0) and is_skin(c, contacts) == 0:
        constraints.target_velocities[c] = wp.min(solve.recovery * inside / solve.dt, solve.recovery_speed)
    else:
        constraints.target_velocities[c] = -wp.max(constraints.gaps[c], wp.float64(0.0)) / solve.dt


@wp.func
def constraint_velocity(c: int, constraints: Constraints, values: Vectors) -> wp.vec3d:
    """J d of one constraint."""
    velocity = wp.vec3d()
    for p in range(COUPLED_LINKS * c, COUPLED_LINKS * c + constraints.counts[c]):
        at = constraints.coupled_links[p]
        velocity += constraints.linear_blocks[p] * values[at] + constraints.angular_blocks[p] * values[at + 1]
    return velocity


@wp.func
def apply_impulse(c: int, impulse: wp.vec3d, constraints: Constraints, rhs: Vectors):
    """Add J^T p of one constraint."""
    for p in range(COUPLED_LINKS * c, COUPLED_LINKS * c + constraints.counts[c]):
        at = constraints.coupled_links[p]
        rhs[at] = rhs[at] + wp.transpose(constraints.linear_blocks[p]) * impulse
        rhs[at + 1] = rhs[at + 1] + wp.transpose(constraints.angular_blocks[p]) * impulse


@wp.kernel(enable_backward=False)
def find_violations(first: int, solve: Solve, counts: IntArray, constraints: Constraints):
    """How many constraints the free step violates, or leaves too deep inside something."""
    for c in range(counts[CONTACTS] + solve.limits):
        ahead = wp.dot(constraints.normals[c], constraints.initial_velocities[c])
        if constraints.bounds[c] >= wp.float64(0.0):
            continue  # what turns freely need not be held
        deep = c < counts[CONTACTS] and constraints.gaps[c] + solve.dt * ahead < -solve.slop
        if deep or ahead < constraints.target_velocities[c] - solve.tolerance:
            counts[VIOLATED] = counts[VIOLATED] + 1


@wp.kernel(enable_backward=False)
def hold_nothing(first: int, solve: Solve, counts: IntArray, constraints: Constraints, state: SolverState):
    """Begin without any impulse."""
    c = first + wp.tid()
    if c < counts[CONTACTS] + solve.limits:
        state.held_velocities[c] = constraints.initial_velocities[c]
