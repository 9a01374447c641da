"""What touches what, by trying everything with everything: slow, and short enough to be believed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from supple.obstacles import Box, Capsule, Plane, Sphere

INWARD = -0.5


def signed_distance(body, points, matrix):
    """Distance (P,) of points to a body at a transform, from the definition of its shape; negative inside."""
    local = (np.asarray(points) - matrix[:3, 3]) @ matrix[:3, :3]
    if isinstance(body, Plane):
        return local[:, 1]
    if isinstance(body, Sphere):
        return np.linalg.norm(local, axis=1) - body.radius
    if isinstance(body, Capsule):
        on_axis = np.clip(local[:, 1], -0.5 * body.length, 0.5 * body.length)
        return np.linalg.norm(local - on_axis[:, None] * [0.0, 1.0, 0.0], axis=1) - body.radius
    if isinstance(body, Box):
        beyond = np.abs(local) - 0.5 * body.sides
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return np.where(outside > 0.0, outside, beyond.max(axis=1))
    offsets = [nearest(point, body.points, body.triangles) for point in local]
    far = np.array([np.linalg.norm(point - position) for point, (position, _) in zip(local, offsets, strict=True)])
    return np.where(winding(local, body.points, body.triangles) > 0.5, -far, far)


def winding(positions, points, triangles):
    """How often a closed mesh surrounds places (P,): the solid angles of all triangles, over 4 pi."""
    a, b, c = (points[triangles[:, k]] - np.asarray(positions)[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    over = np.einsum("pti,pti->pt", a, np.cross(b, c))
    under = la * lb * lc
    for one, two, third in ((a, b, lc), (b, c, la), (c, a, lb)):
        under = under + np.einsum("pti,pti->pt", one, two) * third
    return 2.0 * np.arctan2(over, under).sum(axis=1) / (4.0 * np.pi)


def nearest(point, points, triangles):
    """The place on a mesh nearest to a point, and the distances (T,) to all triangles.

    Of each triangle, the foot of the point where it is inside, else the nearest place of the three sides.
    """
    corners = points[triangles]
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    height = np.einsum("ti,ti->t", point - corners[:, 0], n) / np.einsum("ti,ti->t", n, n)
    foot = point - height[:, None] * n
    best, far = foot.copy(), np.abs(height) * np.linalg.norm(n, axis=1)
    for u, v in ((corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)):
        outside = np.einsum("ti,ti->t", np.cross(v - u, foot - u), n) < 0.0
        far[outside] = np.inf
    for u, v in ((corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)):
        share = np.einsum("ti,ti->t", point - u, v - u) / np.einsum("ti,ti->t", v - u, v - u)
        end = u + np.clip(share, 0.0, 1.0)[:, None] * (v - u)
        nearer = np.linalg.norm(end - point, axis=1) < far
        best[nearer], far[nearer] = end[nearer], np.linalg.norm(end - point, axis=1)[nearer]
    return best[np.argmin(far)], far


def node_normals(points, triangles):
    areas = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    total = np.zeros_like(points)
    for corner in range(3):
        np.add.at(total, triangles[:, corner], areas)
    return total / np.linalg.norm(total, axis=1, keepdims=True), areas


def surface_distances(rest, triangles):
    """Shortest ways (N, N) along edges."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    graph = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(len(rest), len(rest))).tocsr()
    return dijkstra(graph, directed=False)


def skin_gaps(points, rest, triangles, carriers, *, max_depth, exclusion_distance, self_collision=True, other=None):
    """Signed gap (N,) of every node to the nearest triangle that counts, infinite where there is none.

    `other` is the surface (points, triangles) that is met, of another body unless `self_collision`.
    """
    surface, faces = (points, triangles) if other is None else other
    normals, _ = node_normals(points, triangles)
    rest_normals, _ = node_normals(rest, triangles)
    _, areas = node_normals(surface, faces)
    ways = surface_distances(rest, triangles) if self_collision else None
    gaps = np.full(len(points), np.inf)
    for i, x in enumerate(points):
        counts = areas @ normals[i] < 0.0
        if self_collision:
            counts &= (carriers[faces] != carriers[i]).all(axis=1)
            counts &= (ways[i][faces] > exclusion_distance).all(axis=1)
            away = rest[faces].mean(axis=1) - rest[i]
            far = np.linalg.norm(away, axis=1)
            counts &= ~((far < exclusion_distance) & (away @ rest_normals[i] < INWARD * far))
        chosen = np.flatnonzero(counts)
        boxes = surface[faces[chosen]]
        close = ((boxes.min(axis=1) <= x + max_depth) & (boxes.max(axis=1) >= x - max_depth)).all(axis=1)
        chosen = chosen[close]
        if not len(chosen):
            continue
        position, far = nearest(x, surface, faces[chosen])
        if far.min() >= max_depth:
            continue
        tied = chosen[far < far.min() * (1.0 + 1e-9) + 1e-12]
        heights = areas[tied] @ (x - position) / np.linalg.norm(areas[tied], axis=1)
        side = np.sign(heights[np.argmax(np.abs(heights))])
        start = x + 1e-3 * max_depth * normals[i] if self_collision else x
        if side < 0.0 and winding(start[None], surface, faces)[0] < 0.5:
            continue
        gaps[i] = (side if side != 0.0 else 1.0) * far.min()
    return gaps
