# mypy: ignore-errors
"""Arithmetic of pose-space deformation on arrays: from the joints of a frame to offsets of vertices at rest.

Symbols: R_j how joint j is turned away from rest, p_j where it is, h_j a rotation in the middle of what it does; x the
inputs of a part, scaled; c_m its centres, k_m = exp(-|x - c_m|^2 / 2); a the coefficients of its components, in blocks
of four; B the components, one 3x4 matrix for a vertex and a block. Copies of a crowd stand one
after another and share what the model is made of. Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.geometry.kernels.rotation import conjugate, inverse_rotate, quat_multiply
from supple.skins.kinematic.kernels import Points, Quaternions, Transforms, mat34

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Positions = wp.array(dtype=wp.vec3d)
Blocks = wp.array(dtype=wp.vec4f)
Shapes = wp.array(dtype=mat34)

INPUTS = wp.constant(12)  # numbers a joint has: its rotation, gravity, angular velocity, acceleration


@wp.struct
class Joints:
    """Joints whose numbers are taken: `references` (K,) are seen from, `homes` (K,) are what a joint turns around.

    Joint k of the skeleton stands at k; `down` is the direction of gravity in the world, `rate` (1,) one over the time
    between two frames or 0 where there is none, `fastest` and `hardest` are where angular velocities [rad/s] and
    accelerations [m/s^2] level off.
    """

    references: IntArray
    homes: Quaternions
    down: wp.vec3f
    fastest: float
    hardest: float
    rate: FloatArray


@wp.struct
class History:
    """What a frame remembers of those before: rotations and places of the joints, and how many frames there were."""

    frames: IntArray
    rotations: Quaternions
    positions: Positions
    velocities: Positions


@wp.func
def rotation_of(m: mat34) -> wp.quatf:
    """How a transform turns, without its stretch: the first two columns made square to each other."""
    x = wp.normalize(wp.vec3f(m[0, 0], m[1, 0], m[2, 0]))
    y = wp.vec3f(m[0, 1], m[1, 1], m[2, 1])
    y = wp.normalize(y - wp.dot(x, y) * x)
    return wp.quat_from_matrix(wp.matrix_from_cols(x, y, wp.cross(x, y)))


@wp.func
def rotation_vector(q: wp.quatf) -> wp.vec3f:
    """The axis times the angle, the shorter way round."""
    v = wp.vec3f(q[0], q[1], q[2])
    w = q[3]
    if w < 0.0:
        v = -v
        w = -w
    s = wp.length(v)
    if s < 1.0e-6:
        return 2.0 * v
    return (2.0 * wp.atan2(s, w) / s) * v


@wp.func
def level(v: wp.vec3f, most: float) -> wp.vec3f:
    """A vector whose length levels off at `most`."""
    r = wp.length(v) / most
    if r < 1.0e-4:
        return v
    return (wp.tanh(r) / r) * v


@wp.func
def put(inputs: FloatArray, at: int, v: wp.vec3f):
    inputs[at] = v[0]
    inputs[at + 1] = v[1]
    inputs[at + 2] = v[2]


@wp.kernel(enable_backward=False)
def read_joints(
    first: int, transforms: Transforms, positions: Positions, joints: Joints, history: History, inputs: FloatArray
):
    """The numbers of one joint: [log(h^-1 R_r^T R_j), R_j^T g, R_j^T w, R_j^T p''], and its history one frame on."""
    j = first + wp.tid()
    rotation = rotation_of(transforms[j])
    at = j * INPUTS
    turn = rotation
    if joints.references[j] >= 0:
        turn = quat_multiply(conjugate(rotation_of(transforms[joints.references[j]])), rotation)
        put(inputs, at, rotation_vector(quat_multiply(conjugate(joints.homes[j]), turn)))
    put(inputs, at + 3, inverse_rotate(rotation, joints.down))
    rate = joints.rate[0]
    angular = wp.vec3f()
    acceleration = wp.vec3f()
    here = positions[j]
    velocity = wp.vec3d()
    if rate > 0.0 and history.frames[j] > 0:
        angular = rate * rotation_vector(quat_multiply(conjugate(history.rotations[j]), rotation))
        velocity = wp.float64(rate) * (here - history.positions[j])
        if history.frames[j] > 1:
            change = wp.float64(rate) * (velocity - history.velocities[j])
            acceleration = inverse_rotate(
                rotation, wp.vec3f(wp.float32(change[0]), wp.float32(change[1]), wp.float32(change[2]))
            )
    put(inputs, at + 6, level(angular, joints.fastest))
    put(inputs, at + 9, level(acceleration, joints.hardest))
    if rate > 0.0:
        history.rotations[j] = rotation
        history.positions[j] = here
        history.velocities[j] = velocity
        history.frames[j] = wp.min(history.frames[j] + 1, 2)


@wp.kernel(enable_backward=False)
def scale_inputs(
    first: int, stride: int, inputs: FloatArray, entries: IntArray, scales: FloatArray, scaled: FloatArray
):
    """x: the numbers that a part looks at, each as much as it counts, among the `stride` numbers of its copy."""
    i = first + wp.tid()
    count = entries.shape[0]
    c = i // count
    k = i - c * count
    scaled[i] = scales[k] * inputs[c * stride + entries[k]]


@wp.kernel(enable_backward=False)
def weigh_centers(
    first: int, size: int, count: int, used: IntArray, scaled: Blocks, centers: Blocks, weights: FloatArray
):
    """k_m = exp(-|x - c_m|^2 / 2) of centre m of a part, `count` centres a part.

    There is room for `size` times four numbers in a centre; a part has `used` of these.
    """
    i = first + wp.tid()
    part = i // count  # of any copy
    own = part % used.shape[0]
    center = (own * count + i - part * count) * size
    squares = wp.vec4f()
    for d in range(used[own]):
        apart = scaled[part * size + d] - centers[center + d]
        squares += wp.cw_mul(apart, apart)
    weights[i] = wp.exp(-0.5 * (squares[0] + squares[1] + squares[2] + squares[3]))


@wp.kernel(enable_backward=False)
def mix_centers(
    first: int, parts: int, count: int, part_of: IntArray, coefficients: Blocks, weights: FloatArray, mixed: Blocks
):
    """How much there is of the four components of a block: sum_m k_m a_m."""
    i = first + wp.tid()
    blocks = part_of.shape[0]
    c = i // blocks
    b = i - c * blocks
    start = (c * parts + part_of[b]) * count
    total = wp.vec4f()
    for m in range(count):
        total += weights[start + m] * coefficients[b * count + m]
    mixed[i] = total


@wp.kernel(enable_backward=False)
def displace(
    first: int,
    amounts: int,
    rows: IntArray,
    blocks: IntArray,
    shapes: Shapes,
    mixed: Blocks,
    rest: Points,
    displaced: Points,
):
    """v + sum_b B_vb a_b: a vertex at rest with its offset, of a copy that has so many blocks of `amounts`."""
    i = first + wp.tid()
    vertices = rows.shape[0] - 1
    c = i // vertices
    v = i - c * vertices
    offset = wp.vec3f()
    for entry in range(rows[v], rows[v + 1]):
        offset += shapes[entry] * mixed[c * amounts + blocks[entry]]
    displaced[i] = rest[i] + offset
