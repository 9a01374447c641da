# mypy: ignore-errors
"""Rotations by unit quaternions: the arithmetic that all rooms share.

Symbols: q a unit quaternion (x y z w), R its rotation.
"""

import warp as wp


@wp.func
def rotate(q: wp.quatf, v: wp.vec3f) -> wp.vec3f:
    """R v for a unit quaternion."""
    u = wp.vec3f(q[0], q[1], q[2])
    return v + 2.0 * wp.cross(u, wp.cross(u, v) + q[3] * v)


@wp.func
def conjugate(q: wp.quatf) -> wp.quatf:
    """The quaternion that turns back."""
    return wp.quatf(-q[0], -q[1], -q[2], q[3])


@wp.func
def inverse_rotate(q: wp.quatf, v: wp.vec3f) -> wp.vec3f:
    return rotate(conjugate(q), v)


@wp.func
def quat_multiply(a: wp.quatf, b: wp.quatf) -> wp.quatf:
    """The quaternion of turning by b, then by a."""
    u = wp.vec3f(a[0], a[1], a[2])
    v = wp.vec3f(b[0], b[1], b[2])
    w = a[3] * v + b[3] * u + wp.cross(u, v)
    return wp.quatf(w[0], w[1], w[2], a[3] * b[3] - wp.dot(u, v))
