"""The directions along which the skin of a bone stretches."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.decompose.rigid import STILL, Moments

_RIDGE = 1e-4  # of a bone's own inertia: flat patches say nothing of how they stretch across themselves
_TIE = 1e-6  # what the lie of a patch counts beside its strain: it decides where nothing stretches
_NOTHING = 1e-12  # a bone of less than this squared weight moves nothing
_SWEEPS = 10  # over the three pairs of directions


def stretch_axes(moments: Moments, bones: FloatArray) -> FloatArray:
    """Three directions of every bone (B, 3, 3), as columns at right angles that make a right hand.

    L_f is the linear map that carries the skin of a bone best in frame f, all others held. The directions A are those
    for which all A^T L_f^T L_f A are as diagonal as can be; where nothing stretches, those along which the skin lies.
    """
    away = bones - STILL
    found = np.tile(np.eye(3), (len(bones), 1, 1))
    for bone in range(len(bones)):
        own = moments.own(bone)
        mass = own[3, 3]
        if mass < _NOTHING:
            continue
        covariance, middle, _ = moments.alone(bone, away)
        spread = own[:3, :3] - mass * np.outer(middle, middle)
        size = np.trace(spread) + _NOTHING
        ridge = _RIDGE * size
        linear = (covariance + ridge * (away[bone, :, :, :3] + np.eye(3))) @ np.linalg.inv(spread + ridge * np.eye(3))
        strains = np.swapaxes(linear, 1, 2) @ linear
        found[bone] = _diagonalize(np.concatenate([strains, _TIE * spread[None] / size]))
    return found


def _diagonalize(matrices: FloatArray) -> FloatArray:
    """A rotation (3, 3) in which symmetric matrices (N, 3, 3) have least off their diagonals [Cardoso1996].

    Pair by pair of its columns: with h = (m_pp - m_qq, 2 m_pq) of all matrices and G the sum of h h^T, they turn by
    1/2 atan2(2 G_01, G_00 - G_11 + |(G_00 - G_11, 2 G_01)|).
    """
    axes = np.linalg.eigh(matrices.mean(axis=0))[1]
    axes = axes * np.array([1.0, 1.0, np.linalg.det(axes)])
    for _ in range(_SWEEPS):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            turned = axes.T @ matrices @ axes
            h = np.stack([turned[:, p, p] - turned[:, q, q], 2.0 * turned[:, p, q]])
            gram = h @ h.T
            on, off = gram[0, 0] - gram[1, 1], 2.0 * gram[0, 1]
            angle = 0.5 * np.arctan2(off, on + np.hypot(on, off))
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            axes[:, [p, q]] = axes[:, [p, q]] @ turn
    return np.asarray(axes)
