"""The skin that is painted on: ways over it at rest, and the place on its other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.edits.painting.brush import Brush
from supple.errors import InputError
from supple.geometry.topology import Neighbors, neighbors
from supple.skins.secondary.falloff import SurfaceWays

_WHERE = "Canvas"
_ALIKE = 0.01  # of its size that a body may differ from its mirror image, at the median
_NEAR = 0.03  # of its size that a place may be from its mirror image


@dataclass(frozen=True)
class Place:
    """A place of the skin, among `vertices` (K,) by `shares` (K,) that add up to one."""

    vertices: tuple[int, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class MirrorPlane:
    """Where left and right meet: across a horizontal `axis` (0 is x, 2 is z), at `middle` [m]."""

    axis: int
    middle: float

    def mirrored(self, points: FloatArray) -> FloatArray:
        """Points (..., 3) on the other side."""
        image = np.array(points, dtype=np.float64)
        image[..., self.axis] = 2.0 * self.middle - image[..., self.axis]
        return image


class Canvas:
    """A character's skin at rest, as brushes see it."""

    def __init__(self, character: Character) -> None:
        self.points = self._points = character.points
        self.triangles = self._triangles = character.triangles
        self._heads = character.skeleton.heads
        self._size = float(character.size.max())

    def __len__(self) -> int:
        return len(self._points)

    @cached_property
    def _ways(self) -> SurfaceWays:
        return SurfaceWays(self._points, self._triangles)

    @cached_property
    def _around(self) -> Neighbors:
        return neighbors(self._triangles, len(self._points))

    def coverage(self, brush: Brush, places: Sequence[Place], *, mirror: bool = False) -> FloatArray:
        """How much of a brush every vertex (V,) gets that was at these places: the most of any.

        It goes over the surface, and so never to the other leg, however near that is. With `mirror` it was at the same
        places on the other side of the body too, where there are any.
        """
        covered = np.zeros(len(self))
        images = [image for place in places if (image := self.mirrored(place)) is not None] if mirror else []
        for place in [*places, *images]:
            vertices, shares = self._checked(place)
            distances = self._ways.from_place(vertices, shares, radius=brush.radius)
            covered = np.maximum(covered, brush.falloff(distances))
        return covered

    def smoothed(self, values: FloatArray, *, rounds: int) -> FloatArray:
        """Values (V,) averaged with those of neighbours, some rounds over."""
        around = self._around
        owners = np.repeat(np.arange(len(self)), around.valences)
        count = np.maximum(around.valences, 1)
        for _ in range(rounds):
            mean = np.bincount(owners, values[around.indices], len(self)) / count
            values = np.where(around.valences > 0, 0.5 * (values + mean), values)
        return values

    @cached_property
    def mirror_plane(self) -> MirrorPlane | None:
        """The plane across which the body at rest is its own image; None where it has none."""
        root = self._heads[0]
        for axis in (0, 2):
            plane = MirrorPlane(axis, float(root[axis]))
            distances, _ = self._tree.query(plane.mirrored(self._points))
            if np.median(distances) < _ALIKE * self._size and np.quantile(distances, 0.95) < _NEAR * self._size:
                return plane
        return None

    def mirrored(self, place: Place) -> Place | None:
        """The same place on the other side; None where there is none."""
        plane = self.mirror_plane
        if plane is None:
            return None
        vertices, shares = self._checked(place)
        distance, vertex = self._tree.query(plane.mirrored(shares @ self._points[vertices]))
        return Place((int(vertex),), (1.0,)) if distance < _NEAR * self._size else None

    def mirrored_vectors(self, vectors: FloatArray) -> FloatArray | None:
        """Vectors (V, 3) at all vertices as a mirror shows them; None where the body is not its own image.

        A vertex takes what is nearest to its image, blended among the three nearest by how near they are.
        """
        plane = self.mirror_plane
        if plane is None:
            return None
        distances, nearest = self._tree.query(plane.mirrored(self._points), k=3)
        close = 1.0 / np.maximum(distances, 1e-9 * self._size)
        close *= distances < _NEAR * self._size
        weights = close / np.maximum(close.sum(axis=1, keepdims=True), 1e-300)
        image = np.einsum("vk,vki->vi", weights, np.asarray(vectors)[nearest])
        image[:, plane.axis] *= -1.0
        return np.asarray(image)

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._points)

    def _checked(self, place: Place) -> tuple[IntArray, FloatArray]:
        vertices, shares = np.array(place.vertices, dtype=np.int32), np.array(place.shares, dtype=np.float64)
        if len(vertices) != len(shares) or not len(vertices) or not shares.sum() > 0.0:
            raise InputError(_WHERE, f"shares are {list(place.shares)}", "one for each vertex is needed", "pick again")
        if vertices.min() < 0 or vertices.max() >= len(self):
            given = f"a place names vertex {int(vertices.max())}"
            raise InputError(_WHERE, given, f"there are 0 to {len(self) - 1}", "pick a place of this skin")
        return vertices, shares / shares.sum()
