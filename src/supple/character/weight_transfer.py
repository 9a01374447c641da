"""Weights carried inwards: what moves the skin moves the flesh below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.weights import Weights

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SMOOTHING = 0.02  # how much smoothness inside the flesh counts beside agreement with the skin


def transfer_weights(
    skin_weights: FloatArray, onto: csr_array, links: IntArray, *, lost: IntArray, influences: int
) -> Weights:
    """Weights W of the particles of a body with which it moves the skin as the skin's own weights W_s do.

    What the bones alone do to the flesh must agree with what they do to the skin; where it does not, the difference
    would show as a bulge. With B = `onto` (V, P), by which the skin follows the particles, and L the Laplacian of the
    `links` (L, 2) between particles, W is the least of
      |B W - W_s|^2 + s tr(W^T L W),
    cut at zero and made to sum to one. The second term carries weights on to where no skin is near. `skin_weights`
    (V, J) are W_s in full. A particle that hangs together with no skin follows the joint that `lost` (P,) names.
    """
    from scipy.sparse import csr_array, diags_array, eye_array
    from scipy.sparse.linalg import splu

    count = onto.shape[1]
    one, other = links.T
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    joined = csr_array((np.ones(len(ends[0])), ends), shape=(count, count))
    laplacian: Any = diags_array(joined.sum(axis=1)) - joined
    stiffness = _SMOOTHING * len(skin_weights) / count
    system = (onto.T @ onto + stiffness * laplacian + 1e-9 * eye_array(count)).tocsc()
    solver = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    used = np.flatnonzero(skin_weights.any(axis=0))
    values = np.zeros((count, skin_weights.shape[1]))
    values[:, used] = np.maximum(solver.solve(np.ascontiguousarray(onto.T @ skin_weights[:, used])), 0.0)
    empty = np.flatnonzero(values.sum(axis=1) <= 0.0)
    values[empty, lost[empty]] = 1.0
    values /= values.sum(axis=1, keepdims=True)
    return Weights.from_dense(values, influences=influences)
