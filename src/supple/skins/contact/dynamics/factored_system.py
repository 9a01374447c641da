"""What is made once of a mechanism and a step: M~s = M + dt D + dt^2 K of the flesh, factored, and stand-ins for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.skins.contact.dynamics.factor import FactorArrays, FleshFactor
from supple.skins.contact.dynamics.point_compliance import NearInverse
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.model.ordering import Skyline, coupled_pairs, skyline_from_mechanism

_HELD = 1e-6  # share of its mass that a node's link feels at least


@dataclass(frozen=True, eq=False)
class SolverArrays:
    """What never changes of a mechanism that moves in steps of `dt` [s].

    `factor` is that of M~s, None without flesh; `lumped_inverses` (n, 3, 3) stand in for its inverse at nodes where all
    flesh is pushed alike, `near_inverse` has its blocks; `skyline` is the order in which links are solved for.
    """

    mechanism: Mechanism
    dt: float
    factor: FactorArrays | None
    lumped_inverses: FloatArray
    near_inverse: NearInverse
    skyline: Skyline

    @classmethod
    def from_mechanism(cls, mechanism: Mechanism, dt: float) -> SolverArrays:
        """Factor the flesh."""
        if not (np.isfinite(dt) and dt > 0.0):
            raise InputError(WHERE, f"the step is {dt} s", "a length above zero is needed", "try 0.01")
        matrix = skin_matrix(mechanism, float(dt))
        factor = factorize(matrix)
        solver = None if factor is None else FleshFactor(factor)
        near = NearInverse.from_matrix(matrix, None if solver is None else solver.solve)
        skyline = skyline_from_mechanism(mechanism, coupled_pairs(mechanism))
        return cls(mechanism, float(dt), factor, lumped_inverses(mechanism, matrix, solver), near, skyline)


def skin_matrix(mechanism: Mechanism, dt: float) -> Any:
    """M~s = M + dt D + dt^2 K of the free nodes, (3 n, 3 n) [kg]."""
    from scipy.sparse import diags_array

    mass = diags_array(np.repeat(mechanism.masses, 3))
    return (mass + dt * mechanism.damping + dt**2 * mechanism.stiffness).tocsc()


def diagonal_blocks(matrix: Any) -> FloatArray:
    """The 3x3 blocks (n, 3, 3) on the diagonal of a sparse matrix (3 n, 3 n)."""
    rows = np.arange(matrix.shape[0] // 3)
    blocks = np.empty((len(rows), 3, 3))
    for a in range(3):
        for b in range(3):
            line = matrix.diagonal(b - a)
            blocks[:, a, b] = line[3 * rows + min(a, b)]
    return blocks


def lumped_inverses(mechanism: Mechanism, matrix: Any, factor: FleshFactor | None) -> FloatArray:
    """3x3 stand-ins (n, 3, 3) for the inverse of M~s at each node, where nodes move together.

    In the source they are the inverses of the blocks on the diagonal: a node that is pushed while its neighbors stay.
    But links push all their nodes at once, and neighbors that go along resist less. So they are chosen to be exact when
    everything is pushed alike: D m e = M~s^-1 m e for the three directions e. They are kept symmetric, a little stiffer
    than mass alone (then M^cond is positive, also of a link without a bone), and at most as stiff as in the source.
    """
    n = mechanism.node_count
    if factor is None:
        return np.zeros((0, 3, 3))
    block_inverses = np.asarray(np.linalg.inv(diagonal_blocks(matrix)))
    alike = np.zeros((n, 3, 3))
    alike[:] = mechanism.masses[:, None, None] * np.eye(3)
    answers = np.asarray(factor.solve(alike.reshape(3 * n, 3))).reshape(n, 3, 3)
    values, axes = np.linalg.eigh(0.5 * (answers + np.swapaxes(answers, 1, 2)))
    least = np.linalg.eigvalsh(block_inverses)[:, :1] * mechanism.masses[:, None]
    values = np.clip(values, least, 1.0 - _HELD) / mechanism.masses[:, None]
    return np.asarray(np.einsum("nab,nb,ncb->nac", axes, values, axes))


def factorize(matrix: Any) -> FactorArrays | None:
    """The factor of a symmetric positive matrix; None of nothing."""
    return FactorArrays.from_matrix(matrix) if matrix.shape[0] else None
