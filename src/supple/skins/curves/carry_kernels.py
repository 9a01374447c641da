"""Arithmetic that takes the mesh along with curves: one vertex is item `first + tid`.

Symbols: o the offset of a node at rest, T_vi how much node i counts for vertex v, R_v the blended turn of the bones,
x_v the kinematic skin below.
"""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Points, Quaternions, Weights
from supple.skins.kinematic.turn_kernels import blended_turn, turned

Ints = wp.array(dtype=wp.int32)
Numbers = wp.array(dtype=wp.float32)
Nodes = wp.array(dtype=wp.vec3d)


@wp.kernel(enable_backward=False)
def carry(
    first: int,
    rows: Ints,
    columns: Ints,
    values: Numbers,
    nodes: Nodes,
    blocks: int,
    joints: Joints,
    weights: Weights,
    turns: Quaternions,
    below: Points,
    posed: Points,
):
    """x_v + R_v sum_i T_vi o_i."""
    v = first + wp.tid()
    offset = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(rows[v], rows[v + 1]):
        o = nodes[columns[k]]
        offset += values[k] * wp.vec3f(wp.float32(o[0]), wp.float32(o[1]), wp.float32(o[2]))
    posed[v] = below[v] + turned(blended_turn(v, blocks, joints, weights, turns), offset)
