"""Bones from weights: the best rigid motion of every bone in every frame, one bone after another.

Symbols: u is a rest point with a one behind it (4,), d = p - u how far the vertex is from rest (3,), w_b the weight of
bone b, T_b = (R_b t_b) its transform (3, 4), and D_b = T_b - I. All sums run over the vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.decompose.frames import Frames
from supple.geometry import quaternions

STILL = np.eye(3, 4)
_HOLD = 1e-10  # how much a bone clings to its last rotation: far above rounding, and decides where nothing else does
_NOTHING = 1e-12  # a bone of less than this squared weight moves nothing


@dataclass(frozen=True)
class Moments:
    """All that the bones need to know of weights and vertices, whatever the number of these.

    `inertia` (B, 4, B, 4) holds the sum of w_b w_c u u^T, `pull` (B, 4, F, 3) that of w_b u d^T.
    """

    inertia: FloatArray
    pull: FloatArray

    @classmethod
    def from_frames(cls, frames: Frames, weights: FloatArray) -> Moments:
        """Sum over the vertices with weights (V, B), most of which are zero."""
        from scipy.sparse import csr_array

        vertices, bones = weights.shape
        row, bone = np.nonzero(weights)
        spread = (weights[row, bone, None] * frames.rest[row]).reshape(-1)
        positions = (4 * bone[:, None] + np.arange(4)).reshape(-1)
        starts = 4 * np.concatenate([[0], np.cumsum(np.bincount(row, minlength=vertices))])
        many = csr_array((spread, positions, starts), shape=(vertices, 4 * bones))
        inertia = (many.T @ many).toarray()
        pull = many.T @ frames.moved
        return cls(inertia.reshape(bones, 4, bones, 4), pull.reshape(bones, 4, frames.count, 3))


def fit_bones(moments: Moments, bones: FloatArray, *, free: BoolArray, sweeps: int) -> FloatArray:
    """Bones (B, F, 3, 4) after `sweeps` rounds in which each in turn takes its best rigid motion, all others held.

    For bone b and one frame, the sum of |w_b T_b u - q|^2 with q = w_b p + sum_c w_c (p - T_c u) over the others is
    least for the rotation nearest to the covariance of q and u about their weighted means, and the translation that
    takes the one mean to the other [LeDeng2012, Sec. 4.3]. Every step lowers the error of every frame.
    Bones that are not `free` (B,) stay as they are.
    """
    away = bones - STILL
    for _ in range(sweeps):
        for bone in np.flatnonzero(free):
            own = moments.inertia[bone, :, bone]
            mass = own[3, 3]
            if mass < _NOTHING:
                continue
            others = np.einsum("acd,cfid->afi", moments.inertia[bone], away, optimize=True)
            others -= np.einsum("ad,fid->afi", own, away[bone])
            wanted = moments.pull[bone] - others + own[:, None, :3]  # (4, F, 3): the sum of w_b u q^T
            middle, goal = own[:3, 3] / mass, wanted[3] / mass
            covariance = np.einsum("afi->fia", wanted[:3]) - mass * goal[:, :, None] * middle
            held = away[bone, :, :, :3] + np.eye(3)
            rotation = quaternions.nearest_rotation(covariance + _HOLD * (np.trace(own[:3, :3]) + mass) * held)
            away[bone, :, :, :3] = rotation - np.eye(3)
            away[bone, :, :, 3] = goal - rotation @ middle
    return away + STILL
