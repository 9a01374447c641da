# mypy: ignore-errors
"""Arithmetic of joint limits, and of the friction that holds joints, as constraints behind those of the contacts."""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import HINGE, JointLimits, Joints, rotation_vector
from supple.skins.contact.dynamics.node_kernels import IntArray, Links
from supple.skins.contact.response.constraint_kernels import (
    BACKWARDS,
    CONTACTS,
    FRICTION,
    SPEED,
    SWING,
    TINY,
    Constraints,
    Flesh,
    Solve,
    SolverState,
    add_coupled_link,
)


@wp.func
def limit_kept_at(item: int, flesh: Flesh, limits: JointLimits) -> int:
    """Where the impulse of a limit is kept: behind those of contacts, four for each joint."""
    at = 4 * flesh.points + 4 * limits.limited[item]
    if limits.limit_kinds[item] > SWING:
        at += limits.limit_kinds[item] - SWING
    return at


@wp.func
def swing_of(axis: wp.vec3d, middle: wp.vec3d, ahead: wp.vec3d, most: wp.float64) -> wp.vec4d:
    """Against which turn (3) a swing is bound, seen where its axis will be `ahead`, and how far it may still go.

    The angle s between axis a and middle c grows as s' = o . (c x a) / |c x a|.
    """
    across = wp.cross(middle, ahead)
    size = wp.length(across)
    if size < wp.float64(1.0e-6):
        return wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(10.0))
    n = -across / size
    angle = wp.atan2(-wp.dot(n, wp.cross(middle, axis)), wp.dot(middle, axis))
    return wp.vec4d(n[0], n[1], n[2], most - angle)


@wp.func
def twist_of(
    relative: wp.mat33d, a: wp.vec3d, half: wp.vec3d, turn: wp.vec3d, low: wp.float64, high: wp.float64
) -> wp.vec4d:
    """Against which turn (3) a twist is bound, on the side that it will be nearer to, and how far it may still go.

    `half` is the sum of the axis now and at rest, in the world, `turn` by how much the joint turns in the step. The
    twist t about the axis grows as t' = o . (a + b) / (1 + a . b), a and b those two.
    """
    q = wp.normalize(wp.quat_from_matrix(relative))
    angle = wp.float64(2.0) * wp.atan2(q[0] * a[0] + q[1] * a[1] + q[2] * a[2], q[3])
    if angle > wp.float64(3.141592653589793):
        angle -= wp.float64(6.283185307179586)
    if angle < wp.float64(-3.141592653589793):
        angle += wp.float64(6.283185307179586)
    size = wp.length(half)
    if size < BACKWARDS:
        return wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(10.0))
    n = half / size
    scale = wp.float64(0.5) * size  # from the twist to the turn about `half`
    ahead = angle + wp.dot(turn, n) / scale
    room = scale * (angle - low)
    if ahead - low >= high - ahead:
        n = -n
        room = scale * (high - angle)
    return wp.vec4d(n[0], n[1], n[2], room)


@wp.kernel(enable_backward=False)
def build_limits(
    first: int,
    solve: Solve,
    counts: IntArray,
    limits: JointLimits,
    joints: Joints,
    links: Links,
    link_rows: IntArray,
    constraints: Constraints,
    flesh: Flesh,
    state: SolverState,
):
    """The constraint of a joint's limit, behind those of the contacts; it begins with what pushed in the step before.

    The limit of a hinge bounds its angle about the axis, from the side that it will be nearer to; that of a ball its
    angle, seen along the way that it is predicted to have turned; or its swing, or its twist. Who is beyond it comes
    back at the speed `limit_speed` [rad/s]. Contacts turn no joint by more than `most_turn` [rad] in the step, unless
    it does so by itself.
    """
    item = first + wp.tid()
    c = limits.limited[item]
    kind = limits.limit_kinds[item]
    row = counts[CONTACTS] + item
    child = joints.children[c]
    parent = joints.parents[c]
    relative = wp.transpose(links.rotations[parent]) * links.rotations[child]
    spin = links.angular_velocities[child] - links.angular_velocities[parent]
    direction = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    room = wp.float64(10.0)
    constraints.radii[row] = wp.float64(-1.0)
    constraints.bounds[row] = wp.float64(-1.0)
    if kind == FRICTION:
        constraints.bounds[row] = solve.dt * limits.joint_friction[c]
    elif kind == SPEED:
        fastest = wp.max(solve.most_turn / solve.dt, wp.length(spin))
        constraints.bends[row] = wp.vec3d()
        constraints.radii[row] = fastest
        room = solve.dt * fastest
    elif kind > 0:  # a swing or a twist
        axis = links.rotations[child] * limits.cone_axes[c]
        bound = wp.vec4d()
        if kind == SWING:
            middle = links.rotations[parent] * limits.cone_middles[c]
            bound = swing_of(axis, middle, axis + solve.dt * wp.cross(spin, axis), limits.swings[c])
        else:
            half = axis + links.rotations[parent] * limits.cone_axes[c]
            turn = solve.dt * spin
            bound = twist_of(relative, limits.cone_axes[c], half, turn, limits.twist_lows[c], limits.twist_highs[c])
        direction = wp.vec3d(bound[0], bound[1], bound[2])
        room = bound[3]
    elif joints.kinds[c] == HINGE:
        axis = links.rotations[child] * joints.axes[3 * c]
        angle = wp.dot(rotation_vector(relative), joints.axes[3 * c])
        ahead = angle + solve.dt * wp.dot(spin, axis)
        direction = -axis
        room = limits.highs[c] - angle
        if ahead - limits.lows[c] < limits.highs[c] - ahead:
            direction = axis
            room = angle - limits.lows[c]
    else:
        bend = links.rotations[child] * rotation_vector(relative)
        ends = bend + solve.dt * spin
        radius = wp.max(limits.highs[c], wp.length(bend) - solve.dt * solve.limit_speed)
        constraints.bends[row] = bend / solve.dt
        constraints.radii[row] = radius / solve.dt
        if wp.length(ends) > wp.float64(1.0e-12):
            direction = -wp.normalize(ends)
        room = radius + wp.dot(direction, bend)
    one = wp.identity(n=3, dtype=wp.float64)
    constraints.counts[row] = 0
    add_coupled_link(row, link_rows[child], wp.mat33d(), one, constraints)
    add_coupled_link(row, link_rows[parent], wp.mat33d(), -one, constraints)
    inverse = wp.float64(1.0) / wp.trace(links.second_moments[child])
    inverse += wp.float64(1.0) / wp.trace(links.second_moments[parent])
    constraints.compliances[row] = solve.limit_firmness * inverse
    constraints.tangent_compliances[row] = solve.limit_firmness * inverse
    constraints.normals[row] = direction
    constraints.frictions[row] = wp.float64(0.0)
    constraints.gaps[row] = room
    constraints.offsets[row] = wp.vec3d()
    constraints.initial_velocities[row] = spin
    constraints.target_velocities[row] = wp.min(-room / solve.dt, solve.limit_speed)
    before = flesh.warm_start[limit_kept_at(item, flesh, limits)]
    if kind == FRICTION:
        constraints.compliances[row] = solve.stiction * inverse
        constraints.tangent_compliances[row] = solve.stiction * inverse
        constraints.target_velocities[row] = wp.float64(0.0)
        state.impulses[row] = wp.min(wp.float64(1.0), constraints.bounds[row] / (wp.length(before) + TINY)) * before
    else:
        state.impulses[row] = wp.max(wp.dot(direction, before), wp.float64(0.0)) * direction
