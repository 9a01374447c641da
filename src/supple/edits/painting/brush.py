"""The brush: how much of it a place gets, by how far that is from its middle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.geometry.vectors import smoothstep

_WHERE = "Brush"


@dataclass(frozen=True, kw_only=True)
class Brush:
    """A round brush of a `radius` [m]; `strength` is what its middle does, 0 to 1.

    `softness` is the share of the radius over which it fades: 0 has a hard edge, 1 fades from the middle on.
    """

    radius: float
    strength: float = 0.5
    softness: float = 0.8

    def __post_init__(self) -> None:
        if not (math.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(_WHERE, f"radius is {self.radius}", "metres above zero are needed", "try 0.05")
        for name, value in (("strength", self.strength), ("softness", self.softness)):
            if not 0.0 <= value <= 1.0:
                raise InputError(_WHERE, f"{name} is {value}", "the range is 0 to 1", "try 0.5")

    def falloff(self, distances: FloatArray) -> FloatArray:
        """What is left of the brush at distances [m] from its middle: 1 there, 0 from the radius on."""
        hard = (1.0 - self.softness) * self.radius
        fading = 1.0 - smoothstep(np.minimum(distances, self.radius), hard, self.radius) if self.softness else 1.0
        return np.where(distances < self.radius, fading, 0.0)
