# mypy: ignore-errors
"""The balance of momentum and energy: what came from outside in a step, what is there after it, and both put right.

Bodies that no joint joins have books of their own, so that none feels what happens to another far away.

Symbols as in node_kernels.py; f the bend of a joint in the child's axes, k its stiffness.
"""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import Joints, rotation_vector
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Nodes, Vectors

LINEAR = wp.constant(0)  # places in the books: momentum, angular momentum, energy, first moment of all matter
ANGULAR = wp.constant(3)
ENERGY = wp.constant(6)
MOMENT = wp.constant(7)
SCALE = wp.constant(10)  # by how much motion against the whole was slowed
IMPULSE = wp.constant(11)  # what came from outside in this step: momentum, angular momentum, work
TWIST = wp.constant(14)
WORK = wp.constant(17)
KINETIC = wp.constant(18)
GUARD = wp.constant(19)  # whether the guard of energy took a visible part of the motion
WEAK = wp.constant(wp.float64(0.98))
BALANCE_SIZE = wp.constant(20)


@wp.func
def vector_at(at: int, values: FloatArray) -> wp.vec3d:
    return wp.vec3d(values[at], values[at + 1], values[at + 2])


@wp.func
def add_from_outside(tree: int, impulse: wp.vec3d, twist: wp.vec3d, work: wp.float64, energy_balance: FloatArray):
    """Enter what a body is given from outside: momentum, angular momentum, and work."""
    at = BALANCE_SIZE * tree
    for axis in range(3):
        energy_balance[at + IMPULSE + axis] = energy_balance[at + IMPULSE + axis] + impulse[axis]
        energy_balance[at + TWIST + axis] = energy_balance[at + TWIST + axis] + twist[axis]
    energy_balance[at + WORK] = energy_balance[at + WORK] + wp.max(work, wp.float64(0.0))


@wp.kernel(enable_backward=False)
def begin_energy_balance(first: int, dt: wp.float64, links: Links, gravities: Vectors, energy_balance: FloatArray):
    """What gravity brings a body from outside in this step."""
    tree = first + wp.tid()
    at = BALANCE_SIZE * tree
    mass = wp.float64(0.0)
    for i in range(links.masses.shape[0]):
        if links.trees[i] == tree:
            mass += links.masses[i]
    gravity = gravities[0]
    for axis in range(3):
        energy_balance[at + IMPULSE + axis] = wp.float64(0.0)
        energy_balance[at + TWIST + axis] = wp.float64(0.0)
    energy_balance[at + WORK] = wp.float64(0.0)
    twist = dt * wp.cross(vector_at(at + MOMENT, energy_balance), gravity)
    add_from_outside(tree, (dt * mass) * gravity, twist, wp.float64(0.0), energy_balance)


@wp.kernel(enable_backward=False)
def sum_momentum(
    first: int, starts: IntArray, order: IntArray, nodes: Nodes, links: Links, elastic_forces: Vectors, sums: Vectors
):
    """One piece of the flesh's own momentum, angular momentum, and (kinetic, elastic, 0) energies."""
    piece = first + wp.tid()
    linear = wp.vec3d()
    angular = wp.vec3d()
    kinetic = wp.float64(0.0)
    elastic = wp.float64(0.0)
    for position in range(starts[piece], starts[piece + 1]):
        j = order[position]
        u = nodes.node_velocities[j]
        own = nodes.masses[j] * (nodes.blended_rotations[j] * u)
        mean = wp.vec3d()
        for e in range(nodes.carriers * j, nodes.carriers * j + nodes.carriers):
            i = nodes.links[e]
            turning = wp.cross(links.angular_velocities[i], nodes.arms[e])
            mean += nodes.weights[e] * (links.velocities[i] + turning)
        linear += own
        angular += wp.cross(nodes.positions[j], own)
        kinetic += wp.dot(own, mean) + wp.float64(0.5) * nodes.masses[j] * wp.dot(u, u)
        elastic += wp.float64(0.5) * wp.dot(nodes.displacements[j], elastic_forces[j])
    sums[3 * piece] = linear
    sums[3 * piece + 1] = angular
    sums[3 * piece + 2] = wp.vec3d(kinetic, elastic, wp.float64(0.0))


@wp.kernel(enable_backward=False)
def finish_energy_balance(
    first: int,
    count: int,
    joint_count: int,
    pieces: int,
    kept: int,
    guarded: int,
    gravities: Vectors,
    links: Links,
    joints: Joints,
    block_trees: IntArray,
    sums: Vectors,
    energy_balance: FloatArray,
):
    """Hold the momentum of a body to what came from outside, and its energy to what was there.

    A step is linear, so it misses both by terms of second order. A rigid motion of the whole puts momentum right
    (`kept`); joints do not notice it. If there is more energy than before (`guarded`), motion against the whole is
    slowed until there is not; that changes no momentum, and joints do not notice it either.
    """
    tree = first + wp.tid()
    at = BALANCE_SIZE * tree
    gravity = gravities[0]
    linear = wp.vec3d()
    angular = wp.vec3d()
    kinetic = wp.float64(0.0)
    stored = wp.float64(0.0)
    for piece in range(pieces):
        if block_trees[piece] == tree:
            linear += sums[3 * piece]
            angular += sums[3 * piece + 1]
            kinetic += sums[3 * piece + 2][0]
            stored += sums[3 * piece + 2][1]
    mass = wp.float64(0.0)
    moment = wp.vec3d()
    square = wp.mat33d()
    for i in range(count):
        if links.trees[i] != tree:
            continue
        c = links.positions[i]
        v = links.velocities[i]
        o = links.angular_velocities[i]
        s = links.first_moments[i]
        p = links.masses[i] * v + wp.cross(o, s)
        h = wp.cross(s, v) + wp.trace(links.second_moments[i]) * o - links.second_moments[i] * o
        linear += p
        angular += wp.cross(c, p) + h
        kinetic += wp.float64(0.5) * (wp.dot(v, p) + wp.dot(o, h))
        mass += links.masses[i]
        moment += links.masses[i] * c + s
        square += links.masses[i] * wp.outer(c, c) + wp.outer(c, s) + wp.outer(s, c) + links.second_moments[i]
    for joint in range(joint_count):
        if links.trees[joints.children[joint]] != tree:
            continue
        out = rotation_vector(
            wp.transpose(links.rotations[joints.parents[joint]]) * links.rotations[joints.children[joint]]
        )
        stored += wp.float64(0.5) * joints.springs[2 * joint] * wp.dot(out, out)
    stored -= wp.dot(gravity, moment)
    center = moment / mass
    about = square - mass * wp.outer(center, center)
    inverse = wp.inverse(wp.trace(about) * wp.identity(n=3, dtype=wp.float64) - about)
    half = wp.float64(0.5)
    whole_spin = inverse * (angular - wp.cross(center, linear))
    against = kinetic - half * (wp.dot(linear, linear) / mass + wp.dot(whole_spin, angular - wp.cross(center, linear)))
    whole = linear / mass
    if kept == 1:
        linear = vector_at(at + LINEAR, energy_balance) + vector_at(at + IMPULSE, energy_balance)
        angular = vector_at(at + ANGULAR, energy_balance) + vector_at(at + TWIST, energy_balance)
    new_whole = linear / mass
    new_spin = inverse * (angular - wp.cross(center, linear))
    total = half * (mass * wp.dot(new_whole, new_whole) + wp.dot(new_spin, angular - wp.cross(center, linear)))
    kinetic = total + against
    scale = wp.float64(1.0)
    if guarded == 1:
        excess = kinetic + stored - energy_balance[at + ENERGY] - energy_balance[at + WORK]
        if excess > wp.float64(0.0):
            scale = wp.sqrt(wp.max(wp.float64(0.0), wp.float64(1.0) - excess / wp.max(against, wp.float64(1.0e-300))))
            kinetic = total + scale * scale * against
    if kept == 1 or guarded == 1:
        for i in range(count):
            if links.trees[i] != tree:
                continue
            arm = links.positions[i] - center
            links.velocities[i] = (
                new_whole + wp.cross(new_spin, arm) + scale * (links.velocities[i] - whole - wp.cross(whole_spin, arm))
            )
            links.angular_velocities[i] = new_spin + scale * (links.angular_velocities[i] - whole_spin)
    for axis in range(3):
        energy_balance[at + LINEAR + axis] = linear[axis]
        energy_balance[at + ANGULAR + axis] = angular[axis]
        energy_balance[at + MOMENT + axis] = moment[axis]
    energy_balance[at + ENERGY] = kinetic + stored
    energy_balance[at + KINETIC] = kinetic
    energy_balance[at + SCALE] = scale
    energy_balance[at + GUARD] = wp.float64(0.0)
    if scale < WEAK:
        energy_balance[at + GUARD] = wp.float64(1.0)


@wp.kernel(enable_backward=False)
def scale_node_velocities(first: int, nodes: Nodes, links: Links, energy_balance: FloatArray):
    """Flesh moves against the whole only as fast as the books allow."""
    j = first + wp.tid()
    at = BALANCE_SIZE * links.trees[nodes.links[nodes.carriers * j]]
    nodes.node_velocities[j] = energy_balance[at + SCALE] * nodes.node_velocities[j]
