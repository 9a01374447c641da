# mypy: ignore-errors
"""Rotations of joints and of what hangs between several of them, on arrays.

Symbols: q a unit quaternion (x y z w).
"""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Quaternions, Transforms, Weights, align_signs, weighted_sum


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
