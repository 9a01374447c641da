"""Springs in time: the skin starts from where it was, lags behind the bones, swings and sends waves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from supple import device as devices
from supple.arrays import Singles
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin, SoftSkin
from supple.skins.springs.springs import SpringBinding, Springs, SpringSettings
from supple.skins.springs.sweeps import Sweeps

JIGGLE_MAP = "jiggle"
_SETTLING = 200  # sweeps that bring the first pose to rest
_SWING = 0.9
_LEASH = 1.0  # of its scale vector that a vertex may be from where it hangs
_LOOSEST = 0.05  # share of looseness below which skin counts as firm


@dataclass(frozen=True, kw_only=True)
class SpringDynamics(SpringSettings, SoftSkin["DynamicsBinding", "Momentum"]):
    """The springs of `SpringRig` in time: each step starts from the last result, taken along by the joints' change.

    With `speed` above zero the springs have momentum: waves run over the skin about that fast (never faster than the
    mesh can carry them, one edge per sweep), and flesh that the bones accelerate stays behind by `inertia` and swings
    until `damping` has eaten it. With `speed` zero each step only relaxes, as published for frame-dependent rigs.
    A map `jiggle`, 0 to 1, says where skin is loose; without it all of it is.

    Limits: skin that touches skin is not seen; a vertex never leaves its place on the bones by more than its distance
    from them.
    """

    command_name: ClassVar[str] = "spring-dynamics"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    iterations: int = setting(8, "Sweeps per simulation step", low=1, high=1000)
    speed: float = setting(0.5, "How fast waves run over the skin; 0 for no momentum", unit="m/s", low=0.0, high=1e6)
    inertia: float = setting(0.5, "How much skin stays behind when bones speed up", low=0.0, high=1.0)
    damping: float = setting(5.0, "How fast swinging dies away", unit="1/s", low=0.0, high=1e6)

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> DynamicsBinding:
        return DynamicsBinding.from_character(character, self, device)

    def allocate(self, binding: DynamicsBinding) -> Momentum:
        return Momentum(binding, self)

    def start(self, binding: DynamicsBinding, pose: Pose, incoming: DevicePoints | None) -> Momentum:
        state = self.allocate(binding)
        state.start(pose, incoming)
        return state

    def advance(
        self, binding: DynamicsBinding, state: Momentum, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.advance(pose)


@dataclass(frozen=True, eq=False)
class DynamicsBinding:
    """Springs, how loose (V,) the skin is, how fast (V,) [1/s] it answers them, and how far (V,) [m] it may go."""

    springs: SpringBinding
    loose: Singles
    rates: Singles
    leashes: Singles

    @classmethod
    def from_character(cls, character: Character, settings: SpringDynamics, device: str) -> DynamicsBinding:
        """Hang a character on springs with momentum."""
        springs = SpringBinding.from_character(character, settings, device)
        loose = np.clip(character.maps.get(JIGGLE_MAP, np.ones(len(springs.hanging))), 0.0, 1.0)
        size = np.maximum(springs.edge_size, 1e-9)
        rates = springs.answer * settings.speed / (size * np.maximum(loose, _LOOSEST))
        fastest = 1.0 / (settings.step / settings.iterations)
        leashes = _LEASH * np.maximum(springs.hanging.rest_lengths, size)
        return cls(
            springs, loose.astype(np.float32), np.minimum(rates, fastest).astype(np.float32), leashes.astype(np.float32)
        )


@dataclass
class SpringMemory:
    """The skin as it is, its velocity as seen from the bones, and where the bones were."""

    points: Any
    velocities: Any
    attached: Any
    aims: Any
    drifts: Any


class Momentum:
    """Springs in time: what they remember, and the launches of one step."""

    def __init__(self, binding: DynamicsBinding, settings: SpringDynamics) -> None:
        wp, blank = devices.warp(), binding.springs.constants.blank
        self._binding, self._settings, self._springs = binding, settings, Springs(binding.springs)
        self._count, self._device = self._springs.count, self._springs.device
        self._part = settings.step / settings.iterations
        points, velocities, attached, drifts = (blank(self._count, wp.vec3f) for _ in range(4))
        self.memory = SpringMemory(points, velocities, attached, blank(self._count, wp.vec4f), drifts)
        self._carry, self._sweeps = self._carrying(), self._sweeping()

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.memory.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def start(self, pose: Pose, incoming: Any) -> None:
        """Come to rest in a first pose."""
        wp, springs, memory = devices.warp(), self._springs, self.memory
        springs.set(pose)
        springs.starting_from(incoming)()
        Sweeps(springs.launches(math.inf, _SWING), self._device).run(_SETTLING)
        wp.copy(memory.points, springs.points[0])
        wp.copy(memory.attached, springs.hanging.attached)
        wp.copy(memory.aims, springs.aims)
        memory.velocities.zero_()
        memory.drifts.zero_()

    def advance(self, pose: Pose) -> Any:
        """One step on."""
        self._springs.set(pose)
        self._carry()
        self._sweeps.run(self._settings.iterations)
        devices.warp().copy(self.memory.points, self._springs.points[self._settings.iterations % 2])
        return self.memory.points

    def _carrying(self) -> devices.Launch:
        from supple.skins.springs import spring_kernels as kernels

        springs, memory, wp = self._springs, self.memory, devices.warp()
        inertia = self._settings.inertia if self._settings.speed > 0.0 else 0.0
        loose = springs.binding.constants.put(self._binding.loose, wp.float32)
        inputs = [
            springs.hanging.attached,
            springs.aims,
            loose,
            self._settings.step,
            inertia,
            memory.points,
            memory.velocities,
            memory.attached,
            memory.aims,
            memory.drifts,
            *springs.points,
            springs.polars[0],
        ]
        return devices.Launch(kernels.carry, self._count, inputs, self._device)

    def _sweeping(self) -> Sweeps:
        """Momentum, or plain relaxation where there is none."""
        from supple.skins.springs import spring_kernels as kernels

        springs, wp = self._springs, devices.warp()
        if self._settings.speed == 0.0:
            return Sweeps(springs.launches(math.inf, _SWING), self._device)
        kept = math.exp(-self._settings.damping * self._part)
        put = springs.binding.constants.put
        rates, leashes = put(self._binding.rates, wp.float32), put(self._binding.leashes, wp.float32)
        launches = []
        for rotation in range(2):
            buffers = [
                springs.points[rotation],
                springs.polars[rotation],
                springs.points[1 - rotation],
                springs.polars[1 - rotation],
            ]
            inputs = [
                *springs.springs,
                springs.hanging.attached,
                rates,
                leashes,
                self._part,
                kept,
                self.memory.velocities,
                *buffers,
            ]
            launches.append(devices.Launch(kernels.swing_on, self._count, inputs, self._device))
        return Sweeps(launches, self._device)
