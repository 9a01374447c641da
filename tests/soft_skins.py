"""A small soft skin with a known answer, to test the player with."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple import LinearBlend
from supple import device as devices
from supple.settings import setting
from supple.skins.skin import PullableSkin, SoftSkin


@dataclass
class State:
    points: object
    steps: int = 0


@dataclass(frozen=True, kw_only=True)
class Trailing(SoftSkin):
    """Every vertex chases the incoming skin: x' = rate (target - x), so a step leaves exp(-rate dt) of the gap."""

    command_name: ClassVar[str] = "trailing"
    rate: float = setting(5.0, "How fast it catches up", unit="1/s", low=0.0, high=1000.0)

    def stands_on(self):
        return LinearBlend()

    def bind(self, character, device):
        return device

    def start(self, binding, pose, incoming):
        wp = devices.warp()
        return State(wp.clone(incoming))

    def advance(self, binding, state, pose, dt, *, incoming):
        points, target = state.points.numpy(), incoming.numpy()
        points += (1.0 - np.exp(-self.rate * dt)) * (target - points)
        state.steps += 1
        return state.points


@dataclass(frozen=True, kw_only=True)
class Gripped(Trailing, PullableSkin):
    """The same, but a vertex that is held is where the hand is, and one that is pushed moves by its force a step."""

    command_name: ClassVar[str] = "gripped"

    def bind(self, character, device):
        return []

    def hold(self, binding, state, pulls):
        binding[:] = pulls

    def advance(self, binding, state, pose, dt, *, incoming):
        points = super().advance(binding, state, pose, dt, incoming=incoming).numpy()
        for pull in binding:
            points[pull.places] = pull.way if pull.to is not None else points[pull.places] + pull.way
        return state.points
