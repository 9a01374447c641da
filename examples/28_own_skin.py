"""A soft skin of one's own: every vertex swings about where linear blend has it, on a spring. All there is to write."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import warp as wp

import supple
from supple import device as devices
from supple.settings import setting
from supple.skins.base import DevicePoints, SoftSkin


@wp.kernel(enable_backward=False)
def swing(
    first: int,
    target: wp.array(dtype=wp.vec3f),
    spring: wp.vec3f,
    points: wp.array(dtype=wp.vec3f),
    velocities: wp.array(dtype=wp.vec3f),
):
    """x'' = w^2 (k - x) - 2 z w x', by backward Euler: stable for any step. `spring` is (w [rad/s], z, dt [s])."""
    i = first + wp.tid()
    w, z, dt = spring[0], spring[1], spring[2]
    pull = velocities[i] + dt * w * w * (target[i] - points[i])
    velocities[i] = pull / (1.0 + 2.0 * z * w * dt + w * w * dt * dt)
    points[i] = points[i] + dt * velocities[i]


@dataclass(frozen=True)
class Binding:
    """What follows from the character, and never changes."""

    vertices: int
    device: str


@dataclass
class State:
    """All that changes; a state that is nothing else is its own memory, and a bake can stop and go on with it."""

    points: Any
    velocities: Any

    @property
    def memory(self) -> "State":
        return self

    def recall(self) -> None:
        """Its memory was overwritten, and nothing else depends on the past."""


@dataclass(frozen=True, kw_only=True)
class Jelly(SoftSkin[Binding, State]):
    """The settings, and the verbs."""

    command_name: ClassVar[str] = "jelly"
    frequency: float = setting(3.0, "Pace of the swing", unit="Hz", low=0.1, high=30.0)
    damping: float = setting(0.2, "Damping; at 1 it would not overshoot", low=0.0, high=1.0)
    live: ClassVar[frozenset[str]] = frozenset({"frequency", "damping"})

    def base_skin(self) -> supple.LinearBlend:
        return supple.LinearBlend()

    def bind(self, character: supple.Character, device: str) -> Binding:
        return Binding(len(character.points), device)

    def allocate(self, binding: Binding) -> State:
        points, velocities = (wp.zeros(binding.vertices, dtype=wp.vec3f, device=binding.device) for _ in range(2))
        return State(points, velocities)

    def start(self, binding: Binding, pose: supple.Pose, incoming: DevicePoints | None) -> State:
        state = self.allocate(binding)
        wp.copy(state.points, incoming)
        return state

    def advance(
        self, binding: Binding, state: State, pose: supple.Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        spring = wp.vec3f(2.0 * np.pi * self.frequency, self.damping, dt)
        inputs = [incoming, spring, state.points, state.velocities]
        devices.Launch(swing, binding.vertices, inputs, binding.device)()
        return state.points


supple.SKINS[Jelly.command_name] = Jelly  # saved graphs, caches and measures know it by its name

# It plays, changes while it plays, branches and bakes like every other skin.
hero = supple.character("hero", vertices=2000)
motion = supple.motion("run-and-stop", hero)
player = supple.player(hero, Jelly())
loose = np.linalg.norm(player.play(motion, 0.5) - player.play(motion, 1.0), axis=1).max()
branch = player.copy()
player.change(frequency=12.0)
apart = np.linalg.norm(player.play(motion, 1.5) - branch.play(motion, 1.5), axis=1).max()
print(f"moved {loose:.2f} m in half a second; firm and soft end {1000.0 * apart:.0f} mm apart")
cache = supple.bake(hero, motion, Jelly(damping=0.1), end=1.0, fps=30.0)
report = supple.measure(hero, cache)
print(
    f"{cache.ready} frames of {report.skin}, volume {report.volume_ratio.min():.3f} to {report.volume_ratio.max():.3f}"
)
