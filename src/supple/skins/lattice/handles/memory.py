"""What hands on a lattice remember from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray

HANDLES = 8
"""How many hands there are."""


def _rows() -> FloatArray:
    return np.zeros((HANDLES, 3))


@dataclass
class HandleMemory:
    """All hands, one row each: arrays of the device first, then what they were told.

    `lags` [m] is how far a hand is from where it shall be and `velocities` how fast that changes, `offsets` how its
    place lies to the nodes on which it hangs, `homes` where the bones carried those nodes and `carried` how far they
    did of late. `volume_blend` (1,) is how far the volume of the skin is kept.

    `keys` tell the places that hands hold apart, 0 for none; `goals` [m] or [N] is what each was told last, `moves` by
    how much more since the last step, and `events` whether it was told anything.
    """

    lags: Any
    velocities: Any
    offsets: Any
    homes: Any
    carried: Any
    volume_blend: Any
    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(HANDLES, dtype=np.int64))
    goals: FloatArray = field(default_factory=_rows)
    moves: FloatArray = field(default_factory=_rows)
    events: IntArray = field(default_factory=lambda: np.zeros(HANDLES, dtype=np.int32))

    @classmethod
    def blank(cls, constants: devices.Constants) -> HandleMemory:
        """No hand has ever been on the lattice."""
        wp = devices.warp()
        names = ("lags", "velocities", "offsets", "homes", "carried")
        vectors = {name: constants.blank(HANDLES, wp.vec3f) for name in names}
        return cls(**vectors, volume_blend=wp.ones(1, dtype=wp.float32, device=constants.device))

    @property
    def is_blank(self) -> bool:
        """Whether nobody holds anything, and all is forgotten that anybody held."""
        return not self.keys.any() and float(devices.to_host(self.volume_blend)[0]) == 1.0
