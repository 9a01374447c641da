"""How long the skin goes on moving after the skeleton has stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.measure.errors import of_deviation
from supple.measure.frames import chunks, frames_of

SETTLED = 0.01  # of the peak
STILL = 1e-6  # joints that move less than this between frames [m, or of a turn's matrix] stand still
NOTHING = 1e-6  # of the body's size: a smaller peak is no motion
SHORTEST_HOLD = 4  # frames
LATEST = 0.8  # of the hold: what settles later cannot be told from what does not settle


@dataclass(frozen=True)
class Settling:
    """`stop` [s] after the first frame is when the last joint comes to rest; NaN when none was seen.

    `seconds` is how long the skin needs from there; 0 if it stops dead, infinite if it has not settled by the end of
    the sequence, NaN without a stop. `peak` [m] is the largest residual, root mean square over the vertices.
    """

    stop: float
    seconds: float
    peak: float


def settling(points: ArrayLike, poses: ArrayLike, *, fps: float) -> Settling:
    """How long the skin `points` (F, V, 3) moves on after the joints `poses` (F, J, 4, 4) have stopped for good.

    While the joints stand still the kinematic skin does too, so what moves relative to it is r(t) = rms over the
    vertices of |x(t) - x(end)|. The skin has settled when r stays below 1 % of its peak since the stop. The end of the
    sequence stands for the skin at rest, so the hold must be longer than the motion: what would settle in the last
    fifth of the hold is called not settled.
    """
    frames = frames_of(points, "settling")
    transforms = frozen(poses, np.float64, (-1, -1, 4, 4), "settling", "poses")
    if len(transforms) != len(frames):
        given = f"there are {len(transforms)} poses"
        raise InputError("settling", given, f"there are {len(frames)} frames", "pass the pose of every frame")
    if not (math.isfinite(fps) and fps > 0.0):
        raise InputError("settling", f"fps is {fps}", "a rate above zero is needed", "pass the frames a second")
    moves = np.abs(np.diff(transforms, axis=0)).max(axis=(1, 2, 3), initial=0.0) > STILL
    stop = int(np.flatnonzero(moves)[-1]) + 1 if moves.any() else 0
    hold = len(frames) - 1 - stop
    if stop == 0 or hold < SHORTEST_HOLD:
        return Settling(math.nan, math.nan, math.nan)
    residual = _residual(frames[stop:])
    peak = float(residual.max())
    size = float(np.linalg.norm(np.ptp(frames[-1], axis=0)))
    moving = residual > SETTLED * peak if peak > NOTHING * size else np.zeros(len(residual), dtype=bool)
    last = int(np.flatnonzero(moving)[-1]) + 1 if moving.any() else 0
    return Settling(stop / fps, last / fps if last <= LATEST * hold else math.inf, peak)


def _residual(frames: np.ndarray) -> FloatArray:
    residual = np.empty(len(frames))
    for rows in chunks(len(frames)):
        residual[rows] = of_deviation(frames[rows] - frames[-1])[0]
    return residual
