"""One step of the flesh as a list of stages, and how it comes to rest in a first pose."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.position_based.blocks import fit_blocks
from supple.skins.position_based.state import FleshState, Stages

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased


def advance(skin: PositionBased, state: FleshState, pose: Pose, dt: float, incoming: Any) -> Any:
    """Bones carry the flesh, what touches is found, the flesh settles, and what is free of it swings about that."""
    state.tune(skin, dt)
    state.join(moving=state.memory.time == 0.0)
    state.let_yield(dt)
    state.memory.time += dt
    state.set_pose(pose, dt)
    stages = _stages(skin, state, incoming)
    stages.begin()
    state.detect_contacts()
    stages.settle()
    stages.swing()
    return state.points


def start(skin: PositionBased, state: FleshState, pose: Pose, incoming: Any, *, rounds: int) -> None:
    """Rest at the shape that the first pose settles to, after one step and so many more `rounds`."""
    wp, memory = devices.warp(), state.memory
    state.tune(skin, skin.step)
    state.let_yield(math.inf)
    stages = _stages(skin, state, incoming)
    for _ in range(1 + rounds):
        state.set_pose(pose, 0.0)
        stages.begin()
        state.detect_contacts()
        stages.settle()
    wp.copy(memory.previous_settled, state.settled)
    wp.copy(memory.positions, state.settled)
    stages.swing()
    memory.velocities.zero_()


def _stages(skin: PositionBased, state: FleshState, incoming: Any) -> Stages:
    """The work of one step, recorded for the incoming skin and for the settings that change its order."""
    order = (
        state.collides,
        skin.skinning.smooth,
        skin.iterations,
        skin.swing.dynamic_iterations,
        skin.skinning.limb_volume > 0.0,
        skin.skinning.keep_volume,
        state.handles is not None,
    )
    known = state.recorded
    if known is None or known[0] is not incoming or known[1] != order:
        known = state.recorded = incoming, order, _record(skin, state, incoming)
    return known[2]


def _record(skin: PositionBased, state: FleshState, incoming: Any) -> Stages:
    run, recipe, collision, memory = _Launches(state, incoming), state.recipe, state.collision, state.memory
    project_contacts = (
        partial(collision.project, recipe.particles, before=memory.previous_settled) if state.collides else None
    )
    begin: devices.Calls = [state.blend, run.rotate_joints, run.move_anchors, run.warm_start]
    settle: devices.Calls = [
        *recipe.settle(skin, project_contacts, memory.pressures),
        run.store_settled,
        *recipe.check(state.found, memory.inverted, memory.pressures, state.params),
    ]
    handles, binding = state.handles, state.binding
    # Hands may draw flesh out as far as they like.
    guard = binding.guard.record(incoming, state.surface.points, binding.constants) if handles is None else []
    swing: devices.Calls = [
        *([] if handles is None else handles.couple()),
        run.swing,
        *([] if handles is None else handles.draw()),
        *recipe.swing(skin, state.settled, project_contacts),
        *([] if handles is None else handles.undraw()),
        run.update_velocities,
        run.carry_skin,
        run.cover_bones,
        *([state.sweller.keep] if skin.skinning.limb_volume > 0.0 else []),
        *([state.volume_keeper.keep] if skin.skinning.keep_volume else []),
        *binding.covered.record(state.affine.matrices, incoming, state.surface.points, binding.constants),
        *binding.hanging.record(incoming, state.surface.points, binding.constants),
        *([] if handles is None else handles.finish()),
        *guard,
    ]
    return Stages(*(devices.Chain(calls, state.device) for calls in (begin, settle, swing)))


class _Launches:
    """The kernels that work on single joints, particles and vertices."""

    def __init__(self, state: FleshState, incoming: Any) -> None:
        from supple.skins.kinematic.rotation_kernels import rotate_joints
        from supple.skins.position_based import step_kernels as kernels

        def recorded(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, state.count, inputs, state.device)

        binding, memory, skin = state.binding, state.memory, state.surface
        wp, put = devices.warp(), binding.constants.put
        blend, particles = state.arrays, state.recipe.particles
        inputs = [state.affine.matrices, state.joint_rotations]
        self.rotate_joints = devices.Launch(rotate_joints, len(state.joint_rotations), inputs, state.device)
        self.move_anchors = recorded(
            kernels.move_anchors,
            *binding.bonds.on_device(binding.constants),
            state.affine.matrices,
            state.recipe.anchors,
        )
        self.warm_start = recorded(
            kernels.warm_start,
            devices.fill_struct(
                kernels.JointBlend(),
                blocks=blend.blocks,
                joints=blend.joints,
                weights=blend.weights,
                rotations=state.joint_rotations,
            ),
            blend.posed,
            memory.corrections,
            state.max_correction,
            state.inverse_masses,
            memory.inverted,
            state.params,
            state.rotations,
            particles,
        )
        self.store_settled = recorded(
            kernels.store_settled,
            state.params,
            particles,
            blend.posed,
            state.rotations,
            memory.corrections,
            memory.yielded,
            state.found,
            state.settled,
        )
        self.swing = recorded(
            kernels.swing,
            state.params,
            state.angular_frequencies,
            state.depth,
            state.rotations,
            memory.previous_settled,
            state.settled,
            memory.positions,
            memory.velocities,
            particles,
        )
        self.update_velocities = recorded(
            kernels.update_velocities,
            state.params,
            state.settled,
            memory.previous_settled,
            blend.posed,
            particles,
            memory.positions,
            memory.velocities,
            state.offsets,
        )
        self.carry_skin = self._carry_skin(state, incoming)
        inputs = [skin.count // binding.copies, len(binding.character.skeleton) // binding.copies]
        inputs += [*binding.cover.on_device(binding.constants), state.affine.matrices]
        inputs += [put(binding.cover_offsets, wp.vec3f), put(binding.covers, wp.vec2f), incoming, skin.points]
        self.cover_bones = devices.Launch(kernels.cover_bones, skin.count, inputs, state.device)

    @staticmethod
    def _carry_skin(state: FleshState, incoming: Any) -> devices.Launch:
        """The skin goes along: vertex by vertex, or body by body where each has a block of threads."""
        from supple.geometry.kernels.block import BLOCK
        from supple.skins.position_based import crowd_skin_kernels, step_kernels

        skin, copies = state.surface, state.binding.copies
        limits = [skin.follow, skin.rest_distance, skin.leeway]
        flesh = [state.arrays.posed, state.offsets, incoming, skin.points]
        if not fit_blocks(state.device, copies, state.count // copies):
            inputs = [skin.blocks, skin.particles, skin.barycentric, *limits, *flesh]
            return devices.Launch(step_kernels.carry_skin, skin.count, inputs, state.device)
        inputs, threads = [state.count // copies, skin.corners_of_one(), *limits, *flesh], int(BLOCK)
        kernel = crowd_skin_kernels.carry_skin_by_body
        return devices.Launch(kernel, threads * copies, inputs, state.device, block=threads)
