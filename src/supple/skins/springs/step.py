"""One frame of the skins of this room, as lists of stages; with the arithmetic on the host, the rest is in `kernels`.

- incremental rotation: pose the bones, move attachment points, rotate scale vectors, restore distances;
- spring rig: that, which springs aim at; lengths of edges; begin from the incoming shape; sweep until at rest;
- spring dynamics: that, but begin from the last result, carried along by the bones, and integrate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import RIGID_TOLERANCE
from supple.skins.springs.attachment.segments import Segments
from supple.skins.springs.attachment.weights import control_positions
from supple.skins.springs.balance import FACTORED
from supple.skins.springs.dynamics_state import DynamicsState
from supple.skins.springs.state import AttachedState, RigState, Springs, as_rows

if TYPE_CHECKING:
    from supple.skins.springs.spring_dynamics import SpringDynamics
    from supple.skins.springs.spring_rig import SpringRig

ROUND = 17.0  # sweeps that one round over all vertices stands for
CHECK = 10  # sweeps between two looks at how far the shape still moves; even, so that buffers are back in place
_FALLS = 0.999  # of the last energy: what falls less in ten sweeps counts as the least energy
_SETTLING = 200  # sweeps that bring the first pose to rest
_ONE = np.eye(3)


# Incremental rotation


def rotate_incrementally(state: AttachedState, pose: Pose) -> Any:
    """The skin in a pose, on the device."""
    reshaped = set_shapes(state, pose)
    pose_bones(state, pose)
    if reshaped:
        state.measure_distances()
    state.pose_skin()
    return state.posed


def set_shapes(state: AttachedState, pose: Pose) -> bool:
    """Shapes (morph targets) change the scale vectors and leave the attachment where it is. Says whether they did."""
    rest = state.shapes.update(pose.shapes)
    if rest is None:
        return False
    devices.write(state.rest_vectors, rest)
    state.rest_points = state.packed.rest_attached + rest
    state.is_morphed = any(amount != 0.0 and name in state.own_shapes for name, amount in pose.shapes.items())
    return True


def pose_bones(state: AttachedState, pose: Pose) -> None:
    """Where the ends of segments are, how segments turn and stretch, and how each turns against its neighbours."""
    segments, one, other = state.segments, state.packed.one, state.packed.other
    skinning = pose.skinning(state.binding.character.skeleton)
    starts, ends = _pose_segments(segments, pose.world_from_joint, skinning)
    linear = skinning[segments.joints][:, :3, :3]
    gram = np.swapaxes(linear, 1, 2) @ linear - _ONE
    rigid = bool(np.abs(gram).max() < RIGID_TOLERANCE and np.linalg.det(linear).min() > 0.0)
    rotations = linear if rigid else quaternions.nearest_rotation(linear)
    stretches = np.tile(_ONE, (len(linear), 1, 1)) if rigid else np.swapaxes(rotations, 1, 2) @ linear
    state.length_ratios = _length_ratios(segments, starts, ends)
    squash = _squash(segments, state.length_ratios, state.squash)
    if squash is not None:
        stretches = stretches @ squash
    directions = quaternions.normalize(ends - starts)
    quats = quaternions.quat_from_matrix(rotations)
    apart = quaternions.quat_multiply(quaternions.conjugate(quats[one]), quats[other])
    devices.write(state.control_positions, as_rows(control_positions(starts, ends)))
    devices.write(state.directions, directions)
    devices.write(state.rotations, quats)
    devices.write(state.pairs.rotations, as_rows(_rotation_vectors(apart)))
    devices.write(state.pairs.insides, as_rows(_insides(state, directions)))
    state.is_stretched = not rigid or squash is not None
    devices.write(state.flags, np.array([state.is_stretched], dtype=np.int32))
    if state.is_stretched:
        devices.write(state.stretches, stretches)
        devices.write(state.pairs.stretches, stretches[other] - stretches[one])


def _pose_segments(
    segments: Segments, world_from_joint: FloatArray, skinning: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Starts and ends (B, 3) [m] in a pose; an end follows the child joint, so bones may change their length."""
    starts = world_from_joint[segments.joints, :3, 3]
    own = skinning[segments.joints]
    tails = np.einsum("bij,bj->bi", own[:, :3, :3], segments.ends) + own[:, :3, 3]
    ends = np.where((segments.children >= 0)[:, None], world_from_joint[segments.children, :3, 3], tails)
    return starts, ends


def _rotation_vectors(quats: FloatArray) -> FloatArray:
    """Axis times angle (N, 3) [rad] of unit quaternions (N, 4), the shorter way round."""
    shorter = quats * np.where(quats[:, 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(shorter[:, :3], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, shorter[:, 3:])
    return shorter[:, :3] * np.where(sine > 1e-9, angle / np.where(sine > 1e-9, sine, 1.0), 2.0)


def _insides(state: AttachedState, directions: FloatArray) -> FloatArray:
    """Towards the inside of the bend between two segments (N, 3): the sum of the two ways away from where they meet."""
    one, other = state.packed.ways_apart
    return one * directions[state.packed.one] + other * directions[state.packed.other]


def _length_ratios(segments: Segments, starts: FloatArray, ends: FloatArray) -> FloatArray:
    """Length of every segment in a pose against rest (B,); one where it had none."""
    lengths = np.linalg.norm(ends - starts, axis=1)
    known = segments.lengths > 0.0
    return np.where(known, lengths / np.where(known, segments.lengths, 1.0), 1.0)


def _squash(segments: Segments, ratios: FloatArray, amount: float) -> FloatArray | None:
    """How a limb thins when its bone grows longer and swells when it shortens (B, 3, 3), across the bone only.

    Across it is scaled by (rest length / length)^(amount / 2): with amount 1 the volume stays. None if nothing changes.
    """
    if amount == 0.0 or np.abs(ratios - 1.0).max() < 1e-6:
        return None
    across = np.clip(ratios, 0.01, 100.0) ** (-0.5 * amount)
    along = np.einsum("bi,bj->bij", segments.directions, segments.directions)
    squash: FloatArray = across[:, None, None] * (_ONE - along) + along
    return squash


# Springs


def measure_rest(springs: Springs) -> None:
    """Measure lengths and angles in the rest pose, with the morph targets that are on."""
    skeleton = springs.binding.attached_skin.character.skeleton
    rotate_incrementally(springs.attached, Pose(skeleton.world_from_joint, shapes=springs.rest_shapes or {}))
    springs.aim_at(None)
    springs.begin_at_aim()
    springs.measure_rest()
    devices.warp().copy(springs.rest_edges, springs.edges)


def pose_springs(springs: Springs, pose: Pose, aimed_at: Any = None) -> None:
    """Take a pose: where attachment points are, and what lengths and directions springs want.

    Springs to the bone draw towards the shape that they are `aimed_at`, or else towards the usual incremental rotation.
    """
    set_morph_targets(springs, pose)
    rotate_incrementally(springs.attached, pose)
    springs.aim_at(aimed_at)
    ratios = springs.attached.length_ratios
    stretched = bool(np.abs(ratios - 1.0).max() > 1e-6) or springs.attached.is_stretched
    if stretched:
        springs.measure_components()
        devices.write(springs.length_ratios, ratios)
        springs.stretch_edges()
    elif springs.is_stretched:  # as measured, so that what was before leaves no trace
        devices.warp().copy(springs.edges, springs.rest_edges)
    springs.is_stretched = stretched
    springs.edit_pulls.set_amounts(pose.shapes)


def set_morph_targets(springs: Springs, pose: Pose) -> None:
    """Morph targets change the rest that springs know, so that they come out whole; edits are wishes and do not."""
    on = {name: amount for name, amount in pose.shapes.items() if amount != 0.0}
    wanted = {name: amount for name, amount in on.items() if name in springs.morph_targets} if on else on
    if wanted == springs.rest_shapes:
        return
    springs.rest_shapes = wanted
    measure_rest(springs)
    springs.morphed_points = springs.attached.rest_points


def relax(skin: SpringRig, state: RigState, pose: Pose, incoming: Any) -> Any:
    """Bring the incoming shape to rest in a pose."""
    state.tune(skin)
    pose_springs(state.springs, pose, incoming if skin.aims_at_incoming else None)
    state.sweeps_done = 0
    shape = state.springs.attached.posed if incoming is None else incoming
    if not is_factored(skin, state.springs) or not state.balance.run(shape, math.ceil(skin.iterations / ROUND)):
        state.begin(incoming)
        state.sweeps_done = sweep_until_at_rest(skin, state)
    devices.warp().copy(state.posed, state.springs.points[state.sweeps_done % 2])
    return state.posed


def is_factored(skin: SpringRig, springs: Springs) -> bool:
    """Whether the factor serves: edits change the springs that it was made of, and a GPU is quicker by sweeps."""
    asked = skin.solver == FACTORED and skin.until == "sweeps"
    return asked and springs.device == "cpu" and not springs.edit_pulls.are_on


def sweep_until_at_rest(skin: SpringRig, state: RigState) -> int:
    """Sweep as often as the skin may, or until there is nothing left to do; how many sweeps that were."""
    if skin.until == "sweeps":
        state.sweeps.run(skin.iterations)
        return skin.iterations
    springs, done, energy = state.springs, 0, math.inf
    small = skin.threshold * float(max(np.min(springs.binding.attached_skin.character.size), 0.0))
    while done < skin.iterations:
        some = min(CHECK, skin.iterations - done)
        state.sweeps.run(some)
        done += some
        if done == skin.iterations:
            break
        if skin.until == "energy":
            now = springs.energy()
            if not now < _FALLS * energy or now < springs.tuned.energy_tolerance:
                break
            energy = now
        elif springs.max_residual() <= small:
            break
    return done


# Springs in time


def start(skin: SpringDynamics, state: DynamicsState, pose: Pose, incoming: Any) -> None:
    """Come to rest in a first pose."""
    memory = state.memory
    state.aimed_at = incoming if skin.aims_at_incoming else None
    pose_springs(state.springs, pose, state.aimed_at)
    state.springs.begin(incoming)()
    memory.velocities.zero_()
    memory.rooms.zero_()
    devices.warp().copy(memory.points, state.settle(_SETTLING))
    memory.velocities.zero_()
    state.remember_bones()
    state.forget_drifts()
    state.remember_pose(pose)


def advance(skin: SpringDynamics, state: DynamicsState, pose: Pose, incoming: Any) -> Any:
    """One step on."""
    state.tune(skin)
    state.aimed_at = incoming if skin.aims_at_incoming else None
    pose_springs(state.springs, pose, state.aimed_at)
    state.carry()
    state.hands.begin_step()
    devices.warp().copy(state.memory.points, state.sweep(skin.iterations))
    state.remember_pose(pose)
    return state.memory.points


def pose_again(state: DynamicsState) -> None:
    """Stay where it is under shapes and maps that were exchanged: what they change is not taken for a move of bones."""
    pose = state.pose
    if pose is not None:
        pose_springs(state.springs, pose, state.aimed_at)
        state.remember_bones()
