"""A stroke of the brush that says which skin follows a drawn shape, and which stays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.edits.region import Region, region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.geometry.topology import kept_edges

REGION_ACTIONS = ("follow", "stay")
_HEIGHT = 0.8  # of the largest offset: what is moved as far as this holds a shape that no stroke was drawn for


class RegionStroke:
    """The region of a shape, grown (`follow`) or cut back (`stay`) where the brush has been, and solved anew.

    What was drawn, the `handles`, stays where the shape has put it, unless it is told to stay with the rest; skin
    between handles and border goes over smoothly, as a thin plate bends.
    """

    def __init__(
        self,
        canvas: Canvas,
        edit: SurfaceEdit,
        *,
        handles: ArrayLike | None = None,
        brush: Brush,
        action: str = "follow",
        mirror: bool = False,
    ) -> None:
        """`handles` are the vertices of the stroke that made the shape; parts without any are held at their top."""
        if action not in REGION_ACTIONS:
            there = f"there are {', '.join(REGION_ACTIONS)}"
            raise InputError("RegionStroke", f"action is {action!r}", there, "choose one of those")
        self._canvas, self._edit, self._mirror = canvas, edit, mirror
        self.brush, self.action = brush, action
        self._offsets = edit.dense(len(canvas))
        self._held = _held(canvas, self._offsets, None if handles is None else np.asarray(handles))
        self.coverage: FloatArray = np.zeros(len(canvas))

    def add(self, places: Sequence[Place]) -> None:
        """Go on over these places, and over those on the other side of the body if both are meant."""
        self.coverage = np.maximum(self.coverage, self._canvas.coverage(self.brush, places, mirror=self._mirror))

    @property
    def shape(self) -> SurfaceEdit:
        """The shape as it is now."""
        under = self.coverage > 0.0
        if not under.any():
            return self._edit
        moved = np.zeros(len(self._canvas), dtype=bool)
        moved[self._edit.vertices] = True
        held = self._held & ~under if self.action == "stay" else self._held
        passive = moved & ~under if self.action == "stay" else moved | under
        if not held.any():
            return SurfaceEdit.of(np.zeros_like(self._offsets))
        points, triangles = self._canvas.points, self._canvas.triangles
        inside = np.flatnonzero(passive | held).astype(np.int32)
        static = region_round(triangles, inside, rings=0, points=points).static
        region = Region(np.flatnonzero(held).astype(np.int32), np.flatnonzero(passive & ~held).astype(np.int32), static)
        solved = RegionEditing(points, triangles, region).moved(points[held] + self._offsets[held])
        made = SurfaceEdit.of(solved - points)
        if self._edit.handles is None:
            return made
        return made.hold(np.intersect1d(self._edit.handles, made.vertices), stiffness=self._edit.stiffness)


def _held(canvas: Canvas, offsets: FloatArray, handles: IntArray | None) -> BoolArray:
    """What holds a shape (V,), each part of it: the handles in it, or where there is none what it moves most."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = np.linalg.norm(offsets, axis=1)
    one, other = kept_edges(canvas.triangles).T
    inside = (size[one] > 0.0) & (size[other] > 0.0)
    graph = coo_array((np.ones(inside.sum()), (one[inside], other[inside])), shape=(len(canvas), len(canvas)))
    count, part = connected_components(graph, directed=False)
    held = np.zeros(len(canvas), dtype=bool)
    if handles is not None:
        held[handles] = size[handles] > 0.0
    has = np.bincount(part, held, count) > 0.0
    highest = np.zeros(count)
    np.maximum.at(highest, part, size)
    return held | (~has[part] & (size > 0.0) & (size >= _HEIGHT * highest[part]))
