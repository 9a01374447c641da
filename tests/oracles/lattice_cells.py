"""Slow and readable: what a lattice must be."""

from __future__ import annotations

import numpy as np


def linked_pairs(cells: np.ndarray) -> np.ndarray:
    """All pairs of cells that differ by at most one along every axis, lower number first."""
    pairs = [
        (i, j)
        for i in range(len(cells))
        for j in range(i + 1, len(cells))
        if all(abs(int(a) - int(b)) <= 1 for a, b in zip(cells[i], cells[j], strict=True))
    ]
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)
