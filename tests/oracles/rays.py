"""Rays against all triangles, one after the other."""

import numpy as np

ROUNDING = 1e-9


def first_triangles(points, triangles, origins, directions):
    """The first triangle that each ray meets (N,), -1 for none, and the barycentric coordinates (N, 3) there."""
    found, barycentric = np.full(len(directions), -1), np.zeros((len(directions), 3))
    origins = np.broadcast_to(origins, directions.shape)
    for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        a, b, c = np.moveaxis(points[triangles] - origin, 1, 0)
        volumes = np.stack([np.cross(p, q) @ direction for p, q in ((b, c), (c, a), (a, b))], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = volumes / volumes.sum(axis=1, keepdims=True)
        ahead = np.einsum("nk,nki->ni", shares, points[triangles] - origin) @ direction
        ahead = np.where((shares.min(axis=1) >= -ROUNDING) & (ahead > 0.0), ahead, np.inf)
        first = int(np.argmin(ahead))
        if np.isfinite(ahead[first]):
            found[ray], barycentric[ray] = first, shares[first]
    return found, barycentric
