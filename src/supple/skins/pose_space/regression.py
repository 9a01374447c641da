"""From the inputs of a part to its shapes: kernel ridge regression on few centres, chosen by motions that are left out.

Minimised over the coefficients a_m of M centres, with k the Gaussian kernel of unit width,
    sum_n |sum_m k(x_n, c_m) a_m - y_n|^2 + r a^T K a,
where K holds k between the centres [Scholkopf2002]. Far from all centres the answer fades to nothing: the skin below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray

WIDTHS = (0.7, 1.0, 1.5)
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
FEW = 8  # frames with which nothing is left out: all are met as they are
_EXACT = 1e-6  # the ridge then
_NEAR = 1e-6  # of the kernel: centres are not chosen where those before say this much already
_ADDED = 1e-9  # to a diagonal of ones


@dataclass(frozen=True, eq=False)
class PartFit:
    """Centres (M, D) in inputs divided by `width`, coefficients (M, C), and what was chosen.

    `left_out` (F, C) are the answers for every frame when its motion was left out; of frames of no motion (fold -1)
    nothing.
    """

    centers: Float32Array
    coefficients: FloatArray
    width: float
    ridge: float
    left_out: FloatArray


def fit_part(
    inputs: Float32Array, targets: FloatArray, folds: IntArray, *, centers: int, counts: FloatArray | None = None
) -> PartFit:
    """Learn targets (F, C) from inputs (F, D); `folds` (F,) says which frames are left out together, -1 for none.

    `counts` (F,) is how many frames each one counts as.
    """
    weights = np.sqrt(np.ones(len(inputs)) if counts is None else counts)[:, None]
    groups = [number for number in np.unique(folds) if number >= 0]
    found: PartFit | None = None
    least = np.inf
    if len(inputs) <= FEW or len(groups) < 2:
        chosen, factor = choose_centers(round_inputs(inputs), centers)
        return _finish(round_inputs(inputs), targets, chosen, factor, weights, 1.0, _EXACT, np.zeros_like(targets))
    scored = folds >= 0
    for width in WIDTHS:
        scaled = round_inputs(inputs / width)
        chosen, factor = choose_centers(scaled, centers)
        answers = leave_out(weights * factor, weights * targets, folds, groups, RIDGES)
        errors = [float(np.square(answer[scored] - targets[scored]).sum()) for answer in answers]
        best = int(np.argmin(errors))
        if errors[best] < least:
            least = errors[best]
            found = _finish(scaled, targets, chosen, factor, weights, width, RIDGES[best], answers[best])
    assert found is not None
    return found


def round_inputs(inputs: NDArray[Any]) -> Float32Array:
    """Inputs as a model keeps its centres, in half precision."""
    return np.asarray(inputs, dtype=np.float16).astype(np.float32)


def choose_centers(inputs: Float32Array, count: int) -> tuple[IntArray, FloatArray]:
    """Frames to be centres, each where those before say least, and the factor L (F, M) with K = L L^T on them.

    An incomplete Cholesky factorisation with pivots [Fine2001].
    """
    most = min(count, len(inputs))
    squares = np.square(inputs, dtype=np.float64).sum(axis=1)
    factor, left = np.zeros((len(inputs), most)), np.ones(len(inputs))
    chosen: list[int] = []
    for number in range(most):
        frame = int(np.argmax(left))
        if left[frame] < _NEAR:
            break
        apart = np.maximum(squares + squares[frame] - 2.0 * (inputs @ inputs[frame]), 0.0)
        column = np.exp(-0.5 * apart) - factor[:, :number] @ factor[frame, :number]
        factor[:, number] = column / np.sqrt(left[frame])
        left = np.maximum(left - np.square(factor[:, number]), 0.0)
        left[frame] = 0.0
        chosen.append(frame)
    return np.array(chosen, dtype=np.int32), factor[:, : len(chosen)]


def leave_out(
    factor: FloatArray, targets: FloatArray, folds: IntArray, groups: Sequence[int], ridges: Sequence[float]
) -> list[FloatArray]:
    """The answers (F, C) for frames that were left out with their fold, for every ridge."""
    normal, right = factor.T @ factor, factor.T @ targets
    answers = [np.zeros_like(targets) for _ in ridges]
    for group in groups:
        out = folds == group
        own, own_targets = factor[out], targets[out]
        values, vectors = np.linalg.eigh(normal - own.T @ own)
        turned = vectors.T @ (right - own.T @ own_targets)
        for ridge, answer in zip(ridges, answers, strict=True):
            answer[out] = (own @ vectors) @ (turned / (np.maximum(values, 0.0) + ridge)[:, None])
    return answers


def _finish(
    scaled: Float32Array,
    targets: FloatArray,
    chosen: IntArray,
    factor: FloatArray,
    weights: FloatArray,
    width: float,
    ridge: float,
    left_out: FloatArray,
) -> PartFit:
    weighted = weights * factor
    normal = weighted.T @ weighted + (ridge + _ADDED) * np.eye(factor.shape[1])
    solved = np.linalg.solve(normal, weighted.T @ (weights * targets))
    coefficients = np.linalg.solve(factor[chosen].T, solved) if len(chosen) else solved
    return PartFit(scaled[chosen], np.asarray(coefficients, dtype=np.float64), width, ridge, left_out)
