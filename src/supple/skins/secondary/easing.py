"""Jumps that fade: when settings or maps change while a skin plays, what it is shown with does not jump."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.skins.base import DevicePoints

_EASE = 0.25  # s in which all but a twentieth of a small jump is gone
_SETTLED = 4.744  # k t at which a critically damped spring has a twentieth left
_FASTEST = 0.115  # sizes a second: larger jumps take longer, so that nothing moves by more than 4 mm in a frame
_STEEPEST = math.e  # the top speed of a critically damped spring from a distance e at rest is k e over this
_FADED = 24.0  # k t after which nothing is left
_NOTHING = 1e-7  # of the size


@dataclass
class EasingMemory:
    """Offsets that fade and their velocities by vertex; how fast [1/s], and for how long [s] they have."""

    offsets: Any
    velocities: Any
    rate: float = 0.0
    since: float = 0.0


class EasedJumps:
    """What a skin is shown with after it was changed: all of the difference at first, and soon none of it."""

    def __init__(self, count: int, size: float, device: str) -> None:
        wp = devices.warp()
        self._count, self._size, self._device = count, size, device
        self._rate, self._dt = (wp.zeros(1, dtype=wp.float32, device=device) for _ in range(2))
        self._shown = wp.zeros(count, dtype=wp.vec3f, device=device)
        offsets, velocities = (wp.zeros(count, dtype=wp.vec3f, device=device) for _ in range(2))
        self.memory = EasingMemory(offsets, velocities)
        self._recorded: tuple[DevicePoints, devices.Launch] | None = None

    @property
    def at_rest(self) -> bool:
        """Whether nothing is left of any jump."""
        return self.memory.rate * self.memory.since >= _FADED or self.memory.rate == 0.0

    def take_up(self, before: DevicePoints, now: DevicePoints) -> None:
        """Show the skin as it was `before` where it is by itself as it is `now`, and let the difference fade."""
        from supple.skins.secondary import kernels

        memory = self.memory
        devices.Launch(kernels.take_up, self._count, [before, now, memory.offsets], self._device)()
        largest = float(np.linalg.norm(devices.to_host(memory.offsets), axis=1).max(initial=0.0))
        memory.since, memory.rate = 0.0, 0.0
        if largest > _NOTHING * self._size:
            memory.rate = min(_SETTLED / _EASE, _STEEPEST * _FASTEST * self._size / largest)

    def advance(self, below: DevicePoints, dt: float) -> DevicePoints:
        """The skin `below` with what is left, `dt` [s] later; overwritten by the next call."""
        from supple.skins.secondary import kernels

        memory = self.memory
        memory.since += dt
        devices.write(self._rate, np.array([memory.rate]))
        devices.write(self._dt, np.array([dt]))
        if self._recorded is None or self._recorded[0] is not below:
            inputs = [self._rate, self._dt, below, memory.offsets, memory.velocities, self._shown]
            self._recorded = below, devices.Launch(kernels.fade_offsets, self._count, inputs, self._device)
        self._recorded[1]()
        return self._shown
