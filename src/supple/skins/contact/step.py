"""One step of a soft character, and how it begins in a first pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.errors import UnfinishedError
from supple.motion.pose import Pose
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.joints import rotation_vectors
from supple.skins.contact.readings import press_points
from supple.skins.contact.response.contact_set import ContactImpulses
from supple.skins.contact.state import ContactState


def start(state: ContactState, pose: Pose) -> None:
    """Bones in the first pose, flesh hanging from them at rest."""
    binding, memory = state.binding, state.memory
    body = memory.body
    body.positions[...], body.rotations[...] = binding.links.pose(binding.character.skeleton, pose)
    body.displacements[...] = state.sag.at(body)
    memory.bones[...] = memory.animated[...] = pose.world_from_joint
    state.solver.load(body)
    memory.energy_balance[...] = state.solver.energy_balance
    state.controller.set_pose(pose)
    state.surface.update(pose.shapes)


def advance(state: ContactState, pose: Pose, dt: float) -> Any:
    """Move on by `dt` [s]: what the motion asks for, the free step, contacts, and the skin over it."""
    set_targets(state, pose, dt)
    predict(state)
    state.touched = None
    state.memory.pressed[...] = 0.0
    if state.has_contacts:
        solve_contacts(state, dt)
    integrate(state)
    store(state, pose, dt)
    state.surface.update(pose.shapes)
    state.memory.bones[...] = state.surface.bones
    return state.points


def set_targets(state: ContactState, pose: Pose, dt: float) -> None:
    """Where the motion leads joints and roots in this step; what it moves in the first one is moving already."""
    state.follow_jumps(pose, dt)
    if not state.is_loaded:
        state.controller.set_animated(state.memory.animated)
    state.take_cues(dt)
    state.controller.set_pose(pose)
    if state.memory.time == 0.0:
        body, controller = state.memory.body, state.controller
        old_positions, positions = map(devices.to_host, (controller.previous_positions, controller.positions))
        old_rotations, rotations = map(devices.to_host, (controller.previous_rotations, controller.rotations))
        body.velocities[...] = (positions - old_positions) / dt
        body.angular_velocities[...] = rotation_vectors(rotations @ np.swapaxes(old_rotations, 1, 2)) / dt
    state.load()


def predict(state: ContactState) -> None:
    """Where the step leads if nothing is met; a body that was crushed beyond all numbers starts anew, at rest."""
    _drive(state)
    if state.guard.is_prediction_finite():
        return
    body = state.memory.body
    for moving in (body.velocities, body.angular_velocities, body.node_velocities):
        moving[...] = 0.0
    body.displacements[...] = state.rest_sag
    state.solver.load(body)
    _drive(state)
    if not state.guard.is_prediction_finite():
        raise _unfinished()


def _drive(state: ContactState) -> None:
    state.controller.compute_targets()
    state.solver.set_driven(supported=state.controller.supported, driven=state.controller.driven)
    state.solver.predict()
    state.hands.apply()


def solve_contacts(state: ContactState, dt: float) -> ContactImpulses:
    """Find what would meet in the step, and part it: flesh, links and dynamic bodies together."""
    pipeline = state.pipeline
    contacts = pipeline.detect(state.memory.time + dt, dt)
    impulses = state.solver.solve_contacts(contacts, pipeline.dynamic_bodies.body_inertia())
    pipeline.apply(impulses, dt)
    touched = contacts.of_points(state.solver.nodes.points)
    state.touched = touched, impulses
    press_points(state.memory.pressed, touched, impulses)
    state.directing.feel(
        state.touched, state.joint_of_point, time=state.memory.time + dt, dt=dt, struck_at=state.memory.struck_at
    )
    return impulses


def integrate(state: ContactState) -> None:
    """Move everything to the end of the step, and keep flesh within bounds."""
    solver, memory = state.solver, state.memory
    solver.integrate()
    memory.impulses[...] = solver.impulses
    if state.guard.clamp_displacements():
        solver.load(solver.state())
        solver.warm_start(memory.impulses, solver.energy_balance.copy())
    if not state.guard.is_finite():
        raise _unfinished()


def store(state: ContactState, pose: Pose, dt: float) -> None:
    """Remember where the step has led."""
    memory, bodies = state.memory, state.pipeline.dynamic_bodies
    state.solver.copy_to(memory.body)
    if len(bodies):
        for name, value in vars(bodies.state()).items():
            getattr(memory.dynamic_bodies, name)[...] = value
    memory.time += dt
    state.reached(memory.time)
    memory.energy_balance[...] = state.solver.energy_balance
    memory.animated[...] = pose.world_from_joint


def _unfinished() -> UnfinishedError:
    return UnfinishedError(
        WHERE, "the simulation left all numbers", "it must stay finite", "take a smaller step or firmer flesh"
    )
