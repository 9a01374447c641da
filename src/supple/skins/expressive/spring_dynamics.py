"""Springs in time: the skin starts from where it was, lags behind the bones, swings and sends waves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.expressive.springs import Springs, SpringSettings
from supple.skins.expressive.sweeps import Sweeps
from supple.skins.skin import DevicePoints, Skin, SoftSkin

JIGGLE_MAP = "jiggle"
_SETTLING = 200  # sweeps that bring the first pose to rest
_SWING = 0.9
_LEASH = 1.0  # of its scale vector that a vertex may be from where it hangs
_LOOSEST = 0.05  # share of looseness below which skin counts as firm


@dataclass
class Swinging:
    """The skin as it is, its velocity as seen from the bones, and where the bones were."""

    points: Any
    velocities: Any
    attached: Any
    aims: Any
    drifts: Any


@dataclass(frozen=True, kw_only=True)
class SpringDynamics(SpringSettings, SoftSkin):
    """The springs of `SpringRig` in time: each step starts from the last result, taken along by the joints' change.

    With `speed` above zero the springs have momentum: waves run over the skin about that fast (never faster than the
    mesh can carry them, one edge per sweep), and flesh that the bones accelerate stays behind by `inertia` and swings
    until `damping` has eaten it. With `speed` zero each step only relaxes, as published for frame-dependent rigs.
    A map `jiggle`, 0 to 1, says where skin is loose; without it all of it is.

    Limits: skin that touches skin is not seen; a vertex never leaves its place on the bones by more than its distance
    from them.
    """

    command_name: ClassVar[str] = "spring-dynamics"
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    iterations: int = setting(8, "Sweeps per simulation step", low=1, high=1000)
    speed: float = setting(0.5, "How fast waves run over the skin; 0 for no momentum", unit="m/s", low=0.0, high=1e6)
    inertia: float = setting(0.5, "How much skin stays behind when bones speed up", low=0.0, high=1.0)
    damping: float = setting(5.0, "How fast swinging dies away", unit="1/s", low=0.0, high=1e6)

    def stands_on(self) -> Skin:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> Momentum:
        return Momentum(character, self, device=device)

    def start(self, binding: Momentum, pose: Pose, incoming: DevicePoints | None) -> Swinging:
        return binding.start(pose, incoming)

    def advance(
        self, binding: Momentum, state: Swinging, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return binding.advance(state, pose)


class Momentum:
    """Springs, how fast each vertex answers them, and the launches of one step."""

    def __init__(self, character: Character, settings: SpringDynamics, *, device: str) -> None:
        wp = devices.warp()
        self._springs = springs = Springs(character, settings, device=device)
        self._settings, self._count, self._device = settings, springs.count, device
        loose = np.clip(character.maps.get(JIGGLE_MAP, np.ones(self._count)), 0.0, 1.0)
        self._loose = devices.to_device(loose.astype(np.float32), wp.float32, device)
        self._part = settings.step / settings.iterations
        size = np.maximum(springs.edge_size, 1e-9)
        rates = springs.answer * settings.speed / (size * np.maximum(loose, _LOOSEST))
        self._rates = devices.to_device(np.minimum(rates, 1.0 / self._part).astype(np.float32), wp.float32, device)
        leashes = _LEASH * np.maximum(springs.rest_lengths, size)
        self._leashes = devices.to_device(leashes.astype(np.float32), wp.float32, device)
        self._settle = Sweeps(springs.launches(math.inf, _SWING), device)
        self._recorded: tuple[Swinging, devices.Launch, Sweeps] | None = None

    def start(self, pose: Pose, incoming: Any) -> Swinging:
        """At rest in a first pose."""
        wp = devices.warp()
        springs = self._springs
        springs.set(pose)
        springs.starting_from(incoming)()
        self._settle.run(_SETTLING)
        still = [wp.zeros(self._count, dtype=wp.vec3f, device=self._device) for _ in range(2)]
        return Swinging(
            wp.clone(springs.points[0]), still[0], wp.clone(springs.hanging.attached), wp.clone(springs.aims), still[1]
        )

    def advance(self, state: Swinging, pose: Pose) -> Any:
        """One step on."""
        if self._recorded is None or self._recorded[0] is not state:
            self._recorded = state, self._carry(state), self._sweeps(state)
        self._springs.set(pose)
        self._recorded[1]()
        self._recorded[2].run(self._settings.iterations)
        devices.warp().copy(state.points, self._springs.points[self._settings.iterations % 2])
        return state.points

    def _carry(self, state: Swinging) -> devices.Launch:
        from supple.skins.expressive import spring_kernels as kernels

        springs = self._springs
        inertia = self._settings.inertia if self._settings.speed > 0.0 else 0.0
        inputs = [
            springs.hanging.attached, springs.aims, self._loose, self._settings.step, inertia, state.points,
            state.velocities, state.attached, state.aims, state.drifts, *springs.points, springs.polars[0],
        ]  # fmt: skip
        return devices.Launch(kernels.carry, self._count, inputs, self._device)

    def _sweeps(self, state: Swinging) -> Sweeps:
        """Momentum, or plain relaxation where there is none."""
        from supple.skins.expressive import spring_kernels as kernels

        springs = self._springs
        if self._settings.speed == 0.0:
            return Sweeps(springs.launches(math.inf, _SWING), self._device)
        kept = math.exp(-self._settings.damping * self._part)
        launches = []
        for turn in range(2):
            buffers = [springs.points[turn], springs.polars[turn], springs.points[1 - turn], springs.polars[1 - turn]]
            inputs = [
                *springs.springs, springs.hanging.attached, self._rates, self._leashes, self._part, kept,
                state.velocities, *buffers,
            ]  # fmt: skip
            launches.append(devices.Launch(kernels.swing_on, self._count, inputs, self._device))
        return Sweeps(launches, self._device)
