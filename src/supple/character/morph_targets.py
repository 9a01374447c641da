"""Shapes (morph targets): points that follow shares of named offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from supple.arrays import FloatArray


class MorphTargets:
    """Points (V, 3) with shares of shapes k, v + sum_k share_k offset_k, made again only when the shares change."""

    def __init__(self, points: FloatArray, offsets: Mapping[str, FloatArray]) -> None:
        self._points, self._offsets = points, offsets
        self._weights: dict[str, float] | None = {}

    def exchange(self, offsets: Mapping[str, FloatArray]) -> None:
        """Take other shapes; the next `update` gives the points anew where one of those that are on is another."""
        if any(offsets.get(name) is not self._offsets[name] for name in self._weights or ()):
            self._weights = None
        self._offsets = offsets

    def update(self, weights: Mapping[str, float]) -> FloatArray | None:
        """The points with these shares, or None where they are those of the last call (none at first).

        Shapes that there are no offsets for change nothing.
        """
        wanted = {name: weight for name, weight in weights.items() if weight != 0.0 and name in self._offsets}
        if wanted == self._weights:
            return None
        self._weights = wanted
        points = np.array(self._points)
        for name, weight in wanted.items():
            points += weight * self._offsets[name]
        return points
