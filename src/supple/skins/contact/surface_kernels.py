# mypy: ignore-errors
"""Arithmetic of what goes along with the links: all joints, and the skin over flesh which has left its bones."""

import warp as wp

from supple.skins.contact.control.control_kernels import Transforms, linear_part, moving_part
from supple.skins.contact.dynamics.node_kernels import IntArray, Matrices, Vectors
from supple.skins.kinematic.kernels import Transforms as Skinning
from supple.skins.kinematic.kernels import mat34

Points = wp.array(dtype=wp.vec3f)
FloatArray = wp.array(dtype=wp.float32)


@wp.kernel(enable_backward=False)
def carry_bones(
    first: int,
    of_joint: IntArray,
    joint_from_world: Transforms,
    world_from_joint: Transforms,
    animated_positions: Vectors,
    animated_rotations: Matrices,
    positions: Vectors,
    rotations: Matrices,
    bones: Transforms,
    skinning: Skinning,
):
    """Where a joint is: as the motion has it, seen from its link, wherever that is now; and where it carries skin."""
    j = first + wp.tid()
    i = of_joint[j]
    rotation = rotations[i] * wp.transpose(animated_rotations[i])
    a = rotation * linear_part(world_from_joint[j])
    c = positions[i] + rotation * (moving_part(world_from_joint[j]) - animated_positions[i])
    z = wp.float64(0.0)
    bone = wp.mat44d(
        a[0, 0],
        a[0, 1],
        a[0, 2],
        c[0],
        a[1, 0],
        a[1, 1],
        a[1, 2],
        c[1],
        a[2, 0],
        a[2, 1],
        a[2, 2],
        c[2],
        z,
        z,
        z,
        wp.float64(1.0),
    )
    bones[j] = bone
    carry = bone * joint_from_world[j]
    skin = mat34()
    for row in range(3):
        for column in range(4):
            skin[row, column] = wp.float32(carry[row, column])
    skinning[j] = skin


@wp.kernel(enable_backward=False)
def rotate_offsets(first: int, blended_rotations: Matrices, displacements: Vectors, rest_sag: Vectors, offsets: Points):
    """What flesh has left its bones by, in the world: R_W u of every free node."""
    j = first + wp.tid()
    offsets[j] = wp.vec3f(blended_rotations[j] * (displacements[j] - rest_sag[j]))


@wp.kernel(enable_backward=False)
def carry_skin(
    first: int,
    width: int,
    corners: IntArray,
    weights: FloatArray,
    follow_weights: FloatArray,
    offsets: Points,
    carried: Points,
    skin: Points,
):
    """Where the bones carry the skin, and what the flesh around it adds: x = s + along sum_k share_k d_k."""
    v = first + wp.tid()
    d = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(width * v, width * v + width):
        d += weights[e] * offsets[corners[e]]
    skin[v] = carried[v] + follow_weights[v] * d
