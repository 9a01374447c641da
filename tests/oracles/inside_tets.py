"""Particles inside tetrahedra, decided for all pairs in double precision."""

from __future__ import annotations

import numpy as np


def least_shares(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The least barycentric coordinate (P, T) of every particle in every element; minus infinity in flat ones."""
    single = np.asarray(points, dtype=np.float32).astype(np.float64)
    least = np.full((len(single), len(corners)), -np.inf)
    for element, places in enumerate(single[corners]):
        edges = (places[1:] - places[0]).T
        if abs(np.linalg.det(edges)) <= 1e-7 * np.ptp(places, axis=0).max() ** 3:
            continue
        shares = np.linalg.solve(edges, (single - places[0]).T)
        least[:, element] = np.minimum(shares.min(axis=0), 1.0 - shares.sum(axis=0))
    return least


def near_at_rest(rest: np.ndarray, corners: np.ndarray, rings: int = 2) -> np.ndarray:
    """Which elements (P, T) are near a particle at rest: by its rings, or because one that touches them holds it."""
    count = len(rest)
    belongs = np.zeros((count, len(corners)), dtype=bool)
    belongs[corners.reshape(-1), np.repeat(np.arange(len(corners)), 4)] = True
    joined = (belongs.astype(int) @ belongs.T.astype(int)) > 0
    near = belongs
    for _ in range(rings - 1):
        near = (joined.astype(int) @ near.astype(int)) > 0
    touch = (belongs.T.astype(int) @ belongs.astype(int)) > 0
    held = (least_shares(rest, corners) >= 0.0) & ~near
    return near | ((held.astype(int) @ touch.astype(int)) > 0)
