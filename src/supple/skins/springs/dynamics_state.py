"""Springs in time: what they remember, and the launches of one step."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.springs.binding import SpringBinding
from supple.skins.springs.state import Springs, Sweeps

if TYPE_CHECKING:
    from supple.skins.springs.spring_dynamics import SpringDynamics

_MOMENTUM = 0.9  # of relaxing sweeps in time


@dataclass
class SpringMemory:
    """The skin as it is, its velocity as seen from the bones, and where the bones were and went."""

    points: Any
    velocities: Any
    attached: Any
    aims: Any
    drifts: Any


class DynamicsState:
    """Springs in time; `pose` is the last one that they took, which goes with the memory that it made."""

    def __init__(self, binding: SpringBinding, settings: SpringDynamics) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.springs = Springs(binding)
        count, device = self.springs.count, self.springs.device
        points, velocities, attached, drifts = (blank(count, wp.vec3f) for _ in range(4))
        self.memory = SpringMemory(points, velocities, attached, blank(count, wp.vec4f), drifts)
        self.pose: Pose | None = None
        self.last_buffer = 0
        self._looseness, self._rates = blank(count, wp.float32), blank(count, wp.float32)
        self._parameters = blank(4, wp.float32)
        relaxed = devices.to_device(np.array([math.inf, _MOMENTUM, 0.0], dtype=np.float32), wp.float32, device)
        self.carry = self._record_carry()
        self._relaxing = Sweeps(self.springs.sweeps(relaxed), device)
        self._swinging = Sweeps(self._record_integration(), device)
        self._tuned_for: SpringDynamics | None = None
        self.tune(settings)

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.memory.points

    def recall(self) -> None:
        """Forget the pose that another memory went with."""
        self.pose = None

    def tune(self, skin: SpringDynamics) -> None:
        """Take the settings that may change at any time."""
        if skin is self._tuned_for:
            return
        springs, before, self._tuned_for = self.springs, self._tuned_for, skin
        springs.tune(skin.stiffness)
        dt = skin.step / skin.iterations
        rates = springs.binding.rates(springs.tuned, skin.speed, 1.0 / dt)
        devices.write(self._rates, rates)
        devices.write(self._looseness, springs.binding.looseness)
        inertia = skin.inertia if skin.speed > 0.0 else 0.0
        devices.write(self._parameters, np.array([skin.step, inertia, dt, math.exp(-skin.damping * dt)]))
        if skin.speed == 0.0 and before is not None and before.speed != 0.0:
            self.memory.velocities.zero_()
        self._sweeps = self._relaxing if skin.speed == 0.0 else self._swinging

    def reshape(self, binding: SpringBinding) -> bool:
        """Go on with a binding of other shapes and maps; says whether it can."""
        if not binding.is_painted_like(self.springs.binding):
            self._tuned_for = None
        return self.springs.reshape(binding)

    def go_on_from(self, other: DynamicsState) -> None:
        """Take over what another state of the same skin remembers."""
        for field in fields(self.memory):
            devices.warp().copy(getattr(self.memory, field.name), getattr(other.memory, field.name))
        self.pose = other.pose

    def settle(self, count: int) -> Any:
        """The shape in the buffers after `count` sweeps without any velocity."""
        return self._run(self._relaxing, count)

    def sweep(self, count: int) -> Any:
        """The shape in the buffers after `count` sweeps of a step."""
        return self._run(self._sweeps, count)

    def _run(self, sweeps: Sweeps, count: int) -> Any:
        sweeps.run(count)
        self.last_buffer = count % 2
        return self.springs.points[self.last_buffer]

    def remember_bones(self) -> None:
        """Take the bones of the pose that springs are in for those of the last step."""
        wp, memory = devices.warp(), self.memory
        wp.copy(memory.attached, self.springs.attached.attachment_points)
        wp.copy(memory.aims, self.springs.aims)

    def _record_carry(self) -> devices.Launch:
        from supple.skins.springs.kernels import springs as kernels

        springs = self.springs
        memory = devices.fill_struct(kernels.Memory(), **vars(self.memory))
        inputs = [springs.all, self._looseness, self._parameters, memory, *springs.points, springs.polars[0]]
        return devices.Launch(kernels.carry, springs.count, inputs, springs.device)

    def _record_integration(self) -> list[devices.Launch]:
        from supple.skins.springs.kernels import springs as kernels

        springs, wp = self.springs, devices.warp()
        max_offsets = devices.to_device(springs.binding.max_offsets, wp.float32, springs.device)
        fixed = [springs.all, self._rates, max_offsets, self._parameters, self.memory.velocities]
        rows = [[*fixed, *springs.buffers(source)] for source in range(2)]
        return [devices.Launch(kernels.integrate, springs.count, row, springs.device) for row in rows]
