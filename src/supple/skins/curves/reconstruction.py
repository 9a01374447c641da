"""How well a network of curves tells the shape of a mesh: what is lost on the way to the nodes and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.skins.curves.transfer import Transfer


@dataclass(frozen=True)
class Reconstruction:
    """A mesh against the one that came back from its nodes: `rms` and `worst` distance of a vertex [m].

    `share_of_height` is the first as a share of the character's height, `numbers` how many numbers the nodes are for
    every number of the mesh, and `before` the rms distance [m] of the base, on which the nodes have put nothing yet.
    """

    rms: float
    worst: float
    share_of_height: float
    numbers: float
    before: float


def reconstruction(transfer: Transfer, base: ArrayLike, posed: ArrayLike, *, fit: bool = False) -> Reconstruction:
    """Reduce a `posed` mesh (V, 3) [m] to its nodes, carry a `base` mesh (V, 3) [m] by them, and compare.

    With `fit` the nodes are those that bring the mesh nearest, else they lie on its skin.
    """
    start, target = np.asarray(base, dtype=np.float64), np.asarray(posed, dtype=np.float64)
    nodes = transfer.fitted(target - start) if fit else transfer.network.nodes(target - start)
    gap = np.linalg.norm(start + transfer.offsets(nodes) - target, axis=1)
    rms = float(np.sqrt((gap**2).mean()))
    return Reconstruction(
        rms,
        float(gap.max()),
        rms / max(transfer.network.character.height, 1e-300),
        len(transfer.network) / len(target),
        float(np.sqrt(((target - start) ** 2).sum(axis=1).mean())),
    )
