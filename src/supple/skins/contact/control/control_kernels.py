# mypy: ignore-errors
"""Arithmetic of control: where the motion has the links, and what that asks of joints and roots in a step.

Symbols: the motion has link i at c* and turned by R*, before the step and at its end; now it is at c, turned by R.
A joint has stiffness k and damping d; m and b are mass and centre of all that hangs on it. Doubles everywhere.
Every kernel works on item `first + tid`.
"""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import rotation_vector
from supple.skins.contact.dynamics.node_kernels import Matrices, Numbers, Vectors, Whole

Transforms = wp.array(dtype=wp.mat44d)


@wp.func
def linear_part(m: wp.mat44d) -> wp.mat33d:
    return wp.mat33d(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])


@wp.func
def moving_part(m: wp.mat44d) -> wp.vec3d:
    return wp.vec3d(m[0, 3], m[1, 3], m[2, 3])


@wp.func
def nearest_rotation(m: wp.mat33d) -> wp.mat33d:
    """The proper rotation nearest to a matrix; to flat and mirrored ones too.

    m = U S V^T, with V from m^T m by Jacobi's method. The axes of the two largest stretches are turned as m turns them,
    the third goes along.
    """
    zero = wp.float64(0.0)
    one = wp.float64(1.0)
    s = wp.transpose(m) * m
    v = wp.identity(n=3, dtype=wp.float64)
    again = int(1)
    sweeps = int(0)
    while again == 1 and sweeps < 16:
        again = 0
        sweeps += 1
        for pair in range(3):
            p = pair // 2
            q = 1 + (pair + 1) // 2
            if wp.abs(s[p, q]) > wp.float64(1.0e-15) * (s[p, p] + s[q, q]):
                again = 1
                x = (s[q, q] - s[p, p]) / (wp.float64(2.0) * s[p, q])
                t = one / (wp.abs(x) + wp.sqrt(x * x + one))
                if x < zero:
                    t = -t
                c = one / wp.sqrt(t * t + one)
                rotation = wp.identity(n=3, dtype=wp.float64)
                rotation[p, p] = c
                rotation[q, q] = c
                rotation[p, q] = t * c
                rotation[q, p] = -t * c
                s = wp.transpose(rotation) * s * rotation
                v = v * rotation
    large = int(0)
    small = int(0)
    for axis in range(1, 3):
        if s[axis, axis] > s[large, large]:
            large = axis
        if s[axis, axis] <= s[small, small]:
            small = axis
    middle = 3 - large - small
    if large == small:  # no numbers at all
        return wp.identity(n=3, dtype=wp.float64)
    back = wp.transpose(v)
    along = back[large]
    across = back[middle]
    a = m * along
    size = wp.length(a)
    if size == zero:
        return wp.identity(n=3, dtype=wp.float64)
    a = a / size
    b = m * across
    b = b - wp.dot(a, b) * a
    if wp.length(b) <= wp.float64(1.0e-14) * size:  # flat as a needle: any turn about it will do
        b = across - wp.dot(a, across) * a
        if wp.length(b) < wp.float64(0.5):
            b = wp.cross(along, across)
            b = b - wp.dot(a, b) * a
    b = wp.normalize(b)
    return wp.outer(a, along) + wp.outer(b, across) + wp.outer(wp.cross(a, b), wp.cross(along, across))


@wp.kernel(enable_backward=False)
def place_links(
    first: int,
    joints: Whole,
    joint_from_world: Transforms,
    centres: Vectors,
    world_from_joint: Transforms,
    previous_positions: Vectors,
    previous_rotations: Matrices,
    positions: Vectors,
    rotations: Matrices,
):
    """Where the motion has a link now: c* = M p, R* nearest to M; what it was before is kept."""
    i = first + wp.tid()
    previous_positions[i] = positions[i]
    previous_rotations[i] = rotations[i]
    carry = world_from_joint[joints[i]] * joint_from_world[i]
    linear = linear_part(carry)
    positions[i] = linear * centres[i] + moving_part(carry)
    rotations[i] = nearest_rotation(linear)


@wp.func
def weight_on(
    i: int, starts: Whole, hanging: Whole, masses: Numbers, positions: Vectors, gravity: wp.vec3d, p: wp.vec3d
) -> wp.vec3d:
    """-(b - p) x m g: the torque about p that holds up all that hangs on a link."""
    moment = wp.vec3d()
    for position in range(starts[i], starts[i + 1]):
        j = hanging[position]
        moment += masses[j] * (positions[j] - p)
    return wp.cross(gravity, moment)


@wp.kernel(enable_backward=False)
def ask(
    first: int,
    count: int,
    dt: wp.float64,
    bears: int,
    gravity: wp.vec3d,
    children: Whole,
    parents: Whole,
    roots: Whole,
    ends: Vectors,
    masses: Numbers,
    loads: Numbers,
    starts: Whole,
    hanging: Whole,
    own_gains: Numbers,
    own_root_gains: Numbers,
    previous_positions: Vectors,
    previous_rotations: Matrices,
    positions: Vectors,
    rotations: Matrices,
    now: Vectors,
    turned: Matrices,
    target_rotations: Matrices,
    target_spins: Vectors,
    gains: Numbers,
    wanted: Vectors,
    wanted_rotations: Matrices,
    root_gains: Numbers,
):
    """What a joint, or behind them a root, is asked for: its pose, its speed, and the speed t / d that bears weight."""
    item = first + wp.tid()
    zero = wp.float64(0.0)
    if item < count:
        i = children[item]
        up = parents[item]
        was = wp.transpose(previous_rotations[up]) * previous_rotations[i]
        will = wp.transpose(rotations[up]) * rotations[i]
        spin = rotation_vector(wp.transpose(was) * will) / dt
        d = own_gains[2 * item + 1]
        if bears == 1 and d > zero:
            p = now[i] + turned[i] * ends[2 * item]
            t = weight_on(i, starts, hanging, masses, now, gravity, p)
            spin += (wp.transpose(turned[i]) * t) / d
        target_rotations[item] = will
        target_spins[item] = spin
        gains[2 * item] = own_gains[2 * item]
        gains[2 * item + 1] = d
    else:
        r = item - count
        i = roots[r]
        pace = (positions[i] - previous_positions[i]) / dt
        spin = rotation_vector(rotations[i] * wp.transpose(previous_rotations[i])) / dt
        for position in range(4 * r, 4 * r + 4):
            root_gains[position] = own_root_gains[position]
        if bears == 1:
            d = own_root_gains[4 * r + 1]
            if d > zero:
                pace -= (loads[i] / d) * gravity
            d = own_root_gains[4 * r + 3]
            if d > zero:
                spin += weight_on(i, starts, hanging, masses, now, gravity, now[i]) / d
        wanted[3 * r] = positions[i]
        wanted[3 * r + 1] = pace
        wanted[3 * r + 2] = spin
        wanted_rotations[r] = rotations[i]
