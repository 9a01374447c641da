"""Bones from weights: the best rigid motion of every bone in every frame, one bone after another.

Symbols: u is a rest point with a one behind it (4,), d = p - u how far the vertex is from rest (3,), w_b the weight of
bone b, T_b = (R_b t_b) its transform (3, 4), and D_b = T_b - I. All sums run over the vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.decompose.frames import Frames
from supple.geometry import quaternions

STILL = np.eye(3, 4)
_HOLD = 1e-10  # how much a bone clings to its last rotation: far above rounding, and decides where nothing else does
_NOTHING = 1e-12  # a bone of less than this squared weight moves nothing
_LEAST, _MOST = 0.5, 2.0  # times its length at rest: how far a bone may stretch
_TURNS = 3  # turning and stretching of a bone, one after the other


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

    def with_edges(self, frames: Frames, weights: FloatArray, edges: IntArray, counts: FloatArray) -> Moments:
        """With what edges (E, 2) are off too, each so many times (E,) as a vertex counts.

        The ends u and v of an edge are apart by the sum of T_b y_b with y_b = w_ub u - w_vb v, which stands for w_b u.
        """
        one, other = edges.T
        ends = weights[one, :, None] * frames.rest[one, None] - weights[other, :, None] * frames.rest[other, None]
        apart = (frames.moved[one] - frames.moved[other]).reshape(len(edges), frames.count, 3)
        inertia = self.inertia + np.einsum("e,ebi,ecj->bicj", counts, ends, ends, optimize=True)
        return Moments(inertia, self.pull + np.einsum("e,ebi,efk->bifk", counts, ends, apart, optimize=True))

    def own(self, bone: int) -> FloatArray:
        """The sum of w_b² u u^T (4, 4) of a bone."""
        return np.asarray(self.inertia[bone, :, bone])

    def alone(self, bone: int, away: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What is left for a bone to do where bones with D = `away` (B, F, 3, 4) do the rest.

        With q = w_b u + d - sum_c w_c D_c u over the others: the covariance (F, 3, 3) of q and w_b u, and the weighted
        means (3,) of u and (F, 3) of q.
        """
        own = self.own(bone)
        others = np.einsum("acd,cfid->afi", self.inertia[bone], away, optimize=True)
        others -= np.einsum("ad,fid->afi", own, away[bone])
        wanted = self.pull[bone] - others + own[:, None, :3]  # (4, F, 3): the sum of w_b u q^T
        mass = own[3, 3]
        middle, goal = own[:3, 3] / mass, wanted[3] / mass
        return np.einsum("afi->fia", wanted[:3]) - mass * goal[:, :, None] * middle, middle, goal


def fit_bones(
    moments: Moments, bones: FloatArray, *, free: BoolArray, sweeps: int, axes: FloatArray | None = None
) -> FloatArray:
    """Bones (B, F, 3, 4) after `sweeps` rounds in which each in turn takes its best rigid motion, all others held.

    For bone b and one frame, the sum of |w_b T_b u - q|^2 with q = w_b p + sum_c w_c (p - T_c u) over the others is
    least for the rotation nearest to the covariance of q and u about their weighted means, and the translation that
    takes the one mean to the other [LeDeng2012, Sec. 4.3]. Every step lowers the error of every frame.
    Bones that are not `free` (B,) stay as they are. With `axes` (B, 3, 3) bones also stretch along those three
    directions, each its own, between half and twice their length (`_turn_and_stretch`).
    """
    away = bones - STILL
    for _ in range(sweeps):
        for bone in np.flatnonzero(free).tolist():
            own = moments.own(bone)
            mass = own[3, 3]
            if mass < _NOTHING:
                continue
            covariance, middle, goal = moments.alone(bone, away)
            held = away[bone, :, :, :3] + np.eye(3)
            hold = _HOLD * (np.trace(own[:3, :3]) + mass)
            if axes is None:
                linear = quaternions.nearest_rotation(covariance + hold * held)
            else:
                spread = own[:3, :3] - mass * np.outer(middle, middle) + hold * np.eye(3)
                linear = _turn_and_stretch(covariance + hold * held, spread, held, axes[bone])
            away[bone, :, :, :3] = linear - np.eye(3)
            away[bone, :, :, 3] = goal - linear @ middle
    return away + STILL


def _turn_and_stretch(covariance: FloatArray, spread: FloatArray, held: FloatArray, axes: FloatArray) -> FloatArray:
    """The linear parts M = R diag(s) A^T (F, 3, 3) of a bone that stretches by s along the columns of its axes A.

    Least of tr(M N M^T) - 2 tr(C^T M) with covariance C (F, 3, 3) and spread N (3, 3), from the `held` M on: in turn,
    R is the rotation nearest to C A diag(s), and s_i = (R_i . C A_i) / (A_i . N A_i), as far as a bone may stretch.
    """
    toward = covariance @ axes
    inertia = np.einsum("ai,ab,bi->i", axes, spread, axes)
    stretch = np.clip(np.linalg.norm(held @ axes, axis=1), _LEAST, _MOST)
    for _ in range(_TURNS):
        rotation = quaternions.nearest_rotation(toward * stretch[:, None, :])
        stretch = np.clip(np.einsum("fai,fai->fi", rotation, toward) / inertia, _LEAST, _MOST)
    return np.asarray((rotation * stretch[:, None, :]) @ axes.T)
