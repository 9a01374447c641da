"""What may change while a lattice plays, as its solver takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import FloatArray

_SLOWEST = 0.1  # Hz: a slower swing is none at all


@dataclass(frozen=True)
class LatticeParameters:
    """What may be changed at any time; the last five have one number for every layer, bone first."""

    gravity: float = 0.0
    rest_includes_gravity: bool = True
    max_offset: float = 1.0
    stretch: float = 0.5
    volume: float = 0.5
    secondary: bool = True
    stiffness: Sequence[float] = (0.0, 1.0)
    frequency: Sequence[float] = (0.0, 0.0)
    damping: Sequence[float] = (0.0, 0.0)
    velocity_retention: Sequence[float] = (0.0, 1.0)
    follow: Sequence[float] = (0.0, 0.0)

    def loosened(self, by: float) -> LatticeParameters:
        """The same flesh, of which one pass over the lattice repairs only a share of what it would."""
        stiffness = tuple(by * one for one in self.normalized_stiffness())
        return replace(self, stiffness=stiffness, stretch=by * self.stretch, volume=by * self.volume)

    def row(self, dt: float, *, starting: bool) -> FloatArray:
        """As the kernels take them, for a step of `dt` [s]."""
        flesh = [self.gravity, self.rest_includes_gravity, self.max_offset]
        return np.array([dt, *flesh, starting, self.stretch, self.volume, self.secondary], dtype=float)

    def material(self, dt: float) -> FloatArray:
        """Angular frequency [rad/s], damping, share of velocity kept in a step, and following, by layer (L, 4)."""
        given = np.asarray(self.frequency)
        angular_frequency = 2.0 * np.pi * np.where(given < _SLOWEST, 0.0, given)
        retention = np.asarray(self.velocity_retention) ** (30.0 * dt)
        return np.stack([angular_frequency, np.asarray(self.damping), retention, np.asarray(self.follow)], axis=1)

    def normalized_stiffness(self) -> FloatArray:
        """Stiffness (L,), all divided by the largest where that is above one: what over-corrects would diverge."""
        given = np.asarray(self.stiffness, dtype=float)
        return np.asarray(given / max(1.0, float(given.max(initial=0.0))))
