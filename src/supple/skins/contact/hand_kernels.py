# mypy: ignore-errors
"""Arithmetic of hands: the impulses with which they hold places of the skin, or push them.

A hand h acts on nodes by two rows of weights: it is felt over a patch, and what it holds is a place in its middle. Of
both, w_k are weights of nodes, which sum to one, and s_k those with which the flesh there goes along (none where bones
alone carry the skin). With V_k what links do to node k, the velocity of the place is

    v = sum_k w_k V_k + s_k R_Wk u_k'.

Flesh gives way to a force f over a row by Z R^T f, with Z = M~s^-1 s, which never changes, and R the blended rotation
about there; links feel what is left, B f = sum_k w_k V_k^T f - M~bs Z R^T f. So impulses p_g of patches change v_h by

    A_hg p_g,   A_hg = B_h^T (M^cond)^-1 B_g + sum_k s_hk R_Wk Z_gk R_g^T,   B_h that of the place, B_g of the patch,

with the system of links, joints and muscles that the free step was solved with. That is a little less than what flesh
and links really do, so places are measured after it and answered again. Row 2 h is the patch of hand h and row 2 h + 1
its place.

Linear flesh would go any way with a hand that is strong enough. It has a reach d: where a force F would draw it farther
out, as K^-1 s says, bones take the rest. So Z and s of a patch count min(1, d / |C R^T F|), with the F of the steps
before and C [m/N] how the place gives way to its patch at rest. What bones take acts on the bone itself, as the hand
closes round the limb: at its skin it would twist it.

Symbols as in dynamics/node_kernels.py; every kernel works on item `first + tid`.
"""

import warp as wp

from supple.skins.contact.dynamics.energy_kernels import add_from_outside
from supple.skins.contact.dynamics.node_kernels import (
    FloatArray,
    IntArray,
    Links,
    Matrices,
    Nodes,
    Vectors,
    crossed_columns,
)
from supple.skins.contact.dynamics.skyline_kernels import substitute

Points = wp.array(dtype=wp.vec3f)
SWEEPS = wp.constant(32)  # over all hands, in which each answers the others
HOLDS = wp.constant(0)  # what a hand does: hold a place,
RECENT = wp.constant(wp.float64(0.3))  # share that the last step has in how hard a hand pulls
NARROW = wp.constant(wp.float64(1.0e-12))  # [1/kg]: who gives way less than this cannot be moved


@wp.struct
class Grips:
    """What hands hold. `kinds` and `vectors` [m, N] (H,) are what each does; `vertices` with `shares` are its place.

    Row r has `nodes` from `starts[r]` to `starts[r + 1]`, with `weights` and `flesh_weights`; `responses` (2 H, n)
    [1/kg] are how flesh gives way to it. `compliances` [m/N] and `reaches` [m] (H,) are C and d; `bones` and
    `bone_points` [m], at rest, are the link under each place and where its bone is next to it.
    """

    count: int
    kinds: IntArray
    vectors: Vectors
    vertex_starts: IntArray
    vertices: IntArray
    shares: FloatArray
    starts: IntArray
    nodes: IntArray
    weights: FloatArray
    flesh_weights: FloatArray
    responses: Matrices
    compliances: Matrices
    reaches: FloatArray
    bones: IntArray
    bone_points: Vectors


@wp.struct
class GripSystem:
    """One solution for the hands: how fast places are, how much faster they should become (`residuals`), and the
    `impulses` [N s] that do it, of which `increments` are the last part.

    `rotations` and `flesh_shares` (2 H,) are R and how much flesh counts, `partial_blocks` (2 H, pieces, 2) parts of B,
    `blocks` (2 H, k, 2) B, `changes` (H, k, 2) (M^cond)^-1 B, and `couplings` (H, H) A.
    """

    rotations: Matrices
    flesh_shares: FloatArray
    partial_blocks: Matrices
    blocks: Matrices
    changes: Matrices
    couplings: Matrices
    velocities: Vectors
    residuals: Vectors
    impulses: Vectors
    increments: Vectors


@wp.struct
class LinkSystem:
    """The factored system of links and joints (skyline_kernels.py), and room to solve in."""

    size: int
    link_rows: IntArray
    first_columns: IntArray
    row_offsets: IntArray
    factor: Matrices
    pivots: Matrices
    rhs: Vectors
    solution: Vectors


@wp.func
def carried_velocity(j: int, nodes: Nodes, links: Links) -> wp.vec3d:
    """What links do to a node."""
    velocity = wp.vec3d()
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        i = nodes.links[e]
        velocity += nodes.weights[e] * (links.velocities[i] + wp.cross(links.angular_velocities[i], nodes.arms[e]))
    return velocity


@wp.func
def bone_arm(h: int, grips: Grips, links: Links) -> wp.vec3d:
    """From the centre of a hand's link to its bone."""
    i = grips.bones[h]
    return links.rotations[i] * (grips.bone_points[h] - links.centers[i])


@wp.kernel(enable_backward=False)
def measure_grips(
    first: int,
    dt: wp.float64,
    fastest: wp.float64,
    grips: Grips,
    nodes: Nodes,
    links: Links,
    skin: Points,
    system: GripSystem,
):
    """How far from what a hand wants its place is: to be there at the end of the step, but no faster than `fastest`."""
    h = first + wp.tid()
    place = wp.vec3d()
    for e in range(grips.vertex_starts[h], grips.vertex_starts[h + 1]):
        place += grips.shares[e] * wp.vec3d(skin[grips.vertices[e]])
    velocity = wp.vec3d()
    for e in range(grips.starts[2 * h + 1], grips.starts[2 * h + 2]):
        j = grips.nodes[e]
        velocity += grips.weights[e] * carried_velocity(j, nodes, links)
        if j < nodes.free:
            velocity += grips.flesh_weights[e] * (nodes.blended_rotations[j] * nodes.node_velocities[j])
    wanted = (grips.vectors[h] - place) / dt
    speed = wp.length(wanted)
    if speed > fastest:
        wanted = (fastest / speed) * wanted
    system.velocities[h] = velocity
    system.residuals[h] = wanted - velocity


@wp.kernel(enable_backward=False)
def open_grips(first: int, grips: Grips, nodes: Nodes, forces: Vectors, system: GripSystem):
    """How skin is turned about each row of a hand, how much of its force flesh takes, and nothing pulled yet."""
    h = first + wp.tid()
    system.impulses[h] = wp.vec3d()
    for row in range(2 * h, 2 * h + 2):
        rotation = wp.mat33d()
        total = wp.float64(0.0)
        for e in range(grips.starts[row], grips.starts[row + 1]):
            j = grips.nodes[e]
            if j < nodes.free:
                rotation += grips.flesh_weights[e] * nodes.blended_rotations[j]
                total += grips.flesh_weights[e]
        if total > wp.float64(0.0):
            rotation = rotation / total
        system.rotations[row] = rotation
    out = wp.length(grips.compliances[h] * (wp.transpose(system.rotations[2 * h]) * forces[h]))
    system.flesh_shares[2 * h] = grips.reaches[h] / wp.max(out, grips.reaches[h])
    system.flesh_shares[2 * h + 1] = wp.float64(1.0)


@wp.kernel(enable_backward=False)
def condense_grips(
    first: int, pieces: int, piece_starts: IntArray, entries: IntArray, nodes: Nodes, grips: Grips, system: GripSystem
):
    """One piece of -M~bs Z of a row: links are held back by the flesh that gives way."""
    item = first + wp.tid()
    row = item // pieces
    piece = item - row * pieces
    linear = wp.mat33d()
    angular = wp.mat33d()
    for index in range(piece_starts[piece], piece_starts[piece + 1]):
        e = entries[index]
        j = e // nodes.carriers
        moved = (nodes.masses[j] * nodes.weights[e]) * (
            nodes.blended_rotations[j] * grips.responses[row * nodes.free + j]
        )
        linear -= moved
        angular -= crossed_columns(nodes.arms[e], moved)
    system.partial_blocks[2 * item] = linear
    system.partial_blocks[2 * item + 1] = angular


@wp.kernel(enable_backward=False)
def join_grips(
    first: int,
    pieces: int,
    link_groups: IntArray,
    link_count: int,
    nodes: Nodes,
    links: Links,
    grips: Grips,
    system: GripSystem,
):
    """B of a row for all links."""
    row = first + wp.tid()
    back = system.flesh_shares[row] * wp.transpose(system.rotations[row])
    for i in range(link_count):
        linear = wp.mat33d()
        angular = wp.mat33d()
        for piece in range(link_groups[i], link_groups[i + 1]):
            linear += system.partial_blocks[2 * (row * pieces + piece)]
            angular += system.partial_blocks[2 * (row * pieces + piece) + 1]
        system.blocks[2 * (row * link_count + i)] = linear * back
        system.blocks[2 * (row * link_count + i) + 1] = angular * back
    one = wp.identity(n=3, dtype=wp.float64)
    on_skin = system.flesh_shares[row]
    if row % 2 == 0:
        at = 2 * (row * link_count + grips.bones[row // 2])
        share = (wp.float64(1.0) - on_skin) * one
        system.blocks[at] = system.blocks[at] + share
        system.blocks[at + 1] = system.blocks[at + 1] + crossed_columns(bone_arm(row // 2, grips, links), share)
    for e in range(grips.starts[row], grips.starts[row + 1]):
        j = grips.nodes[e]
        for f in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
            share = (on_skin * grips.weights[e] * nodes.weights[f]) * one
            at = 2 * (row * link_count + nodes.links[f])
            system.blocks[at] = system.blocks[at] + share
            system.blocks[at + 1] = system.blocks[at + 1] + crossed_columns(nodes.arms[f], share)


@wp.func
def solve_patch(h: int, link_count: int, system: GripSystem, base: LinkSystem):
    """(M^cond)^-1 B of a patch, column by column."""
    for axis in range(3):
        for r in range(base.size):
            base.rhs[r] = wp.vec3d()
        for i in range(link_count):
            at = 2 * (2 * h * link_count + i)
            for side in range(2):
                block = system.blocks[at + side]
                base.rhs[base.link_rows[i] + side] = wp.vec3d(block[0, axis], block[1, axis], block[2, axis])
        substitute(base.size, base.first_columns, base.row_offsets, base.factor, base.pivots, base.rhs, base.solution)
        for i in range(link_count):
            for side in range(2):
                x = base.solution[base.link_rows[i] + side]
                at = 2 * (h * link_count + i) + side
                block = system.changes[at]
                for part in range(3):
                    block[part, axis] = x[part]
                system.changes[at] = block


@wp.kernel(enable_backward=False)
def couple_grips(first: int, link_count: int, grips: Grips, nodes: Nodes, base: LinkSystem, system: GripSystem):
    """What hands do to links, and by that and through the flesh to the places of all."""
    count = grips.count
    for h in range(count):
        solve_patch(h, link_count, system, base)
    for h in range(count):
        for g in range(count):
            total = wp.mat33d()
            for side in range(2 * link_count):
                total += (
                    wp.transpose(system.blocks[2 * (2 * h + 1) * link_count + side])
                    * system.changes[2 * g * link_count + side]
                )
            back = system.flesh_shares[2 * g] * wp.transpose(system.rotations[2 * g])
            for e in range(grips.starts[2 * h + 1], grips.starts[2 * h + 2]):
                j = grips.nodes[e]
                if j < nodes.free:
                    given = nodes.blended_rotations[j] * grips.responses[2 * g * nodes.free + j] * back
                    total += grips.flesh_weights[e] * given
            system.couplings[h * count + g] = total


@wp.kernel(enable_backward=False)
def solve_grips(
    first: int,
    link_count: int,
    dt: wp.float64,
    strongest: wp.float64,
    grips: Grips,
    nodes: Nodes,
    links: Links,
    velocity_changes: Vectors,
    angular_velocity_changes: Vectors,
    energy_balance: FloatArray,
    system: GripSystem,
):
    """The impulses with which places become as fast as wanted, none above `strongest` [N s], and what links do then.

    What comes from outside by them is entered in the books.
    """
    count = grips.count
    for h in range(count):
        system.increments[h] = wp.vec3d()
        if grips.kinds[h] != HOLDS:
            system.increments[h] = dt * grips.vectors[h] - system.impulses[h]
    for _ in range(SWEEPS):
        for h in range(count):
            own = system.couplings[h * count + h]
            if grips.kinds[h] == HOLDS and wp.trace(own) > NARROW:
                left = system.residuals[h]
                for g in range(count):
                    left -= system.couplings[h * count + g] * system.increments[g]
                impulse = system.impulses[h] + system.increments[h] + wp.inverse(own) * left
                size = wp.length(impulse)
                if size > strongest:
                    impulse = (strongest / size) * impulse
                system.increments[h] = impulse - system.impulses[h]
    for i in range(link_count):
        linear = wp.vec3d()
        angular = wp.vec3d()
        for h in range(count):
            linear += system.changes[2 * (h * link_count + i)] * system.increments[h]
            angular += system.changes[2 * (h * link_count + i) + 1] * system.increments[h]
        velocity_changes[i] = linear
        angular_velocity_changes[i] = angular
        links.velocities[i] = links.velocities[i] + linear
        links.angular_velocities[i] = links.angular_velocities[i] + angular
    for h in range(count):
        impulse = system.increments[h]
        system.impulses[h] = system.impulses[h] + impulse
        center = wp.vec3d()
        for e in range(grips.starts[2 * h], grips.starts[2 * h + 1]):
            center += (system.flesh_shares[2 * h] * grips.weights[e]) * nodes.positions[grips.nodes[e]]
        center += (wp.float64(1.0) - system.flesh_shares[2 * h]) * (
            links.positions[grips.bones[h]] + bone_arm(h, grips, links)
        )
        motion = system.velocities[h]
        for g in range(count):
            motion += system.couplings[h * count + g] * system.increments[g]
        tree = links.trees[grips.bones[h]]
        add_from_outside(tree, impulse, wp.cross(center, impulse), wp.dot(impulse, motion), energy_balance)


@wp.kernel(enable_backward=False)
def push_flesh(first: int, grips: Grips, system: GripSystem, nodes: Nodes, rhs: Vectors):
    """Enter what flesh feels of all hands; two may hold the same node, so one thread does."""
    for h in range(grips.count):
        for e in range(grips.starts[2 * h], grips.starts[2 * h + 1]):
            j = grips.nodes[e]
            if j < nodes.free:
                felt = wp.transpose(nodes.blended_rotations[j]) * system.increments[h]
                rhs[j] = rhs[j] + (system.flesh_shares[2 * h] * grips.flesh_weights[e]) * felt


@wp.kernel(enable_backward=False)
def close_grips(first: int, dt: wp.float64, system: GripSystem, forces: Vectors):
    """Remember how hard a hand pulls, the last steps more than those before."""
    h = first + wp.tid()
    forces[h] = forces[h] + RECENT * (system.impulses[h] / dt - forces[h])
