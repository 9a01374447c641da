# mypy: ignore-errors
"""Arithmetic of the constraints on arrays.

Symbols: p_i a particle and w_i its inverse mass (0: cannot be moved), kept in one vector (x, y, z, w); k in [0, 1] the
share of its error that a constraint alone would lose in one projection; C a constraint, zero when it is met, and g_i
its gradients; V_0, d_0 volume and length at rest; a_i the point of the bone that particle i is bound to.

The projection of one constraint is a function shared by two schedules. On the CPU one thread walks through all
constraints of a slab in the order of memory (`sweep`). On a GPU constraints are gathered in small clusters; one thread
walks through a cluster, and one launch through all clusters of a colour, none of which share a particle.

Two forms. *Stiffness*: each projection moves p_i by -k C w_i g_i / sum_j w_j |g_j|^2, so more rounds make it stiffer.
*Compliance*: with the multiplier l that a constraint has gathered in this step and a = (1/k - 1) sum_j w_j |g_j|^2,
  dl = -(C + a l) / (sum_j w_j |g_j|^2 + a),   p_i moves by w_i g_i dl [MacklinMuellerChentanez2016],
which starts with the same move, and after any number of rounds rests at the same shape.
"""

import warp as wp

from supple.geometry.collision.spatial_hash.kernels import position

Particles = wp.array(dtype=wp.vec4f)
Points = wp.array(dtype=wp.vec3f)
Corners = wp.array(dtype=wp.vec4i)
Ends = wp.array(dtype=wp.vec2i)
Sizes = wp.array(dtype=wp.vec2f)
Numbers = wp.array(dtype=wp.float32)
Whole = wp.array(dtype=wp.int32)

VOLUME = wp.constant(0)  # knobs: how stiff volumes, bonds to the bones and edges are
BIND = wp.constant(1)
STRETCH = wp.constant(2)
COMPLIANT = wp.constant(3)  # 1: in the compliance form
SLACK = wp.constant(4)  # 1: flesh may come nearer to its bone than it was at rest
TINY = wp.constant(1.0e-12)
FLATTEST = wp.constant(1.0e-12)  # below this share of a size to the fourth, gradients say nothing


@wp.func
def moved(p: wp.vec4f, by: wp.vec3f) -> wp.vec4f:
    return wp.vec4f(p[0] + by[0], p[1] + by[1], p[2] + by[2], p[3])


@wp.func
def multiplier(c: int, error: float, slope: float, k: float, compliant: float, gathered: Numbers) -> float:
    """How much multiplier one projection adds, in either form; slope is sum_j w_j |g_j|^2 > 0."""
    if compliant == 0.0:
        return -k * error / slope
    a = (1.0 / wp.max(k, 1.0e-6) - 1.0) * slope
    added = -(error + a * gathered[c]) / (slope + a)
    gathered[c] = gathered[c] + added
    return added


@wp.func
def project_stretch(
    c: int, k: float, compliant: float, ends: Ends, rest_lengths: Numbers, gathered: Numbers, particles: Particles
):
    """C = |p_1 - p_2| - d_0."""
    e = ends[c]
    a = particles[e[0]]
    b = particles[e[1]]
    apart = position(a) - position(b)
    length = wp.length(apart)
    masses = a[3] + b[3]
    if masses > 0.0 and length > TINY:
        push = (multiplier(c, length - rest_lengths[c], masses, k, compliant, gathered) / length) * apart
        particles[e[0]] = moved(a, a[3] * push)
        particles[e[1]] = moved(b, -b[3] * push)


@wp.func
def project_volume(
    c: int, k: float, compliant: float, corners: Corners, sizes: Sizes, gathered: Numbers, particles: Particles
):
    """C = (p_21 x p_31) . p_41 / 6 - V_0, all of it times six.

    g_2 = p_31 x p_41, g_3 = p_41 x p_21, g_4 = p_21 x p_31, g_1 = -(g_2 + g_3 + g_4). An element that is inside out
    has a negative volume and is pushed through flatness; where it is nearly flat no corner moves more than a part of
    its size at once. A size is (6 V_0, square of the longest move).
    """
    t = corners[c]
    p1 = particles[t[0]]
    p2 = particles[t[1]]
    p3 = particles[t[2]]
    p4 = particles[t[3]]
    p21 = position(p2) - position(p1)
    p31 = position(p3) - position(p1)
    p41 = position(p4) - position(p1)
    g2 = wp.cross(p31, p41)
    g3 = wp.cross(p41, p21)
    g4 = wp.cross(p21, p31)
    g1 = -(g2 + g3 + g4)
    size = sizes[c]
    slope = p1[3] * wp.dot(g1, g1) + p2[3] * wp.dot(g2, g2) + p3[3] * wp.dot(g3, g3) + p4[3] * wp.dot(g4, g4)
    if slope > size[1] * size[1] * FLATTEST:
        s = multiplier(c, wp.dot(g4, p41) - size[0], slope, k, compliant, gathered)
        # sqrt(slope) bounds the longest gradient, so that |s| sqrt(slope) bounds the longest move.
        reach = s * s * slope
        if reach > size[1]:
            shorter = s * wp.sqrt(size[1] / reach)
            if compliant != 0.0:
                gathered[c] = gathered[c] + shorter - s
            s = shorter
        particles[t[0]] = moved(p1, (s * p1[3]) * g1)
        particles[t[1]] = moved(p2, (s * p2[3]) * g2)
        particles[t[2]] = moved(p3, (s * p3[3]) * g3)
        particles[t[3]] = moved(p4, (s * p4[3]) * g4)


@wp.func
def project_bind(
    c: int,
    k: float,
    compliant: float,
    slack: float,
    bound: Whole,
    anchors: Points,
    lengths: Numbers,
    gathered: Numbers,
    particles: Particles,
):
    """C = |p_i - a_i| - d_0, or at most zero with slack; the bone is not moved."""
    i = bound[c]
    p = particles[i]
    apart = position(p) - anchors[i]
    length = wp.length(apart)
    error = length - lengths[i]
    held = slack == 0.0 or error > 0.0 or (compliant != 0.0 and gathered[c] < 0.0)
    if p[3] > 0.0 and length > TINY and held:
        push = multiplier(c, error, p[3], k, compliant, gathered)
        if slack != 0.0 and compliant != 0.0 and gathered[c] > 0.0:
            push = push - gathered[c]  # it lets go, and does not push
            gathered[c] = 0.0
        particles[i] = moved(p, (push * p[3] / length) * apart)


@wp.func
def walk_volumes(
    start: int, stop: int, knobs: Numbers, corners: Corners, sizes: Sizes, gathered: Numbers, particles: Particles
):
    k = knobs[VOLUME]
    if k > 0.0:
        for c in range(start, stop):
            project_volume(c, k, knobs[COMPLIANT], corners, sizes, gathered, particles)


@wp.func
def walk_edges(
    start: int,
    stop: int,
    knobs: Numbers,
    ends: Ends,
    rest_lengths: Numbers,
    stiffness: Numbers,
    gathered: Numbers,
    particles: Particles,
):
    stretch = knobs[STRETCH]
    if stretch > 0.0:
        for c in range(start, stop):
            k = stretch * stiffness[c]
            if k > 0.0:
                project_stretch(c, k, knobs[COMPLIANT], ends, rest_lengths, gathered, particles)


@wp.kernel(enable_backward=False)
def sweep(
    first: int,
    knobs: Numbers,
    volume_starts: Whole,
    corners: Corners,
    sizes: Sizes,
    volume_gathered: Numbers,
    bind_starts: Whole,
    bound: Whole,
    anchors: Points,
    bind_lengths: Numbers,
    bind_gathered: Numbers,
    stretch_starts: Whole,
    ends: Ends,
    rest_lengths: Numbers,
    stiffness: Numbers,
    stretch_gathered: Numbers,
    particles: Particles,
):
    """Walk once through one slab: its volumes, its bonds to the bones, its edges."""
    s = first + wp.tid()
    walk_volumes(volume_starts[s], volume_starts[s + 1], knobs, corners, sizes, volume_gathered, particles)
    bind = knobs[BIND]
    if bind > 0.0:
        for c in range(bind_starts[s], bind_starts[s + 1]):
            project_bind(
                c, bind, knobs[COMPLIANT], knobs[SLACK], bound, anchors, bind_lengths, bind_gathered, particles
            )
    walk_edges(
        stretch_starts[s], stretch_starts[s + 1], knobs, ends, rest_lengths, stiffness, stretch_gathered, particles
    )


@wp.kernel(enable_backward=False)
def sweep_colour(
    first: int,
    start: int,
    knobs: Numbers,
    volume_starts: Whole,
    corners: Corners,
    sizes: Sizes,
    volume_gathered: Numbers,
    stretch_starts: Whole,
    ends: Ends,
    rest_lengths: Numbers,
    stiffness: Numbers,
    stretch_gathered: Numbers,
    particles: Particles,
):
    """Walk once through one cluster: its volumes and its edges."""
    g = start + first + wp.tid()
    walk_volumes(volume_starts[g], volume_starts[g + 1], knobs, corners, sizes, volume_gathered, particles)
    walk_edges(
        stretch_starts[g], stretch_starts[g + 1], knobs, ends, rest_lengths, stiffness, stretch_gathered, particles
    )


@wp.kernel(enable_backward=False)
def bonds(
    first: int,
    starts: Whole,
    knobs: Numbers,
    bound: Whole,
    anchors: Points,
    lengths: Numbers,
    gathered: Numbers,
    particles: Particles,
):
    c = first + wp.tid()
    if knobs[BIND] > 0.0 and c < starts[1]:
        project_bind(c, knobs[BIND], knobs[COMPLIANT], knobs[SLACK], bound, anchors, lengths, gathered, particles)
