# mypy: ignore-errors
"""How flesh as a whole answers impulses, as kernels around solutions with the factor of M~s.

The step problem (newton_kernels.py) knows flesh by one compliance for each contact. All impulses p that it finds are
then put on the whole flesh, which tells the velocities w(p) that contacts really have. What the compliance leaves out
of them becomes an offset, that makes the step problem exact there, and the next round begins: a proximal step of the
problem with all of its flesh, whose metric is the diagonal of the flesh's compliance. Velocities are linear in
impulses, so where rounds begin can be any mixture of what was found before; which one is best, acceleration_kernels.py
says. Symbols as in constraint_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import IntArray, Links, Nodes, Vectors
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
            at = link_rows[skin.skin_links[e]]
            velocity += skin.skin_weights[e] * (values[at] + wp.cross(values[at + 1], skin.skin_arms[e]))
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
def flesh_residual(c: int, impulse: wp.vec3d, w: wp.vec3d, constraints: Constraints) -> wp.float64:
    """How fast a contact with this impulse goes on, or parts while it pushes [m/s]."""
    n = constraints.normals[c]
    ahead = constraints.target_velocities[c] - wp.dot(n, w)
    return wp.abs(wp.max(ahead, -constraints.compliances[c] * wp.dot(n, impulse)))


@wp.func
def friction_residual(c: int, impulse: wp.vec3d, w: wp.vec3d, constraints: Constraints) -> wp.float64:
    """How fast a contact slips beside what friction would do [m/s]."""
    n = constraints.normals[c]
    pressed = wp.dot(n, impulse)
    rubbing = impulse - pressed * n
    asked = rubbing - (w - wp.dot(n, w) * n) / constraints.tangent_compliances[c]
    most = constraints.frictions[c] * wp.max(pressed, wp.float64(0.0))
    if wp.length(asked) > most:
        asked = (most / wp.length(asked)) * asked
    return wp.length(asked - rubbing) * constraints.tangent_compliances[c]


@wp.func
def set_offset(c: int, contact_count: int, constraints: Constraints, state: SolverState):
    """Let the step problem be exact at what is held: flesh as a whole yields to it as it does there."""
    held = state.held_impulses[c]
    constraints.offsets[c] = wp.vec3d()
    # Flesh that is pressed flat yields a little; asked not to, it would be pushed without end between two walls.
    if constraints.bounds[c] <= FLATTENED:
        return
    if c >= contact_count:  # a limit yields by nothing
        constraints.offsets[c] = -(constraints.compliances[c] * held)
        return
    n = constraints.normals[c]
    pressed = wp.dot(n, held)
    yields = state.held_velocities[c] - constraints.initial_velocities[c]
    yields -= constraint_velocity(c, constraints, state.held_changes)
    offset = yields - (constraints.compliances[c] * pressed) * n
    if constraints.frictions[c] > wp.float64(0.0):
        offset -= constraints.tangent_compliances[c] * (held - pressed * n)
    else:
        offset = wp.dot(n, offset) * n
    constraints.offsets[c] = offset


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
