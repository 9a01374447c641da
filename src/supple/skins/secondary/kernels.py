# mypy: ignore-errors
"""Arithmetic of offsets on top of a skin: those that hands hold, those that swing freely, and those that fade.

Symbols: x_v the skin below, f_v its free offset, w_vh how much of hand h vertex v follows (one at its place), u_h how
far hand h has drawn its place. What is shown is x_v + f_v + sum_h w_vh u_h.
"""

import warp as wp

from supple.geometry.kernels.oscillator import (
    advance_oscillator,
    clamp_offset,
    oscillator_coefficients,
    relax_critically,
)
from supple.skins.hand_kernels import CLOSED, MOVED, RECENT, UNCHANGED, own_move

HANDS = 8  # at once
vec8 = wp.types.vector(length=HANDS, dtype=wp.float32)

Points = wp.array(dtype=wp.vec3f)
Numbers = wp.array(dtype=wp.float32)
Indices = wp.array(dtype=wp.int32)
Falloffs = wp.array(dtype=vec8)

HAND_RATE = wp.constant(90.0)  # 1/s: a hand that is told to go elsewhere has a twentieth of the way left after 0.05 s


@wp.struct
class HandArrays:
    """All hands: where each holds the skin, and how far it has drawn it.

    The place of hand h lies among `vertices[starts[h]:starts[h + 1]]` by `barycentric`. One that is `holding` draws it
    to `targets`: `residuals` are how far it is from there without any hand, `offsets` u_h and `velocities` how far it
    has come, `inverse` (H, H) that of how much the place of one hand follows another. Others push with `accelerations`.
    `events` say what hands were told since the last step and `moves` by how much their targets moved; `places` is where
    their places would be without any, `carried` how far those went of late, and `lags` how far u_h is from where it
    shall be.
    """

    starts: Indices
    vertices: Indices
    barycentric: Numbers
    holding: Indices
    targets: Points
    residuals: Points
    offsets: Points
    velocities: Points
    inverse: wp.array2d(dtype=wp.float32)
    accelerations: Points
    events: Indices
    moves: Points
    places: Points
    carried: Points
    lags: Points


@wp.struct
class Swing:
    """How free offsets swing: angular frequency [rad/s], damping below one, and how far [m] any offset may be."""

    angular_frequency: wp.float32
    damping: wp.float32
    longest: wp.float32


@wp.func
def shorten(offset: wp.vec3f, longest: float) -> wp.vec3f:
    """No longer than `longest`."""
    return offset * wp.min(1.0, longest / wp.max(wp.length(offset), 1.0e-12))


@wp.kernel(enable_backward=False)
def measure_residuals(first: int, hands: HandArrays, dt: Numbers, below: Points, free: Points):
    """How far the place of every hand would be from it without any, and what of its last move is its own."""
    h = first + wp.tid()
    place = wp.vec3f(0.0, 0.0, 0.0)
    for slot in range(hands.starts[h], hands.starts[h + 1]):
        v = hands.vertices[slot]
        place += hands.barycentric[slot] * (below[v] + free[v])
    hands.residuals[h] = wp.where(hands.holding[h] > 0, hands.targets[h] - place, wp.vec3f(0.0, 0.0, 0.0))
    if dt[0] > 0.0 and hands.holding[h] > 0:
        carried = wp.exp(-dt[0] / RECENT) * hands.carried[h] + (place - hands.places[h])
        if hands.events[h] == MOVED:
            hands.moves[h] = own_move(hands.moves[h], carried)
        if hands.events[h] != UNCHANGED:
            carried = wp.vec3f(0.0, 0.0, 0.0)
        hands.carried[h] = carried
        hands.places[h] = place


@wp.kernel(enable_backward=False)
def move_hands(first: int, hands: HandArrays, swing: Swing, dt: Numbers):
    """Hands go to where all places meet their targets, as critically damped springs do.

    e(t) = (e + (e' + k e) t) exp(-k t) for what is left of the way. A hand that stays while the body moves, or goes
    along with it, is never late: only moves of its own are smoothed.
    """
    h = first + wp.tid()
    t = dt[0]
    if hands.holding[h] > 0 and t > 0.0:
        goal = wp.vec3f(0.0, 0.0, 0.0)
        own = wp.vec3f(0.0, 0.0, 0.0)
        for other in range(HANDS):
            goal += hands.inverse[h, other] * hands.residuals[other]
            own += hands.inverse[h, other] * hands.moves[other]
        goal = shorten(goal, swing.longest)
        away = hands.lags[h] - own
        if hands.events[h] == CLOSED:
            away = hands.offsets[h] - goal
        left = relax_critically(away, hands.velocities[h], HAND_RATE, t)
        hands.velocities[h] = left[1]
        hands.offsets[h] = shorten(goal + left[0], swing.longest)
        hands.lags[h] = hands.offsets[h] - goal


@wp.kernel(enable_backward=False)
def carry_offsets(
    first: int,
    hands: HandArrays,
    swing: Swing,
    dt: Numbers,
    falloffs: Falloffs,
    below: Points,
    free: Points,
    velocities: Points,
    shown: Points,
):
    """Free offsets swing on about where forces hold them, and the skin is shown with all offsets."""
    v = first + wp.tid()
    falloff = falloffs[v]
    held = wp.vec3f(0.0, 0.0, 0.0)
    pushed = wp.vec3f(0.0, 0.0, 0.0)
    for h in range(HANDS):
        if falloff[h] > 0.0:
            held += falloff[h] * hands.offsets[h]
            pushed += falloff[h] * hands.accelerations[h]
    w = swing.angular_frequency
    balance = shorten(pushed / (w * w), swing.longest)
    coefficients = oscillator_coefficients(w, swing.damping, dt[0])
    moved = advance_oscillator(free[v] - balance, velocities[v], coefficients)
    kept = clamp_offset(balance + moved[0], moved[1], swing.longest)
    free[v] = kept[0]
    velocities[v] = kept[1]
    shown[v] = below[v] + kept[0] + held


@wp.kernel(enable_backward=False)
def release(first: int, hand: int, hands: HandArrays, falloffs: Falloffs, free: Points, velocities: Points):
    """What a hand held is free from now on, and goes on as fast as the hand did."""
    v = first + wp.tid()
    falloff = falloffs[v]
    if falloff[hand] > 0.0:
        free[v] += falloff[hand] * hands.offsets[hand]
        velocities[v] += falloff[hand] * hands.velocities[hand]


@wp.kernel(enable_backward=False)
def take_up(first: int, before: Points, now: Points, offsets: Points):
    """Offsets with which the skin as it is now is shown as it was before."""
    v = first + wp.tid()
    offsets[v] = before[v] - now[v]


@wp.kernel(enable_backward=False)
def fade_offsets(
    first: int, rate: Numbers, dt: Numbers, below: Points, offsets: Points, velocities: Points, shown: Points
):
    """Offsets fade as critically damped springs do, and the skin is shown with what is left of them."""
    v = first + wp.tid()
    left = relax_critically(offsets[v], velocities[v], rate[0], dt[0])
    offsets[v] = left[0]
    velocities[v] = left[1]
    shown[v] = below[v] + offsets[v]
