"""Where the members of a crowd stand: a field of places with an aisle through its middle."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.geometry import quaternions

_JITTER = 0.15  # of the spacing, to every side
_TURN = 0.6  # [rad] by which members face aside, at most


def crowd_field(count: int, *, spacing: float, seed: int = 0) -> FloatArray:
    """Placements (N, 4, 4) of `count` members, in mixed order, about `spacing` [m] apart and facing +z at random.

    They stand on both sides of an aisle along z, about as many in a row as there are rows; the first row is at z = 0,
    the others behind it. Nobody is nearer than 0.7 of the spacing to another one, or than 0.65 to the middle of the
    aisle.
    """
    if count < 1:
        raise InputError("crowd_field", f"count is {count}", "at least one member is needed", "use 1 or more")
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise InputError("crowd_field", f"spacing is {spacing}", "metres above zero are needed", "try 1.5")
    rng = np.random.default_rng(seed)
    side = max(math.ceil(math.sqrt(count) / 2.0), 1)  # members of a row on one side of the aisle
    rows = math.ceil(count / (2 * side))
    column, row = np.meshgrid(np.arange(side) + 0.8, np.arange(rows))
    places = np.stack([np.concatenate([-column, column]), -np.concatenate([row, row])], axis=-1).reshape(-1, 2)
    nearest = np.argsort(-places[:, 1], kind="stable")[:count]  # the last row may not be full
    chosen = rng.permutation(places[nearest]) + rng.uniform(-_JITTER, _JITTER, (count, 2))
    found = np.empty((count, 4, 4))
    for m, (x, z) in enumerate(spacing * chosen):
        turned = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], rng.uniform(-_TURN, _TURN))
        found[m] = quaternions.compose([x, 0.0, z], turned)
    return found
