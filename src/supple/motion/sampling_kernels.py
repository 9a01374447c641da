# mypy: ignore-errors
"""Poses of a crowd between the keys of its motions, copy by copy, on a GPU.

Symbols: L_j = T R S the transform of joint j on its parent, W_j that in the world, B_j its inverse at rest, M_j = W_j
B_j the skinning transform (3x4). Motions stand one after another, a row of all joints for every key.
"""

import warp as wp

from supple.geometry.kernels.rotation import rotate

mat34 = wp.types.matrix(shape=(3, 4), dtype=wp.float32)
Transforms = wp.array(dtype=mat34)
Quaternions = wp.array(dtype=wp.quatf)
Vec3Array = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
DoubleArray = wp.array(dtype=wp.float64)

STRAIGHT = wp.constant(1.0e-4)  # sine of an arc that is straight to within rounding


@wp.struct
class Clips:
    """The keys of all motions, and of each its first row, how many there are, how many a second, how long a lap takes
    [s], 0 where it does not loop, and by how much [m] one carries the roots on."""

    moves: Vec3Array
    rotations: Quaternions
    scales: Vec3Array
    firsts: IntArray
    counts: IntArray
    rates: DoubleArray
    laps: DoubleArray
    strides: Vec3Array


@wp.struct
class Cast:
    """Which motion every copy follows, and how many seconds ahead of the time; parents of the joints, and B."""

    clips: IntArray
    delays: DoubleArray
    time: DoubleArray
    parents: IntArray
    joint_from_world: Transforms


@wp.func
def between_keys(a: wp.quatf, b: wp.quatf, fraction: float) -> wp.quatf:
    """Turn evenly along the shorter arc."""
    cosine = wp.dot(a, b)
    end = b
    if cosine < 0.0:
        end = -b
    angle = wp.acos(wp.min(wp.abs(cosine), 1.0))
    sine = wp.sin(angle)
    q = (1.0 - fraction) * a + fraction * end
    if sine > STRAIGHT:
        q = (wp.sin((1.0 - fraction) * angle) / sine) * a + (wp.sin(fraction * angle) / sine) * end
    return wp.normalize(q)


@wp.func
def multiply_affine(a: mat34, b: mat34) -> mat34:
    m = mat34()
    for i in range(3):
        for j in range(4):
            m[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
        m[i, 3] = m[i, 3] + a[i, 3]
    return m


@wp.func
def parent_from_joint(row: int, next_row: int, fraction: float, j: int, joints: int, clips: Clips) -> mat34:
    """L_j between two keys, each scaled, then turned, then moved."""
    one = row * joints + j
    two = next_row * joints + j
    move = clips.moves[one] + fraction * (clips.moves[two] - clips.moves[one])
    scale = clips.scales[one] + fraction * (clips.scales[two] - clips.scales[one])
    q = between_keys(clips.rotations[one], clips.rotations[two], fraction)
    m = mat34()
    for axis in range(3):
        unit = wp.vec3f(0.0, 0.0, 0.0)
        unit[axis] = scale[axis]
        column = rotate(q, unit)
        for i in range(3):
            m[i, axis] = column[i]
    for i in range(3):
        m[i, 3] = move[i]
    return m


@wp.func
def world_from_joint(c: int, j: int, clips: Clips, cast: Cast) -> mat34:
    """W_j of one copy: where its motion is, from the joint up to its root."""
    clip = cast.clips[c]
    joints = cast.parents.shape[0]
    last = clips.counts[clip] - 1
    time = cast.time[0] + cast.delays[c]
    laps = wp.float64(0.0)
    if clips.laps[clip] > wp.float64(0.0):
        laps = wp.floor(time / clips.laps[clip])
    place = wp.clamp((time - laps * clips.laps[clip]) * clips.rates[clip], wp.float64(0.0), wp.float64(last))
    key = wp.min(int(place), wp.max(last - 1, 0))
    fraction = float(place - wp.float64(key))
    row = clips.firsts[clip] + key
    next_row = clips.firsts[clip] + wp.min(key + 1, last)
    world = parent_from_joint(row, next_row, fraction, j, joints, clips)
    parent = cast.parents[j]
    while parent >= 0:
        world = multiply_affine(parent_from_joint(row, next_row, fraction, parent, joints, clips), world)
        parent = cast.parents[parent]
    stride = float(laps) * clips.strides[clip]
    for i in range(3):
        world[i, 3] = world[i, 3] + stride[i]
    return world


@wp.kernel(enable_backward=False)
def sample_skinning(first: int, clips: Clips, cast: Cast, matrices: Transforms):
    """M of every joint of every copy."""
    n = first + wp.tid()
    joints = cast.parents.shape[0]
    j = n % joints
    matrices[n] = multiply_affine(world_from_joint(n // joints, j, clips, cast), cast.joint_from_world[j])


@wp.kernel(enable_backward=False)
def sample_heads(first: int, clips: Clips, cast: Cast, heads: Vec3Array):
    """Where every joint of every copy is."""
    n = first + wp.tid()
    joints = cast.parents.shape[0]
    world = world_from_joint(n // joints, n % joints, clips, cast)
    heads[n] = wp.vec3f(world[0, 3], world[1, 3], world[2, 3])
