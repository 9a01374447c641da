"""The default recipe: flesh settles to the least of an energy, and free flesh swings about where it settled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray
from supple.device import Calls
from supple.skins.position_based.body.softness import SOFT_ENOUGH, depth_factor
from supple.skins.position_based.body.tetrahedral_body import FleshBody
from supple.skins.position_based.solve.energy import EnergyWeights
from supple.skins.position_based.solve.lbfgs import LbfgsSolver

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased


class SettleAndSwing:
    """What settles and holds together the flesh of a body, or of the bodies of a crowd."""

    def __init__(self, solver: LbfgsSolver) -> None:
        self.solver = solver
        self.particles, self.anchors = solver.particles, solver.anchors

    def tune(self, skin: PositionBased) -> None:
        """Take settings that may change at any time."""
        weights = EnergyWeights.from_stiffness(
            volume=skin.solve.volume,
            bind=skin.solve.bone_stiffness,
            stretch=skin.solve.stretch,
            correction_time=skin.solve.correction_time,
            contact=skin.collision.contact_stiffness,
            one_sided=skin.solve.one_sided,
        )
        self.solver.set_weights(weights.for_elements(self.solver.element_count))
        self.solver.set_relaxation(skin.solve.volume, skin.swing.dynamic_stretch)

    def angular_frequencies(self, skin: PositionBased, body: FleshBody, softness: FloatArray) -> FloatArray:
        """How fast every particle (P,) swings [rad/s] by how soft the skin is there; below zero it is driven."""
        free = np.clip(softness * depth_factor(body), 0.0, 1.0)
        frequency = 2.0 * np.pi * skin.swing.frequency / np.maximum(free, SOFT_ENOUGH)
        return np.where(free > SOFT_ENOUGH, frequency, -1.0)

    def settle(self, skin: PositionBased, project_contacts: Callable[..., object] | None, pressures: Any) -> Calls:
        """From where the bones carry the flesh to where it settles.

        Planes through joints and faces push in the energy, so that all flesh gives way to them; what is left is parted
        at last. Rigid bodies part in every round.
        """
        between: Calls = [] if project_contacts is None else [partial(project_contacts, itself=False)]
        last: Calls = [] if project_contacts is None else [project_contacts]
        rounds = [*self.solver.iteration(), *between] * skin.iterations
        return [self.solver.reset_history, self.solver.pressure.apply(pressures), *rounds, *last]

    def check(self, settled: Any, inverted: Any, pressures: Any, params: Any) -> Calls:
        """What is looked at where the flesh `settled`: whether elements are stuck inside out, and what they lack."""
        return self.solver.check(settled, inverted, pressures, params)

    def swing(self, skin: PositionBased, settled: Any, project_contacts: Callable[..., object] | None) -> Calls:
        """What holds flesh together that swings about where it `settled`."""
        after: Calls = [] if project_contacts is None else [partial(project_contacts, settled=settled)]
        return [*self.solver.relax(settled), *after] * skin.swing.dynamic_iterations
