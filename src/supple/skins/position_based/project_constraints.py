"""The published recipe: momentum, then all constraints one after another in every round [AbuRumman2016, Alg. 5]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.device import Calls
from supple.skins.position_based.body.softness import SOFT_ENOUGH, beyond_the_mean
from supple.skins.position_based.body.tetrahedral_body import FleshBody
from supple.skins.position_based.solve.projection import ProjectionSolver, Stiffness

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased


class ProjectConstraints:
    """Sweeps over the constraints of a body, or of the bodies of a crowd.

    Each constraint sees what the one before it did, so that the answer depends on their order.
    """

    def __init__(self, body: FleshBody, constants: devices.Constants, *, copies: int = 1) -> None:
        self._copies = copies
        constraints = body.constraints if copies == 1 else body.constraints.stack(copies)
        solver = ProjectionSolver(constraints, np.tile(body.bonds.lengths, copies), constants)
        self._tables = solver.tables()
        self._sweeps = solver.sweeps(self._tables)
        self.particles, self.anchors = solver.particles, solver.anchors

    def tune(self, skin: PositionBased) -> None:
        """Take settings that may change at any time."""
        solve = skin.solve
        compliant = solve.formulation == "compliance"
        stiffness = Stiffness(solve.volume, solve.bone_stiffness, solve.stretch, compliant, solve.one_sided)
        self._sweeps.set_stiffness(stiffness)

    def angular_frequencies(self, skin: PositionBased, body: FleshBody, softness: FloatArray) -> FloatArray:
        """Zero for every particle (P,) that is free, below zero where the bones drive it; soft edges are slackened."""
        free = np.clip(softness * beyond_the_mean(body, softness), 0.0, 1.0)
        self._tables.stiffen(np.tile(1.0 - free[body.constraints.ends].max(axis=1), self._copies))
        return np.where(free > SOFT_ENOUGH, 0.0, -1.0)

    def settle(self, skin: PositionBased, project_contacts: Callable[..., object] | None, pressures: Any) -> Calls:
        """Nothing settles: every step starts where the bones and momentum have brought the flesh."""
        return []

    def check(self, settled: Any, inverted: Any, pressures: Any) -> Calls:
        """Nothing is looked at."""
        return []

    def swing(self, skin: PositionBased, settled: Any, project_contacts: Callable[..., object] | None) -> Calls:
        """Rounds of volumes, bonds, edges and contacts."""
        after: Calls = [] if project_contacts is None else [project_contacts]
        reset: Calls = [self._tables.reset_multipliers] if skin.solve.formulation == "compliance" else []
        return [*reset, *[self._sweeps.sweep, *after] * skin.iterations]
