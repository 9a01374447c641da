"""Particles inside tetrahedra, decided for all pairs in double precision."""

from __future__ import annotations

import itertools

import numpy as np


def least_barycentric(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The least barycentric coordinate (P, T) of every particle in every element; minus infinity in flat ones."""
    positions = np.asarray(points, dtype=np.float32).astype(np.float64)
    corner = positions[corners]  # (T, 4, 3)
    edges = np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2)
    solid = np.abs(np.linalg.det(edges)) > 1e-7 * np.ptp(corner, axis=1).max(axis=1) ** 3
    least = np.full((len(positions), len(corners)), -np.inf)
    inverse = np.linalg.inv(edges[solid])
    barycentric = np.einsum("tij,ptj->pti", inverse, positions[:, None] - corner[solid, 0][None])
    least[:, solid] = np.minimum(barycentric.min(axis=2), 1.0 - barycentric.sum(axis=2))
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
    held = (least_barycentric(rest, corners) >= 0.0) & ~near
    return near | ((held.astype(int) @ touch.astype(int)) > 0)


def lattice(cubes: tuple[int, int, int], *, side: float = 0.1, origin=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """A block of cubes in six tetrahedra each, all of positive volume: points and corners."""
    grid = [np.arange(count + 1) for count in cubes]
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(points)).reshape([count + 1 for count in cubes])
    lowest = np.stack(np.meshgrid(*(np.arange(count) for count in cubes), indexing="ij"), axis=-1).reshape(-1, 3)
    elements = []
    for path in itertools.permutations(range(3)):
        steps = np.cumsum([np.zeros(3, dtype=int), *np.eye(3, dtype=int)[list(path)]], axis=0)
        corners = np.stack([number[tuple((lowest + step).T)] for step in steps], axis=1)
        odd = np.linalg.det(np.eye(3)[list(path)]) < 0.0
        elements.append(corners[:, [0, 2, 1, 3]] if odd else corners)
    return side * points + np.asarray(origin), np.concatenate(elements).astype(np.int32)


def joined(*bodies: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several blocks as one mesh."""
    before = np.cumsum([0, *(len(points) for points, _ in bodies)])
    corners = [elements + start for (_, elements), start in zip(bodies, before[:-1], strict=True)]
    return np.concatenate([points for points, _ in bodies]), np.concatenate(corners).astype(np.int32)
