# mypy: ignore-errors
"""How flesh as a whole answers impulses, as kernels around solutions with the factor of M~s.

The step problem (newton_kernels.py) knows flesh by one compliance for each contact. All impulses that it finds are then
put on the whole flesh, which tells the velocities w(p) that contacts really have. Of the way from the impulses that
were held before to those found, the part is taken that makes the real problem

    f(p) = sum_c p . (w0 - t n) + 1/2 p . (w(p) - w0),      p without the friction of what slides,

least: a line search in a variable metric, so no round undoes what those before it found, and contacts never give
energy. Compliances and offsets are then those that make the step problem exact at the impulses held, and the next
round begins there; the first one holds none, and finds those of the step before. Symbols as in constraint_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Nodes, Vectors
from supple.skins.contact.response.constraint_kernels import (
    CONTACTS,
    CORNERS,
    COUPLED_LINKS,
    FLATTENED,
    Constraints,
    Contacts,
    Flesh,
    SkinPoints,
    Solve,
    SolverState,
    constraint_velocity,
    point_of,
)

FARTHEST = wp.constant(wp.float64(8.0))  # times the way to what was found: how far a round may go
WHOLE = wp.constant(wp.float64(0.95))  # of that way: from here on all of it is gone, which is better than nothing still
SLIDES = wp.constant(wp.float64(0.99))  # of its bound: who rubs more slides
PART = wp.constant(3)  # place in the residuals: which part of the way was gone
FLESH = wp.constant(2)  # how fast contacts really go on,
RUBBING = wp.constant(1)  # and how fast they slip beside what friction would do


@wp.func
def push_nodes(p: int, impulse: wp.vec3d, nodes: Nodes, skin: SkinPoints, rhs: Vectors):
    """Add what the nodes of a point feel of an impulse on it, in their own axes."""
    if p < skin.first_vertex:
        if p < nodes.free:
            rhs[p] = rhs[p] + wp.transpose(nodes.blended_rotations[p]) * impulse
    elif p < skin.first_carried:
        v = p - skin.first_vertex
        for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
            j = skin.skin_nodes[e]
            rhs[j] = rhs[j] + skin.skin_shares[e] * (wp.transpose(nodes.blended_rotations[j]) * impulse)


@wp.func
def flesh_velocity(p: int, nodes: Nodes, skin: SkinPoints, values: Vectors) -> wp.vec3d:
    """What velocities of the nodes, in their own axes, do to a point."""
    if p < skin.first_vertex:
        if p < nodes.free:
            return nodes.blended_rotations[p] * values[p]
        return wp.vec3d()
    velocity = wp.vec3d()
    if p >= skin.first_carried:
        return velocity
    v = p - skin.first_vertex
    for e in range(skin.skin_starts[v], skin.skin_starts[v + 1]):
        j = skin.skin_nodes[e]
        velocity += skin.skin_shares[e] * (nodes.blended_rotations[j] * values[j])
    return velocity


@wp.kernel(enable_backward=False)
def spread_impulses(
    first: int, counts: IntArray, nodes: Nodes, skin: SkinPoints, flesh: Flesh, contacts: Contacts, state: SolverState
):
    """What all impulses do to the nodes, as the right side of M~s."""
    for j in range(nodes.free):
        flesh.rhs[j] = wp.vec3d()
    for c in range(counts[CONTACTS]):
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            if contacts.weights[a] != wp.float64(0.0):
                push_nodes(contacts.corners[a], contacts.weights[a] * state.impulses[c], nodes, skin, flesh.rhs)


@wp.func
def carried_velocity(
    p: int, nodes: Nodes, skin: SkinPoints, links: Links, link_rows: IntArray, values: Vectors
) -> wp.vec3d:
    """What velocities of the links do to a point, its flesh apart."""
    velocity = wp.vec3d()
    q = point_of(p, skin)
    if q < skin.first_vertex:
        for e in range(nodes.carriers * q, nodes.carriers * q + nodes.carriers):
            at = link_rows[nodes.links[e]]
            velocity += nodes.weights[e] * (values[at] + wp.cross(values[at + 1], nodes.arms[e]))
    else:
        v = q - skin.first_vertex
        for e in range(skin.skin_carriers * v, skin.skin_carriers * v + skin.skin_carriers):
            i = skin.skin_links[e]
            at = link_rows[i]
            arm = skin.skin_positions[v] - links.positions[i]
            velocity += skin.skin_weights[e] * (values[at] + wp.cross(values[at + 1], arm))
    return velocity


@wp.kernel(enable_backward=False)
def measure_velocities(
    first: int,
    solve: Solve,
    counts: IntArray,
    nodes: Nodes,
    skin: SkinPoints,
    flesh: Flesh,
    contacts: Contacts,
    links: Links,
    link_rows: IntArray,
    constraints: Constraints,
    state: SolverState,
):
    """How fast a contact, with all of its flesh, or a limit really goes."""
    c = first + wp.tid()
    if c >= counts[CONTACTS]:
        if c < counts[CONTACTS] + solve.limits:
            state.velocities[c] = constraints.initial_velocities[c] + constraint_velocity(
                c, constraints, state.velocity_changes
            )
        return
    real = constraints.initial_velocities[c]
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        s = contacts.weights[a]
        if s != wp.float64(0.0):
            p = contacts.corners[a]
            real += s * carried_velocity(p, nodes, skin, links, link_rows, state.velocity_changes)
            real += s * flesh_velocity(p, nodes, skin, flesh.responses)
    b = contacts.bodies[c]
    if b >= 0:
        p = COUPLED_LINKS * c + constraints.counts[c] - 1  # a dynamic body is the last of its links
        at = constraints.coupled_links[p]
        real += constraints.linear_blocks[p] * state.velocity_changes[at]
        real += constraints.angular_blocks[p] * state.velocity_changes[at + 1]
    state.velocities[c] = real


@wp.func
def wanted(c: int, impulse: wp.vec3d, constraints: Constraints) -> wp.vec3d:
    """The velocity at which a constraint with this impulse is content, as far as its impulse can tell."""
    if constraints.radii[c] >= wp.float64(0.0):
        size = wp.length(impulse)
        if size > wp.float64(0.0):
            return -(constraints.radii[c] / size) * impulse - constraints.bends[c]
    return constraints.target_velocities[c] * constraints.normals[c]


@wp.func
def counted(c: int, change: wp.vec3d, impulse: wp.vec3d, constraints: Constraints) -> wp.vec3d:
    """What counts of the change of an impulse: friction of what slides is a load, and nothing that could be chosen.

    If it were, what slides would be pushed the harder for all that friction could take of its energy, and lift off.
    """
    if constraints.frictions[c] <= wp.float64(0.0):
        return change
    n = constraints.normals[c]
    pressed = wp.dot(n, impulse)
    if wp.length(impulse - pressed * n) < SLIDES * constraints.frictions[c] * pressed:
        return change
    return wp.dot(n, change) * n


@wp.func
def is_possible(count: int, part: wp.float64, constraints: Constraints, state: SolverState) -> int:
    """Whether all impulses can be given, so far beyond what was found."""
    for c in range(count):
        impulse = state.held_impulses[c] + part * (state.impulses[c] - state.held_impulses[c])
        if constraints.bounds[c] >= wp.float64(0.0):
            if wp.length(impulse) > wp.float64(1.0 + 1.0e-9) * constraints.bounds[c]:
                return 0
        elif constraints.radii[c] < wp.float64(0.0):
            n = constraints.normals[c]
            pressed = wp.dot(n, impulse)
            if pressed < wp.float64(0.0):
                return 0
            rubbing = wp.length(impulse - pressed * n)
            if rubbing > wp.float64(1.0e-9) and rubbing > wp.float64(1.0 + 1.0e-9) * constraints.frictions[c] * pressed:
                return 0
    return 1


@wp.kernel(enable_backward=False)
def accept_impulses(
    first: int,
    solve: Solve,
    counts: IntArray,
    contacts: Contacts,
    constraints: Constraints,
    state: SolverState,
    residuals: FloatArray,
):
    """Hold the impulses that were found, or the part of the way to them that is best; what they leave to be done.

    Compliances and offsets become those that say how flesh yielded to what is held.
    """
    count = counts[CONTACTS] + solve.limits
    slope = wp.float64(0.0)
    curve = wp.float64(0.0)
    for c in range(count):
        change = counted(c, state.impulses[c] - state.held_impulses[c], state.impulses[c], constraints)
        slope += wp.dot(change, state.held_velocities[c] - wanted(c, state.impulses[c], constraints))
        curve += wp.dot(change, state.velocities[c] - state.held_velocities[c])
    part = wp.float64(1.0)
    if curve > wp.float64(0.0):
        part = wp.min(wp.max(-slope / curve, wp.float64(0.0)), FARTHEST)
    if part > wp.float64(1.0):
        while part > wp.float64(1.0) and is_possible(count, part, constraints, state) == 0:
            part = wp.max(wp.float64(1.0), wp.float64(0.7) * part)
    elif part >= WHOLE:
        part = wp.float64(1.0)
    residuals[PART] = part
    for i in range(state.velocity_changes.shape[0]):
        change_of = state.velocity_changes[i] - state.held_changes[i]
        state.held_changes[i] = state.held_changes[i] + part * change_of
    worst = wp.float64(0.0)
    slips = wp.float64(0.0)
    for c in range(count):
        held = state.held_impulses[c] + part * (state.impulses[c] - state.held_impulses[c])
        w = state.held_velocities[c] + part * (state.velocities[c] - state.held_velocities[c])
        state.held_impulses[c] = held
        state.held_velocities[c] = w
        if c >= counts[CONTACTS]:  # a limit yields by nothing
            constraints.offsets[c] = -(constraints.compliances[c] * held)
            continue
        n = constraints.normals[c]
        pressed = wp.dot(n, held)
        yields = w - constraints.initial_velocities[c] - constraint_velocity(c, constraints, state.held_changes)
        ahead = constraints.target_velocities[c] - wp.dot(n, w)
        before_it = worst
        slipped = slips
        if pressed > wp.float64(0.0):
            measured = wp.dot(n, yields) / pressed
            constraints.compliances[c] = wp.clamp(
                measured, constraints.least_compliances[c], constraints.most_compliances[c]
            )
        worst = wp.max(worst, wp.abs(wp.max(ahead, -constraints.compliances[c] * pressed)))
        offset = yields - (constraints.compliances[c] * pressed) * n
        if constraints.frictions[c] > wp.float64(0.0):
            rubbing = held - pressed * n
            size = wp.length_sq(rubbing)
            constraints.tangent_compliances[c] = constraints.most_tangents[c]
            if size > wp.float64(1.0e-18):
                constraints.tangent_compliances[c] = wp.clamp(
                    wp.dot(rubbing, yields) / size, constraints.least_tangents[c], constraints.most_tangents[c]
                )
            offset -= constraints.tangent_compliances[c] * rubbing
            asked = rubbing - (w - wp.dot(n, w) * n) / constraints.tangent_compliances[c]
            most = constraints.frictions[c] * wp.max(pressed, wp.float64(0.0))
            if wp.length(asked) > most:
                asked = (most / wp.length(asked)) * asked
            slips = wp.max(slips, wp.length(asked - rubbing) * constraints.tangent_compliances[c])
        else:
            offset = wp.dot(n, offset) * n
        constraints.offsets[c] = offset
        # Flesh that is pressed flat yields a little; asked not to, it would be pushed without end between two walls.
        if constraints.bounds[c] <= FLATTENED:
            constraints.offsets[c] = wp.vec3d()
            worst = before_it
            slips = slipped
    residuals[FLESH] = worst
    residuals[RUBBING] = slips


@wp.kernel(enable_backward=False)
def hold_responses(first: int, flesh: Flesh, residuals: FloatArray):
    """The answer of the flesh to the impulses that are held."""
    j = first + wp.tid()
    change = flesh.responses[j] - flesh.held_responses[j]
    flesh.held_responses[j] = flesh.held_responses[j] + residuals[PART] * change


@wp.kernel(enable_backward=False)
def couple_nodes(first: int, nodes: Nodes, flesh: Flesh, link_rows: IntArray, state: SolverState):
    """-M~bs^T d: what links that change their velocities do to a node, beside its impulses."""
    j = first + wp.tid()
    carried = wp.vec3d()
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        at = link_rows[nodes.links[e]]
        carried += nodes.weights[e] * (
            state.velocity_changes[at] + wp.cross(state.velocity_changes[at + 1], nodes.arms[e])
        )
    flesh.rhs[j] = flesh.rhs[j] - nodes.masses[j] * (wp.transpose(nodes.blended_rotations[j]) * carried)


@wp.kernel(enable_backward=False)
def add_responses(first: int, scale: wp.float64, responses: Vectors, values: Vectors):
    """Add what the flesh does, in velocities, or in displacements of a step."""
    j = first + wp.tid()
    values[j] = values[j] + scale * responses[j]
