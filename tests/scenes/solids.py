"""Round bodies with known measures."""

from __future__ import annotations

import numpy as np


def sphere(rings: int = 12, *, radius: float = 1.0, centre=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """A closed ball of 2 * rings sectors, with its poles on the x axis.

    Coordinates are multiples of 2^-20, so that what lies in one plane does so exactly.
    """
    sectors = 2 * rings
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1]
    round_it = np.arange(sectors) * 2.0 * np.pi / sectors
    belt = np.stack(
        [
            np.repeat(np.cos(polar), sectors),
            np.outer(np.sin(polar), np.cos(round_it)).ravel(),
            np.outer(np.sin(polar), np.sin(round_it)).ravel(),
        ],
        axis=1,
    )
    points = np.concatenate([[[1.0, 0.0, 0.0]], belt, [[-1.0, 0.0, 0.0]]])
    triangles = []
    for sector in range(sectors):
        along = (sector + 1) % sectors
        triangles.append([0, 1 + sector, 1 + along])
        for ring in range(rings - 2):
            a, b = 1 + ring * sectors + sector, 1 + ring * sectors + along
            triangles += [[a, a + sectors, b], [b, a + sectors, b + sectors]]
        last = 1 + (rings - 2) * sectors
        triangles.append([last + sector, len(points) - 1, last + along])
    return np.round((radius * points + np.asarray(centre)) * 2.0**20) / 2.0**20, np.array(triangles, dtype=np.int32)


def together(*bodies: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several bodies as one mesh."""
    positions, faces, before = [], [], 0
    for points, triangles in bodies:
        positions.append(points)
        faces.append(triangles + before)
        before += len(points)
    return np.concatenate(positions), np.concatenate(faces).astype(np.int32)
