"""Contacts as the solver takes them: which points of the flesh meet something, and how that moves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Floats, Ints, frozen
from supple.errors import InputError
from supple.geometry.rotations import normalised

CORNERS = 4
_WHERE = "Contacts"


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points that meet something; m of them.

    `nodes` and `shares` (m, 4) say which nodes a point is a blend of: shares sum to one, unused places have share 0.
    They belong to one element. `normals` (m, 3) point away from what is met. `velocities` (m, 3) [m/s] are how that
    moves there. `gaps` (m,) [m] are how far the point would be from it at the end of the step, negative inside.
    `frictions` (m,) are Coulomb's coefficients.
    """

    nodes: Ints
    shares: Floats
    normals: Floats
    velocities: Floats
    gaps: Floats
    frictions: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        nodes = frozen(self.nodes, np.int32, (-1, CORNERS), _WHERE, "nodes")
        count = len(nodes)
        shares = frozen(self.shares, np.float64, (count, CORNERS), _WHERE, "shares")
        normals = frozen(self.normals, np.float64, (count, 3), _WHERE, "normals")
        friction = np.asarray(self.frictions, dtype=np.float64)
        friction = frozen(
            np.zeros(count) if friction.shape == (0,) else friction, np.float64, (count,), _WHERE, "frictions"
        )
        if count and np.abs(shares.sum(axis=1) - 1.0).max() > 1e-6:
            row = int(np.abs(shares.sum(axis=1) - 1.0).argmax())
            given = f"the shares of contact {row} sum to {shares[row].sum():g}"
            raise InputError(_WHERE, given, "they must sum to one", "divide them by their sum")
        if count and not (np.linalg.norm(normals, axis=1) > 1e-9).all():
            row = int(np.linalg.norm(normals, axis=1).argmin())
            raise InputError(_WHERE, f"contact {row} has no normal", "a direction is needed", "leave it out")
        if (friction < 0.0).any():
            raise InputError(_WHERE, f"a friction is {friction.min():g}", "zero or more is needed", "use 0 for none")
        unit = normalised(normals)
        unit.setflags(write=False)
        for name, value in (
            ("nodes", nodes),
            ("shares", shares),
            ("normals", unit),
            ("velocities", frozen(self.velocities, np.float64, (count, 3), _WHERE, "velocities")),
            ("gaps", frozen(self.gaps, np.float64, (count,), _WHERE, "gaps")),
            ("frictions", friction),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.nodes)

    @classmethod
    def at_nodes(
        cls,
        nodes: ArrayLike,
        *,
        normals: ArrayLike,
        gaps: ArrayLike,
        velocities: ArrayLike | None = None,
        frictions: ArrayLike | None = None,
    ) -> Contacts:
        """Contacts of single nodes (m,)."""
        given = np.asarray(nodes).reshape(-1)
        four = np.zeros((len(given), CORNERS), dtype=np.int32)
        four[:] = given[:, None]
        shares = np.zeros((len(given), CORNERS))
        shares[:, 0] = 1.0
        still = np.zeros((len(given), 3)) if velocities is None else np.asarray(velocities)
        rub = np.zeros(len(given)) if frictions is None else np.asarray(frictions)
        return cls(four, shares, np.asarray(normals), still, np.asarray(gaps), rub)

    @property
    def crowded(self) -> bool:
        """Whether two of them share a node."""
        used = self.nodes[self.shares != 0.0]
        return len(np.unique(used)) < len(used)
