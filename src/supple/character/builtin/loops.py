"""Quad meshes in edge loops: rings around the axis of a limb, cast onto its skin, closed by square caps.

Loops follow the limb the way a modeller draws them, so that they bend and twist with it. The limb must be seen whole
from its axis: every ray from the axis meets the skin once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.geometry import remeshing, topology
from supple.geometry.implicit import Body

_ROUNDS = 6
_MISS = 0.01  # of the vertices wanted; to come closer is not worth worse quads


def loops(body: Body, axis: FloatArray, *, vertices: int, reach: float) -> tuple[FloatArray, IntArray]:
    """Points and quads (P, 4) of about `vertices` vertices around the polyline `axis` (K, 3) [m].

    With S rings of 4 m vertices and two caps of (m - 1)^2 inside, the count is 4 m S + 2 (m - 1)^2; it misses
    `vertices` by at most half a ring. `reach` [m] is farther than any skin lies from the axis.
    """
    length = float(np.linalg.norm(np.diff(axis, axis=0), axis=1).sum())
    coarse_centers, coarse_rays = _rings(axis, 32, 32)
    girth = 2.0 * np.pi * float(_cast(body, coarse_centers, coarse_rays, reach).mean())
    rings, sectors = _counts(vertices, girth / length)
    centers, rays = _rings(axis, rings, sectors)
    first, last = _cap_rays(rays[0], centers[0] - centers[1]), _cap_rays(rays[-1], centers[-1] - centers[-2])
    ends = [centers[:1].repeat(len(first), axis=0), centers[-1:].repeat(len(last), axis=0)]
    center = np.concatenate([centers.repeat(sectors, axis=0), *ends])
    ray = np.concatenate([rays.reshape(-1, 3), first, last])
    points = center + _cast(body, center, ray, reach)[:, None] * ray
    quads = _quads(rings, sectors)
    triangles = topology.triangulate(quads)
    for _ in range(_ROUNDS):
        points = remeshing.relax(points, triangles, fraction=0.5)
        points = remeshing.project(points, triangles, body.distance, step=1e-4)
    return remeshing.project(points, triangles, body.distance, step=1e-4), quads


def _counts(vertices: int, slimness: float) -> tuple[int, int]:
    """Rings and sectors that make nearly square quads; somewhat oblong ones where that meets the count much better."""
    even = max(2, round(0.25 * float(np.sqrt(vertices * slimness))))
    choices = []
    for quarter in range(max(2, even - 1), even + 2):
        sectors, caps = 4 * quarter, 2 * (quarter - 1) ** 2
        rings = max(3, round((vertices - caps) / sectors))
        miss = max(abs(rings * sectors + caps - vertices) - _MISS * vertices, 0.0)
        choices.append((miss, abs(quarter - even), rings, sectors))
    _, _, rings, sectors = min(choices)
    return rings, sectors


def _rings(axis: FloatArray, rings: int, sectors: int) -> tuple[FloatArray, FloatArray]:
    """Centres (S, 3) evenly along the axis and unit rays (S, M, 3) across it, carried along without twisting."""
    steps = np.linalg.norm(np.diff(axis, axis=0), axis=1)
    position = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, position[-1], rings)
    centers = np.stack([np.interp(at, position, column) for column in axis.T], axis=1)
    tangents = np.gradient(centers, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    across = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    rays = np.empty((rings, sectors, 3))
    rotations = 2.0 * np.pi * (np.arange(sectors) + 0.5) / sectors
    for i, tangent in enumerate(tangents):
        across = across - tangent * (across @ tangent)
        across /= np.linalg.norm(across)
        other = np.cross(tangent, across)
        rays[i] = np.cos(rotations)[:, None] * across + np.sin(rotations)[:, None] * other
    return centers, rays


def _cap_rays(ring: FloatArray, outward: FloatArray) -> FloatArray:
    """Rays ((m - 1)^2, 3) of the inner vertices of a square cap whose rim is `ring` (4 m, 3)."""
    quarter = len(ring) // 4
    pole = outward / np.linalg.norm(outward)
    grid = 2.0 * np.arange(1, quarter) / quarter - 1.0
    x, y = (values.ravel() for values in np.meshgrid(grid, grid, indexing="ij"))
    # Squares around the middle become circles; corners of the rim stand at ring vertices 0, m, 2 m, 3 m.
    size = np.maximum(np.abs(x), np.abs(y))
    rim = _rim_position(x, y, quarter)
    low = np.floor(rim).astype(int)
    fraction = (rim - low)[:, None]
    direction = (1.0 - fraction) * ring[low % len(ring)] + fraction * ring[(low + 1) % len(ring)]
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    tilt = 0.5 * np.pi * size[:, None]
    return np.sin(tilt) * direction + np.cos(tilt) * pole


def _rim_position(x: FloatArray, y: FloatArray, quarter: int) -> FloatArray:
    """Where on the rim, counted in ring vertices, the ray from the middle through (x, y) of the square ends."""
    size = np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-12)
    u, v = x / size, y / size
    sides = [v <= -1.0 + 1e-9, u >= 1.0 - 1e-9, v >= 1.0 - 1e-9]
    positions = [(u + 1.0) / 2.0, 1.0 + (v + 1.0) / 2.0, 2.0 + (1.0 - u) / 2.0]
    return np.select(sides, positions, default=3.0 + (1.0 - v) / 2.0) * quarter


def _cast(body: Body, centers: FloatArray, rays: FloatArray, reach: float) -> FloatArray:
    """Distance [m] at which rays (..., 3) from the inside leave the body for the first time."""
    flat = rays.reshape(-1, 3)
    origins = centers if len(centers) == len(flat) else centers.repeat(len(flat) // len(centers), axis=0)
    near, far = np.zeros(len(flat)), np.full(len(flat), reach)
    found = np.zeros(len(flat), dtype=bool)
    for t in np.linspace(0.0, reach, 49)[1:]:
        outside = body.distance(origins + t * flat) > 0.0
        far = np.where(outside & ~found, t, far)
        found |= outside
        near = np.where(found, near, t)
    for _ in range(30):
        middle = 0.5 * (near + far)
        outside = body.distance(origins + middle[:, None] * flat) > 0.0
        near, far = np.where(outside, near, middle), np.where(outside, middle, far)
    return 0.5 * (near + far)


def _quads(rings: int, sectors: int) -> IntArray:
    """Quads between neighbouring rings, and the two caps, all anticlockwise seen from outside."""
    ring, sector = np.meshgrid(np.arange(rings - 1), np.arange(sectors), indexing="ij")
    here, there = ring * sectors + sector, ring * sectors + (sector + 1) % sectors
    side = np.stack([here, there, there + sectors, here + sectors], axis=-1).reshape(-1, 4)
    quarter, body_count = sectors // 4, rings * sectors
    first = _cap_quads(np.arange(sectors, dtype=np.int64), body_count, quarter)
    last = _cap_quads(
        np.arange(sectors, dtype=np.int64) + (rings - 1) * sectors, body_count + (quarter - 1) ** 2, quarter
    )
    return np.concatenate([side, first[:, ::-1], last]).astype(np.int32)


def _cap_quads(rim: NDArray[np.int64], start: int, quarter: int) -> NDArray[np.int64]:
    """The m x m quads of a cap: its rim by number, its inner vertices counted from `start`."""
    grid = np.empty((quarter + 1, quarter + 1), dtype=np.int64)
    grid[1:-1, 1:-1] = start + np.arange((quarter - 1) ** 2).reshape(quarter - 1, quarter - 1)
    grid[:-1, 0] = rim[:quarter]
    grid[-1, :-1] = rim[quarter : 2 * quarter]
    grid[:0:-1, -1] = rim[2 * quarter : 3 * quarter]
    grid[0, :0:-1] = rim[3 * quarter :]
    corners = [grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]]
    return np.stack(corners, axis=-1).reshape(-1, 4)
