# mypy: ignore-errors
"""Rotations of joints and of what hangs between several of them, on arrays.

Symbols: q a unit quaternion (x y z w); M = T R S a skinning transform taken apart, R and T as the dual quaternion
(q, t q / 2) for the translation t.
"""

import warp as wp

from supple.geometry.kernels.polar import nearest_rotation
from supple.geometry.kernels.rotation import quat_multiply
from supple.skins.kinematic.kernels import (
    OPPOSED,
    STRETCHED,
    DualQuaternions,
    Flags,
    Joints,
    Quaternions,
    Stretches,
    Transforms,
    Weights,
    align_signs,
    vec8,
    weighted_sum,
)

RIGID_TOLERANCE = wp.constant(1.0e-6)  # of M^T M against one; float32 rounding is 1e-7


@wp.func
def blend_rotations(i: int, blocks: int, joints: Joints, weights: Weights, reals: Quaternions) -> wp.quatf:
    """The unit quaternion nearest to the weighted mean of the joints' turns; signs follow the largest influence."""
    pivot = reals[joints[i * blocks][0]]
    r = wp.quatf(0.0, 0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        r += weighted_sum(reals, joints[b], align_signs(pivot, reals, joints[b], weights[b]))
    return r / wp.max(wp.length(r), 1.0e-9)


@wp.kernel(enable_backward=False)
def rotate_joints(first: int, transforms: Transforms, rotations: Quaternions):
    """How every joint turns from rest, without its stretch: the first two columns made square to each other."""
    j = first + wp.tid()
    m = transforms[j]
    x = wp.normalize(wp.vec3f(m[0, 0], m[1, 0], m[2, 0]))
    y = wp.vec3f(m[0, 1], m[1, 1], m[2, 1])
    y = wp.normalize(y - wp.dot(x, y) * x)
    rotations[j] = wp.quat_from_matrix(wp.matrix_from_cols(x, y, wp.cross(x, y)))


@wp.kernel(enable_backward=False)
def rigid_from_affine(
    first: int, transforms: Transforms, reals: Quaternions, motions: DualQuaternions, stretches: Stretches, flags: Flags
):
    """Take every joint's transform apart. Signs of quaternions are as they come: every vertex looks at its own."""
    j = first + wp.tid()
    m = transforms[j]
    linear = wp.mat33f(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])
    rotation = wp.mat33f(nearest_rotation(wp.mat33d(linear)))
    q = wp.quat_from_matrix(rotation)
    dual = 0.5 * quat_multiply(wp.quatf(m[0, 3], m[1, 3], m[2, 3], 0.0), q)
    reals[j] = q
    motions[j] = vec8(q[0], q[1], q[2], q[3], dual[0], dual[1], dual[2], dual[3])
    stretches[j] = wp.transpose(rotation) * linear
    gram = wp.transpose(linear) * linear - wp.identity(n=3, dtype=wp.float32)
    largest = float(0.0)
    for row in range(3):
        for column in range(3):
            largest = wp.max(largest, wp.abs(gram[row, column]))
    if largest >= RIGID_TOLERANCE or wp.determinant(linear) <= 0.0:
        flags[STRETCHED] = 1
    flags[OPPOSED] = 1
