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


def walks(cells: np.ndarray, links: np.ndarray, sources: list[int]) -> np.ndarray:
    """Shortest ways (N,) in voxels from any of the sources over links, by relaxing every link until nothing changes."""
    lengths = np.linalg.norm(cells[links[:, 0]] - cells[links[:, 1]], axis=1)
    away = np.full(len(cells), np.inf)
    away[sources] = 0.0
    while True:
        before = away.copy()
        for (a, b), length in zip(links.tolist(), lengths.tolist(), strict=True):
            away[a] = min(away[a], away[b] + length)
            away[b] = min(away[b], away[a] + length)
        if np.array_equal(before, away):
            return away


def trilinear(point: np.ndarray, origin: np.ndarray, side: float) -> dict[tuple[int, ...], float]:
    """The eight cells around a point and their shares, corner by corner."""
    position = (point - origin) / side - 0.5
    low = np.floor(position).astype(int)
    part = position - low
    shares = {}
    for corner in np.ndindex(2, 2, 2):
        share = np.prod([part[k] if corner[k] else 1.0 - part[k] for k in range(3)])
        shares[tuple(int(low[k] + corner[k]) for k in range(3))] = float(share)
    return shares


def horseshoe(gap: float, *, gate: float = 2.6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A bar bent into two legs that hang side by side, `gap` apart (below zero: one in the other), and joined above.

    Points, triangles, and which leg every point belongs to: -1 and 1 below the height of -`gate`, 0 above, where the
    legs part and meet. They are 1 wide, 6 and 6.4 long, and not in one plane anywhere, as no two limbs are.
    """
    points, triangles = _bar(80, 6, 6)
    thick, leg, inner = 1.0, 6.0, 0.8
    along, across, deep = points[:, 0], (points[:, 1] - 0.5) * thick, (points[:, 2] - 0.5) * thick
    middle = inner + 0.5 * thick
    arc = np.pi * middle
    way = along * (2.0 * leg + arc)
    angle = np.clip((way - leg) / middle, 0.0, np.pi)
    x = -(middle + across) * np.cos(angle)
    y = np.where(way < leg, way - leg, np.where(way > leg + arc, leg + arc - way, (middle + across) * np.sin(angle)))
    closing = np.clip(-y / 2.0, 0.0, 1.0)
    closing = closing * closing * (3.0 - 2.0 * closing)
    second = along > 0.5
    x -= np.sign(x) * (inner - 0.5 * gap) * closing
    y = np.where(second & (y < 0.0), 1.07 * y, y)
    z = deep * (1.0 - 0.15 * second * closing) + 0.11
    leg_of = np.where(y < -gate, np.where(second, 1, -1), 0)
    return np.stack([x + 0.137, y, z], axis=1), triangles, leg_of


def _bar(*counts: int) -> tuple[np.ndarray, np.ndarray]:
    """The closed surface of the unit cube, with so many squares along each side."""
    numbers: dict[tuple[int, ...], int] = {}
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, 1):
            for a in range(counts[u]):
                for b in range(counts[v]):
                    square = []
                    for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        corner = [0, 0, 0]
                        corner[axis], corner[u], corner[v] = end * counts[axis], a + da, b + db
                        square.append(numbers.setdefault(tuple(corner), len(numbers)))
                    p, q, r, s = square if end else square[::-1]
                    triangles += [[p, q, r], [p, r, s]]
    return np.array(list(numbers)) / np.array(counts), np.array(triangles, dtype=np.int32)
