"""Curves in time: the network swings into what it has learnt, runs past it, and comes to rest there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, Skin, SoftSkin
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.binding import CurveBinding
from supple.skins.curves.skin import PAPERS, CurveSettings
from supple.skins.curves.state import DynamicCurveState
from supple.skins.curves.step import start, step

_FIRST_MODE = 22.373  # angular frequency of a clamped curve's slowest swing with bending and mass one


@dataclass(frozen=True, kw_only=True)
class CurveDynamics(CurveSettings, SoftSkin[CurveBinding, DynamicCurveState]):
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
    live: ClassVar[frozenset[str]] = frozenset({"frequency", "damping"})

    frequency: float = setting(4.0, "Pace of a curve's slowest swing", unit="Hz", low=0.1, high=60.0)
    damping: float = setting(0.2, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=10.0)

    def base_skin(self) -> Skin[Any, Any]:
        return self.first_stage()

    def check_for(self, character: Character) -> None:
        if self.trained is not None:
            self.trained.check_fits(character)

    def bind(self, character: Character, device: str) -> CurveBinding:
        return CurveBinding.from_model(self.model_for(character), character, device)

    def allocate(self, binding: CurveBinding) -> DynamicCurveState:
        return DynamicCurveState(binding, self)

    def rebind(self, binding: CurveBinding, character: Character, device: str) -> CurveBinding:
        return binding.reshaped(character)

    def reshape(self, binding: CurveBinding, state: DynamicCurveState) -> DynamicCurveState:
        return state  # what shapes do comes with the skin below

    def forces(self, binding: CurveBinding, state: DynamicCurveState) -> DevicePoints:
        return state.forces()

    def start(self, binding: CurveBinding, pose: Pose, incoming: DevicePoints | None) -> DynamicCurveState:
        state = self.allocate(binding)
        start(state, pose, incoming)
        return state

    def advance(
        self, binding: CurveBinding, state: DynamicCurveState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        state.tune(self)
        return step(state, pose, incoming)

    def beam(self, nodes: int) -> DynamicBeam:
        """A curve of so many nodes, with mass; beams have time 1 for a second."""
        angular_frequency = 2.0 * math.pi * self.frequency
        mass = (_FIRST_MODE / angular_frequency) ** 2
        return DynamicBeam(
            nodes, max(1, round(1.0 / self.step)), mass=mass, damping=2.0 * self.damping * angular_frequency * mass
        )
