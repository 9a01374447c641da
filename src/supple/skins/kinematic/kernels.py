# mypy: ignore-errors
"""Arithmetic of the weighted blends on arrays.

Symbols: v a rest point, w_k the weight of its k-th influence, j_k that influence's joint, M_j = [A_j | t_j] the
skinning transform of joint j (rest to posed, 3x4), (r_j, d_j) its dual quaternion, S_j its stretch, x the posed point.

Influences come in blocks of four, largest first: vertex i has `blocks` of them, from `blocks * i`. A block compiles to
straight code, which takes two thirds of the time of a loop over single influences.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

mat34 = wp.types.matrix(shape=(3, 4), dtype=wp.float32)
Points = wp.array(dtype=wp.vec3f)
Joints = wp.array(dtype=wp.vec4i)
Weights = wp.array(dtype=wp.vec4f)
vec8 = wp.types.vector(length=8, dtype=wp.float32)
Quaternions = wp.array(dtype=wp.quatf)
DualQuaternions = wp.array(dtype=vec8)
Stretches = wp.array(dtype=wp.mat33f)
Transforms = wp.array(dtype=mat34)
Flags = wp.array(dtype=wp.int32)

STRETCHED = wp.constant(0)  # flag: some joint stretches
OPPOSED = wp.constant(1)  # flag: some quaternions that are blended together point away from each other


@wp.func
def transform_affine(m: mat34, v: wp.vec3f) -> wp.vec3f:
    """M v for an affine M."""
    return wp.vec3f(
        m[0, 0] * v[0] + m[0, 1] * v[1] + m[0, 2] * v[2] + m[0, 3],
        m[1, 0] * v[0] + m[1, 1] * v[1] + m[1, 2] * v[2] + m[1, 3],
        m[2, 0] * v[0] + m[2, 1] * v[1] + m[2, 2] * v[2] + m[2, 3],
    )


@wp.func
def blend_point(i: int, blocks: int, v: wp.vec3f, joints: Joints, weights: Weights, transforms: Transforms) -> wp.vec3f:
    """Linear blend: sum_k w_k M_{j_k} v."""
    x = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        w = weights[b]
        j = joints[b]
        x += w[0] * transform_affine(transforms[j[0]], v)
        if w[1] > 0.0:
            x += w[1] * transform_affine(transforms[j[1]], v)
        if w[2] > 0.0:
            x += w[2] * transform_affine(transforms[j[2]], v) + w[3] * transform_affine(transforms[j[3]], v)
    return x


@wp.func
def blend_stretch(i: int, blocks: int, v: wp.vec3f, joints: Joints, weights: Weights, stretches: Stretches) -> wp.vec3f:
    """sum_k w_k S_{j_k} v."""
    x = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        w = weights[b]
        j = joints[b]
        x += w[0] * (stretches[j[0]] * v) + w[1] * (stretches[j[1]] * v)
        x += w[2] * (stretches[j[2]] * v) + w[3] * (stretches[j[3]] * v)
    return x


@wp.func
def align_signs(pivot: wp.quatf, reals: Quaternions, j: wp.vec4i, w: wp.vec4f) -> wp.vec4f:
    """Weights with the signs that turn every quaternion towards the pivot: q and -q are one rotation."""
    return wp.vec4f(
        wp.where(wp.dot(pivot, reals[j[0]]) < 0.0, -w[0], w[0]),
        wp.where(wp.dot(pivot, reals[j[1]]) < 0.0, -w[1], w[1]),
        wp.where(wp.dot(pivot, reals[j[2]]) < 0.0, -w[2], w[2]),
        wp.where(wp.dot(pivot, reals[j[3]]) < 0.0, -w[3], w[3]),
    )


@wp.func
def weighted_sum(q: Quaternions, j: wp.vec4i, w: wp.vec4f) -> wp.quatf:
    """sum_k w_k q_{j_k}; signs may have been turned, so a place is unused when it is exactly zero."""
    total = w[0] * q[j[0]]
    if w[1] != 0.0:
        total += w[1] * q[j[1]]
    if w[2] != 0.0:
        total += w[2] * q[j[2]] + w[3] * q[j[3]]
    return total


@wp.func
def weighted_sum_duals(q: DualQuaternions, j: wp.vec4i, w: wp.vec4f) -> vec8:
    """The same for dual quaternions (r, d) in one."""
    total = w[0] * q[j[0]]
    if w[1] != 0.0:
        total += w[1] * q[j[1]]
    if w[2] != 0.0:
        total += w[2] * q[j[2]] + w[3] * q[j[3]]
    return total


@wp.kernel(enable_backward=False)
def linear_blend(
    first: int, blocks: int, rest: Points, joints: Joints, weights: Weights, transforms: Transforms, posed: Points
):
    i = first + wp.tid()
    posed[i] = blend_point(i, blocks, rest[i], joints, weights, transforms)


@wp.kernel(enable_backward=False)
def dual_quaternion(
    first: int,
    blocks: int,
    rest: Points,
    joints: Joints,
    weights: Weights,
    reals: Quaternions,
    motions: DualQuaternions,
    stretches: Stretches,
    flags: Flags,
    posed: Points,
):
    """Dual quaternion linear blending; stretch is blended apart and applied first [Kavan2008, Alg. 1 and Sec. 4.2].

    With r = (u, s) and d = (e, f) not normalised, x = v + 2/|r|^2 (u x (u x v + s v + e) + s e - f u).
    Signs follow the largest influence.
    """
    i = first + wp.tid()
    q = vec8()
    for b in range(i * blocks, i * blocks + blocks):
        w = weights[b]
        j = joints[b]
        if flags[OPPOSED] != 0:
            w = align_signs(reals[joints[i * blocks][0]], reals, j, w)
        q += weighted_sum_duals(motions, j, w)
    v = rest[i]
    if flags[STRETCHED] != 0:
        v = blend_stretch(i, blocks, v, joints, weights, stretches)
    u = wp.vec3f(q[0], q[1], q[2])
    e = wp.vec3f(q[4], q[5], q[6])
    rotation = wp.cross(u, wp.cross(u, v) + q[3] * v + e) + q[3] * e - q[7] * u
    posed[i] = v + (2.0 / (wp.dot(u, u) + q[3] * q[3])) * rotation


@wp.kernel(enable_backward=False)
def rotation_centers(
    first: int,
    blocks: int,
    rest: Points,
    joints: Joints,
    weights: Weights,
    centers: Points,
    reals: Quaternions,
    stretches: Stretches,
    flags: Flags,
    transforms: Transforms,
    posed: Points,
):
    """Optimised centres of rotation: x = R S (v - p) + sum_k w_k M_{j_k} p [LeHodgins2016, Alg. 2].

    p is the vertex's centre of rotation at rest, R the blended quaternion (signs as in dual quaternion blending), S the
    blended stretch (one in the published method, which has rigid joints only).
    """
    i = first + wp.tid()
    pivot = reals[joints[i * blocks][0]]
    r = wp.quatf(0.0, 0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        w = weights[b]
        j = joints[b]
        if flags[OPPOSED] != 0:
            w = align_signs(pivot, reals, j, w)
        r += weighted_sum(reals, j, w)
    p = centers[i]
    v = rest[i] - p
    if flags[STRETCHED] != 0:
        v = blend_stretch(i, blocks, v, joints, weights, stretches)
    u = wp.vec3f(r[0], r[1], r[2])
    rotated = v + (2.0 / wp.dot(r, r)) * wp.cross(u, wp.cross(u, v) + r[3] * v)
    posed[i] = rotated + blend_point(i, blocks, p, joints, weights, transforms)
