# mypy: ignore-errors
"""What becomes of a solution: links and flesh take it, and the books are told. Symbols as in newton_kernels.py."""

import warp as wp

from supple.skins.contact.dynamics.energy_kernels import add_from_outside
from supple.skins.contact.dynamics.link_kernels import JointLimits
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Nodes, Vectors
from supple.skins.contact.response.constraint_kernels import (
    CONTACTS,
    CORNERS,
    COUPLED_LINKS,
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
    """Give links their new velocities, keep impulses, enter what came from outside in the balance."""
    for i in range(links.masses.shape[0]):
        links.velocities[i] = links.velocities[i] + state.held_changes[link_rows[i]]
        links.angular_velocities[i] = links.angular_velocities[i] + state.held_changes[link_rows[i] + 1]
    for item in range(solve.limits):
        impulse = state.held_impulses[counts[CONTACTS] + item]
        if wp.length_sq(impulse) > wp.float64(0.0):
            flesh.next_warm_start[limit_kept_at(item, flesh, limits)] = impulse
    for c in range(counts[CONTACTS]):
        impulse = state.held_impulses[c]
        if wp.dot(constraints.normals[c], impulse) > wp.float64(0.0):
            flesh.next_warm_start[kept_at(c, flesh, contacts)] = impulse
        motion = contacts.velocities[c]
        if contacts.bodies[c] >= 0:  # a dynamic body is the last of its links
            p = COUPLED_LINKS * c + constraints.counts[c] - 1
            at = constraints.coupled_links[p]
            motion -= constraints.linear_blocks[p] * state.held_changes[at]
            motion -= constraints.angular_blocks[p] * state.held_changes[at + 1]
        # Who comes out is pushed as by an obstacle that moves.
        motion += wp.max(constraints.target_velocities[c], wp.float64(0.0)) * constraints.normals[c]
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
def turn_over(first: int, warm_start: Vectors, next_warm_start: Vectors):
    """What pressed in this step is what the next one begins with."""
    p = first + wp.tid()
    warm_start[p] = next_warm_start[p]
    next_warm_start[p] = wp.vec3d()
