# mypy: ignore-errors
"""Arithmetic of the flesh on arrays: what nodes and links do to each other, in double precision.

Symbols: node j has rest place p, displacement u, its velocity u', mass m and K carriers (link i, share w) from K j;
link i stands at c, has turned by R and moves by (c', o); r = R (p + u - p_i) the arm of a node at a link; W = sum w R;
D a 3x3 stand-in for the inverse of M~s at the node, one for nodes that move together and one for a node alone. A push f
on a node gives a link the wrench w (f, r x f).

Sums over nodes are made in pieces, each written by one thread, then added up in a fixed order.
Every kernel works on item `first + tid`.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3d)
Matrices = wp.array(dtype=wp.mat33d)
Numbers = wp.array(dtype=wp.float64)
Whole = wp.array(dtype=wp.int32)


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
def pose_nodes(
    first: int,
    carriers: int,
    free: int,
    rest: Vectors,
    links: Whole,
    shares: Numbers,
    centres: Vectors,
    positions: Vectors,
    rotations: Matrices,
    displacements: Vectors,
    masses: Numbers,
    together: Matrices,
    alone: Matrices,
    arms: Vectors,
    blends: Matrices,
    yields: Matrices,
    lone_yields: Matrices,
    nodes: Vectors,
):
    """Arms, W, where the node is, and G = m^2 W D W^T: how it gives way to its links, for both kinds of D."""
    j = first + wp.tid()
    p = rest[j]
    if j < free:
        p = p + displacements[j]
    x = wp.vec3d()
    rotation = wp.mat33d()
    for e in range(carriers * j, carriers * j + carriers):
        w = shares[e]
        i = links[e]
        r = rotations[i] * (p - centres[i])
        arms[e] = r
        x += w * (positions[i] + r)
        rotation += w * rotations[i]
    nodes[j] = x
    if j < free:
        blends[j] = rotation
        back = (masses[j] * masses[j]) * wp.transpose(rotation)
        yields[j] = rotation * together[j] * back
        lone_yields[j] = rotation * alone[j] * back


@wp.kernel(enable_backward=False)
def pull_back(first: int, starts: Whole, columns: Whole, blocks: Matrices, displacements: Vectors, pulls: Vectors):
    """K u of every node."""
    j = first + wp.tid()
    total = wp.vec3d()
    for e in range(starts[j], starts[j + 1]):
        total += blocks[e] * displacements[columns[e]]
    pulls[j] = total


@wp.kernel(enable_backward=False)
def sum_arms(
    first: int,
    carriers: int,
    starts: Whole,
    entries: Whole,
    shares: Numbers,
    masses: Numbers,
    arms: Vectors,
    firsts: Vectors,
    seconds: Matrices,
):
    """One piece of sum m w r and of sum m w r r^T."""
    piece = first + wp.tid()
    one = wp.vec3d()
    two = wp.mat33d()
    for position in range(starts[piece], starts[piece + 1]):
        e = entries[position]
        r = arms[e]
        m = masses[e // carriers] * shares[e]
        one += m * r
        two += m * wp.outer(r, r)
    firsts[piece] = one
    seconds[piece] = two


@wp.kernel(enable_backward=False)
def total_arms(
    first: int,
    pieces: Whole,
    firsts: Vectors,
    seconds: Matrices,
    rotations: Matrices,
    core_moments: Vectors,
    core_seconds: Matrices,
    moments: Vectors,
    squares: Matrices,
):
    """The same for a whole link, with its core."""
    i = first + wp.tid()
    rotation = rotations[i]
    one = rotation * core_moments[i]
    two = rotation * core_seconds[i] * wp.transpose(rotation)
    for piece in range(pieces[i], pieces[i + 1]):
        one += firsts[piece]
        two += seconds[piece]
    moments[i] = one
    squares[i] = two


@wp.kernel(enable_backward=False)
def condense(
    first: int,
    carriers: int,
    starts: Whole,
    entries: Whole,
    others: Whole,
    shares: Numbers,
    arms: Vectors,
    yields: Matrices,
    blocks: Matrices,
):
    """One piece of M~bs D M~bs^T between two links: w w' (1; [r]x) G (1; [r']x)^T, four 3x3 blocks."""
    piece = first + wp.tid()
    a = wp.mat33d()
    b = wp.mat33d()
    c = wp.mat33d()
    d = wp.mat33d()
    for position in range(starts[piece], starts[piece + 1]):
        e = entries[position]
        f = others[position]
        g = (shares[e] * shares[f]) * yields[e // carriers]
        h = rows_crossed(g, arms[f])
        a += g
        b -= h
        c += crossed_columns(arms[e], g)
        d -= crossed_columns(arms[e], h)
    blocks[4 * piece] = a
    blocks[4 * piece + 1] = b
    blocks[4 * piece + 2] = c
    blocks[4 * piece + 3] = d


@wp.kernel(enable_backward=False)
def total_blocks(first: int, pieces: Whole, parts: Matrices, blocks: Matrices):
    """The same for a whole pair of links."""
    pair = first + wp.tid()
    for quarter in range(4):
        total = wp.mat33d()
        for piece in range(pieces[pair], pieces[pair + 1]):
            total += parts[4 * piece + quarter]
        blocks[4 * pair + quarter] = total


@wp.kernel(enable_backward=False)
def swing(
    first: int,
    carriers: int,
    dt: wp.float64,
    links: Whole,
    shares: Numbers,
    masses: Numbers,
    rotations: Matrices,
    spins: Vectors,
    flows: Vectors,
    arms: Vectors,
    blends: Matrices,
    pulls: Vectors,
    coriolis: Vectors,
    sides: Vectors,
):
    """m u' - dt K u - dt m W^T (centripetal + Coriolis): what the skin alone would be driven by."""
    j = first + wp.tid()
    out = wp.vec3d()
    along = wp.vec3d()
    for e in range(carriers * j, carriers * j + carriers):
        i = links[e]
        w = shares[e]
        o = spins[i]
        out += w * wp.cross(o, wp.cross(o, arms[e]))
        along += w * wp.cross(o, rotations[i] * flows[j])
    along = wp.float64(2.0) * along
    coriolis[j] = along
    sides[j] = masses[j] * (flows[j] - dt * (wp.transpose(blends[j]) * (out + along))) - dt * pulls[j]


@wp.kernel(enable_backward=False)
def push(
    first: int,
    dt: wp.float64,
    masses: Numbers,
    blends: Matrices,
    coriolis: Vectors,
    free_flows: Vectors,
    flows: Vectors,
    pushes: Vectors,
):
    """What a node does to the links in a step [N s]: it is held back by them, and by its Coriolis force."""
    j = first + wp.tid()
    pushes[j] = -masses[j] * (blends[j] * (free_flows[j] - flows[j]) + dt * coriolis[j])


@wp.kernel(enable_backward=False)
def sum_pushes(
    first: int,
    carriers: int,
    starts: Whole,
    entries: Whole,
    shares: Numbers,
    arms: Vectors,
    pushes: Vectors,
    wrenches: Vectors,
):
    """One piece of the wrench sum w (f, r x f)."""
    piece = first + wp.tid()
    force = wp.vec3d()
    torque = wp.vec3d()
    for position in range(starts[piece], starts[piece + 1]):
        e = entries[position]
        f = shares[e] * pushes[e // carriers]
        force += f
        torque += wp.cross(arms[e], f)
    wrenches[2 * piece] = force
    wrenches[2 * piece + 1] = torque


@wp.kernel(enable_backward=False)
def drive_links(
    first: int,
    dt: wp.float64,
    pieces: Whole,
    wrenches: Vectors,
    spins: Vectors,
    moments: Vectors,
    squares: Matrices,
    starts: Whole,
    right: Vectors,
):
    """The wrench of all nodes on a link, and its own centripetal and gyroscopic one, as impulses of a step."""
    i = first + wp.tid()
    o = spins[i]
    force = -dt * wp.cross(o, wp.cross(o, moments[i]))
    torque = -dt * wp.cross(o, wp.trace(squares[i]) * o - squares[i] * o)
    for piece in range(pieces[i], pieces[i + 1]):
        force += wrenches[2 * piece]
        torque += wrenches[2 * piece + 1]
    at = starts[i]
    right[at] = force
    right[at + 1] = torque


@wp.kernel(enable_backward=False)
def follow(
    first: int,
    carriers: int,
    links: Whole,
    shares: Numbers,
    masses: Numbers,
    arms: Vectors,
    blends: Matrices,
    jumps: Vectors,
    rotations: Vectors,
    sides: Vectors,
):
    """-M~bs^T dv: what links that change their velocities do to the skin."""
    j = first + wp.tid()
    total = wp.vec3d()
    for e in range(carriers * j, carriers * j + carriers):
        i = links[e]
        total += shares[e] * (jumps[i] + wp.cross(rotations[i], arms[e]))
    sides[j] = -masses[j] * (wp.transpose(blends[j]) * total)


@wp.kernel(enable_backward=False)
def foresee(
    first: int,
    carriers: int,
    free: int,
    dt: wp.float64,
    links: Whole,
    shares: Numbers,
    arms: Vectors,
    blends: Matrices,
    nodes: Vectors,
    velocities: Vectors,
    spins: Vectors,
    flows: Vectors,
    paces: Vectors,
    ahead: Vectors,
):
    """How fast a node is, and where that takes it in a step."""
    j = first + wp.tid()
    pace = wp.vec3d()
    if j < free:
        pace = blends[j] * flows[j]
    for e in range(carriers * j, carriers * j + carriers):
        i = links[e]
        pace += shares[e] * (velocities[i] + wp.cross(spins[i], arms[e]))
    paces[j] = pace
    ahead[j] = nodes[j] + dt * pace


@wp.kernel(enable_backward=False)
def move_nodes(first: int, dt: wp.float64, flows: Vectors, shifts: Vectors, displacements: Vectors):
    """Displacements at the end of a step; `shifts` put right what still stood inside something."""
    j = first + wp.tid()
    displacements[j] = displacements[j] + dt * flows[j] + shifts[j]


@wp.kernel(enable_backward=False)
def move_links(
    first: int, dt: wp.float64, velocities: Vectors, spins: Vectors, positions: Vectors, rotations: Matrices
):
    """Centres and turns at the end of a step; turns are made square again, so that rounding cannot gather."""
    i = first + wp.tid()
    positions[i] = positions[i] + dt * velocities[i]
    v = dt * spins[i]
    angle = wp.length(v)
    half = wp.float64(0.5) * angle
    share = wp.float64(0.5)
    if angle > wp.float64(1.0e-8):
        share = wp.sin(half) / angle
    q = wp.vec3d(share * v[0], share * v[1], share * v[2])
    c = cross_matrix(q)
    one = wp.identity(n=3, dtype=wp.float64)
    rotation = (one + wp.float64(2.0) * (wp.cos(half) * c + c * c)) * rotations[i]
    fix = wp.float64(1.5) * one - wp.float64(0.5) * (rotation * wp.transpose(rotation))
    rotations[i] = fix * rotation


@wp.kernel(enable_backward=False)
def tally(
    first: int,
    carriers: int,
    starts: Whole,
    links: Whole,
    shares: Numbers,
    masses: Numbers,
    arms: Vectors,
    blends: Matrices,
    nodes: Vectors,
    pulls: Vectors,
    displacements: Vectors,
    flows: Vectors,
    velocities: Vectors,
    spins: Vectors,
    sums: Vectors,
):
    """One piece of the flesh's own momentum, angular momentum, and (kinetic, elastic, 0) energies."""
    piece = first + wp.tid()
    linear = wp.vec3d()
    angular = wp.vec3d()
    kinetic = wp.float64(0.0)
    elastic = wp.float64(0.0)
    for j in range(starts[piece], starts[piece + 1]):
        own = masses[j] * (blends[j] * flows[j])
        mean = wp.vec3d()
        for e in range(carriers * j, carriers * j + carriers):
            i = links[e]
            mean += shares[e] * (velocities[i] + wp.cross(spins[i], arms[e]))
        linear += own
        angular += wp.cross(nodes[j], own)
        kinetic += wp.dot(own, mean) + wp.float64(0.5) * masses[j] * wp.dot(flows[j], flows[j])
        elastic += wp.float64(0.5) * wp.dot(displacements[j], pulls[j])
    sums[3 * piece] = linear
    sums[3 * piece + 1] = angular
    sums[3 * piece + 2] = wp.vec3d(kinetic, elastic, wp.float64(0.0))
