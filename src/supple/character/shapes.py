"""Shapes (morph targets): points that follow shares of named offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from supple.arrays import Floats


class Shaped:
    """Points (V, 3) with shares of shapes k, v + sum_k share_k offset_k, made again only when the shares change."""

    def __init__(self, points: Floats, offsets: Mapping[str, Floats]) -> None:
        self._points, self._offsets = points, offsets
        self._shares: dict[str, float] = {}

    def changed(self, shares: Mapping[str, float]) -> Floats | None:
        """The points with these shares, or None where they are those of the last call (none at first).

        Shapes that there are no offsets for change nothing.
        """
        wanted = {name: share for name, share in shares.items() if share != 0.0 and name in self._offsets}
        if wanted == self._shares:
            return None
        self._shares = wanted
        points = np.array(self._points)
        for name, share in wanted.items():
            points += share * self._offsets[name]
        return points
