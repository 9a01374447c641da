# mypy: ignore-errors
"""Arithmetic of the shape at which flesh settles: the least of an energy, found by a quasi-Newton method.

Symbols: x_i a particle and q_i where the bones alone carry it; a_i the point of its bone and b_i its distance from it
at rest; V, d volume and length, V_0, d_0 those at rest; s_t = sum_j |g_j|^2 for the gradients g of 6 V at rest.

  E(x) = sum_t k_V / (2 s_t) (6 V_t - 6 V_t0)^2 + sum_e k_d / 2 (d_e - d_e0)^2
       + sum_i k_b / 2 max(|x_i - a_i| - b_i, 0)^2 + sum_i (k_q + h_i) / 2 |x_i - q_i|^2
       + sum_i k_c / 2 min((x_i - c) . n, 0)^2

Without slack, bonds push as well as pull. h_i holds particles that are partly firm. The last sum is over particles that
are held off the plane through a joint, at c with normal n.

G is the gradient of E, A a constant matrix close to its second derivatives, H = A^-1 G. The last three differences of
x, G and H are S, Y and Z = A^-1 Y; L-BFGS [LiuBouazizKavan2017] makes of them a better direction than H. Only their
inner products matter, so that no step depends on the order of particles or elements but by rounding.
"""

import warp as wp

from supple.skins.position_based.contact_kernels import Boxes, plane_side
from supple.skins.position_based.kernels import Corners, Ends, Numbers, Particles, Points, Sizes, Whole, moved, position

Triples = wp.array(dtype=wp.vec3i)
Grams = wp.array(dtype=wp.mat33f)

VOLUME = wp.constant(0)  # weights of the energy: k_V, k_b, k_d, k_q
BIND = wp.constant(1)
STRETCH = wp.constant(2)
PULL = wp.constant(3)
SLACK = wp.constant(4)  # 1: flesh may come nearer to its bone than it was at rest
CONTACT = wp.constant(5)  # k_c
SUMS = wp.constant(5)  # inner products that every lane adds up, three of each, and the energy
RISE = wp.constant(1.5)  # times the energy before: a step that ends higher is halved
CURVED = wp.constant(0.05)  # S.Y over Y.Z from which a difference tells something of E
TINY = wp.constant(1.0e-12)


@wp.struct
class Elements:
    """The elements and edges of one body: corners, (6 V_0, 1 / s), ends and lengths at rest."""

    corners: Corners
    sizes: Sizes
    ends: Ends
    lengths: Numbers


@wp.struct
class Star:
    """The same round every particle of one body, in compressed rows.

    `others` are the three other corners of an element, so that (particle, others) has positive volume; `far_ends` are
    the other ends of edges.
    """

    starts: Whole
    others: Triples
    sizes: Sizes
    edge_starts: Whole
    far_ends: Whole
    lengths: Numbers


@wp.struct
class Ties:
    """What holds every single particle: the point of its bone and its distance from there, q, and h."""

    anchors: Points
    lengths: Numbers
    kinematic: Points
    holds: Numbers


@wp.struct
class Planes:
    """The plane that every particle is held off, 2 k + 1 for the parent's side of plane k, -1 for none; how firmly."""

    of: Whole
    firmness: Sizes
    points: Boxes
    normals: Boxes


# What elements and edges do to particles. At rest sizes, sums are G and the energy. About `settled`, the sizes that
# there are there are kept, and the last number is D_i = sum_t 4 k_V |g_i|^2 / s_t + sum_e 2 k_d: more than neighbours
# can undo.


@wp.func
def six_volumes(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, d: wp.vec3f) -> float:
    return wp.dot(wp.cross(c - b, d - b), b - a)


@wp.func
def added(sums: Particles, at: int, force: wp.vec3f, last: float):
    s = sums[at]
    sums[at] = wp.vec4f(s[0] + force[0], s[1] + force[1], s[2] + force[2], s[3] + last)


@wp.func
def edge_force(weight: float, apart: wp.vec3f, kept: float) -> wp.vec4f:
    """k_d (d - d_0) along an edge, and (d - d_0)."""
    length = wp.length(apart)
    f = (weight * (length - kept) / wp.max(length, TINY)) * apart
    return wp.vec4f(f[0], f[1], f[2], length - kept)


@wp.kernel(enable_backward=False)
def strain_through(
    first: int,
    lanes: int,
    particles_per_copy: int,
    weights: Numbers,
    elements: Elements,
    about: int,
    settled: Points,
    particles: Particles,
    sums: Particles,
):
    """One thread goes through a part of a body's elements and edges; each such lane has sums of its own."""
    n = first + wp.tid()
    c = n // lanes
    lane = n - c * lanes
    shift = c * particles_per_copy
    own = lane * particles.shape[0] + shift
    for i in range(particles_per_copy):
        sums[own + i] = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    k = weights[VOLUME]
    count = elements.corners.shape[0]
    for t in range(count * lane // lanes, count * (lane + 1) // lanes):
        v = elements.corners[t]
        a = particles[shift + v[0]]
        b = particles[shift + v[1]]
        d = particles[shift + v[2]]
        e = particles[shift + v[3]]
        if a[3] + b[3] + d[3] + e[3] > 0.0:
            ab = position(b) - position(a)
            ad = position(d) - position(a)
            ae = position(e) - position(a)
            g_b = wp.cross(ad, ae)
            g_d = wp.cross(ae, ab)
            g_e = wp.cross(ab, ad)
            g_a = -(g_b + g_d + g_e)
            size = elements.sizes[t]
            kept = size[0]
            if about == 1:
                kept = six_volumes(
                    settled[shift + v[0]], settled[shift + v[1]], settled[shift + v[2]], settled[shift + v[3]]
                )
            error = wp.dot(g_e, ae) - kept
            weight = k * size[1]
            f = weight * error
            last = wp.vec4f(1.0, 1.0, 1.0, 1.0) * (0.125 * f * error)
            if about == 1:
                last = 4.0 * weight * wp.vec4f(wp.dot(g_a, g_a), wp.dot(g_b, g_b), wp.dot(g_d, g_d), wp.dot(g_e, g_e))
            added(sums, own + v[0], f * g_a, last[0])
            added(sums, own + v[1], f * g_b, last[1])
            added(sums, own + v[2], f * g_d, last[2])
            added(sums, own + v[3], f * g_e, last[3])
    k = weights[STRETCH]
    count = elements.ends.shape[0]
    for t in range(count * lane // lanes, count * (lane + 1) // lanes):
        m = elements.ends[t]
        a = particles[shift + m[0]]
        b = particles[shift + m[1]]
        if a[3] + b[3] > 0.0:
            length = elements.lengths[t]
            if about == 1:
                length = wp.length(settled[shift + m[0]] - settled[shift + m[1]])
            pull = edge_force(k, position(a) - position(b), length)
            add = 2.0 * k
            if about == 0:
                add = 0.25 * k * pull[3] * pull[3]
            added(sums, own + m[0], position(pull), add)
            added(sums, own + m[1], -position(pull), add)


@wp.kernel(enable_backward=False)
def strain_around(
    first: int,
    particles_per_copy: int,
    weights: Numbers,
    star: Star,
    about: int,
    settled: Points,
    particles: Particles,
    sums: Particles,
):
    """One thread goes round one particle."""
    p = first + wp.tid()
    i = p % particles_per_copy
    shift = p - i
    own = particles[p]
    total = wp.vec3f(0.0, 0.0, 0.0)
    last = float(0.0)
    if own[3] > 0.0:
        x = position(own)
        for t in range(star.starts[i], star.starts[i + 1]):
            other = star.others[t]
            size = star.sizes[t]
            b = position(particles[shift + other[0]])
            n = wp.cross(position(particles[shift + other[1]]) - b, position(particles[shift + other[2]]) - b)
            weight = weights[VOLUME] * size[1]
            kept = size[0]
            if about == 1:
                kept = six_volumes(
                    settled[p], settled[shift + other[0]], settled[shift + other[1]], settled[shift + other[2]]
                )
            error = wp.dot(n, b - x) - kept
            total -= (weight * error) * n
            if about == 1:
                last += 4.0 * weight * wp.dot(n, n)
            else:
                last += 0.125 * weight * error * error
        k = weights[STRETCH]
        for e in range(star.edge_starts[i], star.edge_starts[i + 1]):
            end = shift + star.far_ends[e]
            length = star.lengths[e]
            if about == 1:
                length = wp.length(settled[p] - settled[end])
            pull = edge_force(k, x - position(particles[end]), length)
            total += position(pull)
            if about == 1:
                last += 2.0 * k
            else:
                last += 0.25 * k * pull[3] * pull[3]
    sums[p] = wp.vec4f(total[0], total[1], total[2], last)


@wp.func
def summed(p: int, lanes: int, count: int, sums: Particles) -> wp.vec4f:
    total = sums[p]
    for lane in range(1, lanes):
        total += sums[lane * count + p]
    return total


@wp.kernel(enable_backward=False)
def gradient(
    first: int,
    lanes: int,
    sums: Particles,
    particles_per_copy: int,
    weights: Numbers,
    ties: Ties,
    planes: Planes,
    particles: Particles,
    gradients: Points,
    energies: Numbers,
):
    """G of every particle, and its share of the energy; zero for particles that cannot be moved."""
    p = first + wp.tid()
    own = particles[p]
    g = wp.vec3f(0.0, 0.0, 0.0)
    energy = float(0.0)
    if own[3] > 0.0:
        x = position(own)
        strain = summed(p, lanes, particles.shape[0], sums)
        apart = x - ties.anchors[p]
        length = wp.length(apart)
        error = length - ties.lengths[p]
        if weights[SLACK] != 0.0:
            error = wp.max(error, 0.0)
        off = x - ties.kinematic[p]
        pull = weights[PULL] + ties.holds[p]
        g = position(strain) + (weights[BIND] * error / wp.max(length, TINY)) * apart + pull * off
        energy = strain[3] + 0.5 * (weights[BIND] * error * error + pull * wp.dot(off, off))
        code = planes.of[p]
        if code >= 0:
            c = p // particles_per_copy
            n = plane_side(code) * planes.normals[c, code // 2]
            depth = wp.min(wp.dot(x - planes.points[c, code // 2], n), 0.0)
            weight = weights[CONTACT] * planes.firmness[p][0] * planes.firmness[p][0]
            g += (weight * depth) * n
            energy += 0.5 * weight * depth * depth
    gradients[p] = g
    energies[p] = energy


@wp.kernel(enable_backward=False)
def compare(
    first: int,
    lanes: int,
    particles_per_copy: int,
    newest: Whole,
    energies: Numbers,
    particles: Particles,
    gradients: Points,
    steps: Points,
    last_positions: Points,
    last_gradients: Points,
    last_steps: Points,
    position_changes: Points,
    gradient_changes: Points,
    step_changes: Points,
    sums: Points,
):
    """Write down the newest S, Y and Z, and add up all products that have something new in them.

    A lane goes through part of one body; lanes are as many on every machine, so that all add up alike.
    """
    n = first + wp.tid()
    c = n // lanes
    lane = n - c * lanes
    count = particles.shape[0]
    slot = newest[c]
    s_g = wp.vec3f(0.0, 0.0, 0.0)
    y_h = wp.vec3f(0.0, 0.0, 0.0)
    s_new_y = wp.vec3f(0.0, 0.0, 0.0)
    new_s_y = wp.vec3f(0.0, 0.0, 0.0)
    new_y_z = wp.vec3f(0.0, 0.0, 0.0)
    energy = float(0.0)
    for i in range(lane, particles_per_copy, lanes):
        p = c * particles_per_copy + i
        g = gradients[p]
        h = steps[p]
        s = position(particles[p]) - last_positions[p]
        y = g - last_gradients[p]
        z = h - last_steps[p]
        position_changes[slot * count + p] = s
        gradient_changes[slot * count + p] = y
        step_changes[slot * count + p] = z
        energy += energies[p]
        for k in range(3):
            old_s = position_changes[k * count + p]
            old_y = gradient_changes[k * count + p]
            s_g[k] += wp.dot(old_s, g)
            y_h[k] += wp.dot(old_y, h)
            s_new_y[k] += wp.dot(old_s, y)
            new_s_y[k] += wp.dot(s, old_y)
            new_y_z[k] += wp.dot(y, step_changes[k * count + p])
    at = n * (SUMS + 1)
    sums[at] = s_g
    sums[at + 1] = y_h
    sums[at + 2] = s_new_y
    sums[at + 3] = new_s_y
    sums[at + 4] = new_y_z
    sums[at + 5] = wp.vec3f(energy, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def choose_direction(
    first: int,
    lanes: int,
    least: float,
    sums: Points,
    newest: Whole,
    known: Whole,
    halvings: Whole,
    energy: Numbers,
    s_y: Grams,
    y_z: Grams,
    of_steps: Points,
    of_positions: Points,
):
    """The direction of one body as shares of H, Z and S, by the two loops of L-BFGS on inner products alone.

    `known` counts the differences that are kept; below zero it says that nothing is there to compare with yet.
    `halvings` is above zero if the step just made is to be halved. Differences with Y.Z below `least` are rounding.
    """
    c = first + wp.tid()
    s_g = wp.vec3f(0.0, 0.0, 0.0)
    y_h = wp.vec3f(0.0, 0.0, 0.0)
    s_new_y = wp.vec3f(0.0, 0.0, 0.0)
    new_s_y = wp.vec3f(0.0, 0.0, 0.0)
    new_y_z = wp.vec3f(0.0, 0.0, 0.0)
    now = float(0.0)
    for lane in range(lanes):
        at = (c * lanes + lane) * (SUMS + 1)
        s_g += sums[at]
        y_h += sums[at + 1]
        s_new_y += sums[at + 2]
        new_s_y += sums[at + 3]
        new_y_z += sums[at + 4]
        now += sums[at + 5][0]
    halved = halvings[c]
    if known[c] >= 0 and now > RISE * energy[c] and halved < 2:
        halvings[c] = halved + 1
        return
    halvings[c] = 0
    energy[c] = now
    slot = newest[c]
    kept = known[c]
    if kept < 0:
        kept = 0
    else:
        products = s_y[c]
        second = y_z[c]
        for k in range(3):
            products[k, slot] = s_new_y[k]
            products[slot, k] = new_s_y[k]
            second[k, slot] = new_y_z[k]
            second[slot, k] = new_y_z[k]
        s_y[c] = products
        y_z[c] = second
        if products[slot, slot] > CURVED * second[slot, slot] and second[slot, slot] > least:
            kept = wp.min(kept + 1, 3)
            newest[c] = (slot + 1) % 3
    known[c] = kept
    after = newest[c]
    products = s_y[c]
    second = y_z[c]
    alpha = wp.vec3f(0.0, 0.0, 0.0)
    gamma = wp.vec3f(0.0, 0.0, 0.0)
    for back in range(kept):
        k = (after + 2 - back) % 3
        along = s_g[k]
        for other in range(back):
            j = (after + 2 - other) % 3
            along -= alpha[j] * products[k, j]
        alpha[k] = along / products[k, k]
    for forth in range(kept):
        k = (after + 3 - kept + forth) % 3
        along = y_h[k]
        for other in range(kept):
            j = (after + 2 - other) % 3
            along += gamma[j] * products[j, k] - alpha[j] * second[k, j]
        gamma[k] = alpha[k] - along / products[k, k]
    if not (wp.isfinite(alpha) and wp.isfinite(gamma)):
        known[c] = 0
        alpha = wp.vec3f(0.0, 0.0, 0.0)
        gamma = wp.vec3f(0.0, 0.0, 0.0)
    of_steps[c] = alpha
    of_positions[c] = gamma


@wp.kernel(enable_backward=False)
def descend(
    first: int,
    particles_per_copy: int,
    longest: float,
    halvings: Whole,
    of_steps: Points,
    of_positions: Points,
    gradients: Points,
    steps: Points,
    position_changes: Points,
    step_changes: Points,
    last_positions: Points,
    last_gradients: Points,
    last_steps: Points,
    particles: Particles,
):
    """x moves by -(H - sum_k alpha_k Z_k + sum_k gamma_k S_k), `longest` [m] at most, or half of its last way back."""
    p = first + wp.tid()
    c = p // particles_per_copy
    count = particles.shape[0]
    own = particles[p]
    if own[3] > 0.0:
        if halvings[c] > 0:
            particles[p] = moved(own, 0.5 * (last_positions[p] - position(own)))
        else:
            alpha = of_steps[c]
            gamma = of_positions[c]
            d = steps[p]
            for k in range(3):
                d += gamma[k] * position_changes[k * count + p] - alpha[k] * step_changes[k * count + p]
            last_positions[p] = position(own)
            last_gradients[p] = gradients[p]
            last_steps[p] = steps[p]
            particles[p] = moved(own, -wp.min(1.0, longest / wp.max(wp.length(d), TINY)) * d)


@wp.kernel(enable_backward=False)
def find_stuck(
    first: int, particles_per_copy: int, elements: Elements, kinematic: Points, settled: Points, stuck: Whole
):
    """Mark the corners of elements that have settled inside out, though the bones alone carry them the right way."""
    n = first + wp.tid()
    count = elements.corners.shape[0]
    c = n // count
    shift = c * particles_per_copy
    v = elements.corners[n - c * count]
    now = six_volumes(settled[shift + v[0]], settled[shift + v[1]], settled[shift + v[2]], settled[shift + v[3]])
    if now < 0.0:
        could = six_volumes(
            kinematic[shift + v[0]], kinematic[shift + v[1]], kinematic[shift + v[2]], kinematic[shift + v[3]]
        )
        if could > 0.0:
            for k in range(4):
                stuck[shift + v[k]] = 1


@wp.kernel(enable_backward=False)
def give_way(first: int, lanes: int, sums: Particles, particles: Particles):
    """Swinging flesh comes nearer to the sizes that it has where it settled: x moves by -G / D, all at once."""
    p = first + wp.tid()
    own = particles[p]
    if own[3] > 0.0:
        strain = summed(p, lanes, particles.shape[0], sums)
        if strain[3] > 0.0:
            particles[p] = moved(own, -position(strain) / strain[3])
