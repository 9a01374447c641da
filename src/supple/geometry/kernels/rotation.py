"""Arithmetic of turns on arrays: how joints turn from rest, and how what hangs between several of them does.

Symbols: q a unit quaternion (x y z w), R its rotation.
"""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Quaternions, Transforms, Weights, towards, weighted


@wp.func
def turned(q: wp.vec4f, v: wp.vec3f) -> wp.vec3f:
    """R v for a unit quaternion."""
    u = wp.vec3f(q[0], q[1], q[2])
    return v + 2.0 * wp.cross(u, wp.cross(u, v) + q[3] * v)


@wp.func
def opposite(q: wp.vec4f) -> wp.vec4f:
    """The quaternion that turns back."""
    return wp.vec4f(-q[0], -q[1], -q[2], q[3])


@wp.func
def turned_back(q: wp.vec4f, v: wp.vec3f) -> wp.vec3f:
    return turned(opposite(q), v)


@wp.func
def after(a: wp.vec4f, b: wp.vec4f) -> wp.vec4f:
    """The quaternion of turning by b, then by a."""
    u = wp.vec3f(a[0], a[1], a[2])
    v = wp.vec3f(b[0], b[1], b[2])
    w = a[3] * v + b[3] * u + wp.cross(u, v)
    return wp.vec4f(w[0], w[1], w[2], a[3] * b[3] - wp.dot(u, v))


@wp.func
def blended_turn(i: int, blocks: int, joints: Joints, weights: Weights, reals: Quaternions) -> wp.vec4f:
    """The unit quaternion nearest to the weighted mean of the joints' turns; signs follow the largest influence."""
    pivot = reals[joints[i * blocks][0]]
    r = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        r += weighted(reals, joints[b], towards(pivot, reals, joints[b], weights[b]))
    return r / wp.max(wp.length(r), 1.0e-9)


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
