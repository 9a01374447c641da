"""Arithmetic of single particles on arrays: how they start a step and what is kept of it.

Symbols: q a particle where the bones alone carry it, R its blended turn (a quaternion), c the correction that the last
step found, in the frame of the bones at rest; y the settled particle; x and v the lively one and its velocity;
d = x - q.
"""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Quaternions, Transforms, Weights, carried, towards, weighted
from supple.skins.position_based.kernels import Numbers, Particles, Points, Whole, place

KEEP = wp.constant(0)  # how much of the last correction a step starts with
DT = wp.constant(1)  # s
DAMPING = wp.constant(2)  # of the swinging flesh, 1 is critical
LIMIT = wp.constant(3)  # how far flesh may swing, as a share of its depth
SCULPTED = wp.constant(4)  # 1: the rest shape already hangs as gravity wants it
PINNED = wp.constant(5)  # 1: what the bones drive is not moved by lively flesh
DRAG = wp.constant(6)  # share of the velocity that is kept in a step
GRAVITY = wp.constant(7)  # m/s^2, downwards
JOINING = wp.constant(8)  # 1: flesh begins to move with the body, not from rest


@wp.func
def turned(q: wp.vec4f, v: wp.vec3f) -> wp.vec3f:
    """R v for a unit quaternion."""
    u = wp.vec3f(q[0], q[1], q[2])
    return v + 2.0 * wp.cross(u, wp.cross(u, v) + q[3] * v)


@wp.func
def turned_back(q: wp.vec4f, v: wp.vec3f) -> wp.vec3f:
    return turned(wp.vec4f(-q[0], -q[1], -q[2], q[3]), v)


@wp.kernel(enable_backward=False)
def turn_joints(first: int, transforms: Transforms, turns: Quaternions):
    """How every joint turns from rest, without its stretch: the first two columns made square to each other."""
    j = first + wp.tid()
    m = transforms[j]
    x = wp.normalize(wp.vec3f(m[0, 0], m[1, 0], m[2, 0]))
    y = wp.vec3f(m[0, 1], m[1, 1], m[2, 1])
    y = wp.normalize(y - wp.dot(x, y) * x)
    q = wp.quat_from_matrix(wp.matrix_from_cols(x, y, wp.cross(x, y)))
    turns[j] = wp.vec4f(q[0], q[1], q[2], q[3])


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
    knobs: Numbers,
    frames: Quaternions,
    particles: Particles,
):
    """Start at q + keep R c; `masses` are inverse. Flesh that is farther off than it ever should be is brought back."""
    i = first + wp.tid()
    pivot = reals[joints[i * blocks][0]]
    r = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        r += weighted(reals, joints[b], towards(pivot, reals, joints[b], weights[b]))
    r = r / wp.max(wp.length(r), 1.0e-9)
    frames[i] = r
    c = corrections[i]
    keep = knobs[KEEP] * wp.min(1.0, farthest[i] / wp.max(wp.length(c), 1.0e-9))
    p = kinematic[i] + turned(r, keep * c)
    particles[i] = wp.vec4f(p[0], p[1], p[2], masses[i])


@wp.kernel(enable_backward=False)
def move_anchors(first: int, bone: Whole, points: Points, transforms: Transforms, anchors: Points):
    """The point of the bone that each particle is bound to."""
    i = first + wp.tid()
    anchors[i] = carried(transforms[bone[i]], points[i])


@wp.kernel(enable_backward=False)
def settled(
    first: int, particles: Particles, kinematic: Points, frames: Quaternions, corrections: Points, rested: Points
):
    """Keep what the settling found: c = R^T (y - q)."""
    i = first + wp.tid()
    y = place(particles[i])
    corrections[i] = turned_back(frames[i], y - kinematic[i])
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
        pull = gravity - knobs[SCULPTED] * turned(frames[i], gravity)
        x = positions[i] + dt * velocities[i] + dt * dt * pull
        v = velocities[i] + dt * pull
        if w > 0.0:
            drift = (y - before[i]) / dt
            rest = pull / (w * w)
            u = positions[i] - before[i] - rest
            du = (1.0 - knobs[JOINING]) * (velocities[i] - drift)
            n = knobs[DAMPING]
            wd = w * wp.sqrt(1.0 - n * n)
            fade = wp.exp(-n * w * dt)
            co = fade * wp.cos(wd * dt)
            si = fade * wp.sin(wd * dt) / wd
            un = co * u + si * (du + n * w * u) + rest
            dun = co * du - si * (w * w * u + n * w * du)
            away = wp.length(un)
            limit = knobs[LIMIT] * reach[i]
            if away > limit:
                # At the end of its reach it loses the speed that leads farther out.
                out = un / away
                un = limit * out
                dun = dun - wp.max(wp.dot(dun, out), 0.0) * out
            x = y + un
            v = drift + dun
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
    p = place(particles[i])
    velocities[i] = knobs[DRAG] * (velocities[i] + (p - positions[i]) / knobs[DT])
    positions[i] = p
    before[i] = rested[i]
    offsets[i] = p - kinematic[i]
