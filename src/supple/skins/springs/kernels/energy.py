# mypy: ignore-errors
"""The problem that springs between skin and skeleton state: their energy, and its gradient, the pulls.

Symbols: x a vertex, a its attachment point, s = x - a = l u its scale vector of length l (`radius`) and direction u; l'
and u' the length and direction that springs aim at, d the direction of its bone, j its n neighbours; L_ij the length an
edge should have, theta_ij the angle between u_i and u_j, phi the angle between u and d; index 0 at bind.

    E = 1/2 sum over edges   w_s (|x_j - x_i| - L_ij)^2                    edges; a fifth of it where they are pressed
                           + w_l ((l_j - l'_j) - (l_i - l'_i))^2           relative_radius
                           + 2 w_t l_0ij^2 G(theta_ij - theta_ij0)         bend
      + 1/2 sum over vertices  k_g (l - l')^2                              radius
                           + 2 k_b l_0^2 G(phi - phi_0)                    bones
                           + 2 k_h l_0^2 G(angle between u and u')         twist
                           + k_e |target - x|^2                            edits, the external force F_e

with w = (k_i / n_i + k_j / n_j) / 4, l_0ij the lesser of l_0i and l_0j, and G(t) = 1 - cos t, about t^2 / 2, up to a
quarter turn; from there on it rises ever more steeply, with slope 2 - sin t. A *pull* is what E falls by as its vertex
moves, -dE/dx [Toothman2020, Eq. 21 and 22].
Within half of its distance from the bone, where directions mean little, pulls aside grow no more.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

Points = wp.array(dtype=wp.vec3f)
Polars = wp.array(dtype=wp.vec4f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Angles = wp.array(dtype=wp.vec2f)
Edges = wp.array(dtype=wp.vec3f)

TINY = wp.constant(1.0e-12)
SLACK = wp.constant(0.2)  # of its stiffness an edge has against being pressed: skin folds where it cannot stretch
FLAT = wp.constant(1.0e-4)  # sine below which two directions count as one
NEAR = wp.constant(0.5)  # of the distance from the bone: nearer, pulls aside grow no more
QUARTER = wp.constant(1.5707964)


@wp.struct
class Springs:
    """All springs of one skin in one pose.

    The ring of vertex i are `others[starts[i]:starts[i + 1]]`; `edges` are (L_ij, cos theta_ij0, sin theta_ij0), `aims`
    (u', l'), `bone_angles` (cos phi_0, sin phi_0). `edge_stiffness` is (w_s, w_l, w_t l_0ij^2) of an edge and
    `ring_stiffness` twice the sum of (w_s, w_l, w_t) over a ring, `bone_stiffness` is (k_g, k_b, k_h), of which
    `anchors` are shares, `rest_lengths` are l_0; `holds` is k_e, with which edits draw a vertex to `targets`,
    and `edit_rooms` how much farther than usual they let it swing.
    `freedom` is 1 of vertices that springs move and 0 of static ones, which stay with the first stage.
    """

    starts: IntArray
    others: IntArray
    edges: Edges
    edge_stiffness: Edges
    ring_stiffness: Points
    bone_stiffness: Points
    rest_lengths: FloatArray
    attachment_points: Points
    aims: Polars
    segments: IntArray
    bone_directions: Points
    bone_angles: Angles
    anchors: FloatArray
    holds: FloatArray
    targets: Points
    edit_rooms: FloatArray
    freedom: FloatArray


@wp.func
def angular_error(u: wp.vec3f, other: wp.vec3f, cosine_0: float, sine_0: float) -> wp.vec3f:
    """Across u, towards `other`, as long as G'(theta - theta_0): tau sin(theta - theta_0) up to a quarter turn.

    tau sin(theta - theta_0) = (other - cos(theta) u) sin(theta - theta_0) / sin(theta).
    """
    cosine = wp.dot(u, other)
    across = other - cosine * u
    sine = wp.length(across)
    change = (sine * cosine_0 - cosine * sine_0) / wp.max(sine, FLAT)
    if cosine * cosine_0 + sine * sine_0 < 0.0:  # more than a quarter turn from bind
        off = wp.abs(change) * sine
        change *= (2.0 - off) / wp.max(off, FLAT)
    return change * across


@wp.func
def angular_energy(u: wp.vec3f, other: wp.vec3f, cosine_0: float, sine_0: float) -> float:
    """G(theta - theta_0); nothing where there is no angle at bind."""
    if cosine_0 * cosine_0 + sine_0 * sine_0 < 0.25:
        return 0.0
    cosine = wp.dot(u, other)
    sine = wp.length(other - cosine * u)
    cosine_change = cosine * cosine_0 + sine * sine_0
    sine_change = sine * cosine_0 - cosine * sine_0
    if cosine_change < 0.0:
        change = wp.abs(wp.atan2(sine_change, cosine_change))
        return 1.0 + 2.0 * (change - QUARTER) + cosine_change
    return sine_change * sine_change / (1.0 + cosine_change)


@wp.func
def polar(x: wp.vec3f, a: wp.vec3f, aim: wp.vec4f) -> wp.vec4f:
    """Direction of the scale vector, and how much longer it is than it should be; on the skeleton, u' stands in."""
    s = x - a
    radius = wp.length(s)
    if radius > 1.0e-3 * aim[3] and radius > TINY:
        return wp.vec4f(s[0] / radius, s[1] / radius, s[2] / radius, radius - aim[3])
    return wp.vec4f(aim[0], aim[1], aim[2], radius - aim[3])


@wp.func
def pull(i: int, x: Points, polars: Polars, springs: Springs) -> wp.vec3f:
    """-dE/dx of a vertex."""
    site = springs.anchors[i] * springs.bone_stiffness[i]
    aim = springs.aims[i]
    bone_angle = springs.bone_angles[i]
    here = x[i]
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    along = wp.vec3f(0.0, 0.0, 0.0)
    across = wp.vec3f(0.0, 0.0, 0.0)
    longer = float(0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        c = springs.edges[e]
        w = springs.edge_stiffness[e]
        edge = x[j] - here
        stretch = 1.0 - c[0] / wp.max(wp.length(edge), TINY)
        along += (w[0] * wp.where(stretch < 0.0, SLACK, 1.0) * stretch) * edge
        q = polars[j]
        longer += w[1] * (q[3] - p[3])
        v = wp.vec3f(q[0], q[1], q[2])
        cosine = wp.dot(u, v)
        off = v - cosine * u
        sine = wp.length(off)
        if cosine * c[1] + sine * c[2] < 0.0:
            across += w[2] * angular_error(u, v, c[1], c[2])
        else:  # the same, without asking again; exactly nothing at bind
            across += (w[2] * (sine * c[1] - cosine * c[2]) / wp.max(sine, FLAT)) * off
    rest = springs.rest_lengths[i]
    lever = 1.0 / wp.max(wp.max(p[3] + aim[3], NEAR * rest), TINY)
    to_bone = site[1] * angular_error(u, springs.bone_directions[springs.segments[i]], bone_angle[0], bone_angle[1])
    to_aim = site[2] * angular_error(u, wp.vec3f(aim[0], aim[1], aim[2]), 1.0, 0.0)
    tangential = lever * (across + (rest * rest) * (to_bone + to_aim))
    own = along + (longer - site[0] * p[3]) * u + tangential
    return own + springs.holds[i] * (springs.targets[i] - here)


@wp.func
def energy(i: int, x: Points, polars: Polars, springs: Springs) -> float:
    """The part of E of a vertex; edges count half at each end."""
    site = springs.anchors[i] * springs.bone_stiffness[i]
    aim = springs.aims[i]
    bone_angle = springs.bone_angles[i]
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    total = float(0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        c = springs.edges[e]
        w = springs.edge_stiffness[e]
        q = polars[j]
        stretch = wp.length(x[j] - x[i]) - c[0]
        total += 0.5 * w[0] * wp.where(stretch < 0.0, SLACK, 1.0) * stretch * stretch
        total += 0.5 * w[1] * (q[3] - p[3]) * (q[3] - p[3])
        total += w[2] * angular_energy(u, wp.vec3f(q[0], q[1], q[2]), c[1], c[2])
    rest = springs.rest_lengths[i]
    bone = angular_energy(u, springs.bone_directions[springs.segments[i]], bone_angle[0], bone_angle[1])
    twist = angular_energy(u, wp.vec3f(aim[0], aim[1], aim[2]), 1.0, 0.0)
    off = springs.targets[i] - x[i]
    own = 0.5 * site[0] * p[3] * p[3] + rest * rest * (site[1] * bone + site[2] * twist)
    return 0.5 * total + own + 0.5 * springs.holds[i] * wp.dot(off, off)


@wp.func
def total_stiffness(i: int, springs: Springs) -> float:
    """Of all springs at a vertex: at least twice the steepest that pulls rise by, less what anchors have let go."""
    ring = springs.ring_stiffness[i]
    site = springs.bone_stiffness[i]
    return ring[0] + ring[1] + ring[2] + springs.anchors[i] * (site[0] + site[1] + site[2]) + springs.holds[i]


@wp.kernel(enable_backward=False)
def measure_forces(first: int, springs: Springs, now: Points, polars: Polars, found: Points):
    """All pulls on every vertex."""
    i = first + wp.tid()
    found[i] = pull(i, now, polars, springs)


@wp.kernel(enable_backward=False)
def measure_energies(first: int, springs: Springs, now: Points, polars: Polars, found: FloatArray):
    """The energy of every vertex."""
    i = first + wp.tid()
    found[i] = energy(i, now, polars, springs)
