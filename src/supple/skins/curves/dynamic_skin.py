"""Curves in time: the network swings into what it has learnt, runs past it, and comes to rest there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from supple import device as devices
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin, SoftSkin
from supple.skins.curves.batches import DynamicCurves, StaticCurves
from supple.skins.curves.binding import Carrier, CurveBinding
from supple.skins.curves.dynamic import DynamicBeam
from supple.skins.curves.skin import PAPERS, CurveSettings

_FIRST_MODE = 22.373  # angular frequency of a clamped curve's slowest swing with bending and mass one


@dataclass(frozen=True, kw_only=True)
class CurveDynamics(CurveSettings, SoftSkin[CurveBinding, "SwingingCurves"]):
    """`CurveNetwork` with mass: curves lag behind a quick turn, swing past their shape, and settle in it.

        a1 q_vvvv + a2 q_tt + a3 q_t = sum_e w_e(pose) F_e   [Chaudhry2015, Eq. 6.2]

    `frequency` is the pace of the slowest swing of a curve, w = 22.4 sqrt(a1 / a2), and `damping` the share of the
    damping at which that swing would not overshoot, a3 = 2 damping w a2. Held in a pose it ends where `CurveNetwork`
    has it.

    Limits: only what it has learnt swings; the curves do not feel how fast the bones carry them. Both ends of a curve
    follow at once. Steps that are long against a swing damp it further (see `DynamicBeam`).
    """

    command_name: ClassVar[str] = "curve-dynamics"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = PAPERS

    frequency: float = setting(4.0, "Pace of a curve's slowest swing", unit="Hz", low=0.1, high=60.0)
    damping: float = setting(0.2, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=10.0)

    def base_skin(self) -> Skin[Any, Any]:
        return self.first_stage()

    def check_for(self, character: Character) -> None:
        if self.trained is not None:
            self.trained.check_fits(character)

    def bind(self, character: Character, device: str) -> CurveBinding:
        return CurveBinding.from_model(self.model_for(character), character, device, moving=self._beam)

    def allocate(self, binding: CurveBinding) -> SwingingCurves:
        return SwingingCurves(binding)

    def start(self, binding: CurveBinding, pose: Pose, incoming: DevicePoints | None) -> SwingingCurves:
        state = self.allocate(binding)
        state.start(pose, incoming)
        return state

    def advance(
        self, binding: CurveBinding, state: SwingingCurves, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.advance(pose, incoming)

    def _beam(self, nodes: int) -> DynamicBeam:
        """A curve of so many nodes, with mass; beams have time 1 for a second."""
        pace = 2.0 * math.pi * self.frequency
        mass = (_FIRST_MODE / pace) ** 2
        return DynamicBeam(nodes, max(1, round(1.0 / self.step)), mass=mass, damping=2.0 * self.damping * pace * mass)


@dataclass
class CurveMemory:
    """The skin as it is, and what the curves remember: their last two shapes, and whether they stand still."""

    points: Any
    shapes: Any
    resting: Any


class SwingingCurves:
    """Curves with mass, the mesh that goes along, and the shape in which they start."""

    def __init__(self, binding: CurveBinding) -> None:
        assert binding.moving is not None
        self._driving, constants = binding.driving, binding.constants
        self._curves = DynamicCurves(binding.moving, constants)
        self._still = StaticCurves(binding.still, constants)
        self._carrier = Carrier(binding, self._curves.shapes)
        self.memory = CurveMemory(self._carrier.points, *self._curves.memory)

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self._carrier.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def start(self, pose: Pose, below: Any) -> None:
        """Be at rest in a first pose."""
        weights = self._driving.weights(self._carrier.rotations(pose))[None]
        still = devices.to_host(self._still.run(weights))
        self._curves.rest(still)
        devices.warp().copy(self._curves.shapes, self._still.shapes)
        self._carrier.run(below)

    def advance(self, pose: Pose, below: Any) -> Any:
        """One step on."""
        self._curves.run(self._driving.weights(self._carrier.rotations(pose))[None])
        return self._carrier.run(below)
