"""A small soft skin with a known answer, to test the player with."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple import LinearBlend, Motion, Pose
from supple import device as devices
from supple.settings import setting
from supple.skins.base import PullableSkin, SoftSkin


@dataclass
class State:
    points: object
    steps: int = 0

    @property
    def memory(self):
        return self

    def recall(self):
        pass


@dataclass(frozen=True, kw_only=True)
class Trailing(SoftSkin):
    """Every vertex chases the incoming skin: x' = rate (target - x), so a step leaves exp(-rate dt) of the gap."""

    command_name: ClassVar[str] = "trailing"
    rate: float = setting(5.0, "How fast it catches up", unit="1/s", low=0.0, high=1000.0)

    def base_skin(self):
        return LinearBlend()

    def bind(self, character, device):
        return len(character.points), device

    def allocate(self, binding):
        wp, (count, device) = devices.warp(), binding
        return State(wp.zeros(count, dtype=wp.vec3f, device=device))

    def start(self, binding, pose, incoming):
        state = self.allocate(binding)
        devices.warp().copy(state.points, incoming)
        return state

    def advance(self, binding, state, pose, dt, *, incoming):
        points, target = state.points.numpy(), incoming.numpy()
        points += (1.0 - np.exp(-self.rate * dt)) * (target - points)
        state.steps += 1
        return state.points


class GrippedState:
    """A state with something that no checkpoint keeps."""

    def __init__(self, memory):
        self.memory, self.pulls = memory, ()

    def recall(self):
        self.pulls = ()

    @property
    def points(self):
        return self.memory.points

    @property
    def steps(self):
        return self.memory.steps


@dataclass(frozen=True, kw_only=True)
class Gripped(PullableSkin):
    """The same, but a vertex that is held is where the hand is, and one that is pushed moves by its force a step."""

    command_name: ClassVar[str] = "gripped"
    rate: float = setting(5.0, "How fast it catches up", unit="1/s", low=0.0, high=1000.0)

    def base_skin(self):
        return LinearBlend()

    def bind(self, character, device):
        return Trailing(rate=self.rate, step=self.step).bind(character, device)

    def allocate(self, binding):
        return GrippedState(Trailing(rate=self.rate).allocate(binding))

    def start(self, binding, pose, incoming):
        return GrippedState(Trailing(rate=self.rate).start(binding, pose, incoming))

    def hold(self, binding, state, pulls):
        state.pulls = tuple(pulls)

    def advance(self, binding, state, pose, dt, *, incoming):
        trailing = Trailing(rate=self.rate)
        points = trailing.advance(binding, state.memory, pose, dt, incoming=incoming).numpy()
        for pull in state.pulls:
            points[pull.indices] = pull.vector if pull.to is not None else points[pull.indices] + pull.vector
        return state.points


def swinging(character, seconds=2.0):
    """A motion that turns the second bone of a tube to and fro."""

    def pose(at):
        rotation = np.sin(3.0 * at)
        return Pose.from_rotations(
            character.skeleton, {"bone1": (0.0, 0.0, np.sin(rotation / 2), np.cos(rotation / 2))}
        )

    return Motion.from_poses(character.skeleton, pose, seconds=seconds, fps=60.0, name="swinging")
