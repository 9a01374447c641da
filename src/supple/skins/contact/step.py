"""One step of a soft character, and how it begins in a first pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.errors import UnfinishedError
from supple.motion.pose import Pose
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.joints import rotation_vectors
from supple.skins.contact.state import ContactState


def start(state: ContactState, pose: Pose) -> None:
    """Bones in the first pose, flesh hanging from them at rest."""
    binding, memory = state.binding, state.memory
    body = memory.body
    body.positions[...], body.rotations[...] = binding.links.placed(binding.character.skeleton, pose)
    body.displacements[...] = binding.sag.at(body)
    memory.bones[...] = memory.animated[...] = pose.world_from_joint
    state.solver.load(body)
    memory.books[...] = state.solver.books
    state.control.lead(pose)
    state.surface.follow(pose.shapes)


def advance(state: ContactState, pose: Pose, dt: float) -> Any:
    """The motion leads the links, what would meet is parted, flesh is kept within bounds, and the skin goes along."""
    solver, memory, goes_on = state.solver, state.memory, state.goes_on
    if not goes_on:
        state.control.begin(memory.animated)
    state.control.lead(pose)
    if memory.time == 0.0:
        _join(state, dt)
    state.load()
    state.reached(None)
    _foresee(state)
    if state.meets:
        state.meeting.step(memory.time + dt, dt)
    solver.finish()
    memory.pushes[...] = solver.pushes
    if state.watch.contain():
        solver.load(solver.state())
        solver.go_on_with(memory.pushes, solver.books.copy())
    if not state.watch.is_sound():
        raise _unfinished()
    _keep(state, pose, dt)
    points = state.surface.follow(pose.shapes)
    memory.bones[...] = state.surface.bones
    return points


def _keep(state: ContactState, pose: Pose, dt: float) -> None:
    """Remember where the step has led."""
    memory = state.memory
    state.solver.copy_to(memory.body)
    if len(state.meeting.free):
        for name, value in vars(state.meeting.flights()).items():
            getattr(memory.flights, name)[...] = value
    memory.time += dt
    state.reached(memory.time)
    memory.books[...] = state.solver.books
    memory.animated[...] = pose.world_from_joint


def _foresee(state: ContactState) -> None:
    """Where the step leads if nothing is met; a body that was crushed beyond all numbers starts anew, at rest."""
    _drive(state)
    if state.watch.is_sound_ahead():
        return
    body = state.memory.body
    for moving in (body.velocities, body.spins, body.flows):
        moving[...] = 0.0
    body.displacements[...] = state.binding.sculpted
    state.solver.load(body)
    _drive(state)
    if not state.watch.is_sound_ahead():
        raise _unfinished()


def _drive(state: ContactState) -> None:
    state.control.ask()
    state.solver.drive(supported=state.control.supported, driven=state.control.driven)
    state.solver.free()


def _join(state: ContactState, dt: float) -> None:
    """The first step: what the motion moves is moving already."""
    led, body = state.control, state.memory.body
    was, turned, will, rotations = map(
        devices.to_host, (led.previous_positions, led.previous_rotations, led.positions, led.rotations)
    )
    body.velocities[...] = (will - was) / dt
    body.spins[...] = rotation_vectors(rotations @ np.swapaxes(turned, 1, 2)) / dt


def _unfinished() -> UnfinishedError:
    return UnfinishedError(
        WHERE, "the simulation left all numbers", "it must stay finite", "take a smaller step or firmer flesh"
    )
