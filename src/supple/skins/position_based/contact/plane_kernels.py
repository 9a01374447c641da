# mypy: ignore-errors
"""Arithmetic of the planes between two bones, and of the angles that tell when flesh may meet.

Symbols: u the direction from a joint back along the parent's bone, v along its own, a the joint's axis; the plane
halves the angle between u and v, so that v - u is normal to it.
"""

import warp as wp

from supple.skins.kinematic.kernels import Transforms, mat34, transform_affine
from supple.skins.position_based.contact.contact_arrays import FloatArray, IntArray, IntArray2d, PlaneArrays, Vec3Array

FloatArray2d = wp.array2d(dtype=wp.float32)
FOLDED = wp.constant(1.0e-12)  # of the squared length of v - u: the bones lie on each other
ALONG = wp.constant(1.0e-6)  # of the length of a x u: the axis lies along the bones too


@wp.struct
class Bones:
    """Directions at rest of one body's joints and limbs, each with the joint that carries it.

    Plane k: `parents` carry `backs` and `axes`, `joints` carry `owns` and stand at `heads`; about its axis alone a
    joint turns where `hinges` is 1. Limb m: `limb_carriers` carry `limbs`; joint `trunk` carries `midline`.
    """

    joints: IntArray
    parents: IntArray
    heads: Vec3Array
    backs: Vec3Array
    owns: Vec3Array
    axes: Vec3Array
    hinges: IntArray
    limb_carriers: IntArray
    limbs: Vec3Array
    trunk: int
    midline: wp.vec3f
    joint_count: int


@wp.struct
class Searched:
    """Angles [rad] of every region in the last step (C, R), those below which each is searched (R,), and whether it
    closes (C, R); those below which a plane holds anything (K,). A joint that closes by less than `closing` stands."""

    angles: FloatArray2d
    below: FloatArray
    fires: IntArray2d
    holds_below: FloatArray
    closing: float


@wp.func
def direction(m: mat34, d: wp.vec3f) -> wp.vec3f:
    """M d for a direction, of length one."""
    return wp.normalize(
        wp.vec3f(
            m[0, 0] * d[0] + m[0, 1] * d[1] + m[0, 2] * d[2],
            m[1, 0] * d[0] + m[1, 1] * d[1] + m[1, 2] * d[2],
            m[2, 0] * d[0] + m[2, 1] * d[1] + m[2, 2] * d[2],
        )
    )


@wp.func
def angle_between(a: wp.vec3f, b: wp.vec3f) -> float:
    """2 atan(|a - b| / |a + b|), exact at both ends."""
    return 2.0 * wp.atan2(wp.length(a - b), wp.length(a + b))


@wp.func
def plane_normal(u: wp.vec3f, v: wp.vec3f, a: wp.vec3f, hinge: int) -> wp.vec3f:
    """v - u, of a hinge the part of it across a; across the axis and the bones where they lie on each other."""
    n = v - u
    if hinge == 1:
        n -= wp.dot(n, a) * a
    if wp.dot(n, n) < FOLDED:
        n = wp.cross(a, u)
        if wp.length(n) < ALONG:
            n = v
    return wp.normalize(n)


@wp.kernel(enable_backward=False)
def pose_planes(first: int, bones: Bones, matrices: Transforms, searched: Searched, planes: PlaneArrays):
    """The plane of a joint of a copy, or the angle of a limb to the midline, and whether its region is searched."""
    n = first + wp.tid()
    regions = searched.angles.shape[1]
    c = n // regions
    r = n - c * regions
    shift = c * bones.joint_count
    count = bones.joints.shape[0]
    angle = float(0.0)
    if r < count:
        above = matrices[shift + bones.parents[r]]
        own = matrices[shift + bones.joints[r]]
        u = direction(above, bones.backs[r])
        v = direction(own, bones.owns[r])
        angle = angle_between(u, v)
        planes.points[c, r] = transform_affine(own, bones.heads[r])
        planes.normals[c, r] = plane_normal(u, v, direction(above, bones.axes[r]), bones.hinges[r])
        planes.holds[c, r] = int(angle < searched.holds_below[r])
    else:
        limb = direction(matrices[shift + bones.limb_carriers[r - count]], bones.limbs[r - count])
        angle = angle_between(limb, direction(matrices[shift + bones.trunk], bones.midline))
    fires = angle < searched.below[r] and angle < searched.angles[c, r] - searched.closing
    searched.fires[c, r] = int(fires)
    searched.angles[c, r] = angle
