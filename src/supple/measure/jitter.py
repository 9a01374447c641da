"""Trembling and jiggling told apart: how much of the skin's own motion is fast, and how much is slow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray
from supple.errors import InputError
from supple.measure.errors import of_deviation
from supple.measure.frames import frames_of

CUTOFF = 10.0  # Hz: flesh jiggles below, solvers tremble above
SLOWEST = 1.0  # Hz: below this the skin follows the pose
PERIODS = 2.0  # of the cut-off frequency that a filter looks ahead and back
SLOW_PERIODS = 1.0  # the same for the slow filter, which is long enough as it is
BLOCK = 48  # frames filtered at once


@dataclass(frozen=True)
class Vibration:
    """Root mean square over the vertices [m] in every frame (F,) of the motion above and below the cut-off.

    `jitter` is what moves faster than the cut-off frequency, `jiggle` what moves slower than it and faster than
    1 Hz. A sine of amplitude A in all vertices has A / sqrt(2) of one of them, on average over time.
    """

    jitter: FloatArray
    jiggle: FloatArray


def vibration(deviation: ArrayLike, *, fps: float, cutoff: float = CUTOFF) -> Vibration:
    """Split the motion of a skin relative to the kinematic one, `deviation` (F, V, 3) [m], at `cutoff` [Hz].

    Every coordinate is smoothed over time by a Hamming-windowed sinc, normalised to keep constants,
        low_c(t) = sum_k h_k d(t + k),  h_k ~ sinc(2 c k / fps) (0.54 + 0.46 cos(pi k / m)),  m = 2 fps / c
    (fps / c for 1 Hz), and jitter = |d - low_cutoff|, jiggle = |low_cutoff - low_1Hz|. The filter goes over within
    about 40 % of the cut-off. Before the first and after the last frame the motion is mirrored through its end, so that
    a steady drift is no vibration.
    """
    if not (math.isfinite(fps) and fps > 0.0):
        raise InputError("vibration", f"fps is {fps}", "a rate above zero is needed", "pass the frames a second")
    if not (SLOWEST < cutoff < 0.5 * fps):
        raise InputError(
            "vibration",
            f"the cut-off is {cutoff:g} Hz at {fps:g} frames a second",
            f"it lies between {SLOWEST:g} Hz and {0.5 * fps:g} Hz, half the frame rate",
            "choose a lower one, or bake more frames a second",
        )
    frames = frames_of(deviation, "vibration", what="deviation")
    fast, slow = _low_pass(cutoff, fps, PERIODS), _low_pass(SLOWEST, fps, SLOW_PERIODS)
    jitter, jiggle = np.empty(len(frames)), np.empty(len(frames))
    for begin in range(0, len(frames), BLOCK):
        rows = slice(begin, min(begin + BLOCK, len(frames)))
        below = _smooth(frames, fast, rows)
        jitter[rows] = of_deviation(frames[rows] - below)[0]
        jiggle[rows] = of_deviation(below - _smooth(frames, slow, rows))[0]
    return Vibration(jitter, jiggle)


def _low_pass(cutoff: float, fps: float, periods: float) -> FloatArray:
    reach = max(1, round(periods * fps / cutoff))
    k = np.arange(-reach, reach + 1)
    taps = np.sinc(2.0 * cutoff * k / fps) * (0.54 + 0.46 * np.cos(np.pi * k / reach))
    return np.asarray(taps / taps.sum())


def _smooth(frames: Float32Array, taps: FloatArray, rows: slice) -> Float32Array:
    """The filtered frames of `rows`, as one product of a banded matrix with all the frames it looks at."""
    matrix = np.zeros((rows.stop - rows.start, len(frames)))
    for row, frame in enumerate(range(rows.start, rows.stop)):
        _add_mirrored(matrix[row], frame, taps)
    used = np.flatnonzero(matrix.any(axis=0))
    span = slice(int(used[0]), int(used[-1]) + 1)
    seen = frames[span].reshape(span.stop - span.start, -1)
    return (matrix[:, span].astype(np.float32) @ seen).reshape(-1, *frames.shape[1:])


def _add_mirrored(row: FloatArray, frame: int, taps: FloatArray) -> None:
    """Put the taps round a frame into a row of weights of the frames.

    Outside the sequence the motion is mirrored through its ends, d(-t) = 2 d(0) - d(t), as often as needed: after there
    and back, 2 L frames later, it has gone on by 2 (d(L) - d(0)).
    """
    last, reach = len(row) - 1, len(taps) // 2
    if last == 0:
        row[0] = 1.0
        return
    laps, index = np.divmod(frame + np.arange(-reach, reach + 1), 2 * last)
    back = index > last
    np.add.at(row, np.where(back, 2 * last - index, index), np.where(back, -taps, taps))
    gone_on = 2.0 * float(laps @ taps)
    row[last] += 2.0 * taps[back].sum() + gone_on
    row[0] -= gone_on
