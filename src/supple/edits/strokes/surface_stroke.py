"""A stroke on the skin: bound to triangles, so that it is carried along by whatever moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.edits.strokes.picking import pick
from supple.edits.strokes.reduction import PIXELS, resample, simplify
from supple.edits.strokes.stroke import Stroke
from supple.edits.strokes.view import View
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.topology import area_vectors

_WHERE = "SurfaceStroke"


@dataclass(frozen=True, eq=False)
class SurfaceStroke:
    """Knots on `triangles` (K,) at `barycentric` coordinates (K, 3), and all triangles that it `crossed` (C,)."""

    triangles: IntArray
    barycentric: FloatArray
    crossed: IntArray

    def __post_init__(self) -> None:
        triangles = frozen(self.triangles, np.int32, (-1,), _WHERE, "triangles")
        barycentric = frozen(self.barycentric, np.float64, (len(triangles), 3), _WHERE, "barycentric")
        crossed = frozen(self.crossed, np.int32, (-1,), _WHERE, "crossed")
        if len(triangles) < 1 or triangles.min() < 0 or len(crossed) < 1 or crossed.min() < 0:
            raise InputError(
                _WHERE,
                f"it has {len(triangles)} knots over {len(crossed)} triangles, or numbers below 0",
                "at least one of each is needed",
                "draw it on the skin",
            )
        if np.abs(barycentric.sum(axis=1) - 1.0).max() > 1e-6 or barycentric.min() < -1e-6:
            raise InputError(
                _WHERE,
                "shares do not sum to one, or are below zero",
                "places in triangles are needed",
                "draw it on the skin",
            )
        object.__setattr__(self, "triangles", triangles)
        object.__setattr__(self, "barycentric", barycentric)
        object.__setattr__(self, "crossed", np.unique(crossed))

    @classmethod
    def drawn(
        cls, points: ArrayLike, triangles: ArrayLike, view: View, *, pixels: ArrayLike, tolerance: float = PIXELS
    ) -> SurfaceStroke:
        """A line through `pixels` (N, 2) laid on the skin `points` (V, 3) that is seen there, pixel by pixel.

        Stretches beside the skin are left out. `tolerance` [px] says how few knots it has.
        """
        line = resample(pixels, 1.0)
        picks = pick(points, triangles, view, pixels=line)
        if not picks.hit.any():
            raise InputError(_WHERE, "the line does not touch the skin", "some of it must", "draw it over the skin")
        on_skin = np.flatnonzero(picks.hit)
        knots = on_skin[simplify(line[on_skin], tolerance)]
        return cls(picks.triangles[knots], np.clip(picks.barycentric[knots], 0.0, 1.0), picks.triangles[on_skin])

    def check_fits(self, triangles: ArrayLike) -> None:
        """Refuse a mesh that has fewer triangles than it names."""
        most = int(max(self.triangles.max(), self.crossed.max()))
        if most >= len(np.asarray(triangles)):
            raise InputError(
                _WHERE,
                f"it lies on triangle {most}",
                f"the mesh has {len(np.asarray(triangles))}",
                "use it on the character it was drawn on",
            )

    def handles(self, triangles: IntArray) -> IntArray:
        """The vertices of all triangles that it crossed, sorted."""
        return np.unique(triangles[self.crossed]).astype(np.int32)

    def positions(self, points: ArrayLike, triangles: IntArray) -> FloatArray:
        """Where its knots are (K, 3) [m] now that the skin is at `points`."""
        return np.einsum(
            "kc,kci->ki", self.barycentric, np.asarray(points, dtype=np.float64)[triangles[self.triangles]]
        )

    def normals(self, points: ArrayLike, triangles: IntArray) -> FloatArray:
        """Unit normals (K, 3) of the skin under its knots."""
        return quaternions.normalize(area_vectors(np.asarray(points, dtype=np.float64), triangles[self.triangles]))

    def stroke(self, points: ArrayLike, triangles: IntArray) -> Stroke:
        """The smooth curve through its knots where they are now."""
        return Stroke.from_samples(self.positions(points, triangles), tolerance=0.0)


def raised(points: ArrayLike, triangles: ArrayLike, vertices: ArrayLike, *, heights: ArrayLike) -> FloatArray:
    """Where `vertices` (N,) of a skin go when they rise by `heights` (N,) [m] along its normals; targets of handles."""
    where = "raised"
    skin = frozen(points, np.float64, (-1, 3), where, "points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    chosen = frozen(vertices, np.int32, (-1,), where, "vertices")
    rise = frozen(heights, np.float64, (len(chosen),), where, "heights")
    return np.asarray(skin[chosen] + rise[:, None] * vertex_normals(skin, faces)[chosen])


def vertex_normals(points: FloatArray, triangles: IntArray) -> FloatArray:
    """Unit normals (V, 3): the triangles round a vertex count by their area; a vertex without any has none (zero)."""
    areas = np.repeat(area_vectors(points, triangles), 3, axis=0)
    sums = np.stack([np.bincount(triangles.ravel(), areas[:, k], len(points)) for k in range(3)], axis=1)
    return quaternions.normalize(sums)
