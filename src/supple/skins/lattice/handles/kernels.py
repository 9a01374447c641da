# mypy: ignore-errors
"""Arithmetic of hands that hold the lattice or push it.

Symbols: for hand a, c_i how much of its place hangs on node i (sum one), g_i how firmly it grips node i (0 to 1),
p the place of the skin it holds, l = p - sum c_i x_i, called its offset. All positions are seen from the origin of the
character.
"""

import warp as wp

from supple.geometry.kernels.oscillator import relax_critically
from supple.skins.hand_kernels import CLOSED, MOVED, RECENT, own_move
from supple.skins.kinematic.kernels import Points
from supple.skins.lattice.handles.memory import HANDLES
from supple.skins.lattice.shape_matching.matching_kernels import FloatArray, IntArray, Vec4Array
from supple.skins.lattice.shape_matching.node_kernels import DT, FloatTable

vec8 = wp.types.vector(length=HANDLES, dtype=wp.float32)
Falloffs = wp.array(dtype=vec8)

UNUSED = wp.constant(0)
HOLDS = wp.constant(1)
PUSHES = wp.constant(2)
HANDLE_RATE = wp.constant(40.0)  # 1/s: a hand that is told to go elsewhere has a twentieth of the way left after 0.12 s
OFFSET_SMOOTHING = wp.constant(0.5)  # how much of the new l is believed: it was seen one step ago
FADE = wp.constant(0.1)  # s in which flesh that was let go loses two thirds of its longer reach
NONE = wp.constant(1.0e-6)  # m
RECOVERY = wp.constant(0.5)  # s in which the skin of a body that was let go is two thirds back at its own volume


@wp.struct
class HandleArrays:
    """All hands, H of them: what each holds, where it is and where it shall be.

    `kinds` say whether a hand is unused, holds or pushes, `copies` whose skin it is on, `events` what it was told since
    the last step. Its place hangs on `nodes[starts[h]:starts[h + 1]]` with `weights`, and lies among `vertices` with
    `barycentric` likewise. It shall be at `targets`, which are `moves` from where they were, and is at `positions`, or
    it pushes with `forces` (here accelerations). `offsets` are l, `residuals` how far its place is from it. Flesh that
    it holds fully may go `max_offsets` farther than its own reach: as far as the hand, times `reach_factors`. The rest
    is as `HandleMemory` has it.
    """

    kinds: IntArray
    events: IntArray
    copies: IntArray
    starts: IntArray
    nodes: IntArray
    weights: FloatArray
    vertex_starts: IntArray
    vertices: IntArray
    barycentric: FloatArray
    targets: Points
    moves: Points
    forces: Points
    positions: Points
    lags: Points
    velocities: Points
    homes: Points
    carried: Points
    offsets: Points
    residuals: Points
    reach_factors: FloatArray
    max_offsets: FloatArray


@wp.func
def position_on_nodes(hand: int, handles: HandleArrays, positions: Points) -> wp.vec3f:
    """sum c_i x_i."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for slot in range(handles.starts[hand], handles.starts[hand + 1]):
        total += handles.weights[slot] * positions[handles.nodes[slot]]
    return total


@wp.func
def position_on_skin(hand: int, handles: HandleArrays, origins: Points, skin: Points) -> wp.vec3f:
    """p, as it was seen last."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    origin = origins[handles.copies[hand]]
    for slot in range(handles.vertex_starts[hand], handles.vertex_starts[hand + 1]):
        total += handles.barycentric[slot] * (skin[handles.vertices[slot]] - origin)
    return total


@wp.kernel(enable_backward=False)
def move_handles(
    first: int, parameters: FloatArray, longest: float, shifts: Points, kinematic: Points, handles: HandleArrays
):
    """Hands go to their `targets` as critically damped springs do, which never jump nor overshoot.

    A hand that stays while the body moves, or goes along with it, is never late: only moves of its own are smoothed.
    None is farther than `longest` from where the bones alone carry its place.
    """
    hand = first + wp.tid()
    if handles.kinds[hand] == HOLDS:
        h = parameters[DT]
        on_nodes = position_on_nodes(hand, handles, kinematic)
        step = on_nodes - (handles.homes[hand] - shifts[handles.copies[hand]])
        carried = wp.exp(-h / RECENT) * handles.carried[hand] + step
        away = handles.lags[hand]
        if handles.events[hand] == CLOSED:
            away += step - handles.moves[hand]
        elif handles.events[hand] == MOVED:
            away -= own_move(handles.moves[hand], carried)
            carried = wp.vec3f(0.0, 0.0, 0.0)
        handles.homes[hand] = on_nodes
        handles.carried[hand] = carried
        goal = handles.targets[hand]
        left = relax_critically(away, handles.velocities[hand], HANDLE_RATE, h)
        handles.velocities[hand] = left[1]
        home = on_nodes + handles.offsets[hand]
        out = goal + left[0] - home
        distance = wp.length(out)
        handles.positions[hand] = home + wp.min(1.0, longest / wp.max(distance, NONE)) * out
        handles.lags[hand] = handles.positions[hand] - goal
        handles.max_offsets[hand] = handles.reach_factors[hand] * wp.min(distance, longest)
    elif handles.kinds[hand] == PUSHES:
        handles.max_offsets[hand] = longest
    else:
        handles.max_offsets[hand] = 0.0


@wp.kernel(enable_backward=False)
def apply_handle_forces(
    first: int, parameters: FloatArray, handles: HandleArrays, falloffs: Falloffs, external: Vec4Array
):
    """How forces accelerate a node, and how much farther than its own reach it may go, in the fourth number.

    Flesh that is let go does not lose that reach at once.
    """
    i = first + wp.tid()
    push = wp.vec3f(0.0, 0.0, 0.0)
    farther = wp.exp(-parameters[DT] / FADE) * external[i][3]
    falloff = falloffs[i]
    for hand in range(HANDLES):
        if handles.kinds[hand] == PUSHES:
            push += falloff[hand] * handles.forces[hand]
        farther = wp.max(farther, falloff[hand] * handles.max_offsets[hand])
    external[i] = wp.vec4f(push[0], push[1], push[2], wp.where(farther < NONE, 0.0, farther))


@wp.kernel(enable_backward=False)
def compute_handle_residuals(first: int, positions: Points, handles: HandleArrays):
    """How far the place of every hand is from that hand."""
    hand = first + wp.tid()
    if handles.kinds[hand] == HOLDS:
        handles.residuals[hand] = (
            handles.positions[hand] - handles.offsets[hand] - position_on_nodes(hand, handles, positions)
        )
    else:
        handles.residuals[hand] = wp.vec3f(0.0, 0.0, 0.0)


@wp.func
def move_by_handles(falloff: vec8, inverse: FloatTable, handles: HandleArrays) -> wp.vec3f:
    """sum_a g_a d_a, so that all places come to their hands at once.

    A d = residuals, with A_ab = sum_i c_ia g_ib; `inverse` is that of A.
    """
    move = wp.vec3f(0.0, 0.0, 0.0)
    for hand in range(HANDLES):
        if falloff[hand] > 0.0:
            for other in range(HANDLES):
                move += falloff[hand] * inverse[hand, other] * handles.residuals[other]
    return move


@wp.kernel(enable_backward=False)
def project_handles(
    first: int, inverse: FloatTable, layers: IntArray, falloffs: Falloffs, handles: HandleArrays, positions: Points
):
    """Move held nodes so that all places come to their hands."""
    i = first + wp.tid()
    if layers[i] > 0:
        positions[i] += move_by_handles(falloffs[i], inverse, handles)


@wp.kernel(enable_backward=False)
def add_handle_forces(
    first: int,
    mass: float,
    parameters: FloatArray,
    inverse: FloatTable,
    layers: IntArray,
    falloffs: Falloffs,
    handles: HandleArrays,
    forces: Points,
):
    """The force with which hands moved a node of some `mass` [kg] in the last step: m d / dt^2."""
    i = first + wp.tid()
    if layers[i] > 0:
        dt = parameters[DT]
        forces[i] += (mass / (dt * dt)) * move_by_handles(falloffs[i], inverse, handles)


@wp.func
def offset_of_place(hand: int, handles: HandleArrays, origins: Points, positions: Points, skin: Points) -> wp.vec3f:
    """l, as the skin and its nodes are now."""
    return position_on_skin(hand, handles, origins, skin) - position_on_nodes(hand, handles, positions)


@wp.kernel(enable_backward=False)
def close_handles(
    first: int,
    fresh: IntArray,
    origins: Points,
    positions: Points,
    kinematic: Points,
    skin: Points,
    handles: HandleArrays,
):
    """A hand that has just closed is where its place is, and at rest there."""
    hand = first + wp.tid()
    if handles.kinds[hand] == HOLDS and fresh[hand] > 0:
        handles.offsets[hand] = offset_of_place(hand, handles, origins, positions, skin)
        handles.lags[hand] = position_on_skin(hand, handles, origins, skin) - handles.targets[hand]
        handles.homes[hand] = position_on_nodes(hand, handles, kinematic)
        handles.velocities[hand] = wp.vec3f(0.0, 0.0, 0.0)
        handles.carried[hand] = wp.vec3f(0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def update_handle_offsets(first: int, origins: Points, positions: Points, skin: Points, handles: HandleArrays):
    """How the place of the skin lies to its nodes after the step."""
    hand = first + wp.tid()
    if handles.kinds[hand] == HOLDS:
        offset = offset_of_place(hand, handles, origins, positions, skin)
        handles.offsets[hand] += OFFSET_SMOOTHING * (offset - handles.offsets[hand])


@wp.kernel(enable_backward=False)
def update_volume_blend(first: int, parameters: FloatArray, handles: HandleArrays, volume_blend: FloatArray):
    """How far the volume of the whole skin is kept: hands draw flesh out, which must not be taken from elsewhere."""
    goal = float(1.0)
    slow = float(RECOVERY)
    for hand in range(HANDLES):
        if handles.kinds[hand] != UNUSED:
            goal = 0.0
            slow = FADE
    blend = volume_blend[0] + (1.0 - wp.exp(-parameters[DT] / slow)) * (goal - volume_blend[0])
    volume_blend[0] = wp.where(wp.abs(goal - blend) < 1.0e-4, goal, blend)


@wp.kernel(enable_backward=False)
def blend_volume(first: int, volume_blend: FloatArray, uncorrected: Points, skin: Points):
    """Skin between what it was before its volume was kept, and after."""
    v = first + wp.tid()
    skin[v] = volume_blend[0] * skin[v] + (1.0 - volume_blend[0]) * uncorrected[v]
