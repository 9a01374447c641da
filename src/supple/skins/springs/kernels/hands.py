# mypy: ignore-errors
"""Arithmetic of hands on a skin that swings: they go where they are told, and the skin they have goes along.

Symbols: p = sum b_k x_k the place that a hand has, f_i how firmly (0 to 1) it has vertex i, with sum b_k f_k = 1; C the
coupling between hands whose skin overlaps, C_ab = sum b_ak f_bk. Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.skins.springs.kernels.energy import TINY, Springs, polar, total_stiffness
from supple.skins.springs.kernels.springs import STEP, SWEEP_STEP

HANDS = 8
HOLDS = wp.constant(1)  # kinds of hands: those that are somewhere
PUSHES = wp.constant(2)  # and those that accelerate

Points = wp.array(dtype=wp.vec3f)
Polars = wp.array(dtype=wp.vec4f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
vec8 = wp.types.vector(length=8, dtype=wp.float32)
Falloffs = wp.array(dtype=vec8)
Matrix = wp.array2d(dtype=wp.float32)


@wp.struct
class Hands:
    """All hands. The place of hand h are `vertices[starts[h]:starts[h + 1]]` by their `shares`.

    It is told to go to `goals` [m], `fractions` of the way in this step, or accelerates by them [m/s^2], and is at
    `positions`, or where the place is if it is `fresh`. In one step the place goes from `origins` with `velocities`, of
    which the share `progress` is done; it is off by `residuals`, and its velocity by `velocity_residuals`. `offsets`
    are how far it is from where bones carry the place, `longest` [m] at most.
    """

    kinds: IntArray
    starts: IntArray
    vertices: IntArray
    shares: FloatArray
    goals: Points
    fractions: FloatArray
    fresh: IntArray
    positions: Points
    origins: Points
    velocities: Points
    progress: FloatArray
    residuals: Points
    velocity_residuals: Points
    offsets: FloatArray
    longest: float
    inverse: Matrix


@wp.kernel(enable_backward=False)
def move_hands(first: int, springs: Springs, parameters: FloatArray, now: Points, hands: Hands):
    """Where a hand wants its place at the end of this step: nearer to where it was told to be, not beyond its reach."""
    h = first + wp.tid()
    place = wp.vec3f(0.0, 0.0, 0.0)
    home = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(hands.starts[h], hands.starts[h + 1]):
        i = hands.vertices[k]
        aim = springs.aims[i]
        place += hands.shares[k] * now[i]
        home += hands.shares[k] * (springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2]))
    if hands.fresh[h] != 0:
        hands.positions[h] = place
        hands.fresh[h] = 0
    position = hands.positions[h] + hands.fractions[h] * (hands.goals[h] - hands.positions[h])
    offset = position - home
    length = wp.length(offset)
    offset *= wp.min(1.0, hands.longest / wp.max(length, TINY))
    hands.positions[h] = position
    hands.offsets[h] = wp.min(length, hands.longest)
    hands.origins[h] = place
    hands.velocities[h] = (home + offset - place) / parameters[STEP]
    hands.progress[h] = 0.0


@wp.kernel(enable_backward=False)
def make_room(first: int, held: IntArray, widths: Falloffs, hands: Hands, rooms: FloatArray):
    """Let the skin about a hand go as far as the hand does."""
    n = first + wp.tid()
    width = widths[n]
    room = float(0.0)
    for h in range(HANDS):
        if hands.kinds[h] == HOLDS:
            room = wp.max(room, width[h] * hands.offsets[h])
    rooms[held[n]] = wp.max(rooms[held[n]], room)


@wp.kernel(enable_backward=False)
def measure_residuals(first: int, parameters: FloatArray, now: Points, velocities: Points, hands: Hands):
    """How far a place is from its hand after a sweep, which goes on evenly from sweep to sweep."""
    h = first + wp.tid()
    place = wp.vec3f(0.0, 0.0, 0.0)
    velocity = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(hands.starts[h], hands.starts[h + 1]):
        i = hands.vertices[k]
        place += hands.shares[k] * now[i]
        velocity += hands.shares[k] * velocities[i]
    hands.progress[h] = hands.progress[h] + parameters[SWEEP_STEP]
    if hands.kinds[h] == HOLDS:
        hands.residuals[h] = hands.origins[h] + hands.progress[h] * hands.velocities[h] - place
        hands.velocity_residuals[h] = hands.velocities[h] - velocity


@wp.func
def hand_shares(falloff: vec8, hands: Hands, wanted: Points) -> wp.vec3f:
    """sum_a f_a sum_b (C^-1)_ab wanted_b."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for a in range(HANDS):
        if falloff[a] > 0.0 and hands.kinds[a] == HOLDS:
            for b in range(HANDS):
                if hands.kinds[b] == HOLDS:
                    total += (falloff[a] * hands.inverse[a, b]) * wanted[b]
    return total


@wp.func
def acceleration(falloff: vec8, hands: Hands) -> wp.vec3f:
    """What hands that push do to a vertex [m/s^2]."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for a in range(HANDS):
        if hands.kinds[a] == PUSHES:
            total += falloff[a] * hands.goals[a]
    return total


@wp.kernel(enable_backward=False)
def take_along(
    first: int,
    springs: Springs,
    parameters: FloatArray,
    held: IntArray,
    falloffs: Falloffs,
    hands: Hands,
    velocities: Points,
    now: Points,
    polars: Polars,
):
    """x_i and v_i go along by f_i, so that the place is where its hand is and moves as it does."""
    n = first + wp.tid()
    i = held[n]
    dt = parameters[SWEEP_STEP]
    push = dt * acceleration(falloffs[n], hands)
    x = now[i] + hand_shares(falloffs[n], hands, hands.residuals) + dt * push
    velocities[i] = velocities[i] + hand_shares(falloffs[n], hands, hands.velocity_residuals) + push
    now[i] = x
    polars[i] = polar(x, springs.attachment_points[i], springs.aims[i])


@wp.kernel(enable_backward=False)
def add_hand_forces(
    first: int,
    springs: Springs,
    parameters: FloatArray,
    held: IntArray,
    falloffs: Falloffs,
    hands: Hands,
    rates: FloatArray,
    found: Points,
):
    """What hands did to every vertex in the last sweep, as springs that move it as much would have pulled."""
    n = first + wp.tid()
    i = held[n]
    dt = parameters[SWEEP_STEP]
    total = total_stiffness(i, springs)
    square = rates[i] * rates[i]
    if square > 0.0:
        by_velocity = hand_shares(falloffs[n], hands, hands.velocity_residuals) / dt + acceleration(falloffs[n], hands)
        found[i] = found[i] + (total / square) * by_velocity
    else:
        found[i] = found[i] + total * hand_shares(falloffs[n], hands, hands.residuals)
