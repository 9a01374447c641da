# mypy: ignore-errors
"""Arithmetic of lattice shape matching on arrays.

Symbols: x_i a node, m_i its mass over the number of regions it is in, h the side of a voxel, r a region and the node it
is named after, d the steps (dx, dy, dz) from that node to another of the region, c0_r the middle of the region at rest
as seen from its node, R_r its rotation, Q_r how the bones alone turn it, P_r = R_r Q_r^T what the flesh adds to that.

A region is what is reached from its node by steps along x, from there along y, from there along z. So its sums are made
in three passes along chains, z first:
  S = sum m x,   Z = sum m dz x,   Y = sum m dy x,   X = sum m dx x,
and steps are counted from the region's own node, so that no digits are lost far from the origin.
What all regions that contain a node want of it is summed by the same passes backwards.
"""

import warp as wp

from supple.geometry.kernels.polar import extract_rotation
from supple.geometry.kernels.rotation import conjugate, quat_multiply
from supple.skins.kinematic.kernels import Points, Quaternions

vec6 = wp.types.vector(length=6, dtype=wp.float32)
vec9 = wp.types.vector(length=9, dtype=wp.float32)
vec12 = wp.types.vector(length=12, dtype=wp.float32)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)
Vec4Array = wp.array(dtype=wp.vec4f)
Vec6Array = wp.array(dtype=vec6)
Vec9Array = wp.array(dtype=vec9)
Vec12Array = wp.array(dtype=vec12)
Vec4iArray = wp.array(dtype=wp.vec4i)

BIAS = wp.constant(1.0e-3)  # times the mass: what lies in a line or a point turns as its bones do


@wp.func
def block(s: vec12, slot: int) -> wp.vec3f:
    return wp.vec3f(s[3 * slot], s[3 * slot + 1], s[3 * slot + 2])


@wp.func
def pack_blocks(s: wp.vec3f, x: wp.vec3f, y: wp.vec3f, z: wp.vec3f) -> vec12:
    return vec12(s[0], s[1], s[2], x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@wp.func
def match_region(
    i: int, side: float, newton_steps: int, sums: vec12, centers: Vec4Array, frames: Quaternions, rotations: Quaternions
) -> vec12:
    """Fit one region: where its frame puts its node, and h times the columns of its rotation.

    A = sum m (x - c)(h d - c0)^T / h^2 = (X, Y, Z) / h - S c0^T / h^2, in voxels, so that size does not matter.
    """
    s = block(sums, 0)
    middle = centers[i]
    c0 = wp.vec3f(middle[0], middle[1], middle[2])
    moments = wp.matrix_from_cols(block(sums, 1), block(sums, 2), block(sums, 3))
    a = (moments - wp.outer(s, c0 / side)) / side
    frame = frames[i]
    bones = wp.quat_to_matrix(frame)
    q = extract_rotation(a + (BIAS / middle[3]) * bones, quat_multiply(rotations[i], frame), newton_steps)
    extra = quat_multiply(q, conjugate(frame))
    rotations[i] = extra / wp.length(extra)
    r = wp.quat_to_matrix(q)
    t = middle[3] * s - r * c0
    return pack_blocks(
        t,
        side * wp.vec3f(r[0, 0], r[1, 0], r[2, 0]),
        side * wp.vec3f(r[0, 1], r[1, 1], r[2, 1]),
        side * wp.vec3f(r[0, 2], r[1, 2], r[2, 2]),
    )


# Short windows: every node walks along its chain


@wp.kernel(enable_backward=False)
def sum_along_z(
    first: int, low: int, high: int, down: IntArray, up: IntArray, masses: FloatArray, points: Points, sums: Vec6Array
):
    """S and Z of the nodes from `low` steps below to `high` steps above."""
    i = first + wp.tid()
    s = masses[i] * points[i]
    z = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, high + 1):
        n = up[n]
        if n < 0:
            break
        p = masses[n] * points[n]
        s += p
        z += float(d) * p
    n = i
    for d in range(1, low + 1):
        n = down[n]
        if n < 0:
            break
        p = masses[n] * points[n]
        s += p
        z -= float(d) * p
    sums[i] = vec6(s[0], s[1], s[2], z[0], z[1], z[2])


@wp.kernel(enable_backward=False)
def sum_along_y(first: int, low: int, high: int, down: IntArray, up: IntArray, columns: Vec6Array, sums: Vec9Array):
    """S, Z and Y."""
    i = first + wp.tid()
    s = columns[i]
    y = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, high + 1):
        n = up[n]
        if n < 0:
            break
        p = columns[n]
        s += p
        y += float(d) * wp.vec3f(p[0], p[1], p[2])
    n = i
    for d in range(1, low + 1):
        n = down[n]
        if n < 0:
            break
        p = columns[n]
        s += p
        y -= float(d) * wp.vec3f(p[0], p[1], p[2])
    sums[i] = vec9(s[0], s[1], s[2], s[3], s[4], s[5], y[0], y[1], y[2])


@wp.kernel(enable_backward=False)
def match_along_x(
    first: int,
    low: int,
    high: int,
    down: IntArray,
    up: IntArray,
    slabs: Vec9Array,
    side: float,
    newton_steps: int,
    centers: Vec4Array,
    frames: Quaternions,
    rotations: Quaternions,
    goals: Vec12Array,
):
    """S, X, Y, Z, and from them the fit of the region."""
    i = first + wp.tid()
    s = slabs[i]
    x = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, high + 1):
        n = up[n]
        if n < 0:
            break
        p = slabs[n]
        s += p
        x += float(d) * wp.vec3f(p[0], p[1], p[2])
    n = i
    for d in range(1, low + 1):
        n = down[n]
        if n < 0:
            break
        p = slabs[n]
        s += p
        x -= float(d) * wp.vec3f(p[0], p[1], p[2])
    sums = vec12(s[0], s[1], s[2], x[0], x[1], x[2], s[6], s[7], s[8], s[3], s[4], s[5])
    goals[i] = match_region(i, side, newton_steps, sums, centers, frames, rotations)


@wp.kernel(enable_backward=False)
def spread_along_x(first: int, low: int, high: int, down: IntArray, up: IntArray, goals: Vec12Array, spread: Vec9Array):
    """What the regions along x want of their nodes here, and their y and z columns.

    A region `d` steps above reaches down to this node with -d h times its x column.
    """
    i = first + wp.tid()
    s = goals[i]
    x = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, low + 1):
        n = up[n]
        if n < 0:
            break
        p = goals[n]
        s += p
        x -= float(d) * wp.vec3f(p[3], p[4], p[5])
    n = i
    for d in range(1, high + 1):
        n = down[n]
        if n < 0:
            break
        p = goals[n]
        s += p
        x += float(d) * wp.vec3f(p[3], p[4], p[5])
    spread[i] = vec9(s[0] + x[0], s[1] + x[1], s[2] + x[2], s[6], s[7], s[8], s[9], s[10], s[11])


@wp.kernel(enable_backward=False)
def spread_along_y(first: int, low: int, high: int, down: IntArray, up: IntArray, slabs: Vec9Array, spread: Vec6Array):
    i = first + wp.tid()
    s = slabs[i]
    y = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, low + 1):
        n = up[n]
        if n < 0:
            break
        p = slabs[n]
        s += p
        y -= float(d) * wp.vec3f(p[3], p[4], p[5])
    n = i
    for d in range(1, high + 1):
        n = down[n]
        if n < 0:
            break
        p = slabs[n]
        s += p
        y += float(d) * wp.vec3f(p[3], p[4], p[5])
    spread[i] = vec6(s[0] + y[0], s[1] + y[1], s[2] + y[2], s[6], s[7], s[8])


@wp.kernel(enable_backward=False)
def apply_goals_along_z(
    first: int,
    low: int,
    high: int,
    down: IntArray,
    up: IntArray,
    columns: Vec6Array,
    masses: FloatArray,
    layers: IntArray,
    stiffness: FloatArray,
    points: Points,
    moved: Points,
):
    """Move every node towards its goal g, the mean of what its regions want: x + s (g - x), s by layer."""
    i = first + wp.tid()
    s = columns[i]
    z = wp.vec3f(0.0, 0.0, 0.0)
    n = int(i)
    for d in range(1, low + 1):
        n = up[n]
        if n < 0:
            break
        p = columns[n]
        s += p
        z -= float(d) * wp.vec3f(p[3], p[4], p[5])
    n = i
    for d in range(1, high + 1):
        n = down[n]
        if n < 0:
            break
        p = columns[n]
        s += p
        z += float(d) * wp.vec3f(p[3], p[4], p[5])
    x = points[i]
    goal = masses[i] * (wp.vec3f(s[0], s[1], s[2]) + z)
    moved[i] = x + stiffness[layers[i]] * (goal - x)


# Wide windows: running sums, so that the width costs nothing
#
# Chains are cut into blocks as long as a window. Within a block, sums run forwards (F, up to a node) and backwards (B,
# from a node on), and with them the moment of one slot, counted from that node. A window that is not a block lies in
# two neighbours: B at its first node plus F at its last. Nothing is ever subtracted, so that no digits are lost.


@wp.kernel(enable_backward=False)
def init_sums(first: int, masses: FloatArray, points: Points, sums: Vec12Array):
    """m x, where the passes begin."""
    i = first + wp.tid()
    p = masses[i] * points[i]
    sums[i] = vec12(p[0], p[1], p[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def prefix_sums_along(
    first: int,
    width: int,
    slot: int,
    starts: IntArray,
    down: IntArray,
    up: IntArray,
    values: Vec12Array,
    forward: Vec12Array,
    forward_moment: Points,
    backward: Vec12Array,
    backward_moment: Points,
):
    """Running sums over one block, and running moments of its `slot`."""
    start = starts[first + wp.tid()]
    n = int(start)
    last = int(start)
    total = vec12()
    moment = wp.vec3f(0.0, 0.0, 0.0)
    for _ in range(width):
        last = n
        moment -= block(total, slot)
        total += values[n]
        forward[n] = total
        forward_moment[n] = moment
        n = up[n]
        if n < 0:
            break
    total = vec12()
    moment = wp.vec3f(0.0, 0.0, 0.0)
    n = last
    for _ in range(width):
        moment += block(total, slot)
        total += values[n]
        backward[n] = total
        backward_moment[n] = moment
        if n == start:
            break
        n = down[n]


@wp.kernel(enable_backward=False)
def window_sums_along(
    first: int,
    slot: int,
    into: int,
    sign: float,
    windows: Vec4iArray,
    forward: Vec12Array,
    forward_moment: Points,
    backward: Vec12Array,
    backward_moment: Points,
    sums: Vec12Array,
):
    """Sums over windows; the moment of `slot` times `sign` goes to the slot `into`.

    A window names its first and its last node, -1 where the running sum of the other end says it all, and how far
    those are from the node whose window it is.
    """
    i = first + wp.tid()
    window = windows[i]
    s = vec12()
    moment = wp.vec3f(0.0, 0.0, 0.0)
    if window[0] >= 0:
        b = backward[window[0]]
        s += b
        moment += backward_moment[window[0]] - float(window[2]) * block(b, slot)
    if window[1] >= 0:
        f = forward[window[1]]
        s += f
        moment += forward_moment[window[1]] + float(window[3]) * block(f, slot)
    for k in range(3):
        s[3 * into + k] += sign * moment[k]
    sums[i] = s


@wp.kernel(enable_backward=False)
def match_regions(
    first: int,
    side: float,
    newton_steps: int,
    sums: Vec12Array,
    centers: Vec4Array,
    frames: Quaternions,
    rotations: Quaternions,
    goals: Vec12Array,
):
    i = first + wp.tid()
    goals[i] = match_region(i, side, newton_steps, sums[i], centers, frames, rotations)


@wp.kernel(enable_backward=False)
def apply_goals(
    first: int,
    sums: Vec12Array,
    masses: FloatArray,
    layers: IntArray,
    stiffness: FloatArray,
    points: Points,
    moved: Points,
):
    """Move every node towards its goal, the mean of what its regions want."""
    i = first + wp.tid()
    x = points[i]
    moved[i] = x + stiffness[layers[i]] * (masses[i] * block(sums[i], 0) - x)
