# mypy: ignore-errors
"""Arithmetic of the flesh on arrays: what nodes and links do to each other, in double precision.

Symbols: node j has rest place p, displacement u, its velocity u', mass m and K carriers (link i, share w) from K j;
link i stands at c, has turned by R and moves by (c', o); r = R (p + u - p_i) the arm of a node at a link; W = sum w R;
D a 3x3 stand-in for the inverse of M~s at the node, for nodes that move together. A push f on a node gives a link the
wrench w (f, r x f).

Sums over nodes are made in pieces, each written by one thread, then added up in a fixed order.
Every kernel works on item `first + tid`.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3d)
Matrices = wp.array(dtype=wp.mat33d)
FloatArray = wp.array(dtype=wp.float64)
IntArray = wp.array(dtype=wp.int32)


@wp.struct
class Nodes:
    """Nodes, the free ones first, with K = `carriers` links each: entry K j + slot of `links`, `weights` and `arms`.

    `displacements` and `node_velocities` (u and u') are of the free ones, in pose space; `positions` in the world.
    """

    carriers: int
    free: int
    rest: Vectors
    links: IntArray
    weights: FloatArray
    masses: FloatArray
    displacements: Vectors
    node_velocities: Vectors
    arms: Vectors
    blended_rotations: Matrices
    positions: Vectors


@wp.struct
class Links:
    """Links: where they are and how they move, in the world; sums of m, m r and m r r^T over all that they carry.

    `trees` says which of the bodies that no joint joins a link is part of.
    """

    trees: IntArray
    centers: Vectors
    masses: FloatArray
    positions: Vectors
    rotations: Matrices
    velocities: Vectors
    angular_velocities: Vectors
    first_moments: Vectors
    second_moments: Matrices


@wp.func
def cross_matrix(v: wp.vec3d) -> wp.mat33d:
    z = wp.float64(0.0)
    return wp.mat33d(z, -v[2], v[1], v[2], z, -v[0], -v[1], v[0], z)


@wp.func
def rows_crossed(m: wp.mat33d, v: wp.vec3d) -> wp.mat33d:
    """m [v]x, row by row; the zeros of [v]x cost nothing."""
    return wp.matrix_from_rows(wp.cross(m[0], v), wp.cross(m[1], v), wp.cross(m[2], v))


@wp.func
def crossed_columns(v: wp.vec3d, m: wp.mat33d) -> wp.mat33d:
    """[v]x m."""
    x = m[0]
    y = m[1]
    z = m[2]
    return wp.matrix_from_rows(v[1] * z - v[2] * y, v[2] * x - v[0] * z, v[0] * y - v[1] * x)


@wp.kernel(enable_backward=False)
def pose_nodes(first: int, nodes: Nodes, links: Links, lumped_inverses: Matrices, compliances: Matrices):
    """Arms, W, where the node is, and G = m^2 W D W^T: how it gives way to its links."""
    j = first + wp.tid()
    p = nodes.rest[j]
    if j < nodes.free:
        p = p + nodes.displacements[j]
    x = wp.vec3d()
    rotation = wp.mat33d()
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        w = nodes.weights[e]
        i = nodes.links[e]
        r = links.rotations[i] * (p - links.centers[i])
        nodes.arms[e] = r
        x += w * (links.positions[i] + r)
        rotation += w * links.rotations[i]
    nodes.positions[j] = x
    if j < nodes.free:
        nodes.blended_rotations[j] = rotation
        back = (nodes.masses[j] * nodes.masses[j]) * wp.transpose(rotation)
        compliances[j] = rotation * lumped_inverses[j] * back


@wp.kernel(enable_backward=False)
def compute_elastic_forces(
    first: int, starts: IntArray, columns: IntArray, blocks: Matrices, displacements: Vectors, elastic_forces: Vectors
):
    """K u of every node."""
    j = first + wp.tid()
    total = wp.vec3d()
    for e in range(starts[j], starts[j + 1]):
        total += blocks[e] * displacements[columns[e]]
    elastic_forces[j] = total


@wp.kernel(enable_backward=False)
def sum_moments(
    first: int,
    starts: IntArray,
    entries: IntArray,
    nodes: Nodes,
    partial_first_moments: Vectors,
    partial_second_moments: Matrices,
):
    """One piece of sum m w r and of sum m w r r^T."""
    piece = first + wp.tid()
    one = wp.vec3d()
    two = wp.mat33d()
    for index in range(starts[piece], starts[piece + 1]):
        e = entries[index]
        r = nodes.arms[e]
        m = nodes.masses[e // nodes.carriers] * nodes.weights[e]
        one += m * r
        two += m * wp.outer(r, r)
    partial_first_moments[piece] = one
    partial_second_moments[piece] = two


@wp.kernel(enable_backward=False)
def total_moments(
    first: int,
    pieces: IntArray,
    partial_first_moments: Vectors,
    partial_second_moments: Matrices,
    core_first_moments: Vectors,
    core_second_moments: Matrices,
    links: Links,
):
    """The same for a whole link, with its core."""
    i = first + wp.tid()
    rotation = links.rotations[i]
    one = rotation * core_first_moments[i]
    two = rotation * core_second_moments[i] * wp.transpose(rotation)
    for piece in range(pieces[i], pieces[i + 1]):
        one += partial_first_moments[piece]
        two += partial_second_moments[piece]
    links.first_moments[i] = one
    links.second_moments[i] = two


@wp.kernel(enable_backward=False)
def condense(
    first: int,
    starts: IntArray,
    entries: IntArray,
    others: IntArray,
    nodes: Nodes,
    compliances: Matrices,
    blocks: Matrices,
):
    """One piece of M~bs D M~bs^T between two links: w w' (1; [r]x) G (1; [r']x)^T, four 3x3 blocks."""
    piece = first + wp.tid()
    a = wp.mat33d()
    b = wp.mat33d()
    c = wp.mat33d()
    d = wp.mat33d()
    for index in range(starts[piece], starts[piece + 1]):
        e = entries[index]
        f = others[index]
        g = (nodes.weights[e] * nodes.weights[f]) * compliances[e // nodes.carriers]
        h = rows_crossed(g, nodes.arms[f])
        a += g
        b -= h
        c += crossed_columns(nodes.arms[e], g)
        d -= crossed_columns(nodes.arms[e], h)
    blocks[4 * piece] = a
    blocks[4 * piece + 1] = b
    blocks[4 * piece + 2] = c
    blocks[4 * piece + 3] = d


@wp.kernel(enable_backward=False)
def total_blocks(first: int, pieces: IntArray, parts: Matrices, blocks: Matrices):
    """The same for a whole pair of links."""
    pair = first + wp.tid()
    for quarter in range(4):
        total = wp.mat33d()
        for piece in range(pieces[pair], pieces[pair + 1]):
            total += parts[4 * piece + quarter]
        blocks[4 * pair + quarter] = total


@wp.kernel(enable_backward=False)
def apply_flesh_forces(
    first: int, dt: wp.float64, nodes: Nodes, links: Links, elastic_forces: Vectors, coriolis: Vectors, rhs: Vectors
):
    """m u' - dt K u - dt m W^T (centripetal + Coriolis): what the skin alone would be driven by."""
    j = first + wp.tid()
    out = wp.vec3d()
    along = wp.vec3d()
    u = nodes.node_velocities[j]
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        i = nodes.links[e]
        w = nodes.weights[e]
        o = links.angular_velocities[i]
        out += w * wp.cross(o, wp.cross(o, nodes.arms[e]))
        along += w * wp.cross(o, links.rotations[i] * u)
    along = wp.float64(2.0) * along
    coriolis[j] = along
    inertial = dt * (wp.transpose(nodes.blended_rotations[j]) * (out + along))
    rhs[j] = nodes.masses[j] * (u - inertial) - dt * elastic_forces[j]


@wp.kernel(enable_backward=False)
def compute_node_impulses(
    first: int, dt: wp.float64, nodes: Nodes, coriolis: Vectors, free_node_velocities: Vectors, impulses: Vectors
):
    """What a node does to the links in a step [N s]: it is held back by them, and by its Coriolis force."""
    j = first + wp.tid()
    change = free_node_velocities[j] - nodes.node_velocities[j]
    impulses[j] = -nodes.masses[j] * (nodes.blended_rotations[j] * change + dt * coriolis[j])


@wp.kernel(enable_backward=False)
def sum_wrenches(first: int, starts: IntArray, entries: IntArray, nodes: Nodes, impulses: Vectors, wrenches: Vectors):
    """One piece of the wrench sum w (f, r x f)."""
    piece = first + wp.tid()
    force = wp.vec3d()
    torque = wp.vec3d()
    for index in range(starts[piece], starts[piece + 1]):
        e = entries[index]
        f = nodes.weights[e] * impulses[e // nodes.carriers]
        force += f
        torque += wp.cross(nodes.arms[e], f)
    wrenches[2 * piece] = force
    wrenches[2 * piece + 1] = torque


@wp.kernel(enable_backward=False)
def apply_wrenches(
    first: int, dt: wp.float64, pieces: IntArray, wrenches: Vectors, links: Links, link_rows: IntArray, rhs: Vectors
):
    """The wrench of all nodes on a link, and its own centripetal and gyroscopic one, as impulses of a step."""
    i = first + wp.tid()
    o = links.angular_velocities[i]
    second = links.second_moments[i]
    force = -dt * wp.cross(o, wp.cross(o, links.first_moments[i]))
    torque = -dt * wp.cross(o, wp.trace(second) * o - second * o)
    for piece in range(pieces[i], pieces[i + 1]):
        force += wrenches[2 * piece]
        torque += wrenches[2 * piece + 1]
    at = link_rows[i]
    rhs[at] = force
    rhs[at + 1] = torque


@wp.kernel(enable_backward=False)
def couple_flesh(first: int, nodes: Nodes, velocity_changes: Vectors, angular_velocity_changes: Vectors, rhs: Vectors):
    """-M~bs^T dv: what links that change their velocities do to the skin."""
    j = first + wp.tid()
    total = wp.vec3d()
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        i = nodes.links[e]
        total += nodes.weights[e] * (velocity_changes[i] + wp.cross(angular_velocity_changes[i], nodes.arms[e]))
    rhs[j] = -nodes.masses[j] * (wp.transpose(nodes.blended_rotations[j]) * total)


@wp.kernel(enable_backward=False)
def predict(
    first: int, dt: wp.float64, nodes: Nodes, links: Links, world_velocities: Vectors, predicted_positions: Vectors
):
    """How fast a node is, and where that takes it in a step."""
    j = first + wp.tid()
    velocity = wp.vec3d()
    if j < nodes.free:
        velocity = nodes.blended_rotations[j] * nodes.node_velocities[j]
    for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
        i = nodes.links[e]
        turning = wp.cross(links.angular_velocities[i], nodes.arms[e])
        velocity += nodes.weights[e] * (links.velocities[i] + turning)
    world_velocities[j] = velocity
    predicted_positions[j] = nodes.positions[j] + dt * velocity


@wp.kernel(enable_backward=False)
def integrate_nodes(first: int, dt: wp.float64, nodes: Nodes):
    """Displacements at the end of a step."""
    j = first + wp.tid()
    nodes.displacements[j] = nodes.displacements[j] + dt * nodes.node_velocities[j]


@wp.kernel(enable_backward=False)
def integrate_links(first: int, dt: wp.float64, links: Links):
    """Centres and turns at the end of a step; turns are made square again, so that rounding cannot gather."""
    i = first + wp.tid()
    links.positions[i] = links.positions[i] + dt * links.velocities[i]
    v = dt * links.angular_velocities[i]
    angle = wp.length(v)
    half = wp.float64(0.5) * angle
    fraction = wp.float64(0.5)
    if angle > wp.float64(1.0e-8):
        fraction = wp.sin(half) / angle
    q = wp.vec3d(fraction * v[0], fraction * v[1], fraction * v[2])
    c = cross_matrix(q)
    one = wp.identity(n=3, dtype=wp.float64)
    rotation = (one + wp.float64(2.0) * (wp.cos(half) * c + c * c)) * links.rotations[i]
    fix = wp.float64(1.5) * one - wp.float64(0.5) * (rotation * wp.transpose(rotation))
    links.rotations[i] = fix * rotation
