# mypy: ignore-errors
"""Arithmetic of control: where the motion has the links, and what that asks of joints and roots in a step.

Symbols: the motion has link i at c* and turned by R*, before the step and at its end; now it is at c, turned by R.
A joint has stiffness k and damping d; m and b are mass and centre of all that hangs on it. Doubles everywhere.
Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.geometry.kernels.polar import jacobi_rotation
from supple.skins.contact.dynamics.link_kernels import Joints, Roots, rotation_vector
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Matrices, Vectors

Transforms = wp.array(dtype=wp.mat44d)


@wp.func
def linear_part(m: wp.mat44d) -> wp.mat33d:
    return wp.mat33d(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])


@wp.func
def moving_part(m: wp.mat44d) -> wp.vec3d:
    return wp.vec3d(m[0, 3], m[1, 3], m[2, 3])


@wp.struct
class Animation:
    """Where the motion has the links: before the step, and at its end."""

    previous_positions: Vectors
    previous_rotations: Matrices
    positions: Vectors
    rotations: Matrices


@wp.struct
class Subtrees:
    """All that hangs on each link, itself too: `descendants` from `starts[i]` to `starts[i + 1]`; their mass."""

    starts: IntArray
    descendants: IntArray
    masses: FloatArray


@wp.kernel(enable_backward=False)
def pose_links(
    first: int,
    joints: IntArray,
    joint_from_world: Transforms,
    centers: Vectors,
    world_from_joint: Transforms,
    animation: Animation,
):
    """Where the motion has a link now: c* = M p, R* nearest to M; what it was before is kept."""
    i = first + wp.tid()
    animation.previous_positions[i] = animation.positions[i]
    animation.previous_rotations[i] = animation.rotations[i]
    carry = world_from_joint[joints[i]] * joint_from_world[i]
    linear = linear_part(carry)
    animation.positions[i] = linear * centers[i] + moving_part(carry)
    animation.rotations[i] = jacobi_rotation(linear)


@wp.func
def gravity_torque(i: int, subtrees: Subtrees, links: Links, gravity: wp.vec3d, p: wp.vec3d) -> wp.vec3d:
    """-(b - p) x m g: the torque about p that holds up all that hangs on a link."""
    moment = wp.vec3d()
    for index in range(subtrees.starts[i], subtrees.starts[i + 1]):
        j = subtrees.descendants[index]
        moment += links.masses[j] * (links.positions[j] - p)
    return wp.cross(gravity, moment)


@wp.kernel(enable_backward=False)
def compute_targets(
    first: int,
    count: int,
    dt: wp.float64,
    borne: Vectors,
    subtrees: Subtrees,
    own_gains: FloatArray,
    own_root_gains: FloatArray,
    animation: Animation,
    links: Links,
    joints: Joints,
    roots: Roots,
):
    """What a joint, or behind them a root, is asked for: its pose, its speed, and the speed t / d that bears weight."""
    item = first + wp.tid()
    zero = wp.float64(0.0)
    gravity = borne[0]
    bears = wp.length_sq(gravity) > zero
    if item < count:
        i = joints.children[item]
        up = joints.parents[item]
        was = wp.transpose(animation.previous_rotations[up]) * animation.previous_rotations[i]
        will = wp.transpose(animation.rotations[up]) * animation.rotations[i]
        spin = rotation_vector(wp.transpose(was) * will) / dt
        d = own_gains[2 * item + 1]
        if bears and d > zero:
            p = links.positions[i] + links.rotations[i] * joints.anchors[2 * item]
            t = gravity_torque(i, subtrees, links, gravity, p)
            spin += (wp.transpose(links.rotations[i]) * t) / d
        joints.target_rotations[item] = will
        joints.target_angular_velocities[item] = spin
        joints.gains[2 * item] = own_gains[2 * item]
        joints.gains[2 * item + 1] = d
    else:
        r = item - count
        i = roots.roots[r]
        velocity = (animation.positions[i] - animation.previous_positions[i]) / dt
        spin = rotation_vector(animation.rotations[i] * wp.transpose(animation.previous_rotations[i])) / dt
        for index in range(4 * r, 4 * r + 4):
            roots.root_gains[index] = own_root_gains[index]
        if bears:
            d = own_root_gains[4 * r + 1]
            if d > zero:
                velocity -= (subtrees.masses[i] / d) * gravity
            d = own_root_gains[4 * r + 3]
            if d > zero:
                spin += gravity_torque(i, subtrees, links, gravity, links.positions[i]) / d
        roots.root_targets[3 * r] = animation.positions[i]
        roots.root_targets[3 * r + 1] = velocity
        roots.root_targets[3 * r + 2] = spin
        roots.root_target_rotations[r] = animation.rotations[i]
