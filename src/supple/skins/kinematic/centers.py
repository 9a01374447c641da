"""The centre of rotation of every vertex: the middle of all the skin that is weighted like it.

    p_i = sum_t s(w_i, w_t) a_t c_t / sum_t s(w_i, w_t) a_t                                   [LeHodgins2016, Eq. 1]
    s(w, u) = sum_{j != k} w_j w_k u_j u_k exp(-((w_j u_k - w_k u_j) / width)^2)              [LeHodgins2016, Eq. 4]

over triangles t with area a_t, centroid c_t and mean weights w_t. The sum over pairs (j, k) separates: a pair's term
depends on the vertex through its two weights (w_j, w_k) alone. So triangles are gathered per pair in small bins of
(u_j, u_k), each bin standing for its triangles by its means, and every vertex sums over the bins of its own pairs: time
grows with vertices times bins instead of vertices times triangles.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.character.weights import Weights
from supple.geometry.topology import area_vectors

Codes = NDArray[np.int64]

BINS = 48  # per unit of weight; the bins' error in p is second order in 1 / (BINS * width)


@dataclass(frozen=True)
class _Bins:
    """Bins of triangles sorted by pair of joints: means of u_j and u_k, and sums of u_j u_k a [c, 1] (B, 4)."""

    pairs: Codes
    mean_j: FloatArray
    mean_k: FloatArray
    amounts: FloatArray


@dataclass(frozen=True)
class _Pairs:
    """Pairs of influences j < k: a code for the two joints, the row (vertex or triangle) and the two weights."""

    codes: Codes
    rows: Codes
    first: FloatArray
    second: FloatArray


def centers_of_rotation(
    points: ArrayLike,
    triangles: ArrayLike,
    weights: Weights,
    *,
    width: float = 0.1,
    bins: int = BINS,
    device: str = "cpu",
) -> FloatArray:
    """Centres (V, 3) [m] for `RotationCenters`; a vertex that follows one joint alone is its own centre."""
    where = "centers_of_rotation"
    rest = frozen(points, np.float64, (-1, 3), where, "points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    name = devices.check_device(device)
    pairs = _pairs(weights.joints, weights.values)
    each = _similar_skin(pairs, _bin_triangles(rest, faces, weights, bins), width, name)
    sums = np.stack([np.bincount(pairs.rows, weights=column, minlength=len(rest)) for column in each.T], axis=1)
    centers = rest.copy()
    alike = sums[:, 3] > 0.0
    centers[alike] = sums[alike, :3] / sums[alike, 3:]
    return centers


def _pairs(joints: IntArray, values: FloatArray) -> _Pairs:
    """Every pair of influences of every row."""
    parts: list[tuple[Codes, Codes, FloatArray, FloatArray]] = [
        (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    ]
    wide = joints.astype(np.int64)
    for a, b in itertools.combinations(range(joints.shape[1]), 2):
        row = np.flatnonzero((values[:, a] > 0.0) & (values[:, b] > 0.0))
        j, k, x, y = wide[row, a], wide[row, b], values[row, a], values[row, b]
        swap = j > k
        code = np.where(swap, k, j) << 32 | np.where(swap, j, k)
        parts.append((code, row, np.where(swap, y, x), np.where(swap, x, y)))
    codes, rows, first, second = zip(*parts, strict=True)
    return _Pairs(np.concatenate(codes), np.concatenate(rows), np.concatenate(first), np.concatenate(second))


def _bin_triangles(rest: FloatArray, faces: IntArray, weights: Weights, bins: int) -> _Bins:
    corners = rest[faces]
    area = 0.5 * np.linalg.norm(area_vectors(rest, faces), axis=1)
    pairs = _pairs(*_mean_weights(faces, weights))
    mass = pairs.first * pairs.second * area[pairs.rows]
    cell = (pairs.first * bins).astype(np.int64) * (bins + 1) + (pairs.second * bins).astype(np.int64)
    order = np.lexsort((cell, pairs.codes))
    code, cell = pairs.codes[order], cell[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (code[1:] != code[:-1]) | (cell[1:] != cell[:-1])
    member = np.empty(len(order), dtype=np.int64)
    member[order] = np.cumsum(fresh) - 1

    def gather(values: FloatArray) -> FloatArray:
        return np.bincount(member, weights=values, minlength=int(fresh.sum())).astype(np.float64)

    total = gather(mass)
    safe = np.where(total > 0.0, total, 1.0)
    middle = corners.mean(axis=1)[pairs.rows]
    amounts = np.stack([*(gather(mass * middle[:, axis]) for axis in range(3)), total], axis=1)
    return _Bins(code[fresh], gather(mass * pairs.first) / safe, gather(mass * pairs.second) / safe, amounts)


def _mean_weights(faces: IntArray, weights: Weights) -> tuple[IntArray, FloatArray]:
    """Mean weights of every triangle's corners, equal joints summed; unused places have value zero."""
    influences = weights.influences
    joints = weights.joints[faces, :influences].reshape(len(faces), -1)
    values = weights.values[faces, :influences].reshape(len(faces), -1) / 3.0
    order = np.argsort(joints, axis=1, kind="stable")
    joints, values = np.take_along_axis(joints, order, axis=1), np.take_along_axis(values, order, axis=1)
    for column in range(joints.shape[1] - 1, 0, -1):  # move doubles to the first of their kind, from the back
        same = joints[:, column] == joints[:, column - 1]
        values[:, column - 1] += np.where(same, values[:, column], 0.0)
        values[:, column] = np.where(same, 0.0, values[:, column])
    return joints, values


def _similar_skin(pairs: _Pairs, bins: _Bins, width: float, device: str) -> FloatArray:
    """For every pair of influences, sums (P, 4) over all skin weighted alike: mass times middle, and mass."""
    from supple.skins.kinematic import center_kernels

    wp = devices.warp()
    starts = np.searchsorted(bins.pairs, pairs.codes, side="left").astype(np.int32)
    stops = np.searchsorted(bins.pairs, pairs.codes, side="right").astype(np.int32)
    sums = wp.zeros(len(starts), dtype=wp.vec4d, device=device)
    ranges = [devices.to_device(ends, wp.int32, device) for ends in (starts, stops)]
    means = [devices.to_device(v, wp.float64, device) for v in (pairs.first, pairs.second, bins.mean_j, bins.mean_k)]
    amounts = devices.to_device(bins.amounts, wp.vec4d, device)
    inputs = [*ranges, *means, amounts, width, sums]
    devices.Launch(center_kernels.similar_skin, len(starts), inputs, device)()
    return devices.to_host(sums)
