"""The published recipe: momentum, then all constraints one after another in every round [AbuRumman2016, Alg. 5]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.skins.position_based.body import Body
from supple.skins.position_based.softness import SOFT_ENOUGH, beyond_the_mean
from supple.skins.position_based.solver import Knobs, Solver

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

Calls = list[Callable[[], object]]
Part = Callable[..., object]  # parts what touches, once


class Published:
    """Sweeps over the constraints of a body, or of the bodies of a crowd.

    Each constraint sees what the one before it did, so that the answer depends on their order.
    """

    def __init__(self, body: Body, constants: devices.Constants) -> None:
        self._solver = Solver(body.constraints, body.bonds.lengths, constants)
        self._tables = self._solver.tables()
        self._sweeps = self._solver.sweeps(self._tables)
        self.particles, self.anchors = self._solver.particles, self._solver.anchors

    def tune(self, skin: PositionBased) -> None:
        """Take settings that may change at any time."""
        self._sweeps.set(Knobs(skin.volume, skin.bond, skin.stretch, skin.form == "compliance", skin.slack))

    def paces(self, skin: PositionBased, body: Body, soft: Floats) -> Floats:
        """Zero for every particle (P,) that is free, below zero where the bones drive it; soft edges are slackened."""
        free = np.clip(soft * beyond_the_mean(body, soft), 0.0, 1.0)
        self._tables.stiffen(1.0 - free[body.constraints.ends].max(axis=1))
        return np.where(free > SOFT_ENOUGH, 0.0, -1.0)

    def settling(self, skin: PositionBased, part: Part | None) -> Calls:
        """Nothing settles: every step starts where the bones and momentum have brought the flesh."""
        return []

    def checking(self, settled: Any, stuck: Any) -> Calls:
        """Nothing is looked at."""
        return []

    def swinging(self, skin: PositionBased, settled: Any, part: Part | None) -> Calls:
        """Rounds of volumes, bonds, edges and contacts."""
        forget = [self._tables.forget] if skin.form == "compliance" else []
        return [*forget, *[self._sweeps.round, *([] if part is None else [part])] * skin.iterations]
