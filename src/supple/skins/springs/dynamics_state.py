"""Springs in time: what they remember, and the launches of one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.motion.pose import Pose
from supple.skins.memory import capture_arrays, restore_arrays
from supple.skins.pull import Pull
from supple.skins.springs.binding import SpringBinding
from supple.skins.springs.hands import Hands
from supple.skins.springs.implicit import ImplicitStep
from supple.skins.springs.state import Springs, Sweeps

if TYPE_CHECKING:
    from supple.skins.springs.spring_dynamics import SpringDynamics

_LIMITING = 2  # rounds in which edges lose what would stretch them too far; even, so that buffers are back in place
_STRETCH = 0.2  # of `max_offset`: how much longer or shorter than without motion edges may swing
_RESTING = 32  # steps in which skin that is damped so that nothing overshoots comes to rest, but for a hundredth
_MOST_CALM = 0.5  # of a step: skin that swings sooner than this would not get to its balance
_MOMENTUM = 0.9  # of relaxing sweeps in time
_ROOM_LASTS = 0.25  # s: after this time, a third is left of the room that a hand made


@dataclass
class SpringMemory:
    """The skin as it is, its velocity as seen from the bones, and where the bones were and went.

    `rooms` are how much farther [m] than usual hands have let vertices go; that passes when they let go. `joints`
    (J, 4, 4) are those of the last step, zero before the first one.
    """

    points: Any
    velocities: Any
    attached: Any
    aims: Any
    drifts: Any
    rooms: Any
    joints: FloatArray


class DynamicsState:
    """Springs in time; `shapes` are the shares of the last pose."""

    def __init__(self, binding: SpringBinding, settings: SpringDynamics) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.springs = Springs(binding)
        count, device = self.springs.count, self.springs.device
        points, velocities, attached, drifts = (blank(count, wp.vec3f) for _ in range(4))
        aims, rooms = blank(count, wp.vec4f), blank(count, wp.float32)
        joints = np.zeros((len(binding.attached_skin.character.skeleton), 4, 4))
        self.memory = SpringMemory(points, velocities, attached, aims, drifts, rooms, joints)
        self.shapes: Mapping[str, float] = {}
        self.aimed_at: Any = None
        self.last_buffer = 0
        self._looseness, self._rates, self._max_offsets = (blank(count, wp.float32) for _ in range(3))
        self._fadings, self._parameters = blank(count, wp.float32), blank(5, wp.float32)
        relaxed = devices.to_device(np.array([math.inf, _MOMENTUM, 0.0], dtype=np.float32), wp.float32, device)
        self.carry = self._record_carry()
        self._limits = self._record_limits()
        self._relaxing, self._swinging = self.springs.sweeps(relaxed), self._record_integration()
        self.hands = Hands(self.springs, self.memory, self._rates, self._parameters, settings.step)
        self._implicit = ImplicitStep(
            self.springs,
            self.memory,
            looseness=self._looseness,
            fadings=self._fadings,
            max_offsets=self._max_offsets,
            parameters=self._parameters,
        )
        self._free = self._sweeps = {swings: self._alternate(swings=swings) for swings in (False, True)}
        self._tuned_for: SpringDynamics | None = None
        self.tune(settings)

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.memory.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    @property
    def pose(self) -> Pose | None:
        """The last pose that springs took, as far as they remember."""
        joints = self.memory.joints
        return Pose(joints.copy(), shapes=self.shapes) if joints.any() else None

    def remember_pose(self, pose: Pose) -> None:
        """Take a pose for the last one."""
        self.memory.joints[...], self.shapes = pose.world_from_joint, pose.shapes

    def tune(self, skin: SpringDynamics) -> None:
        """Take the settings that may change at any time."""
        if skin is self._tuned_for:
            return
        springs, self._tuned_for = self.springs, skin
        springs.tune(skin.stiffness)
        dt = skin.step / skin.iterations
        rates = springs.binding.rates(springs.tuned, skin.frequency, 1.0 / dt)
        devices.write(self._rates, np.minimum(rates, 1.0 / dt))  # sweeps carry no wave farther than an edge
        devices.write(self._implicit.rates, rates)
        devices.write(self._max_offsets, springs.binding.max_offsets(skin.max_offset))
        devices.write(self._looseness, springs.binding.looseness)
        self._swings = skin.frequency > 0.0
        if self._swings:
            devices.write(springs.all.freedom, springs.binding.swinging_freedom)
        inertia = skin.inertia if self._swings else 0.0
        self._calm = np.float32(2.0 * min(2.0 * math.pi * skin.frequency, _MOST_CALM / skin.step))
        devices.write(self._fadings, springs.binding.fadings(springs.tuned, rates, skin.damping, skin.step))
        room_retention = math.exp(-skin.step / _ROOM_LASTS)
        row = [skin.step, inertia, dt, room_retention, _STRETCH * skin.max_offset]
        devices.write(self._parameters, np.array(row))
        if self._swings:
            self._implicit.tune(rates, skin.step, skin.iterations)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these hands and no others."""
        if self.hands.hold(pulls):
            self._sweeps = self._free
            if self.hands:
                self._sweeps = {swings: self._alternate(swings=swings) for swings in (False, True)}

    def reshape(self, binding: SpringBinding) -> bool:
        """Go on with a binding of other shapes and maps; says whether it can."""
        if not binding.is_painted_like(self.springs.binding):
            self._tuned_for = None
        return self.springs.reshape(binding)

    def go_on_from(self, other: DynamicsState) -> None:
        """Take over what another state of the same skin remembers."""
        restore_arrays(self.memory, "", capture_arrays(other.memory, ""))
        self.shapes, self.aimed_at = other.shapes, other.aimed_at
        self.hold(other.hands.pulls)

    def settle(self, count: int) -> Any:
        """The shape in the buffers where nothing swings: after `count` sweeps, and steps that let it come to rest.

        Steps hold what is firm more than sweeps do, so that it would leap in the first of them.
        """
        rested = self._run(self._free[False], count)
        if not self._swings:
            return rested
        usual = devices.to_host(self._fadings).copy()
        devices.write(self._fadings, np.maximum(usual, self._calm))
        for _ in range(_RESTING):
            self._implicit.run()
        devices.write(self._fadings, usual)
        return self.springs.points[0]

    def sweep(self, count: int) -> Any:
        """The shape in the buffers after `count` sweeps of a step; what does not swing has no velocity."""
        if not self._swings:
            self.memory.velocities.zero_()
        if self.looks_once:
            self._implicit.run()
            self.last_buffer = 0
            return self.springs.points[0]
        if self._swings:
            self._limits.run(_LIMITING)
        return self._run(self._sweeps[self._swings], count)

    @property
    def looks_once(self) -> bool:
        """Whether a step looks at all pulls once, rather than in every sweep: while nobody holds skin that swings."""
        return self._swings and not self.hands

    def _run(self, sweeps: Sweeps, count: int) -> Any:
        sweeps.run(count)
        self.last_buffer = count % 2
        return self.springs.points[self.last_buffer]

    def forget_drifts(self) -> None:
        """How fast bones move is not known, as before the first step."""
        from supple.skins.springs.kernels import springs as kernels

        self.memory.drifts.fill_(kernels.UNKNOWN_DRIFT)

    def remember_bones(self) -> None:
        """Take the bones of the pose that springs are in for those of the last step."""
        wp, memory = devices.warp(), self.memory
        wp.copy(memory.attached, self.springs.attached.attachment_points)
        wp.copy(memory.aims, self.springs.aims)

    def _alternate(self, *, swings: bool) -> Sweeps:
        """Sweeps with momentum or without, and what hands do after each."""
        launches = self._swinging if swings else self._relaxing
        turns: list[list[Callable[[], object]]] = [
            [sweep, *self.hands.after_sweep(1 - source)] for source, sweep in enumerate(launches)
        ]
        return Sweeps(turns, self.springs.device)

    def _record_carry(self) -> devices.Launch:
        from supple.skins.springs.kernels import springs as kernels

        springs = self.springs
        arrays = {name: array for name, array in vars(self.memory).items() if name != "joints"}
        memory = devices.fill_struct(kernels.Memory(), **arrays)
        inputs = [springs.all, self._looseness, self._parameters, memory, *springs.points, springs.polars[0]]
        return devices.Launch(kernels.carry, springs.count, inputs, springs.device)

    def _record_limits(self) -> Sweeps:
        """Rounds in which ends of edges that swing too far lose what would take them farther."""
        from supple.skins.springs.kernels import springs as kernels

        springs, wp = self.springs, devices.warp()
        fixed = [springs.all, self._looseness, self.memory.rooms, self._parameters, springs.points[0]]
        here, there = self.memory.velocities, springs.binding.constants.blank(springs.count, wp.vec3f)
        rows = [[*fixed, *pair] for pair in ((here, there), (there, here))]
        return Sweeps(
            [[devices.Launch(kernels.limit_stretch, springs.count, row, springs.device)] for row in rows],
            springs.device,
        )

    def _record_integration(self) -> list[devices.Launch]:
        from supple.skins.springs.kernels import springs as kernels

        springs = self.springs
        fixed = [
            springs.all,
            self._rates,
            self._fadings,
            self._max_offsets,
            self.memory.rooms,
            self._parameters,
            self.memory.velocities,
        ]
        rows = [[*fixed, *springs.buffers(source)] for source in range(2)]
        return [devices.Launch(kernels.integrate, springs.count, row, springs.device) for row in rows]
