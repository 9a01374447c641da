"""One step of the lattice, and how it comes to rest in a first pose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from supple.motion.pose import Pose
from supple.skins.lattice.pose_filter import Steadied
from supple.skins.lattice.solver import Knobs
from supple.skins.lattice.state import LatticeState

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice

_CALM = {"damping": 0.99, "kept": 0.5}  # while the first pose settles


def start(skin: LayeredLattice, state: LatticeState, pose: Pose, incoming: Any) -> None:
    """Rest at the shape that the first pose settles to."""
    solver, memory = state.solver, state.memory
    incoming = state.carry(pose, incoming)
    origins = state.take(skin, pose, None)
    for launch in solver.carry():
        launch()
    solver.rest()
    memory.origins[...], memory.seen, memory.time = origins, Steadied.at(state.skeleton, pose), 0.0
    solver.tune(_calmed(skin.knobs()), skin.step)
    state.take(skin, pose, origins)
    for _ in range(max(skin.warm_up if skin.secondary else 0, 1)):
        state.stages(skin, incoming)()
    solver.velocities.zero_()


def advance(skin: LayeredLattice, state: LatticeState, pose: Pose, dt: float, incoming: Any) -> Any:
    """Bones carry the lattice on, and flesh follows, swings and keeps its shape; the skin goes along."""
    memory = state.memory
    state.tune(skin, dt)
    if skin.steady > 0.0:
        pose = memory.seen.follow(state.skeleton, pose, dt, frequency=skin.steady)
    incoming = state.carry(pose, incoming)
    memory.origins[...] = state.take(skin, pose, memory.origins)
    memory.time += dt
    state.stages(skin, incoming)()
    return state.points


def _calmed(knobs: Knobs) -> Knobs:
    """The same flesh, settling rather than swinging."""
    layers = len(knobs.stiffness)
    return replace(knobs, damping=(_CALM["damping"],) * layers, kept=(_CALM["kept"],) * layers)
