# mypy: ignore-errors
"""Arithmetic that takes the mesh along with curves: one vertex is item `first + tid`.

Symbols: o the offset of a node at rest, T_vi how much node i counts for vertex v, R_v the blended turn of the bones,
x_v the kinematic skin below. The entries of T come in blocks of four: vertex v has those from rows[v] to rows[v + 1].
"""

import warp as wp

from supple.geometry.kernels.rotation import rotate
from supple.skins.kinematic.kernels import Joints, Points, Quaternions, Weights
from supple.skins.kinematic.rotation_kernels import blend_rotations

IntArray = wp.array(dtype=wp.int32)
Columns = wp.array(dtype=wp.vec4i)
Values = wp.array(dtype=wp.vec4f)
Nodes = wp.array(dtype=wp.vec3d)


@wp.kernel(enable_backward=False)
def mix_examples(
    first: int,
    examples: int,
    count: int,
    part_of: IntArray,
    counts: IntArray,
    shapes: Points,
    w: wp.array(dtype=wp.float32),
    nodes: Points,
):
    """sum_e w_e o_e of one of `count` nodes; its part has a row of `examples` weights."""
    i = first + wp.tid()
    part = part_of[i]
    mixed = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(counts[part]):
        mixed += w[part * examples + e] * shapes[e * count + i]
    nodes[i] = mixed


@wp.kernel(enable_backward=False)
def to_single(first: int, nodes: Nodes, singles: Points):
    """Nodes in single precision: the mesh reads each of them many times, and half as much is read twice as fast."""
    i = first + wp.tid()
    o = nodes[i]
    singles[i] = wp.vec3f(wp.float32(o[0]), wp.float32(o[1]), wp.float32(o[2]))


@wp.kernel(enable_backward=False)
def carry(
    first: int,
    rows: IntArray,
    columns: Columns,
    values: Values,
    nodes: Points,
    blocks: int,
    joints: Joints,
    weights: Weights,
    rotations: Quaternions,
    below: Points,
    posed: Points,
):
    """x_v + R_v sum_i T_vi o_i."""
    v = first + wp.tid()
    offset = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(rows[v], rows[v + 1]):
        c = columns[k]
        t = values[k]
        offset += t[0] * nodes[c[0]] + t[1] * nodes[c[1]] + t[2] * nodes[c[2]] + t[3] * nodes[c[3]]
    posed[v] = below[v] + rotate(blend_rotations(v, blocks, joints, weights, rotations), offset)
