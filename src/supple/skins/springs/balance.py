"""Where all springs balance, found with a factor that is made once and a few rounds of Newton's method.

Pulls are hard to solve for, since they turn with the skin. A matrix M of one number per edge and one per vertex comes
near to how they change: it is as stiff as springs on the mean of all ways, at least half as stiff as any. So
x + M^-1 pull(x) is nearer to balance than x, wherever x is, and does not depend on how fine the mesh is: what is smooth
over many edges is done with then. The rest is within reach of rounds that look at neighbours alone (`newton`). Nothing
in either depends on skin elsewhere, so that bodies in one scene do not feel each other. Sweeps solve the same problem
without any matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray
from supple.geometry.cholesky import SplitCholesky, SplitFactor
from supple.skins.springs.newton import NewtonSolver

if TYPE_CHECKING:
    from supple.skins.springs.binding import SpringBinding, TunedStiffness
    from supple.skins.springs.state import Springs

FACTORED = "factored"
SOLVERS = (FACTORED, "sweeps")
_PRESSED = 0.25  # of the stiffness of edges: what a skin has of it against most that happens to it
_LEAST = 1e-6  # of all springs at a vertex: where nothing draws to the bone, M would have no inverse
_FEW = 6  # times as many rounds over those who are still pulled: folds take long to come to rest, and are small
_SOFTER = 0.85  # of M: what springs have of it on the mean of bends and twists; a run of 0.7, 0.85 and 1 chose it


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
        factor = SplitFactor.from_matrix(stiffness_matrix(springs.binding, springs.tuned))
        self._newton = NewtonSolver(springs)
        self._solve = SplitCholesky(factor).solving(self._newton.forces, self._newton.moves)

    def run(self, shape: Any, rounds: int) -> bool:
        """Bring a shape nearer to balance; says whether it did. The answer is in the first buffer."""
        self._newton.begin(shape)
        self._solve()
        return self._newton.run(_FEW * rounds, whole=max(rounds - 2, 0))
