# mypy: ignore-errors
"""Arithmetic of single nodes on arrays: where bones carry them, how they swing, what holds them together.

Symbols: k a node where the bones alone carry it and Q how they turn it, x and v the node and its velocity, h the side
of a voxel. Layer 0 is bone. Positions are seen from an origin that goes along with the character, so that no digits are
lost far away; a `shift` is how far that origin has moved in the step.
"""

import warp as wp

from supple.geometry.kernels.oscillator import advance_oscillator, clamp_offset, oscillator_coefficients
from supple.geometry.kernels.rotation import rotate
from supple.skins.kinematic.kernels import Joints, Points, Quaternions, Transforms, Weights, blend_point
from supple.skins.kinematic.rotation_kernels import blend_rotations
from supple.skins.lattice.shape_matching.matching_kernels import FloatArray, IntArray, Vec4Array

Mat33Array = wp.array(dtype=wp.mat33f)
IntTable = wp.array2d(dtype=wp.int32)
FloatTable = wp.array2d(dtype=wp.float32)

DT = wp.constant(0)  # s
GRAVITY = wp.constant(1)  # m/s^2, downwards
REST_INCLUDES_GRAVITY = wp.constant(2)  # 1: the rest shape already hangs as gravity wants it
MAX_OFFSET = wp.constant(3)  # how far nodes may be from where bones carry them, per distance to the bone
STARTING = wp.constant(4)  # 1: flesh begins to move with the body, not from rest
STRETCH = wp.constant(5)  # how much of a wrong distance one pass repairs
VOLUME = wp.constant(6)  # how much of a wrong volume one pass repairs
SECONDARY = wp.constant(7)  # 0: all nodes stay where the bones carry them

ANGULAR_FREQUENCY = wp.constant(0)  # rad/s; 0: nothing but momentum and the lattice
DAMPING = wp.constant(1)  # of the swing
VELOCITY_RETENTION = wp.constant(2)  # share of the velocity that is kept in a step
FOLLOW = wp.constant(3)  # share of its kinematic motion from which a node without a frequency starts

TINY = wp.constant(1.0e-12)
FARTHEST = wp.constant(0.25)  # voxels that a volume may move a node in one pass: flat voxels would jump


@wp.struct
class Nodes:
    """The nodes of a lattice: what they are, where bones carry and turn them, and where they are themselves.

    `softness` is how much of the motion of its bones a node feels as inertia, 0 to 1, `depths` [m] how deep flesh is.
    `before` is where bones carried them in the last step, `predicted` where they would be without their neighbours.
    `external` is what hands do to them: an acceleration [m/s^2], and how much farther [m] than its own reach a node may
    go.
    """

    layers: IntArray
    depths: FloatArray
    softness: FloatArray
    kinematic: Points
    frames: Quaternions
    before: Points
    positions: Points
    velocities: Points
    predicted: Points
    external: Vec4Array


@wp.kernel(enable_backward=False)
def blend_nodes(
    first: int,
    blocks: int,
    rest: Points,
    joints: Joints,
    weights: Weights,
    transforms: Transforms,
    reals: Quaternions,
    kinematic: Points,
    frames: Quaternions,
):
    """Where bones carry a node, and how they turn it."""
    i = first + wp.tid()
    kinematic[i] = blend_point(i, blocks, rest[i], joints, weights, transforms)
    frames[i] = blend_rotations(i, blocks, joints, weights, reals)


@wp.kernel(enable_backward=False)
def mark_bones(first: int, width: int, layers: IntArray, table: IntTable):
    """Say of every neighbour in `table` whether it is bone; see `project_constraints`."""
    i = first + wp.tid()
    for slot in range(width):
        code = table[slot, i]
        if code >= 0:
            table[slot, i] = (code >> 1) * 2 + int(layers[code >> 3] == 0)


@wp.kernel(enable_backward=False)
def prepare_oscillators(first: int, parameters: FloatArray, material: FloatTable, oscillators: Vec4Array):
    """What a step does to the swing of every layer."""
    layer = first + wp.tid()
    frequency = material[layer, ANGULAR_FREQUENCY]
    if frequency > 0.0:
        oscillators[layer] = oscillator_coefficients(frequency, material[layer, DAMPING], parameters[DT])


@wp.kernel(enable_backward=False)
def predict(
    first: int,
    each: int,
    parameters: FloatArray,
    shifts: Points,
    material: FloatTable,
    oscillators: Vec4Array,
    nodes: Nodes,
):
    """Where a node would be after the step, were it not for its neighbours.

    Layers with a frequency w swing about k(t), which moves evenly in the step: with u = x - k and g the pull of gravity
    that the sculpted shape does not know, u'' + 2 n w u' + w^2 u = s (g - k''), solved exactly; s is its softness, and
    v is then u' + s k'. Others keep their momentum and go a share of the way that the bones carry them. Copies of a
    crowd have `each` nodes and a shift of their own.
    """
    i = first + wp.tid()
    shift = shifts[i / each]
    k = nodes.kinematic[i]
    kinematic_step = k - (nodes.before[i] - shift)
    x = nodes.positions[i] - shift
    v = nodes.velocities[i]
    dt = parameters[DT]
    layer = nodes.layers[i]
    soft = nodes.softness[i]
    carried = soft * kinematic_step / dt
    if layer == 0 or parameters[SECONDARY] == 0.0:
        v = carried
        x = k
    else:
        gravity = wp.vec3f(0.0, -parameters[GRAVITY], 0.0)
        load = nodes.external[i]
        included = parameters[REST_INCLUDES_GRAVITY]
        pull = soft * (gravity - included * rotate(nodes.frames[i], gravity)) + wp.vec3f(load[0], load[1], load[2])
        w = material[layer, ANGULAR_FREQUENCY]
        if w > 0.0:
            reach = parameters[MAX_OFFSET] * nodes.depths[i] + load[3]
            rest = pull / (w * w)
            rest *= wp.min(1.0, reach / wp.max(wp.length(rest), TINY))  # it would push against its limit for ever
            u = x - (k - kinematic_step) - rest
            du = (1.0 - parameters[STARTING]) * (v - carried)
            free = advance_oscillator(u, du, oscillators[layer])
            limited = clamp_offset(free[0] + rest, free[1], reach)
            x = k + limited[0]
            v = carried + free[1]  # neighbours may draw it back: it loses speed at its limit when they have
        else:
            v = v + dt * pull
            x = x + material[layer, FOLLOW] * kinematic_step + dt * v
    nodes.before[i] = k
    nodes.positions[i] = x
    nodes.velocities[i] = v
    nodes.predicted[i] = x


@wp.func
def central_difference(i: int, down: int, up: int, points: Points) -> wp.vec3f:
    """Half of the way from the neighbour below to the one above; what is missing counts from the node itself."""
    x = points[i]
    total = wp.vec3f(0.0, 0.0, 0.0)
    if up >= 0:
        total += points[up] - x
    if down >= 0:
        total += x - points[down]
    return 0.5 * total


@wp.func
def own_coefficient(down: int, up: int) -> float:
    """How the slope follows the node itself, in halves: 1 above its end, -1 below it, 0 between two neighbours."""
    return float(int(down >= 0)) - float(int(up >= 0))


@wp.func
def volume_gradients(x: wp.vec3f, y: wp.vec3f, z: wp.vec3f) -> wp.mat33f:
    """Of V = x . (y x z), in columns."""
    return wp.matrix_from_cols(wp.cross(y, z), wp.cross(z, x), wp.cross(x, y))


@wp.kernel(enable_backward=False)
def compute_volume_corrections(
    first: int,
    chains: IntTable,
    rest_volumes: FloatArray,
    weights: FloatArray,
    parameters: FloatArray,
    points: Points,
    corrections: Mat33Array,
):
    """How much the volume of each voxel pushes its neighbours, in columns for x, y and z.

    The eight octants between a voxel and the six points half way to its neighbours have the volume
    V = X . (Y x Z) with X, Y, Z the `slope` along each axis, signs and all [Iwamoto2015, Eq. 11, corrected]. The push
    is -w (V - V_0) / sum |grad V|^2 times the gradient, w the voxel's weight. A voxel without a neighbour along some
    axis has no volume to keep.
    """
    i = first + wp.tid()
    rest = rest_volumes[i]
    correction = wp.mat33f()
    if rest > 0.0:
        sx = central_difference(i, chains[0, i], chains[1, i], points)
        sy = central_difference(i, chains[2, i], chains[3, i], points)
        sz = central_difference(i, chains[4, i], chains[5, i], points)
        g = volume_gradients(sx, sy, sz)
        total = float(0.0)
        alone = wp.vec3f(0.0, 0.0, 0.0)
        for axis in range(3):
            column = wp.vec3f(g[0, axis], g[1, axis], g[2, axis])
            ends = float(int(chains[2 * axis, i] >= 0)) + float(int(chains[2 * axis + 1, i] >= 0))
            total += 0.25 * ends * wp.dot(column, column)
            alone += 0.5 * own_coefficient(chains[2 * axis, i], chains[2 * axis + 1, i]) * column
        total += wp.dot(alone, alone)
        change = wp.dot(sx, wp.vec3f(g[0, 0], g[1, 0], g[2, 0])) - rest
        correction = (-parameters[VOLUME] * weights[i] * change / wp.max(total, TINY * rest)) * g
    corrections[i] = correction


@wp.func
def correction_along(corrections: Mat33Array, n: int, axis: int) -> wp.vec3f:
    m = corrections[n]
    return wp.vec3f(m[0, axis], m[1, axis], m[2, axis])


@wp.kernel(enable_backward=False)
def project_constraints(
    first: int,
    side: float,
    width: int,
    table: IntTable,
    chains: IntTable,
    rest_volumes: FloatArray,
    layers: IntArray,
    parameters: FloatArray,
    corrections: Mat33Array,
    points: Points,
    moved: Points,
):
    """Bring every node nearer to the distances and volumes it had: the mean of what its neighbours want of it.

    `table` holds up to `width` neighbours of a node, each as 8 n + 2 c + b: n the node, c how many coordinates of its
    cell differ (so that they are l = h sqrt(c) apart), b 1 for bone, which does not give way; -1 for none. The way to
    the right distance, (l - |a|) / 2 |a| times a, is taken as (l^2 / (|a|^2 + l^2) - 1/2) a: the same where it is
    short, never more than half of a, and without a root [Jakobsen2001].
    """
    i = first + wp.tid()
    x = points[i]
    if layers[i] > 0:
        total = wp.vec3f(0.0, 0.0, 0.0)
        count = float(0.0)
        if parameters[STRETCH] > 0.0:
            for slot in range(width):
                code = table[slot, i]
                if code >= 0:
                    away = x - points[code >> 3]
                    squared = side * side * float((code >> 1) & 3)
                    ratio = squared / (wp.dot(away, away) + squared) - 0.5
                    total += (1.0 + float(code & 1)) * ratio * away
                    count += 1.0
            x += parameters[STRETCH] * total / wp.max(count, 1.0)
        if parameters[VOLUME] > 0.0:
            correction = wp.vec3f(0.0, 0.0, 0.0)
            voxels = float(0.0)
            for axis in range(3):
                below = chains[2 * axis, i]
                above = chains[2 * axis + 1, i]
                if below >= 0:
                    correction += 0.5 * correction_along(corrections, below, axis)
                    voxels += wp.where(rest_volumes[below] > 0.0, 1.0, 0.0)
                if above >= 0:
                    correction -= 0.5 * correction_along(corrections, above, axis)
                    voxels += wp.where(rest_volumes[above] > 0.0, 1.0, 0.0)
                correction += 0.5 * own_coefficient(below, above) * correction_along(corrections, i, axis)
            correction = correction / (voxels + 1.0)
            x += wp.min(1.0, FARTHEST * side / wp.max(wp.length(correction), TINY)) * correction
    moved[i] = x


@wp.kernel(enable_backward=False)
def measure_forces(first: int, mass: float, material: FloatTable, nodes: Nodes, forces: Points):
    """The force of its spring on a node of some `mass` [kg], -m w^2 (x - k), and of those who push it."""
    i = first + wp.tid()
    force = wp.vec3f(0.0, 0.0, 0.0)
    layer = nodes.layers[i]
    if layer > 0:
        w = material[layer, ANGULAR_FREQUENCY]
        load = nodes.external[i]
        force = mass * (wp.vec3f(load[0], load[1], load[2]) - w * w * (nodes.positions[i] - nodes.kinematic[i]))
    forces[i] = force


@wp.kernel(enable_backward=False)
def update_velocities(first: int, parameters: FloatArray, material: FloatTable, nodes: Nodes):
    """Keep what the lattice made of the step; nothing goes farther from its bones than it may."""
    i = first + wp.tid()
    layer = nodes.layers[i]
    if layer > 0:
        k = nodes.kinematic[i]
        v = nodes.velocities[i] + (nodes.positions[i] - nodes.predicted[i]) / parameters[DT]
        limited = clamp_offset(
            nodes.positions[i] - k, v, parameters[MAX_OFFSET] * nodes.depths[i] + nodes.external[i][3]
        )
        nodes.positions[i] = k + limited[0]
        nodes.velocities[i] = material[layer, VELOCITY_RETENTION] * limited[1]
