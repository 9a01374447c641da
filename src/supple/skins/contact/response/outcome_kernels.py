# mypy: ignore-errors
"""What becomes of a solution: links and flesh take it, the books are told, and positions are put right.

Symbols as in newton_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.energy_kernels import add_from_outside
from supple.skins.contact.dynamics.link_kernels import JointLimits
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Matrices, Nodes, Vectors
from supple.skins.contact.response.constraint_kernels import (
    CONTACTS,
    CORNERS,
    COUPLED_LINKS,
    PROJECTED,
    Constraints,
    Contacts,
    Flesh,
    SkinPoints,
    Solve,
    SolverState,
    is_skin,
    kept_at,
    point_of,
    predicted_velocity,
)
from supple.skins.contact.response.flesh_response_kernels import carried_velocity, flesh_velocity
from supple.skins.contact.response.limit_kernels import limit_kept_at
from supple.skins.contact.response.newton_kernels import ROUGH, Bodies, System, compute_residual, newton_step


@wp.func
def tree_of(p: int, nodes: Nodes, skin: SkinPoints, links: Links) -> int:
    """The body that a point is part of."""
    q = point_of(p, skin)
    if q < skin.first_vertex:
        return links.trees[nodes.links[nodes.carriers * q]]
    return links.trees[skin.skin_links[skin.skin_carriers * (q - skin.first_vertex)]]


@wp.func
def place_of(p: int, nodes: Nodes, skin: SkinPoints) -> wp.vec3d:
    """Where a point is at the start of the step."""
    q = point_of(p, skin)
    if q < skin.first_vertex:
        return nodes.positions[q]
    return skin.skin_positions[q - skin.first_vertex]


@wp.kernel(enable_backward=False)
def apply_impulses(
    first: int,
    solve: Solve,
    counts: IntArray,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    limits: JointLimits,
    nodes: Nodes,
    skin: SkinPoints,
    flesh: Flesh,
    link_rows: IntArray,
    links: Links,
    energy_balance: FloatArray,
):
    """Give links their new velocities, keep impulses and offsets, enter what came from outside in the balance."""
    for i in range(links.masses.shape[0]):
        links.velocities[i] = links.velocities[i] + state.held_changes[link_rows[i]]
        links.angular_velocities[i] = links.angular_velocities[i] + state.held_changes[link_rows[i] + 1]
    for p in range(flesh.warm_start.shape[0]):
        flesh.warm_start[p] = wp.vec3d()
    for item in range(solve.limits):
        flesh.warm_start[limit_kept_at(item, flesh, limits)] = state.held_impulses[counts[CONTACTS] + item]
    for c in range(counts[CONTACTS]):
        impulse = state.held_impulses[c]
        if wp.dot(constraints.normals[c], impulse) > wp.float64(0.0):
            flesh.warm_start[kept_at(c, flesh, contacts)] = impulse
        motion = contacts.velocities[c]
        if contacts.bodies[c] >= 0:  # a dynamic body is the last of its links
            p = COUPLED_LINKS * c + constraints.counts[c] - 1
            at = constraints.coupled_links[p]
            motion -= constraints.linear_blocks[p] * state.held_changes[at]
            motion -= constraints.angular_blocks[p] * state.held_changes[at + 1]
        own = tree_of(contacts.corners[CORNERS * c], nodes, skin, links)
        if is_skin(c, contacts) == 0:
            add_from_outside(own, wp.vec3d(), wp.vec3d(), wp.dot(impulse, motion), energy_balance)
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            p = contacts.corners[a]
            felt = contacts.weights[a] * impulse
            tree = tree_of(p, nodes, skin, links)
            work = wp.float64(0.0)
            if is_skin(c, contacts) == 1:
                if own == tree_of(contacts.corners[CORNERS * c + 1], nodes, skin, links):
                    continue  # skin of its own body: nothing comes from outside
                moves = predicted_velocity(p, nodes, skin, flesh)
                moves += carried_velocity(p, nodes, skin, links, link_rows, state.held_changes)
                moves += flesh_velocity(p, nodes, skin, flesh.held_responses)
                work = wp.dot(felt, moves)
            add_from_outside(tree, felt, wp.cross(place_of(p, nodes, skin), felt), work, energy_balance)


@wp.kernel(enable_backward=False)
def project_positions(
    first: int,
    solve: Solve,
    counts: IntArray,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
    link_rows: IntArray,
    links: Links,
):
    """What will stand inside something at the end of the step is taken out of it by part, without any velocity.

    The same problem once more, of displacements per step instead of velocities: without friction, with what is wanted
    a part of the depth. Velocity changes times the step are then how far links go.
    """
    count = counts[CONTACTS] + solve.limits
    deepest = wp.float64(0.0)
    for c in range(count):
        gap = constraints.gaps[c] + solve.dt * wp.dot(constraints.normals[c], state.held_velocities[c])
        slop = solve.slop
        most = solve.max_correction
        if c < counts[CONTACTS] and is_skin(c, contacts) == 1:  # nobody sees how deep it is, but all that it moves
            slop = wp.max(-gap, wp.float64(0.0))
        elif c < counts[CONTACTS]:
            deepest = wp.min(deepest, gap + slop)
            if contacts.bodies[c] >= 0:  # a dynamic body, the last of its links, stays: its momentum is where it is
                constraints.counts[c] = constraints.counts[c] - 1
        else:
            slop = wp.max(-gap, wp.float64(0.0))  # joints do not turn farther, and come back by themselves
        wanted = -(gap + slop)  # who is not that deep may come so near
        if wanted > wp.float64(0.0):
            wanted = wp.min(solve.recovery * wanted, most)
        constraints.target_velocities[c] = wanted / solve.dt
        if constraints.radii[c] >= wp.float64(0.0):
            constraints.bends[c] = constraints.bends[c] + state.held_velocities[c]
            constraints.radii[c] = wp.max(constraints.radii[c], wp.length(constraints.bends[c]))
        constraints.initial_velocities[c] = wp.vec3d()
        constraints.offsets[c] = wp.vec3d()
        state.velocities[c] = wp.vec3d()
        state.applied[c] = wp.vec3d()
        state.loads[c] = wp.vec3d()
        state.friction_bounds[c] = wp.float64(0.0)
    if deepest >= wp.float64(0.0):
        return
    for i in range(wide.size):
        state.velocity_changes[i] = wp.vec3d()
        state.momenta[i] = wp.vec3d()
    link_count = links.masses.shape[0]
    enough = ROUGH * solve.slop / solve.dt
    residual = enough
    iterations = int(0)
    going = int(1)
    while going == 1:
        residual = compute_residual(count, link_count, link_rows, links, constraints, state, bodies, base, wide)
        going = int(0)
        if residual > enough and iterations < solve.most_projections:
            going = 1
            iterations += 1
            newton_step(count, constraints, state, base, values, bodies, wide)
    counts[PROJECTED] = 1
    farthest = wp.float64(0.0)
    for i in range(link_count):
        farthest = wp.max(farthest, solve.dt * wp.length(state.velocity_changes[link_rows[i]]))
    part = wp.float64(1.0)
    if residual > enough:  # not found in so many iterations: no more than a step may correct is done of it
        part = wp.min(part, wp.float64(0.5) * solve.max_correction / wp.max(farthest, wp.float64(1.0e-12)))
    for i in range(wide.size):
        state.velocity_changes[i] = part * state.velocity_changes[i]
    for c in range(counts[CONTACTS]):
        pressed = wp.max(wp.dot(constraints.normals[c], state.applied[c]), wp.float64(0.0))
        state.impulses[c] = (part * pressed) * constraints.normals[c]


@wp.kernel(enable_backward=False)
def correct_links(first: int, dt: wp.float64, link_rows: IntArray, state: SolverState, corrections: Vectors):
    """How far a projection moves and turns a link [m, rad]."""
    i = first + wp.tid()
    corrections[2 * i] = dt * state.velocity_changes[link_rows[i]]
    corrections[2 * i + 1] = dt * state.velocity_changes[link_rows[i] + 1]
