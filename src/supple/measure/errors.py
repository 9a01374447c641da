"""How far one sequence of skins is from another: the kinematic skin, or a reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray
from supple.errors import InputError
from supple.measure.frames import chunks, frames_of


@dataclass(frozen=True)
class Distance:
    """Distance between matching vertices [m] in every frame (F,): root mean square over the vertices, and the worst."""

    rms: FloatArray
    worst: FloatArray


@dataclass(frozen=True)
class SequenceError:
    """How far a whole sequence is from a reference.

    With E the sum of all squared distances over F frames of V vertices: `rms` = sqrt(E / (V F)) [m];
    `thousandths` = 1000 sqrt(E / (3 V F)), the form that papers on skinning print, per coordinate and in mm for a
    character in metres; `worst` [m] is the largest distance of all. `by_frame` has the same frame by frame.
    """

    rms: float
    thousandths: float
    worst: float
    by_frame: Distance


def distance(points: ArrayLike, others: ArrayLike) -> Distance:
    """How far matching vertices of two sequences (F, V, 3) are apart in every frame."""
    frames = frames_of(points, "distance")
    compared = frames_of(others, "distance", vertices=frames.shape[1], what="others")
    _check_length(frames, compared, "distance")
    rms, worst = np.empty(len(frames)), np.empty(len(frames))
    for rows in chunks(len(frames)):
        rms[rows], worst[rows] = of_deviation(frames[rows] - compared[rows])
    return Distance(rms, worst)


def of_deviation(deviation: Float32Array) -> tuple[FloatArray, FloatArray]:
    """Root mean square and greatest length over the vertices of every frame (F, V, 3)."""
    square = np.einsum("fvi,fvi->fv", deviation, deviation)
    return np.sqrt(square.mean(axis=1, dtype=np.float64)), np.sqrt(square.max(axis=1).astype(np.float64))


def sequence_error(points: ArrayLike, reference: ArrayLike) -> SequenceError:
    """How far a sequence (F, V, 3) is from a reference of the same shape."""
    found = distance(points, reference)
    mean_square = float(np.mean(found.rms**2))
    return SequenceError(
        rms=float(np.sqrt(mean_square)),
        thousandths=float(1000.0 * np.sqrt(mean_square / 3.0)),
        worst=float(found.worst.max()),
        by_frame=found,
    )


def _check_length(frames: Float32Array, others: Float32Array, where: str) -> None:
    if len(frames) != len(others):
        raise InputError(
            where,
            f"one sequence has {len(frames)} frames and the other {len(others)}",
            "frames are compared one by one",
            "cut or resample one of them",
        )
