"""Curves in time: the network swings into what it has learnt, runs past it, and comes to rest there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from supple import device as devices
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.curves.batches import DynamicCurves, StaticCurves
from supple.skins.curves.binding import Carrier, Driving, loads_of
from supple.skins.curves.dynamic import DynamicBeam
from supple.skins.curves.model import CurveModel
from supple.skins.curves.skin import PAPERS, CurveSettings
from supple.skins.curves.static import StaticBeam
from supple.skins.skin import DevicePoints, Skin, SoftSkin

_FIRST_MODE = 22.373  # angular frequency of a clamped curve's slowest swing with bending and mass one


@dataclass
class Swing:
    """The skin as it is, and what the curves remember: their last two shapes, and whether they stand still."""

    points: Any
    shapes: Any
    resting: Any


@dataclass(frozen=True, kw_only=True)
class CurveDynamics(CurveSettings, SoftSkin):
    """`CurveNetwork` with mass: curves lag behind a quick turn, swing past their shape, and settle in it.

        a1 q_vvvv + a2 q_tt + a3 q_t = sum_e w_e(pose) F_e   [Chaudhry2015, Eq. 6.2]

    `frequency` is the pace of the slowest swing of a curve, w = 22.4 sqrt(a1 / a2), and `damping` the share of the
    damping at which that swing would not overshoot, a3 = 2 damping w a2. Held in a pose it ends where `CurveNetwork`
    has it.

    Limits: only what it has learnt swings; the curves do not feel how fast the bones carry them. Both ends of a curve
    follow at once. Steps that are long against a swing damp it further (see `DynamicBeam`).
    """

    command_name: ClassVar[str] = "curve-dynamics"
    papers: ClassVar[tuple[str, ...]] = PAPERS

    frequency: float = setting(4.0, "Pace of a curve's slowest swing", unit="Hz", low=0.1, high=60.0)
    damping: float = setting(0.2, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=10.0)

    def stands_on(self) -> Skin:
        return self.first_stage()

    def check_for(self, character: Character) -> None:
        if self.trained is not None:
            self.trained.check_fits(character)

    def bind(self, character: Character, device: str) -> SwingingCurves:
        return SwingingCurves(self.model_for(character), character, self, device=device)

    def start(self, binding: SwingingCurves, pose: Pose, incoming: DevicePoints | None) -> Swing:
        return binding.start(pose, incoming)

    def advance(
        self, binding: SwingingCurves, state: Swing, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return binding.advance(pose, incoming)


class SwingingCurves:
    """Curves with mass, the mesh that goes along, and the shape in which they start."""

    def __init__(self, model: CurveModel, character: Character, settings: CurveDynamics, *, device: str) -> None:
        loads, steps = loads_of(model), max(1, round(1.0 / settings.step))  # beams have time 1 for a second
        pace = 2.0 * math.pi * settings.frequency
        mass = (_FIRST_MODE / pace) ** 2
        drag = 2.0 * settings.damping * pace * mass
        beams = [DynamicBeam(count, steps, mass=mass, damping=drag) for count in loads.nodes]
        self._curves = DynamicCurves(beams, loads.examples, groups=loads.groups, counts=loads.counts, device=device)
        still = [StaticBeam(count) for count in loads.nodes]
        self._still = StaticCurves(still, loads.examples, groups=loads.groups, counts=loads.counts, device=device)
        self._driving = Driving(model)
        self._carrier = Carrier(model, character, self._curves.shapes, device=device)

    def start(self, pose: Pose, below: Any) -> Swing:
        """At rest in a first pose."""
        weights = self._driving.weights(self._carrier.rotations(pose))[None]
        still = devices.to_host(self._still.run(weights))
        self._curves.rest(still)
        devices.warp().copy(self._curves.shapes, self._still.shapes)
        shapes, resting = self._curves.memory
        return Swing(self._carrier.run(below), shapes, resting)

    def advance(self, pose: Pose, below: Any) -> Any:
        """One step on."""
        self._curves.run(self._driving.weights(self._carrier.rotations(pose))[None])
        return self._carrier.run(below)
