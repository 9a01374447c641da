"""Where all springs balance, found in a few rounds with a factor that is made once.

Pulls are hard to solve for, since they turn with the skin. A matrix M of one number per edge and one per vertex comes
near to how they change: it is as stiff as springs on the mean of all ways, at least half as stiff as any. So
x + M^-1 pull(x) is nearer to balance than x, wherever x is, and does not depend on how fine the mesh is. Each round
goes on from the last one by Chebyshev's weights, which are the same for all, so that bodies in one scene do not feel
each other. Sweeps solve the same problem without any factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.geometry.cholesky import SplitCholesky, SplitFactor

if TYPE_CHECKING:
    from supple.skins.springs.binding import SpringBinding, TunedStiffness
    from supple.skins.springs.state import Springs

FACTORED = "factored"
SOLVERS = (FACTORED, "sweeps")
_PRESSED = 0.25  # of the stiffness of edges: what a skin has of it against most that happens to it
_LEAST = 1e-6  # of all springs at a vertex: where nothing draws to the bone, M would have no inverse
_SOFTER = 0.85  # of M: what springs have of it on the mean of bends and twists; a run of 0.7, 0.85 and 1 chose it
_SPREAD = 0.3  # of M: how much softer or stiffer springs are nearly everywhere


def couplings(binding: SpringBinding, tuned: TunedStiffness) -> tuple[FloatArray, FloatArray]:
    """What M has for every directed edge (E,), and what each of them adds to the diagonal."""
    one, other = binding.owners, binding.around.indices
    edges = np.maximum(tuned.edges[:, 1], tuned.edges[:, 2] + _PRESSED * tuned.edges[:, 0])
    cosines = np.einsum("ei,ei->e", binding.fallback[one], binding.fallback[other])
    turning = tuned.edges[:, 1:].sum(axis=1) * np.clip(1.0 - cosines, 0.0, 2.0)  # what moves aside meets all round
    return edges, edges + turning


def stiffness_matrix(binding: SpringBinding, tuned: TunedStiffness) -> Any:
    """M (V, V); static vertices are held there."""
    from scipy.sparse import coo_array, diags_array

    count, (edges, rows) = len(tuned.total), couplings(binding, tuned)
    along = np.bincount(binding.owners, rows, count)
    to_bone = 0.5 * tuned.bone.sum(axis=1) + _LEAST * np.maximum(tuned.total, 1e-12)
    held = (1.0 / np.maximum(binding.freedom, 1e-6) - 1.0) * tuned.total
    ring = coo_array((edges, (binding.owners, binding.around.indices)), shape=(count, count)).tocsr()
    return _SOFTER * (diags_array(along + to_bone + held).tocsr() - ring)


class BalanceSolver:
    """Rounds over the first buffer of some springs, on a processor."""

    def __init__(self, springs: Springs) -> None:
        from supple.skins.springs.kernels import springs as kernels

        wp, count = devices.warp(), springs.count
        self._springs = springs
        self._moves = wp.zeros(count, dtype=wp.vec3f, device="cpu")
        weight = wp.ones(1, dtype=wp.float32, device="cpu")
        self._weight = weight.numpy()
        moved = [springs.all, weight, self._moves, *springs.points, springs.polars[0]]
        self._move = devices.Launch(kernels.move, count, moved, "cpu")
        factor = SplitFactor.from_matrix(stiffness_matrix(springs.binding, springs.tuned))
        self._solve = SplitCholesky(factor).solving(springs.forces(0), self._moves)

    def run(self, rounds: int) -> bool:
        """Bring the shape in both buffers nearer to balance; says whether the last round went less far than the first.

        The answer is in the first buffer.
        """
        moves = self._moves.numpy().reshape(-1)
        weight, first, last = 1.0, 0.0, 0.0
        for done in range(rounds):
            weight = {0: 1.0, 1: 2.0 / (2.0 - _SPREAD**2)}.get(done, 4.0 / (4.0 - _SPREAD**2 * weight))
            self._weight[...] = weight
            self._springs.forces(0)
            self._solve()
            if done in (0, rounds - 1):
                last = float(moves @ moves)
                first = first if done else last
            self._move()
        return bool(np.isfinite(last) and last <= first)
