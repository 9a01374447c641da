# mypy: ignore-errors
"""Arithmetic of joint limits, and of the friction that holds joints, as constraints behind those of the contacts."""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import HINGE, JointLimits, Joints, rotation_vector
from supple.skins.contact.dynamics.node_kernels import IntArray, Links
from supple.skins.contact.response.constraint_kernels import (
    BACKWARDS,
    CONTACTS,
    FRICTION,
    ISLAND,
    SPEED,
    SWING,
    TINY,
    TWIST,
    Constraints,
    Flesh,
    Solve,
    SolverState,
    add_coupled_link,
)

FAR = wp.constant(wp.float64(1.0e30))  # [m/s]: as fast as nothing goes
TURN = wp.constant(wp.float64(6.283185307179586))


@wp.func
def limit_kept_at(item: int, flesh: Flesh, limits: JointLimits) -> int:
    """Where the impulse of a limit is kept: behind those of contacts, four for each joint."""
    at = flesh.first_limit + 4 * limits.limited[item]
    if limits.limit_kinds[item] > SWING:
        at += limits.limit_kinds[item] - SWING
    return at


@wp.func
def swing_of(axis: wp.vec3d, middle: wp.vec3d) -> wp.vec3d:
    """The swing (3) [rad] that turns `middle` into `axis` by the shortest way."""
    across = wp.cross(middle, axis)
    size = wp.length(across)
    angle = wp.atan2(size, wp.dot(middle, axis))
    if size < wp.float64(1.0e-9):
        if angle < wp.float64(1.0):
            return across
        # Right behind, by any way.
        side = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
        if wp.abs(axis[0]) > wp.float64(0.7):
            side = wp.vec3d(wp.float64(0.0), wp.float64(1.0), wp.float64(0.0))
        across = wp.cross(axis, side)
        size = wp.length(across)
    return (angle / size) * across


@wp.func
def twist_of(relative: wp.mat33d, a: wp.vec3d) -> wp.float64:
    """How far a joint is twisted about its axis a."""
    q = wp.normalize(wp.quat_from_matrix(relative))
    return wp.float64(2.0) * wp.atan2(q[0] * a[0] + q[1] * a[1] + q[2] * a[2], q[3])


@wp.func
def within_turn(angle: wp.float64, low: wp.float64, high: wp.float64) -> wp.float64:
    """An angle less the middle of what it may be, of all turns the one that is nearest to that."""
    away = angle - wp.float64(0.5) * (low + high)
    if high - low < TURN:
        away -= TURN * wp.round(away / TURN)
    return away


@wp.func
def leave_alone(row: int, constraints: Constraints, state: SolverState):
    """A constraint that nothing can violate."""
    one = wp.float64(1.0)
    constraints.counts[row] = 0
    constraints.radii[row] = -one
    constraints.bounds[row] = -one
    constraints.compliances[row] = one
    constraints.tangent_compliances[row] = one
    constraints.normals[row] = wp.vec3d(one, wp.float64(0.0), wp.float64(0.0))
    constraints.frictions[row] = wp.float64(0.0)
    constraints.gaps[row] = one
    constraints.bends[row] = wp.vec3d()
    constraints.offsets[row] = wp.vec3d()
    constraints.initial_velocities[row] = wp.vec3d()
    constraints.target_velocities[row] = -FAR
    state.impulses[row] = wp.vec3d()


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
    islands: IntArray,
    flesh: Flesh,
    state: SolverState,
):
    """The constraint of a joint's limit, behind those of the contacts; it begins with what pushed in the step before.

    Each bounds how far a joint is turned, from the middle of what it may, at the end of the step: a hinge about its
    axis, a ball by all of its turn, or by its swing, which is a vector across its axis, and by its twist. So one that
    turns along its limit does not leave it on a tangent, and none goes through it to the other side. Who is beyond it
    comes back at the speed `limit_speed` [rad/s]. Contacts turn no joint by more than `most_turn` [rad] in the step,
    unless it does so by itself. Joints of other `islands` of links are left alone.
    """
    item = first + wp.tid()
    c = limits.limited[item]
    kind = limits.limit_kinds[item]
    row = counts[CONTACTS] + item
    child = joints.children[c]
    parent = joints.parents[c]
    if islands[child] != counts[ISLAND]:
        leave_alone(row, constraints, state)
        return
    relative = wp.transpose(links.rotations[parent]) * links.rotations[child]
    spin = links.angular_velocities[child] - links.angular_velocities[parent]
    one = wp.identity(n=3, dtype=wp.float64)
    within = one  # of all turns, those that are bound
    bend = wp.vec3d()  # how far it is turned that way
    most = wp.float64(0.0)
    if kind == SPEED:
        most = wp.max(solve.most_turn, solve.dt * wp.length(spin))
    elif kind == SWING:
        axis = links.rotations[child] * limits.cone_axes[c]
        bend = swing_of(axis, links.rotations[parent] * limits.cone_middles[c])
        within = one - wp.outer(axis, axis)
        most = limits.swings[c]
    elif kind == TWIST:
        # The twist t about the axis a, which is b at rest, grows by a turn o as t' = o . (a + b) / (1 + a . b).
        axis = links.rotations[child] * limits.cone_axes[c]
        half = axis + links.rotations[parent] * limits.cone_axes[c]
        size = wp.length(half)
        low = limits.twist_lows[c]
        high = limits.twist_highs[c]
        most = wp.float64(10.0)
        if size >= BACKWARDS and high - low < TURN:
            n = half / size
            within = wp.outer(n, n)
            scale = wp.float64(0.5) * size  # from the twist to the turn about n
            bend = scale * within_turn(twist_of(relative, limits.cone_axes[c]), low, high) * n
            most = wp.float64(0.5) * scale * (high - low)
    elif joints.kinds[c] == HINGE:
        n = links.rotations[child] * joints.axes[3 * c]
        within = wp.outer(n, n)
        low = wp.max(limits.lows[c], -TURN)
        high = wp.min(limits.highs[c], TURN)
        bend = within_turn(wp.dot(rotation_vector(relative), joints.axes[3 * c]), low, high) * n
        most = wp.float64(0.5) * (high - low)
    else:
        bend = links.rotations[child] * rotation_vector(relative)
        most = limits.highs[c]
    spin = within * spin
    direction = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    room = wp.float64(10.0)
    constraints.radii[row] = wp.float64(-1.0)
    constraints.bounds[row] = wp.float64(-1.0)
    constraints.bends[row] = bend / solve.dt
    if kind == FRICTION:
        constraints.bounds[row] = solve.dt * limits.joint_friction[c]
    else:
        most = wp.max(most, wp.length(bend) - solve.dt * solve.limit_speed)
        constraints.radii[row] = most / solve.dt
        ends = bend + solve.dt * spin
        if wp.length(ends) > wp.float64(1.0e-12):
            direction = -wp.normalize(ends)
        room = most + wp.dot(direction, bend)
    constraints.counts[row] = 0
    add_coupled_link(row, link_rows[child], wp.mat33d(), within, constraints)
    add_coupled_link(row, link_rows[parent], wp.mat33d(), -within, constraints)
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
        # What lies ends where it pushed before, which is not the way that it would turn without that.
        state.impulses[row] = wp.vec3d()
        if wp.dot(direction, before) > wp.float64(0.0):
            state.impulses[row] = within * before
