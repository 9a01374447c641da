"""One step of the flesh, and how it comes to rest in a first pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.position_based.state import FleshState

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased


def start(skin: PositionBased, state: FleshState, pose: Pose, incoming: Any) -> None:
    """Rest at the shape that the first pose settles to."""
    wp, memory = devices.warp(), state.memory
    state.tune(skin, skin.step)
    stages = state.stages(skin, incoming)
    for _ in range(1 + (skin.warm_up if skin.order == "settled" else 0)):
        state.take(pose, 0.0)
        stages.begin()
        state.touch()
        stages.settle()
    wp.copy(memory.before, state.rested)
    wp.copy(memory.positions, state.rested)
    stages.swing()
    memory.velocities.zero_()


def advance(skin: PositionBased, state: FleshState, pose: Pose, dt: float, incoming: Any) -> Any:
    """Bones carry the flesh, what touches is found, the flesh settles, and what is free of it swings about that."""
    state.tune(skin, dt)
    state.join(moving=state.memory.time == 0.0)
    state.memory.time += dt
    state.take(pose, dt)
    stages = state.stages(skin, incoming)
    stages.begin()
    state.touch()
    stages.settle()
    stages.swing()
    return state.points
