"""The soft shadow of a character on the ground, so that feet stand on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry.topology import area_vectors
from supple.render.quality import PICTURE

_TAILS = 2.5  # standard deviations after which a soft edge is cut off: what is beyond could not be seen
_SPREAD = ((0.0, 0.03), (0.03, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 9.0))  # heights over character height


@dataclass(frozen=True)
class Samples:
    """Places on the skin that stay the same places while it moves: triangle numbers (S,) and corner shares (S, 3)."""

    triangles: IntArray
    barycentric: FloatArray

    def at(self, points: FloatArray, triangles: IntArray) -> FloatArray:
        """Where the places (S, 3) [m] are now that the skin is at `points` (V, 3)."""
        corners = triangles.take(self.triangles, axis=0)
        one, two, three = (points.take(corners[:, c], axis=0) * self.barycentric[:, c, None] for c in range(3))
        return np.asarray(one + two + three)


def samples(points: FloatArray, triangles: IntArray, *, count: int = PICTURE.samples) -> Samples:
    """Spread `count` places evenly over the skin; the same every time."""
    area = np.linalg.norm(area_vectors(points, triangles), axis=1)
    reach = np.cumsum(area)
    if reach[-1] <= 0.0:
        return Samples(np.zeros(0, dtype=np.int32), np.zeros((0, 3)))
    steps = (np.arange(count) + 0.5) / count
    chosen = np.minimum(np.searchsorted(reach, steps * reach[-1]), len(triangles) - 1)
    # Additive recurrence with the plastic number's powers: even in two dimensions without a random generator.
    u = np.modf(np.arange(count) * 0.7548776662466927)[0]
    v = np.modf(np.arange(count) * 0.5698402909980532)[0]
    fold = u + v > 1.0
    u, v = np.where(fold, 1.0 - u, u), np.where(fold, 1.0 - v, v)
    return Samples(chosen.astype(np.int32), np.stack([1.0 - u - v, u, v], axis=1))


def ground_shadow(
    positions: FloatArray, *, ground: float, toward_light: FloatArray, height: float, cells: int = PICTURE.shadow_cells
) -> tuple[FloatArray, FloatArray, float]:
    """How dark the ground is (C, C), rows along z, columns along x, from 0 to 1; its middle (x, z) and its side [m].

    `positions` (S, 3) are spread over the skin. Two soft shadows together: one straight down, dark only where the skin
    is close to the ground, and one away from the light `toward_light` (3,), softer the higher the part that throws
    it. `height` [m] is the character's.
    """
    from scipy.ndimage import gaussian_filter

    above = np.maximum(positions[:, 1] - ground, 0.0)
    middle = (positions[:, [0, 2]].max(axis=0) + positions[:, [0, 2]].min(axis=0)) / 2.0
    side = 1.4 * height + 2.0 * float(np.abs(positions[:, [0, 2]] - middle).max(initial=0.0))
    cell = side / cells
    light = np.ones((cells, cells))
    slope = toward_light[[0, 2]] / max(float(toward_light[1]), 1e-3)
    for direct, strength in ((False, 0.62), (True, 0.34)):
        for low, high in _SPREAD:
            inside = (above >= low * height) & (above < high * height)
            if not inside.any():
                continue
            typical = float(above[inside].mean())
            spot = positions[inside][:, [0, 2]] - (above[inside, None] * slope if direct else 0.0)
            bins = np.floor((spot - middle) / cell + cells / 2.0).astype(np.int64)
            kept = ((bins >= 0) & (bins < cells)).all(axis=1)
            counts = np.bincount(bins[kept, 1] * cells + bins[kept, 0], minlength=cells * cells)
            covered = np.minimum(counts.reshape(cells, cells), 1.0)
            blur = (0.016 * height + (0.09 if direct else 0.4) * typical) / cell
            fade = 1.0 if direct else 1.0 / (1.0 + 9.0 * typical / height)
            soft = gaussian_filter(covered.astype(np.float32), blur, mode="constant", truncate=_TAILS)
            light *= 1.0 - strength * fade * np.clip(soft, 0.0, 1.0)
    return 1.0 - light, middle, side
