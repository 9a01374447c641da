"""How fast a skin moves."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array
from supple.errors import InputError
from supple.measure.frames import frames_of


def vertex_speed(points: ArrayLike, before: ArrayLike, dt: float) -> Float32Array:
    """The speed [m/s] of every vertex (V,) that went from `before` to `points` (V, 3) in `dt` [s]."""
    where = "vertex_speed"
    if not (math.isfinite(dt) and dt > 0.0):
        raise InputError(where, f"dt is {dt}", "time goes on between two frames", "pass seconds above zero")
    now = frames_of(np.asarray(points)[None], where)[0]
    then = frames_of(np.asarray(before)[None], where, vertices=len(now))[0]
    speed: Float32Array = np.linalg.norm(now - then, axis=1) / np.float32(dt)
    return speed
