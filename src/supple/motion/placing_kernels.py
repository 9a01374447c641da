# mypy: ignore-errors
"""Carrying the poses of a crowd to where its members stand, item `first + tid`.

Symbols: P_c the transform that puts copy c where it stands (3x4), M_j the skinning transform of joint j, h_j its place.
"""

import warp as wp

from supple.motion.sampling_kernels import Transforms, Vec3Array, multiply_affine


@wp.kernel(enable_backward=False)
def place_skinning(first: int, joints: int, placements: Transforms, matrices: Transforms):
    """P_c M_j of every joint of every copy."""
    n = first + wp.tid()
    matrices[n] = multiply_affine(placements[n // joints], matrices[n])


@wp.kernel(enable_backward=False)
def place_heads(first: int, joints: int, placements: Transforms, heads: Vec3Array):
    """P_c h_j of every joint of every copy."""
    n = first + wp.tid()
    p = placements[n // joints]
    h = heads[n]
    heads[n] = wp.vec3f(
        p[0, 0] * h[0] + p[0, 1] * h[1] + p[0, 2] * h[2] + p[0, 3],
        p[1, 0] * h[0] + p[1, 1] * h[1] + p[1, 2] * h[2] + p[1, 3],
        p[2, 0] * h[0] + p[2, 1] * h[1] + p[2, 2] * h[2] + p[2, 3],
    )


@wp.kernel(enable_backward=False)
def widen_heads(first: int, heads: Vec3Array, positions: wp.array(dtype=wp.vec3d)):
    """h_j in double precision, for differences between frames."""
    n = first + wp.tid()
    h = heads[n]
    positions[n] = wp.vec3d(wp.float64(h[0]), wp.float64(h[1]), wp.float64(h[2]))


@wp.kernel(enable_backward=False)
def average_heads(first: int, joints: int, heads: Vec3Array, centers: Vec3Array):
    """The middle of the joints of every copy."""
    c = first + wp.tid()
    total = wp.vec3f()
    for j in range(joints):
        total += heads[c * joints + j]
    centers[c] = total / float(joints)
