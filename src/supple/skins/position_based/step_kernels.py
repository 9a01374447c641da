# mypy: ignore-errors
"""Arithmetic of single particles, and of the skin that follows them: how a step starts and what is kept of it.

Symbols: q a particle where the bones alone carry it, R its blended rotation (a quaternion), c the correction that the
last step found, in the frame of the bones at rest; y the settled particle; x and v the lively one and its velocity;
d = x - q.
"""

import warp as wp

from supple.geometry.kernels.oscillator import advance_oscillator, clamp_offset, oscillator_coefficients
from supple.geometry.kernels.particle import position
from supple.geometry.kernels.rotation import inverse_rotate, rotate
from supple.skins.kinematic.kernels import Joints, Quaternions, Transforms, Weights, mat34, transform_affine
from supple.skins.kinematic.rotation_kernels import blend_rotations

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Vec2Array = wp.array(dtype=wp.vec2f)
Vec4iArray = wp.array(dtype=wp.vec4i)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

DT = wp.constant(0)  # s
DAMPING = wp.constant(1)  # of the softest flesh, 1 is critical
MAX_OFFSET = wp.constant(2)  # how far flesh may swing, as a share of its depth
REST_INCLUDES_GRAVITY = wp.constant(3)  # 1: the rest shape already hangs as gravity wants it
DRAG = wp.constant(4)  # share of the velocity that is kept in a step
GRAVITY = wp.constant(5)  # m/s^2, downwards
JOINING = wp.constant(6)  # 1: flesh begins to move with the body, not from rest
FREQUENCY = wp.constant(7)  # rad/s, of the softest flesh: what swings faster is damped more, by as much
RECOVERS = wp.constant(8)  # 1: elements inside out are led back, which would tremble where bones stand still
AWAKE = wp.constant(9)  # 1: flesh settles; 0: it stays where it settled, as bones have stood still for long
YIELD = wp.constant(10)  # of the way from where flesh is to where it settles that it goes in a step
TINY = wp.constant(1.0e-12)
EASE = wp.constant(0.5)  # of the way from the last correction to the new one that a step goes
LEAST_COVER = wp.constant(0.5)  # of how far skin lies over its bone at rest: how much of that flesh leaves it
MOST_DAMPING = wp.constant(0.99)  # the oscillator is solved below its critical damping


@wp.struct
class JointBlend:
    """How joints carry particles: blocks of four joints and weights for each, and the rotations of all joints."""

    blocks: int
    joints: Joints
    weights: Weights
    rotations: Quaternions


@wp.kernel(enable_backward=False)
def notice_moved(first: int, unmoved: float, transforms: Transforms, last: Transforms, moved: IntArray):
    """Whether any joint has moved by more than `unmoved` [m], or is no number; what they are is kept for next time."""
    j = first + wp.tid()
    m = transforms[j]
    before = last[j]
    last[j] = m
    for row in range(3):
        for column in range(4):
            if not (wp.abs(m[row, column] - before[row, column]) <= unmoved):
                moved[0] = 1


@wp.kernel(enable_backward=False)
def warm_start(
    first: int,
    blend: JointBlend,
    kinematic: Vec3Array,
    corrections: Vec3Array,
    max_correction: FloatArray,
    inverse_masses: FloatArray,
    inverted: IntArray,
    params: FloatArray,
    rotations: Quaternions,
    particles: Vec4Array,
):
    """Start at q + keep R c.

    Flesh that is farther off than it ever should be is brought back, flesh that is stuck goes half of the way, and what
    does not move starts where the bones carry it: it may have been painted firm.
    """
    i = first + wp.tid()
    r = blend_rotations(i, blend.blocks, blend.joints, blend.weights, blend.rotations)
    rotations[i] = r
    c = corrections[i]
    keep = wp.min(1.0, max_correction[i] / wp.max(wp.length(c), 1.0e-9))
    if inverted[i] != 0 and params[RECOVERS] != 0.0:
        keep = 0.5 * keep
    inverted[i] = 0
    if inverse_masses[i] == 0.0:
        keep = 0.0
    p = kinematic[i] + rotate(r, keep * c)
    particles[i] = wp.vec4f(p[0], p[1], p[2], inverse_masses[i])


@wp.func
def turn_affine(m: mat34, v: wp.vec3f) -> wp.vec3f:
    """M v for the linear part of an affine M."""
    return wp.vec3f(
        m[0, 0] * v[0] + m[0, 1] * v[1] + m[0, 2] * v[2],
        m[1, 0] * v[0] + m[1, 1] * v[1] + m[1, 2] * v[2],
        m[2, 0] * v[0] + m[2, 1] * v[1] + m[2, 2] * v[2],
    )


@wp.func
def bound_point(
    i: int, joint: int, bones: Vec4iArray, points: Vec3Array, weights: Vec4Array, transforms: Transforms
) -> wp.vec3f:
    """A point of four bones by their shares, of the body whose first joint is `joint`."""
    bone = bones[i]
    weight = weights[i]
    a = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(4):
        if weight[k] > 0.0:
            a += weight[k] * transform_affine(transforms[joint + bone[k]], points[4 * i + k])
    return a


@wp.kernel(enable_backward=False)
def move_anchors(
    first: int, bones: Vec4iArray, points: Vec3Array, weights: Vec4Array, transforms: Transforms, anchors: Vec3Array
):
    """What each particle is bound to: points of four bones, by their shares."""
    i = first + wp.tid()
    anchors[i] = bound_point(i, 0, bones, points, weights, transforms)


@wp.kernel(enable_backward=False)
def store_settled(
    first: int,
    params: FloatArray,
    particles: Vec4Array,
    kinematic: Vec3Array,
    rotations: Quaternions,
    corrections: Vec3Array,
    yielded: Vec3Array,
    found: Vec3Array,
    settled: Vec3Array,
):
    """Keep what the settling found, c = R^T (y - q), half of the way, and let flesh yield to it, which takes time.

    The next step goes on from what was found, and pressure looks there; what is seen comes after it, so that flesh
    neither snaps nor starts and stops as abruptly as the bones do.
    """
    i = first + wp.tid()
    r = rotations[i]
    q = kinematic[i]
    c = inverse_rotate(r, position(particles[i]) - q)
    c = corrections[i] + params[AWAKE] * EASE * (c - corrections[i])
    corrections[i] = c
    found[i] = q + rotate(r, c)
    s = yielded[i] + params[AWAKE] * params[YIELD] * (c - yielded[i])
    yielded[i] = s
    settled[i] = q + rotate(r, s)


@wp.func
def within(u: wp.vec3f, limit: float) -> wp.vec3f:
    """u, smoothly kept shorter than `limit`: flesh that would hang farther than it may comes to rest before its end."""
    if limit <= 0.0:
        return wp.vec3f(0.0, 0.0, 0.0)
    ratio = wp.length(u) / limit
    return u / wp.sqrt(wp.sqrt(1.0 + ratio * ratio * ratio * ratio))


@wp.kernel(enable_backward=False)
def swing(
    first: int,
    params: FloatArray,
    angular_frequency: FloatArray,
    depth: FloatArray,
    rotations: Quaternions,
    previous_settled: Vec3Array,
    settled: Vec3Array,
    positions: Vec3Array,
    velocities: Vec3Array,
    particles: Vec4Array,
):
    """Let free flesh swing about where it would settle, y(t), which moves evenly from one step to the next.

    With u = x - y, n the damping, w the pace [rad/s], and g the pull of gravity that the sculpted shape does not know,
      u'' + 2 n w u' + w^2 u = g
    is solved exactly over the step, so that it is stable for any step and any pace. Flesh is viscous: n grows with w. A
    pace below zero means that the bones drive the particle.
    """
    i = first + wp.tid()
    dt = params[DT]
    w = angular_frequency[i]
    y = settled[i]
    if w < 0.0:
        velocities[i] = (y - positions[i]) / dt
        positions[i] = y
        particles[i] = wp.vec4f(y[0], y[1], y[2], 0.0)
    else:
        gravity = wp.vec3f(0.0, -params[GRAVITY], 0.0)
        pull = gravity - params[REST_INCLUDES_GRAVITY] * rotate(rotations[i], gravity)
        drift = (y - previous_settled[i]) / dt
        limit = params[MAX_OFFSET] * depth[i]
        rest = within(pull / (w * w), limit)
        u = positions[i] - previous_settled[i] - rest
        du = (1.0 - params[JOINING]) * (velocities[i] - drift)
        damping = wp.min(params[DAMPING] * wp.max(w / params[FREQUENCY], 1.0), MOST_DAMPING)
        free = advance_oscillator(u, du, oscillator_coefficients(w, damping, dt))
        held = clamp_offset(free[0] + rest, free[1], limit)
        x = y + held[0]
        positions[i] = x
        velocities[i] = drift + held[1]
        particles[i] = wp.vec4f(x[0], x[1], x[2], 1.0)


@wp.kernel(enable_backward=False)
def update_velocities(
    first: int,
    params: FloatArray,
    settled: Vec3Array,
    previous_settled: Vec3Array,
    kinematic: Vec3Array,
    particles: Vec4Array,
    positions: Vec3Array,
    velocities: Vec3Array,
    offsets: Vec3Array,
):
    """Keep what the constraints made of the swing, and how far the flesh is from where the bones carry it."""
    i = first + wp.tid()
    p = position(particles[i])
    velocities[i] = params[DRAG] * (velocities[i] + (p - positions[i]) / params[DT])
    positions[i] = p
    previous_settled[i] = settled[i]
    offsets[i] = p - kinematic[i]


@wp.func
def carried_along(
    x: wp.vec3f, q: wp.vec3f, d: wp.vec3f, follow: float, rest_distance: float, leeway: float
) -> wp.vec3f:
    r = x - q
    size = wp.length(r)
    excess = wp.max(size - rest_distance, 0.0)
    return x + follow * (d - (excess * excess / ((leeway + excess) * wp.max(size, TINY))) * r)


@wp.kernel(enable_backward=False)
def carry_skin(
    first: int,
    blocks: int,
    corners: Joints,
    barycentric: Weights,
    follow: FloatArray,
    rest_distance: FloatArray,
    leeway: float,
    kinematic: Vec3Array,
    offsets: Vec3Array,
    incoming: Vec3Array,
    skin: Vec3Array,
):
    """The skin goes along with the flesh around it.

    With s the skin, q the flesh where the bones alone carry them, d what moved the flesh from there, and
    r = s - sum_k share_k q_k what the coarse flesh cannot follow of the bones:
      x = sum_k share_k (q_k + d_k) + (r_0 + e / (1 + e / leeway)) r / |r|,   e = max(|r| - r_0, 0),
    with r_0 (`rest_distance`) the length of r at rest, zero inside the flesh. Small differences are kept, they are the
    bones' own detail; large ones come of a crease that the flesh has undone. `follow` says how much of all this reaches
    the vertex.
    """
    v = first + wp.tid()
    if follow[v] == 0.0:
        skin[v] = incoming[v]
        return
    q = wp.vec3f(0.0, 0.0, 0.0)
    d = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * blocks, v * blocks + blocks):
        c = corners[b]
        s = barycentric[b]
        q += s[0] * kinematic[c[0]] + s[1] * kinematic[c[1]] + s[2] * kinematic[c[2]] + s[3] * kinematic[c[3]]
        d += s[0] * offsets[c[0]] + s[1] * offsets[c[1]] + s[2] * offsets[c[2]] + s[3] * offsets[c[3]]
    skin[v] = carried_along(incoming[v], q, d, follow[v], rest_distance[v], leeway)


@wp.kernel(enable_backward=False)
def cover_bones(
    first: int,
    each: int,
    joint_count: int,
    bones: Vec4iArray,
    points: Vec3Array,
    weights: Vec4Array,
    transforms: Transforms,
    offsets: Vec3Array,
    covers: Vec2Array,
    incoming: Vec3Array,
    skin: Vec3Array,
):
    """No bone comes out through skin that covers it where the bones alone carry the skin.

    With a the point of the bone below a vertex, n the direction from there to the vertex at rest (`offsets`), turned
    with the bone, s where the bones alone carry the vertex and l the distance at rest, it stays on the same side:
    (x - a) . n >= min((s - a) . n, c l). `covers` has l and how much this counts: skin that other bones carry may go
    round this one. What is known of bones and covers is that of one copy, of `each` vertices and `joint_count` joints.
    """
    v = first + wp.tid()
    i = v % each
    rest = covers[i]
    x = skin[v]
    s = incoming[v]
    if rest[1] > 0.0 and wp.length_sq(x - s) > 0.0:
        joint = (v / each) * joint_count
        a = bound_point(i, joint, bones, points, weights, transforms)
        bone = bones[i]
        weight = weights[i]
        offset = offsets[i]
        n = wp.vec3f(0.0, 0.0, 0.0)
        for k in range(4):
            if weight[k] > 0.0:
                n += weight[k] * turn_affine(transforms[joint + bone[k]], offset)
        n = wp.normalize(n)
        least = wp.min(wp.dot(s - a, n), LEAST_COVER * rest[0])
        missing = wp.max(least - wp.dot(x - a, n), 0.0)
        skin[v] = x + (rest[1] * missing) * n
