# mypy: ignore-errors
"""Arithmetic of the skeleton on arrays: the system of links and joints.

The system ((M, -J^T), (-J, 0)) of links and joints (skyline_kernels.py) has two blocks of rows for every link, its
velocity and its spin, one for a ball and two for a hinge. Links come before those they hang on, and the rows of a joint
right after the link that hangs on it; then no pivot can vanish.

The system is small and its steps depend on each other, so one thread walks through it.
Symbols as in node_kernels.py; f the bend of a joint in the child's axes, k and d stiffness and damping.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Matrices, Vectors, cross_matrix
from supple.skins.contact.dynamics.skyline_kernels import add_block, add_pair

HINGE = wp.constant(1)


@wp.struct
class Joints:
    """Joints between links, with their springs and what control asks of them.

    `anchors` are the joint in the frames of child and parent, `axes` a hinge's axis and two directions square to it,
    `springs` and `gains` pairs of stiffness and damping.
    """

    children: IntArray
    parents: IntArray
    kinds: IntArray
    anchors: Vectors
    axes: Vectors
    springs: FloatArray
    target_rotations: Matrices
    target_angular_velocities: Vectors
    gains: FloatArray


@wp.struct
class JointLimits:
    """Limits of joints: `limited` and `limit_kinds` say of which joint each is, and what it bounds.

    `lows` and `highs` [rad] are of the angle of a hinge or a ball; `cone_axes`, `cone_middles`, `swings`, `twist_lows`
    and `twist_highs` of swing and twist (`JointCones`). `joint_friction` [N m] is what holds a joint.
    """

    limited: IntArray
    limit_kinds: IntArray
    lows: FloatArray
    highs: FloatArray
    cone_axes: Vectors
    cone_middles: Vectors
    swings: FloatArray
    twist_lows: FloatArray
    twist_highs: FloatArray
    joint_friction: FloatArray


@wp.struct
class Roots:
    """Links that hang on no other: `root_targets` are position, velocity and angular velocity of each."""

    roots: IntArray
    root_targets: Vectors
    root_target_rotations: Matrices
    root_gains: FloatArray


@wp.struct
class Skyline:
    """Where links and joints stand in their system, and how it is kept (skyline_kernels.py)."""

    link_rows: IntArray
    joint_rows: IntArray
    first_columns: IntArray
    row_offsets: IntArray


@wp.func
def rotation_vector(m: wp.mat33d) -> wp.vec3d:
    """Axis times angle, at most pi long."""
    q = wp.normalize(wp.quat_from_matrix(m))
    sign = wp.float64(1.0)
    if q[3] < wp.float64(0.0):
        sign = wp.float64(-1.0)
    v = sign * wp.vec3d(q[0], q[1], q[2])
    sine = wp.length(v)
    if sine < wp.float64(1.0e-12):
        return wp.float64(2.0) * v
    return (wp.float64(2.0) * wp.atan2(sine, sign * q[3]) / sine) * v


@wp.func
def curvature(f: wp.vec3d) -> wp.mat33d:
    """H = a a^T + (t / 2) cot(t / 2) (1 - a a^T), positive up to t = pi; checked against differences."""
    one = wp.identity(n=3, dtype=wp.float64)
    t = wp.length(f)
    if t < wp.float64(1.0e-6):
        return one
    along = wp.outer(f, f) / (t * t)
    half = wp.float64(0.5) * t
    across = wp.max(half / wp.tan(half), wp.float64(0.0))
    return along + across * (one - along)


@wp.kernel(enable_backward=False)
def assemble_links(
    first: int,
    count: int,
    pairs: int,
    entries: int,
    skyline: Skyline,
    links: Links,
    pair_links: IntArray,
    blocks: Matrices,
    values: Matrices,
):
    """M^cond = Mb - sum over nodes, without springs."""
    first_columns = skyline.first_columns
    row_offsets = skyline.row_offsets
    for e in range(entries):
        values[e] = wp.mat33d()
    one = wp.identity(n=3, dtype=wp.float64)
    for i in range(count):
        at = skyline.link_rows[i]
        add_block(at, at, links.masses[i] * one, first_columns, row_offsets, values)
        add_block(at + 1, at, cross_matrix(links.first_moments[i]), first_columns, row_offsets, values)
        add_block(
            at + 1,
            at + 1,
            wp.trace(links.second_moments[i]) * one - links.second_moments[i],
            first_columns,
            row_offsets,
            values,
        )
    for p in range(pairs):
        a = skyline.link_rows[pair_links[2 * p]]
        b = skyline.link_rows[pair_links[2 * p + 1]]
        if a == b:
            add_block(a, a, -blocks[4 * p], first_columns, row_offsets, values)
            add_block(a + 1, a, -blocks[4 * p + 2], first_columns, row_offsets, values)
            add_block(a + 1, a + 1, -blocks[4 * p + 3], first_columns, row_offsets, values)
        else:
            for left in range(2):
                for over in range(2):
                    add_pair(a + left, b + over, -blocks[4 * p + 2 * left + over], first_columns, row_offsets, values)


@wp.kernel(enable_backward=False)
def assemble_joints(
    first: int,
    count: int,
    dt: wp.float64,
    stabilization: wp.float64,
    skyline: Skyline,
    joints: Joints,
    links: Links,
    values: Matrices,
    rhs: Vectors,
):
    """Springs and control of the joints, and the rows -J that hold them together.

    The links' velocities already have what gravity gives all links alike.
    """
    first_columns = skyline.first_columns
    row_offsets = skyline.row_offsets
    one = wp.identity(n=3, dtype=wp.float64)
    for c in range(count):
        child = joints.children[c]
        parent = joints.parents[c]
        a = skyline.link_rows[child]
        b = skyline.link_rows[parent]
        rotation = links.rotations[child]
        relative = wp.transpose(links.rotations[parent]) * rotation
        out = rotation_vector(relative)
        off = rotation_vector(wp.transpose(joints.target_rotations[c]) * relative)
        spin = links.angular_velocities[child] - links.angular_velocities[parent]
        own = wp.transpose(rotation) * spin
        resist = (dt * joints.springs[2 * c]) * curvature(out) + (dt * joints.gains[2 * c]) * curvature(off)
        resist += (joints.springs[2 * c + 1] + joints.gains[2 * c + 1]) * one
        torque = (
            joints.springs[2 * c] * out
            + joints.gains[2 * c] * off
            + resist * own
            - joints.gains[2 * c + 1] * joints.target_angular_velocities[c]
        )
        twist = rotation * (-dt * torque)
        rhs[a + 1] = rhs[a + 1] + twist
        rhs[b + 1] = rhs[b + 1] - twist
        block = dt * (rotation * resist * wp.transpose(rotation))
        add_block(a + 1, a + 1, block, first_columns, row_offsets, values)
        add_block(b + 1, b + 1, block, first_columns, row_offsets, values)
        add_pair(a + 1, b + 1, -block, first_columns, row_offsets, values)

        one_end = links.positions[child] + rotation * joints.anchors[2 * c]
        other_end = links.positions[parent] + links.rotations[parent] * joints.anchors[2 * c + 1]
        middle = wp.float64(0.5) * (one_end + other_end)
        near = middle - links.positions[child]
        far = middle - links.positions[parent]
        velocity = (
            links.velocities[child]
            + wp.cross(links.angular_velocities[child], near)
            - links.velocities[parent]
            - wp.cross(links.angular_velocities[parent], far)
        )
        at = skyline.joint_rows[c]
        add_pair(at, a, -one, first_columns, row_offsets, values)
        add_pair(at, a + 1, cross_matrix(near), first_columns, row_offsets, values)
        add_pair(at, b, one, first_columns, row_offsets, values)
        add_pair(at, b + 1, -cross_matrix(far), first_columns, row_offsets, values)
        rhs[at] = velocity + (stabilization / dt) * (one_end - other_end)
        if joints.kinds[c] == HINGE:
            e = links.rotations[parent] * joints.axes[3 * c + 1]
            f = links.rotations[parent] * joints.axes[3 * c + 2]
            across = wp.matrix_from_rows(e, f, wp.vec3d())
            add_pair(at + 1, a + 1, -across, first_columns, row_offsets, values)
            add_pair(at + 1, b + 1, across, first_columns, row_offsets, values)
            tilt = wp.cross(links.rotations[parent] * joints.axes[3 * c], rotation * joints.axes[3 * c])
            rhs[at + 1] = across * (spin + (stabilization / dt) * tilt)
            last = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))  # the third row says nothing
            add_block(at + 1, at + 1, -wp.outer(last, last), first_columns, row_offsets, values)


@wp.kernel(enable_backward=False)
def assemble_roots(
    first: int, count: int, dt: wp.float64, skyline: Skyline, roots: Roots, links: Links, values: Matrices, rhs: Vectors
):
    """Control of the roots."""
    first_columns = skyline.first_columns
    row_offsets = skyline.row_offsets
    for r in range(count):
        i = roots.roots[r]
        at = skyline.link_rows[i]
        one = wp.identity(n=3, dtype=wp.float64)
        resist = (dt * roots.root_gains[4 * r] + roots.root_gains[4 * r + 1]) * one
        force = (
            roots.root_gains[4 * r] * (links.positions[i] - roots.root_targets[3 * r])
            + resist * links.velocities[i]
            - roots.root_gains[4 * r + 1] * roots.root_targets[3 * r + 1]
        )
        rhs[at] = rhs[at] - dt * force
        add_block(at, at, dt * resist, first_columns, row_offsets, values)
        out = rotation_vector(links.rotations[i] * wp.transpose(roots.root_target_rotations[r]))
        resist = (dt * roots.root_gains[4 * r + 2]) * curvature(out) + roots.root_gains[4 * r + 3] * one
        torque = (
            roots.root_gains[4 * r + 2] * out
            + resist * links.angular_velocities[i]
            - roots.root_gains[4 * r + 3] * roots.root_targets[3 * r + 2]
        )
        rhs[at + 1] = rhs[at + 1] - dt * torque
        add_block(at + 1, at + 1, dt * resist, first_columns, row_offsets, values)


@wp.kernel(enable_backward=False)
def add_velocity_changes(
    first: int,
    link_rows: IntArray,
    solution: Vectors,
    links: Links,
    velocity_changes: Vectors,
    angular_velocity_changes: Vectors,
):
    """The links' changes of velocity, and their new velocities."""
    i = first + wp.tid()
    at = link_rows[i]
    velocity_changes[i] = solution[at]
    angular_velocity_changes[i] = solution[at + 1]
    links.velocities[i] = links.velocities[i] + velocity_changes[i]
    links.angular_velocities[i] = links.angular_velocities[i] + angular_velocity_changes[i]


@wp.kernel(enable_backward=False)
def apply_gravity(first: int, gravities: Vectors, velocities: Vectors):
    """What gravity gives all links alike in a step (the second); the flesh goes along, so nothing else feels it."""
    i = first + wp.tid()
    velocities[i] = velocities[i] + gravities[1]


@wp.kernel(enable_backward=False)
def close_joints(
    first: int,
    count: int,
    joint_count: int,
    resting: int,
    parents_first: IntArray,
    joints: Joints,
    links: Links,
    mass: wp.float64,
    shifts: Vectors,
):
    """Put every link back on the one it hangs on, parents first; a straight step opens joints by second order.

    The centre of all matter stays where it is, or else (`resting`) the roots do.
    """
    for i in range(count):
        shifts[i] = wp.vec3d()
    for q in range(joint_count):
        c = parents_first[q]
        child = joints.children[c]
        parent = joints.parents[c]
        there = links.positions[parent] + shifts[parent] + links.rotations[parent] * joints.anchors[2 * c + 1]
        shifts[child] = there - links.positions[child] - links.rotations[child] * joints.anchors[2 * c]
    mean = wp.vec3d()
    if resting == 0:
        for i in range(count):
            mean += (links.masses[i] / mass) * shifts[i]
    for i in range(count):
        links.positions[i] = links.positions[i] + shifts[i] - mean
