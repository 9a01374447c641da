# mypy: ignore-errors
"""Arithmetic of single nodes on arrays: where bones carry them, how they swing, what holds them together.

Symbols: k a node where the bones alone carry it and Q how they turn it, x and v the node and its velocity, h the side
of a voxel. Layer 0 is bone. Positions are seen from an origin that goes along with the character, so that no digits are
lost far away; a `shift` is how far that origin has moved in the step.
"""

import warp as wp

from supple.geometry.kernels.oscillator import advance_oscillator, clamp_offset, oscillator_coefficients
from supple.geometry.kernels.rotation import quat_multiply, rotate
from supple.skins.kinematic.kernels import (
    Joints,
    Points,
    Quaternions,
    Transforms,
    Weights,
    blend_point,
    mat34,
    transform_affine,
)
from supple.skins.kinematic.rotation_kernels import blend_rotations
from supple.skins.lattice.matching_kernels import Numbers, Whole

Matrices = wp.array(dtype=wp.mat33f)
Tables = wp.array2d(dtype=wp.int32)
Materials = wp.array2d(dtype=wp.float32)
Helps = wp.array(dtype=wp.vec4f)

DT = wp.constant(0)  # s
GRAVITY = wp.constant(1)  # m/s^2, downwards
SCULPTED = wp.constant(2)  # 1: the rest shape already hangs as gravity wants it
REACH = wp.constant(3)  # how far nodes may be from where bones carry them, as a share of their distance to the bone
JOINING = wp.constant(4)  # 1: flesh begins to move with the body, not from rest
STRETCH = wp.constant(5)  # how much of a wrong distance one pass repairs
VOLUME = wp.constant(6)  # how much of a wrong volume one pass repairs
SECONDARY = wp.constant(7)  # 0: all nodes stay where the bones carry them

PACE = wp.constant(0)  # rad/s; 0: nothing but momentum and the lattice
DAMPING = wp.constant(1)  # of the swing
KEPT = wp.constant(2)  # share of the velocity that is kept in a step
FOLLOW = wp.constant(3)  # share of its kinematic motion from which a node without a pace starts

TINY = wp.constant(1.0e-12)
FARTHEST = wp.constant(0.25)  # voxels that a volume may move a node in one pass: flat voxels would jump


@wp.kernel(enable_backward=False)
def carry_nodes(
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
def swing_layers(first: int, knobs: Numbers, material: Materials, swings: Quaternions):
    """What a step does to the swing of every layer."""
    layer = first + wp.tid()
    if material[layer, PACE] > 0.0:
        swings[layer] = oscillator_coefficients(material[layer, PACE], material[layer, DAMPING], knobs[DT])


@wp.kernel(enable_backward=False)
def predict(
    first: int,
    each: int,
    knobs: Numbers,
    shifts: Points,
    layers: Whole,
    material: Materials,
    swings: Quaternions,
    depths: Numbers,
    kinematic: Points,
    frames: Quaternions,
    before: Points,
    positions: Points,
    velocities: Points,
    helps: Helps,
    predicted: Points,
):
    """Where a node would be after the step, were it not for its neighbours.

    Layers with a pace w swing about k(t), which moves evenly in the step: with u = x - k and g the pull of gravity that
    the sculpted shape does not know, u'' + 2 n w u' + w^2 u = g, solved exactly. Others keep their momentum and go a
    share of the way that the bones carry them. Copies of a crowd have `each` nodes and a shift of their own. `helps` is
    what hands do: an acceleration, and how much farther a node may go.
    """
    i = first + wp.tid()
    shift = shifts[i / each]
    k = kinematic[i]
    drawn = k - (before[i] - shift)
    x = positions[i] - shift
    v = velocities[i]
    dt = knobs[DT]
    layer = layers[i]
    if layer == 0 or knobs[SECONDARY] == 0.0:
        v = drawn / dt
        x = k
    else:
        gravity = wp.vec3f(0.0, -knobs[GRAVITY], 0.0)
        help = helps[i]
        pull = gravity - knobs[SCULPTED] * rotate(frames[i], gravity) + wp.vec3f(help[0], help[1], help[2])
        w = material[layer, PACE]
        if w > 0.0:
            rest = pull / (w * w)
            u = x - (k - drawn) - rest
            du = (1.0 - knobs[JOINING]) * (v - drawn / dt)
            free = advance_oscillator(u, du, swings[layer])
            held = clamp_offset(free[0] + rest, free[1], knobs[REACH] * depths[i] + help[3])
            x = k + held[0]
            v = drawn / dt + held[1]
        else:
            v = v + dt * pull
            x = x + material[layer, FOLLOW] * drawn + dt * v
    before[i] = k
    positions[i] = x
    velocities[i] = v
    predicted[i] = x


@wp.func
def slope(i: int, down: int, up: int, points: Points) -> wp.vec3f:
    """Half of the way from the neighbour below to the one above; what is missing counts from the node itself."""
    x = points[i]
    total = wp.vec3f(0.0, 0.0, 0.0)
    if up >= 0:
        total += points[up] - x
    if down >= 0:
        total += x - points[down]
    return 0.5 * total


@wp.func
def missing(down: int, up: int) -> float:
    """How the slope follows the node itself, in halves: 1 above its end, -1 below it, 0 between two neighbours."""
    return float(int(down >= 0)) - float(int(up >= 0))


@wp.func
def gradients(x: wp.vec3f, y: wp.vec3f, z: wp.vec3f) -> wp.mat33f:
    """Of V = x . (y x z), in columns."""
    return wp.matrix_from_cols(wp.cross(y, z), wp.cross(z, x), wp.cross(x, y))


@wp.kernel(enable_backward=False)
def measure_volumes(
    first: int,
    chains: Tables,
    rest_volumes: Numbers,
    weights: Numbers,
    knobs: Numbers,
    points: Points,
    pushes: Matrices,
):
    """How much the volume of each voxel pushes its neighbours, in columns for x, y and z.

    The eight octants between a voxel and the six points half way to its neighbours have the volume
    V = X . (Y x Z) with X, Y, Z the `slope` along each axis, signs and all [Iwamoto2015, Eq. 11, corrected]. The push
    is -w (V - V_0) / sum |grad V|^2 times the gradient, w the voxel's weight. A voxel without a neighbour along some
    axis has no volume to keep.
    """
    i = first + wp.tid()
    rest = rest_volumes[i]
    pushed = wp.mat33f()
    if rest > 0.0:
        sx = slope(i, chains[0, i], chains[1, i], points)
        sy = slope(i, chains[2, i], chains[3, i], points)
        sz = slope(i, chains[4, i], chains[5, i], points)
        g = gradients(sx, sy, sz)
        total = float(0.0)
        alone = wp.vec3f(0.0, 0.0, 0.0)
        for axis in range(3):
            column = wp.vec3f(g[0, axis], g[1, axis], g[2, axis])
            ends = float(int(chains[2 * axis, i] >= 0)) + float(int(chains[2 * axis + 1, i] >= 0))
            total += 0.25 * ends * wp.dot(column, column)
            alone += 0.5 * missing(chains[2 * axis, i], chains[2 * axis + 1, i]) * column
        total += wp.dot(alone, alone)
        change = wp.dot(sx, wp.vec3f(g[0, 0], g[1, 0], g[2, 0])) - rest
        pushed = (-knobs[VOLUME] * weights[i] * change / wp.max(total, TINY * rest)) * g
    pushes[i] = pushed


@wp.func
def column_of(pushes: Matrices, n: int, axis: int) -> wp.vec3f:
    m = pushes[n]
    return wp.vec3f(m[0, axis], m[1, axis], m[2, axis])


@wp.kernel(enable_backward=False)
def hold_together(
    first: int,
    side: float,
    width: int,
    table: Tables,
    chains: Tables,
    rest_volumes: Numbers,
    layers: Whole,
    knobs: Numbers,
    pushes: Matrices,
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
        if knobs[STRETCH] > 0.0:
            for slot in range(width):
                code = table[slot, i]
                if code >= 0:
                    away = x - points[code >> 3]
                    wanted = side * side * float((code >> 1) & 3)
                    share = wanted / (wp.dot(away, away) + wanted) - 0.5
                    total += (1.0 + float(code & 1)) * share * away
                    count += 1.0
            x += knobs[STRETCH] * total / wp.max(count, 1.0)
        if knobs[VOLUME] > 0.0:
            push = wp.vec3f(0.0, 0.0, 0.0)
            voxels = float(0.0)
            for axis in range(3):
                below = chains[2 * axis, i]
                above = chains[2 * axis + 1, i]
                if below >= 0:
                    push += 0.5 * column_of(pushes, below, axis)
                    voxels += wp.where(rest_volumes[below] > 0.0, 1.0, 0.0)
                if above >= 0:
                    push -= 0.5 * column_of(pushes, above, axis)
                    voxels += wp.where(rest_volumes[above] > 0.0, 1.0, 0.0)
                push += 0.5 * missing(below, above) * column_of(pushes, i, axis)
            push = push / (voxels + 1.0)
            x += wp.min(1.0, FARTHEST * side / wp.max(wp.length(push), TINY)) * push
    moved[i] = x


@wp.kernel(enable_backward=False)
def conclude(
    first: int,
    knobs: Numbers,
    layers: Whole,
    material: Materials,
    depths: Numbers,
    helps: Helps,
    kinematic: Points,
    predicted: Points,
    positions: Points,
    velocities: Points,
):
    """Keep what the lattice made of the step; nothing goes farther from its bones than it may."""
    i = first + wp.tid()
    layer = layers[i]
    if layer > 0:
        k = kinematic[i]
        v = velocities[i] + (positions[i] - predicted[i]) / knobs[DT]
        held = clamp_offset(positions[i] - k, v, knobs[REACH] * depths[i] + helps[i][3])
        positions[i] = k + held[0]
        velocities[i] = material[layer, KEPT] * held[1]


@wp.func
def about(m: wp.mat33f, position: wp.vec3f, moved: wp.vec3f) -> mat34:
    """The affine map a -> M (a - place) + moved."""
    t = moved - m * position
    return mat34(m[0, 0], m[0, 1], m[0, 2], t[0], m[1, 0], m[1, 1], m[1, 2], t[1], m[2, 0], m[2, 1], m[2, 2], t[2])


@wp.kernel(enable_backward=False)
def lean(
    first: int,
    side: float,
    chains: Tables,
    kinematic: Points,
    frames: Quaternions,
    positions: Points,
    moves: Transforms,
):
    """What the flesh at a node does to skin that the bones carried there: y -> u + (M - 1)(y - k), with u = x - k.

    M turns as flesh leans away from where the bones turn it: half the curl of u is sin(angle) times the axis. Along an
    axis e of the lattice the bones carry neighbours in the direction Q e, so that curl u = sum_e Q e x du/de, with
    du/de by differences to the neighbours there are.
    """
    i = first + wp.tid()
    k = kinematic[i]
    u = positions[i] - k
    frame = frames[i]
    axes = wp.quat_to_matrix(wp.quatf(frame[0], frame[1], frame[2], frame[3]))
    curl = wp.vec3f(0.0, 0.0, 0.0)
    for axis in range(3):
        below = chains[2 * axis, i]
        above = chains[2 * axis + 1, i]
        change = wp.vec3f(0.0, 0.0, 0.0)
        spans = float(0.0)
        if above >= 0:
            change += positions[above] - kinematic[above] - u
            spans += 1.0
        if below >= 0:
            change += u - (positions[below] - kinematic[below])
            spans += 1.0
        if spans > 0.0:
            e = wp.vec3f(axes[0, axis], axes[1, axis], axes[2, axis])
            curl += wp.cross(e, change / (spans * side))
    a = 0.5 * curl
    a = a / wp.max(wp.length(a), 1.0)
    away = wp.skew(a)
    turned_away = away + away * away / (1.0 + wp.sqrt(wp.max(1.0 - wp.dot(a, a), 0.0)))
    moves[i] = about(turned_away, k, u)


@wp.kernel(enable_backward=False)
def settle_skin(
    first: int, rest: Points, frames: Quaternions, rotations: Quaternions, positions: Points, moves: Transforms
):
    """Where a node puts skin that knows of no bones: X -> R (X - X_i) + x_i, R the rotation of the node's region."""
    i = first + wp.tid()
    q = quat_multiply(rotations[i], frames[i])
    moves[i] = about(wp.quat_to_matrix(wp.quatf(q[0], q[1], q[2], q[3])), rest[i], positions[i])


@wp.func
def shared(v: int, blocks: int, nodes: Joints, shares: Weights, moves: Transforms, p: wp.vec3f) -> wp.vec3f:
    """sum_i share_i times what node i does to p."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * blocks, v * blocks + blocks):
        n = nodes[b]
        s = shares[b]
        total += s[0] * transform_affine(moves[n[0]], p) + s[1] * transform_affine(moves[n[1]], p)
        total += s[2] * transform_affine(moves[n[2]], p) + s[3] * transform_affine(moves[n[3]], p)
    return total


@wp.kernel(enable_backward=False)
def carry_skin(
    first: int,
    each: int,
    blocks: int,
    nodes: Joints,
    shares: Weights,
    origins: Points,
    moves: Transforms,
    incoming: Points,
    skin: Points,
):
    """The skin that the bones carry goes along with the flesh.

    Where the lattice is where the bones carry it, this is the kinematic skin to the last digit.
    """
    v = first + wp.tid()
    y = incoming[v]
    skin[v] = y + shared(v, blocks, nodes, shares, moves, y - origins[v / each])


@wp.kernel(enable_backward=False)
def place_skin(
    first: int,
    each: int,
    blocks: int,
    nodes: Joints,
    shares: Weights,
    origins: Points,
    moves: Transforms,
    rest: Points,
    skin: Points,
):
    """The skin from the lattice alone."""
    v = first + wp.tid()
    skin[v] = origins[v / each] + shared(v, blocks, nodes, shares, moves, rest[v])
