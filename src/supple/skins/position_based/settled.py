"""The default recipe: flesh settles to the least of an energy, and free flesh swings about where it settled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import Floats
from supple.skins.position_based.body import Body
from supple.skins.position_based.equilibrium import EnergyWeights, Equilibrium
from supple.skins.position_based.softness import SOFT_ENOUGH, depth_factor

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

Calls = list[Callable[[], object]]
Part = Callable[..., object]  # parts what touches, once


class Settled:
    """What settles and holds together the flesh of a body, or of the bodies of a crowd."""

    def __init__(self, equilibrium: Equilibrium) -> None:
        self.equilibrium = equilibrium
        self.particles, self.anchors = equilibrium.particles, equilibrium.anchors

    def tune(self, skin: PositionBased) -> None:
        """Take settings that may change at any time."""
        self.equilibrium.weigh(
            EnergyWeights.from_stiffness(
                volume=skin.volume,
                bind=skin.bond,
                stretch=skin.stretch,
                memory=skin.memory,
                contact=skin.contact_stiffness,
                slack=skin.slack,
            )
        )
        self.equilibrium.relax_towards(skin.volume, skin.lively_stretch)

    def paces(self, skin: PositionBased, body: Body, soft: Floats) -> Floats:
        """How fast every particle (P,) swings [rad/s] by how `soft` the skin is there; below zero it is driven."""
        free = np.clip(soft * depth_factor(body), 0.0, 1.0)
        pace = 2.0 * np.pi * skin.frequency / np.maximum(free, SOFT_ENOUGH)
        return np.where(free > SOFT_ENOUGH, pace, -1.0)

    def settling(self, skin: PositionBased, part: Part | None) -> Calls:
        """From where the bones carry the flesh to where it settles.

        Planes through joints push in the energy, so that all flesh gives way to them; what is left is parted at last.
        """
        between: Calls = [] if part is None else [partial(part, planes=False)]
        last: Calls = [] if part is None else [part]
        return [self.equilibrium.begin, *[*self.equilibrium.round(), *between] * skin.iterations, *last]

    def checking(self, settled: Any, stuck: Any) -> Calls:
        """What is looked at where the flesh `settled`: whether elements are stuck inside out."""
        return [self.equilibrium.finding_stuck(settled, stuck)]

    def swinging(self, skin: PositionBased, settled: Any, part: Part | None) -> Calls:
        """What holds flesh together that swings about where it `settled`."""
        after: Calls = [] if part is None else [part]
        return [*self.equilibrium.relaxing(settled), *after] * skin.lively_rounds
