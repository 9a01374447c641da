# mypy: ignore-errors
"""Arithmetic of single particles on arrays: how they start a step and what is kept of it.

Symbols: q a particle where the bones alone carry it, R its blended turn (a quaternion), c the correction that the last
step found, in the frame of the bones at rest; y the settled particle; x and v the lively one and its velocity;
d = x - q.
"""

import warp as wp

from supple.geometry.kernels.oscillator import advance_oscillator, clamp_offset, oscillator_coefficients
from supple.geometry.kernels.rotation import inverse_rotate, rotate
from supple.skins.kinematic.kernels import Joints, Quaternions, Transforms, Weights, transform_affine
from supple.skins.kinematic.rotation_kernels import blend_rotations
from supple.skins.position_based.kernels import Corners, Numbers, Particles, Points, Whole, position

KEEP = wp.constant(0)  # how much of the last correction a step starts with
DT = wp.constant(1)  # s
DAMPING = wp.constant(2)  # of the swinging flesh, 1 is critical
LIMIT = wp.constant(3)  # how far flesh may swing, as a share of its depth
SCULPTED = wp.constant(4)  # 1: the rest shape already hangs as gravity wants it
PINNED = wp.constant(5)  # 1: what the bones drive is not moved by lively flesh
DRAG = wp.constant(6)  # share of the velocity that is kept in a step
GRAVITY = wp.constant(7)  # m/s^2, downwards
JOINING = wp.constant(8)  # 1: flesh begins to move with the body, not from rest


@wp.kernel(enable_backward=False)
def settle_from(
    first: int,
    blocks: int,
    joints: Joints,
    weights: Weights,
    reals: Quaternions,
    kinematic: Points,
    corrections: Points,
    farthest: Numbers,
    masses: Numbers,
    stuck: Whole,
    knobs: Numbers,
    frames: Quaternions,
    particles: Particles,
):
    """Start at q + keep R c; `masses` are inverse.

    Flesh that is farther off than it ever should be is brought back, and flesh that is stuck goes half of the way.
    """
    i = first + wp.tid()
    r = blend_rotations(i, blocks, joints, weights, reals)
    frames[i] = r
    c = corrections[i]
    keep = knobs[KEEP] * wp.min(1.0, farthest[i] / wp.max(wp.length(c), 1.0e-9))
    if stuck[i] != 0:
        keep = 0.5 * keep
        stuck[i] = 0
    p = kinematic[i] + rotate(r, keep * c)
    particles[i] = wp.vec4f(p[0], p[1], p[2], masses[i])


@wp.kernel(enable_backward=False)
def move_anchors(
    first: int, bones: Corners, points: Points, shares: Particles, transforms: Transforms, anchors: Points
):
    """What each particle is bound to: points of four bones, by their shares."""
    i = first + wp.tid()
    bone = bones[i]
    share = shares[i]
    a = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(4):
        a += share[k] * transform_affine(transforms[bone[k]], points[4 * i + k])
    anchors[i] = a


@wp.kernel(enable_backward=False)
def settled(
    first: int, particles: Particles, kinematic: Points, frames: Quaternions, corrections: Points, rested: Points
):
    """Keep what the settling found: c = R^T (y - q)."""
    i = first + wp.tid()
    y = position(particles[i])
    corrections[i] = inverse_rotate(frames[i], y - kinematic[i])
    rested[i] = y


@wp.kernel(enable_backward=False)
def swing(
    first: int,
    knobs: Numbers,
    pace: Numbers,
    reach: Numbers,
    frames: Quaternions,
    before: Points,
    rested: Points,
    positions: Points,
    velocities: Points,
    particles: Particles,
):
    """Let free flesh swing about where it would settle, y(t), which moves evenly from one step to the next.

    With u = x - y, n the damping, w the pace [rad/s], and g the pull of gravity that the sculpted shape does not know,
      u'' + 2 n w u' + w^2 u = g
    is solved exactly over the step, so that it is stable for any step and any pace. A pace below zero means that the
    bones drive the particle; zero means that nothing but its momentum and the constraints do.
    """
    i = first + wp.tid()
    dt = knobs[DT]
    w = pace[i]
    y = rested[i]
    if w < 0.0:
        velocities[i] = (y - positions[i]) / dt
        positions[i] = y
        particles[i] = wp.vec4f(y[0], y[1], y[2], 1.0 - knobs[PINNED])
    else:
        gravity = wp.vec3f(0.0, -knobs[GRAVITY], 0.0)
        pull = gravity - knobs[SCULPTED] * rotate(frames[i], gravity)
        x = positions[i] + dt * velocities[i] + dt * dt * pull
        v = velocities[i] + dt * pull
        if w > 0.0:
            drift = (y - before[i]) / dt
            rest = pull / (w * w)
            u = positions[i] - before[i] - rest
            du = (1.0 - knobs[JOINING]) * (velocities[i] - drift)
            free = advance_oscillator(u, du, oscillator_coefficients(w, knobs[DAMPING], dt))
            held = clamp_offset(free[0] + rest, free[1], knobs[LIMIT] * reach[i])
            x = y + held[0]
            v = drift + held[1]
        positions[i] = x
        velocities[i] = v
        particles[i] = wp.vec4f(x[0], x[1], x[2], 1.0)


@wp.kernel(enable_backward=False)
def swung(
    first: int,
    knobs: Numbers,
    rested: Points,
    before: Points,
    kinematic: Points,
    particles: Particles,
    positions: Points,
    velocities: Points,
    offsets: Points,
):
    """Keep what the constraints made of the swing, and how far the flesh is from where the bones carry it."""
    i = first + wp.tid()
    p = position(particles[i])
    velocities[i] = knobs[DRAG] * (velocities[i] + (p - positions[i]) / knobs[DT])
    positions[i] = p
    before[i] = rested[i]
    offsets[i] = p - kinematic[i]
