"""Bones from weights: the best rigid motion of every bone in every frame, one bone after another.

Symbols: u is a rest point with a one behind it (4,), d = p - u how far the vertex is from rest (3,), w_b the weight of
bone b, T_b = (R_b t_b) its transform (3, 4), and D_b = T_b - I. All sums run over the vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import Bools, Floats
from supple.decompose.frames import Frames
from supple.geometry import rotations

STILL = np.eye(3, 4)
_HOLD = 1e-9  # how much a bone clings to its last rotation, of its own inertia: decides only where nothing else does
_CHUNK = 4096  # vertices at once
_NOTHING = 1e-12  # a bone of less than this squared weight moves nothing


@dataclass(frozen=True)
class Moments:
    """All that the bones need to know of weights and vertices, whatever the number of these.

    `inertia` (B, 4, B, 4) holds the sum of w_b w_c u u^T, `pull` (B, 4, F, 3) that of w_b u d^T.
    """

    inertia: Floats
    pull: Floats

    @classmethod
    def of(cls, frames: Frames, weights: Floats) -> Moments:
        """Sum over the vertices with weights (V, B)."""
        bones = weights.shape[1]
        inertia = np.zeros((4 * bones, 4 * bones))
        pull = np.zeros((4 * bones, frames.moved.shape[1]))
        for begin in range(0, len(weights), _CHUNK):
            rows = slice(begin, begin + _CHUNK)
            spread = (weights[rows, :, None] * frames.rest[rows, None, :]).reshape(-1, 4 * bones)
            inertia += spread.T @ spread
            pull += spread.T @ frames.moved[rows]
        return cls(inertia.reshape(bones, 4, bones, 4), pull.reshape(bones, 4, frames.count, 3))


def fitted(moments: Moments, bones: Floats, *, free: Bools, sweeps: int) -> Floats:
    """Bones (B, F, 3, 4) after `sweeps` rounds in which each in turn takes its best rigid motion, all others held.

    For bone b and one frame, the sum of |w_b T_b u - q|^2 with q = w_b p + sum_c w_c (p - T_c u) over the others is
    least for the rotation nearest to the covariance of q and u about their weighted means, and the translation that
    takes the one mean to the other [Le and Deng 2012, section 4.3]. Every step lowers the error of every frame.
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
            inertia = np.trace(own[:3, :3]) - mass * (middle @ middle)
            held = away[bone, :, :, :3] + np.eye(3)
            turn = rotations.nearest_rotation(covariance + (_HOLD * max(inertia, _NOTHING)) * held)
            away[bone, :, :, :3] = turn - np.eye(3)
            away[bone, :, :, 3] = goal - turn @ middle
    return away + STILL
