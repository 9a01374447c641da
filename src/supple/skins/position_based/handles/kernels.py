# mypy: ignore-errors
"""Arithmetic of hands that hold the skin or push it.

Symbols: for hand a, p_a the place of the skin that it has, without any hand; d_a its displacement; l_av how far it is
from there to vertex v, and g_av = (1 - l_av^2 / r_a^2)^2 how far that goes along with it, one at the place. With all
hands a vertex is at x_v + sum_a g_av d_a and a place at p_a + sum_b C_ab d_b, C_ab being how far the place of a goes
along with b. The radius r_a grows with how far the place is drawn, so that flesh comes out as a tent, not as a thread.

A hand that holds asks for D_a = t_a - p_a + e_a: t_a is where it is wanted, and e_a, its lag, what it has not caught up
with yet. All that hold are brought there at once: C d = D. A hand that pushes, or has opened, lets d_a swing by
  d'' + 2 n w d' + w^2 d = f,
f being the force over the mass that goes along, zero for an open hand, and w and n those of the flesh at the place.
"""

import warp as wp

from supple.geometry.kernels.oscillator import (
    advance_oscillator,
    clamp_offset,
    oscillator_coefficients,
    relax_critically,
)
from supple.geometry.kernels.particle import translate
from supple.geometry.kernels.rotation import inverse_rotate, rotate
from supple.skins.kinematic.kernels import Quaternions
from supple.skins.position_based.step_kernels import DT

HANDLES = 8  # at once
vec8 = wp.types.vector(length=HANDLES, dtype=wp.float32)
mat88 = wp.types.matrix(shape=(HANDLES, HANDLES), dtype=wp.float32)
mat83 = wp.types.matrix(shape=(HANDLES, 3), dtype=wp.float32)
Distances = wp.array(dtype=vec8)
Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)
FloatTable = wp.array2d(dtype=wp.float32)

OPEN = wp.constant(0)  # kinds of hands
HOLDS = wp.constant(1)
PUSHES = wp.constant(2)
CATCH_UP_RATE = wp.constant(40.0)  # 1/s: a hand that jumps has a twentieth of its way left after 0.12 s
FIRM_FREQUENCY = wp.constant(50.0)  # rad/s: what the bones drive comes back as fast as this, at most
FIRM_DAMPING = wp.constant(0.98)  # and hardly overshoots
WIDTH = wp.constant(1.6)  # of how far its place is drawn: a grip is at least as wide
ALONE = wp.constant(5.0e-4)  # what keeps hands at one place that ask for different things from pulling without end
HELD_FAST = wp.constant(0.3)  # falloff from which flesh in a hand does not give way to its neighbours
ALONG = wp.constant(2.0)  # times the way of its place: no more than this a hand is carried along
TINY = wp.constant(1.0e-12)
NOTHING = wp.constant(1.0e-6)  # m, and m/s: less than this is at rest

FREQUENCY = wp.constant(0)  # parameters: pace [rad/s] of flesh that has none of its own
DAMPING = wp.constant(1)


@wp.struct
class Places:
    """What H hands have: vertices with `barycentric` and particles with `weights`, in compressed rows.

    `kinds` says what each does, `radii` how wide a grip it has at least, `targets` are t, `accelerations` f.
    """

    kinds: IntArray
    vertex_starts: IntArray
    vertices: IntArray
    barycentric: FloatArray
    particle_starts: IntArray
    particles: IntArray
    weights: FloatArray
    radii: FloatArray
    targets: Vec3Array
    accelerations: Vec3Array


@wp.struct
class HandleMotion:
    """What hands remember: d and d', the lags and their velocities, and what was seen when t last changed.

    `wanted` is D, and d for hands that do not hold; `radii` are r, `coupling` is C.
    """

    displacements: Vec3Array
    velocities: Vec3Array
    lags: Vec3Array
    lag_velocities: Vec3Array
    seen_targets: Vec3Array
    seen_places: Vec3Array
    rotations: Quaternions
    wanted: Vec3Array
    radii: FloatArray
    coupling: FloatTable


@wp.func
def falloff(distance: float, radius: float) -> float:
    """g."""
    if distance >= radius:
        return 0.0
    rest = 1.0 - (distance / radius) * (distance / radius)
    return rest * rest


@wp.func
def draw(distances: vec8, motion: HandleMotion) -> wp.vec3f:
    """sum_a g_a d_a."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for a in range(HANDLES):
        total += falloff(distances[a], motion.radii[a]) * motion.displacements[a]
    return total


@wp.func
def place_on_skin(a: int, places: Places, skin: Vec3Array) -> wp.vec3f:
    """p_a."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for slot in range(places.vertex_starts[a], places.vertex_starts[a + 1]):
        total += places.barycentric[slot] * skin[places.vertices[slot]]
    return total


@wp.func
def swing_at_place(a: int, places: Places, parameters: FloatArray, angular_frequencies: FloatArray) -> wp.vec2f:
    """w [rad/s] and n of the flesh that a place hangs on; what the bones drive is quick and hardly swings."""
    frequency = float(0.0)
    free = float(0.0)
    for slot in range(places.particle_starts[a], places.particle_starts[a + 1]):
        w = angular_frequencies[places.particles[slot]]
        if w >= 0.0:
            free += places.weights[slot]
            frequency += places.weights[slot] * wp.min(wp.where(w > 0.0, w, parameters[FREQUENCY]), FIRM_FREQUENCY)
    free = wp.min(free, 1.0)
    frequency = wp.min(frequency, FIRM_FREQUENCY)
    return wp.vec2f(frequency + (1.0 - free) * FIRM_FREQUENCY, free * parameters[DAMPING] + (1.0 - free) * FIRM_DAMPING)


@wp.kernel(enable_backward=False)
def draw_particles(
    first: int,
    places: Places,
    distances: Distances,
    looseness: FloatArray,
    motion: HandleMotion,
    drawn: Vec3Array,
    particles: Vec4Array,
):
    """Flesh goes along with its hands, less towards the bone, while it is held together and parted from what it meets.

    What is held fast does not give way to its neighbours meanwhile.
    """
    i = first + wp.tid()
    away = distances[i]
    by = looseness[i] * draw(away, motion)
    drawn[i] = by
    p = translate(particles[i], by)
    for a in range(HANDLES):
        if places.kinds[a] == HOLDS and looseness[i] * falloff(away[a], motion.radii[a]) >= HELD_FAST:
            p[3] = 0.0
    particles[i] = p


@wp.kernel(enable_backward=False)
def undraw_particles(first: int, drawn: Vec3Array, particles: Vec4Array):
    """What flesh does by itself is kept; what hands do to it is known by the hands."""
    i = first + wp.tid()
    particles[i] = translate(particles[i], -drawn[i])


@wp.kernel(enable_backward=False)
def couple_handles(first: int, widest: float, distances: Distances, places: Places, motion: HandleMotion):
    """How wide every grip is by now, and C."""
    a = first + wp.tid()
    for b in range(places.kinds.shape[0]):
        radius = wp.max(places.radii[b], wp.min(WIDTH * wp.length(motion.wanted[b]), widest))
        if a == b:
            motion.radii[a] = radius
        total = float(0.0)
        for slot in range(places.vertex_starts[a], places.vertex_starts[a + 1]):
            away = distances[places.vertices[slot]]
            total += places.barycentric[slot] * falloff(away[b], radius)
        motion.coupling[a, b] = total


@wp.kernel(enable_backward=False)
def close_handles(first: int, fresh: IntArray, skin: Vec3Array, places: Places, motion: HandleMotion):
    """A hand closes where its place is now, drawn as it may be by others, and goes on from there."""
    a = first + wp.tid()
    if fresh[a] == 1:
        p = place_on_skin(a, places, skin)
        motion.seen_targets[a] = p
        for b in range(places.kinds.shape[0]):
            p -= motion.coupling[a, b] * motion.displacements[b]
        motion.seen_places[a] = p
        motion.lags[a] = wp.vec3f(0.0, 0.0, 0.0)
        motion.lag_velocities[a] = wp.vec3f(0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def move_handles(
    first: int,
    longest: float,
    params: FloatArray,
    parameters: FloatArray,
    angular_frequencies: FloatArray,
    rotations: Quaternions,
    skin: Vec3Array,
    places: Places,
    motion: HandleMotion,
):
    """Hands that hold find D; others swing, carried along as the body turns. No place goes farther than `longest`.

    A lag is what a hand that was moved has left of its way, and dies away as a critically damped spring does. What its
    place was carried since, or a part of that, is no way of its own: a hand that stands still while the body walks has
    no lag, and neither has one that walks along, however many steps there are to a frame.
    """
    a = first + wp.tid()
    dt = params[DT]
    kind = places.kinds[a]
    d = motion.displacements[a]
    v = motion.velocities[a]
    if places.particle_starts[a + 1] > places.particle_starts[a]:
        r = rotations[places.particles[places.particle_starts[a]]]
        if kind != HOLDS:
            d = rotate(r, inverse_rotate(motion.rotations[a], d))
            v = rotate(r, inverse_rotate(motion.rotations[a], v))
        motion.rotations[a] = r
    if kind == HOLDS:
        t = places.targets[a]
        p = place_on_skin(a, places, skin)
        lag = motion.lags[a]
        speed = motion.lag_velocities[a]
        moved = t - motion.seen_targets[a]
        if wp.length_sq(moved) > 0.0:
            carried = p - motion.seen_places[a]
            along = wp.dot(moved, carried) / wp.max(wp.length_sq(carried), TINY)
            lag -= moved - wp.clamp(along, 0.0, ALONG) * carried
            motion.seen_targets[a] = t
            motion.seen_places[a] = p
        left = relax_critically(lag, speed, CATCH_UP_RATE, dt)
        motion.lag_velocities[a] = left[1]
        lag = left[0]
        motion.lags[a] = lag
        wanted = t - p + lag
        motion.wanted[a] = wp.min(1.0, longest / wp.max(wp.length(wanted), NOTHING)) * wanted
    else:
        f = places.accelerations[a]
        if wp.length_sq(d) + wp.length_sq(v) + wp.length_sq(f) > 0.0:
            own = swing_at_place(a, places, parameters, angular_frequencies)
            rest = f / (own[0] * own[0])
            free = advance_oscillator(d - rest, v, oscillator_coefficients(own[0], own[1], dt))
            held = clamp_offset(free[0] + rest, free[1], longest)
            d = held[0]
            v = held[1]
            if kind == OPEN and wp.length(d) < NOTHING and wp.length(v) < NOTHING:
                d = wp.vec3f(0.0, 0.0, 0.0)
                v = wp.vec3f(0.0, 0.0, 0.0)
        motion.wanted[a] = d
        motion.displacements[a] = d
        motion.velocities[a] = v


@wp.func
def least_squares(c: mat88, asked: mat83, hands: int) -> mat83:
    """d of (C^T C + ALONE) d = C^T D, by elimination: the matrix is symmetric and positive."""
    m = wp.transpose(c) * c
    d = wp.transpose(c) * asked
    for a in range(hands):
        m[a, a] = m[a, a] + ALONE
    for a in range(hands):
        for b in range(a + 1, hands):
            f = m[b, a] / m[a, a]
            for k in range(a, hands):
                m[b, k] = m[b, k] - f * m[a, k]
            for axis in range(3):
                d[b, axis] = d[b, axis] - f * d[a, axis]
    for back in range(hands):
        a = hands - 1 - back
        for axis in range(3):
            total = d[a, axis]
            for k in range(a + 1, hands):
                total -= m[a, k] * d[k, axis]
            d[a, axis] = total / m[a, a]
    return d


@wp.kernel(enable_backward=False)
def solve_displacements(first: int, longest: float, params: FloatArray, places: Places, motion: HandleMotion):
    """C d = D for the hands that hold, beside what the others do; one thread for all."""
    hands = places.kinds.shape[0]
    c = mat88()
    asked = mat83()
    for a in range(first + wp.tid(), hands):
        if places.kinds[a] == HOLDS:
            left = motion.wanted[a]
            for b in range(hands):
                if places.kinds[b] == HOLDS:
                    c[a, b] = motion.coupling[a, b]
                else:
                    left -= motion.coupling[a, b] * motion.displacements[b]
            for axis in range(3):
                asked[a, axis] = left[axis]
    solved = least_squares(c, asked, hands)
    for a in range(hands):
        if places.kinds[a] == HOLDS:
            d = wp.vec3f(solved[a, 0], solved[a, 1], solved[a, 2])
            d = wp.min(1.0, 2.0 * longest / wp.max(wp.length(d), NOTHING)) * d
            motion.velocities[a] = (d - motion.displacements[a]) / params[DT]
            motion.displacements[a] = d


@wp.kernel(enable_backward=False)
def draw_skin(first: int, distances: Distances, motion: HandleMotion, skin: Vec3Array):
    """The skin goes along with its hands."""
    v = first + wp.tid()
    skin[v] = skin[v] + draw(distances[v], motion)


@wp.kernel(enable_backward=False)
def read_drawn(first: int, distances: Distances, motion: HandleMotion, drawn: Vec3Array):
    """How far hands draw every vertex."""
    v = first + wp.tid()
    drawn[v] = draw(distances[v], motion)
