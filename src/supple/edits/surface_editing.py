"""A stroke on the skin with the shape that it made, in the hand: its knots are pulled, and the shape follows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.character.character import Character
from supple.edits.bulge import curve_of
from supple.edits.easing import EASINGS
from supple.edits.region import Region, reach_of, region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import SurfaceEdit, mix
from supple.errors import InputError

_WHERE = "SurfaceEditing"
_FLAT = 1e-6  # of the character's size: a lower shape has no height that could be changed
_LEAST = 0.3  # of a pull that the skin round a knot takes by itself


class SurfaceEditing:
    """What a stroke made, ready to be changed again and again; every change is another `SurfaceEdit`.

    All of it happens on the skin at rest, in the axes that edits have, so nothing needs to be encoded: a pull costs one
    solve of the region. Stroke and shape are all it needs to begin; the region is where the shape moves the skin. What
    is pulled comes on top of the shape, and without a pull the shape is as it was, whatever made it.
    """

    def __init__(
        self, character: Character, stroke: SurfaceStroke, shape: SurfaceEdit, *, method: str = "smooth"
    ) -> None:
        stroke.check_fits(character.triangles)
        self.character, self.stroke, self.shape = character, stroke, shape
        self._offsets = shape.dense(len(character.points))
        self._method = method

    @cached_property
    def region(self) -> Region:
        """The line itself, the skin that follows it, and the ring that stays."""
        faces = self.character.triangles
        handles = self.stroke.handles(faces)
        inside = np.union1d(handles, self.shape.vertices).astype(np.int32)
        static = region_round(faces, inside, rings=0, points=self.character.points).static
        return Region(handles, np.setdiff1d(inside, handles).astype(np.int32), static)

    @cached_property
    def reach(self) -> float:
        """How far from the line skin follows [m], along its edges."""
        return reach_of(self.character.triangles, self.character.points, self.region)

    @cached_property
    def _editing(self) -> RegionEditing:
        return RegionEditing(self.character.points, self.character.triangles, self.region, method=self._method)

    @cached_property
    def _unpulled(self) -> FloatArray:
        return self._editing.moved(self._targets)

    @property
    def _targets(self) -> FloatArray:
        handles = self._editing.region.handles
        return np.asarray(self.character.points[handles] + self._offsets[handles])

    @cached_property
    def _fractions(self) -> tuple[FloatArray, FloatArray]:
        """Where knots (K,) and handles (H,) are along the stroke."""
        points, faces = self.character.points, self.character.triangles
        curve = curve_of(self.stroke, points, faces)
        handles = self._editing.region.handles
        if curve is None:
            return np.zeros(1), np.zeros(len(handles))
        return curve.knot_fractions, curve.nearest(points[handles])[0]

    @property
    def knot_offsets(self) -> FloatArray:
        """How far the shape moves the skin under the knots (K, 3) [m], in the axes of the rest pose."""
        corners = self.character.triangles[self.stroke.triangles]
        return np.asarray(np.einsum("kc,kci->ki", self.stroke.barycentric, self._offsets[corners]))

    @property
    def heights(self) -> FloatArray:
        """How far the knots (K,) [m] stand out of the skin at rest; negative where they lie below it."""
        normals = self.stroke.normals(self.character.points, self.character.triangles)
        return np.asarray(np.einsum("ki,ki->k", self.knot_offsets, normals))

    @property
    def height(self) -> float:
        """Of the highest knot, or the lowest if that is farther from the skin [m]."""
        heights = self.heights
        return float(heights[np.argmax(np.abs(heights))])

    def pull_knot(self, number: int, by: ArrayLike) -> SurfaceEdit:
        """With a knot pulled `by` (3,) [m], in the axes of the rest pose, and with it the line up to its neighbours."""
        self._check_knot(number, "be pulled")
        offset = frozen(by, np.float64, (3,), _WHERE, "by")
        pulled = self._editing.moved(self._targets + self._weights(number)[:, None] * offset)
        return SurfaceEdit.of(self._offsets + pulled - self._unpulled)

    def pull_line(self, by: ArrayLike) -> SurfaceEdit:
        """With the whole line pulled `by` (3,) [m], or each vertex under it (`region.handles`) by its own (H, 3)."""
        count = len(self.region.handles)
        offset = np.broadcast_to(np.asarray(by, dtype=np.float64), (count, 3))
        pulled = self._editing.moved(self._targets + frozen(offset, np.float64, (count, 3), _WHERE, "by"))
        return SurfaceEdit.of(self._offsets + pulled - self._unpulled)

    def with_reach(self, reach: float) -> SurfaceEdit:
        """With skin up to `reach` [m] from the line following it, and none beyond; the line itself stays as it is.

        Skin that follows is laid anew: what was smoothed or erased beside the line is gone.
        """
        points, faces = self.character.points, self.character.triangles
        region = region_round(faces, self.region.handles, points=points, reach=reach)
        editing = RegionEditing(points, faces, region, method=self._method)
        return SurfaceEdit.of(editing.moved(self._targets) - points)

    def with_height(self, height: float) -> SurfaceEdit:
        """With all of it higher or lower, so that its highest knot is at `height` [m]."""
        now = self.height
        if not np.isfinite(height):
            raise InputError(_WHERE, f"height is {height}", "a finite number is needed", "use metres")
        if abs(now) < _FLAT * float(self.character.size.max()):
            raise InputError(_WHERE, "the shape is flat", "there is nothing to make higher", "pull a knot first")
        return mix([self.shape], [height / now])

    def delete_knot(self, number: int) -> tuple[SurfaceStroke, SurfaceEdit]:
        """Without a knot, and with the shape that its neighbours alone would give there."""
        self._check_knot(number, "go")
        if len(self.stroke.triangles) < 2:
            raise InputError(_WHERE, "the only knot was to go", "a stroke has one at least", "delete the stroke")
        keep = np.arange(len(self.stroke.triangles)) != number
        along, offsets = self._fractions[0], self.knot_offsets
        without = np.array([np.interp(along[number], along[keep], offsets[keep, axis]) for axis in range(3)])
        shape = self.pull_knot(number, without - offsets[number])
        hard = self.stroke.pressures
        kept = {"triangles": self.stroke.triangles[keep], "barycentric": self.stroke.barycentric[keep]}
        return replace(self.stroke, **kept, pressures=None if hard is None else hard[keep]), shape

    def insert_knot(self, triangle: int, barycentric: ArrayLike) -> SurfaceStroke:
        """The stroke with one more knot at a place of the skin, between those that it lies between; no shape changes.

        The place goes by `barycentric` coordinates (3,) in a triangle, which the stroke crosses from then on.
        """
        stroke = self.stroke
        own = frozen(barycentric, np.float64, (3,), _WHERE, "barycentric")
        if not 0 <= triangle < len(self.character.triangles):
            count = len(self.character.triangles)
            raise InputError(_WHERE, f"triangle {triangle} was named", f"there are {count}", "pick on the skin")
        if len(stroke.triangles) < 2:
            raise InputError(_WHERE, "the stroke is a point", "a knot goes between two", "draw a line")
        curve = curve_of(stroke, self.character.points, self.character.triangles)
        assert curve is not None
        at = curve.nearest((own @ self.character.points[self.character.triangles[triangle]])[None])[0][0]
        number = int(np.clip(np.searchsorted(curve.knot_fractions, at), 1, len(stroke.triangles) - 1))
        hard = stroke.pressures
        return SurfaceStroke(
            np.insert(stroke.triangles, number, triangle),
            np.insert(stroke.barycentric, number, own, axis=0),
            np.append(stroke.crossed, triangle),
            None if hard is None else np.insert(hard, number, np.interp(at, curve.knot_fractions, hard)),
        )

    def _weights(self, number: int) -> FloatArray:
        """How much of a knot's pull the handles (H,) take: all of it at the knot, none from its neighbours on.

        Where triangles are as long as the way between knots, those round the knot take more, so that it gets there.
        """
        knots, fractions = self._fractions
        weights = EASINGS["smooth"](np.interp(fractions, knots, np.eye(len(knots))[number]))
        corners = self.character.triangles[self.stroke.triangles[number]]
        own = weights[np.searchsorted(self._editing.region.handles, corners)]
        return weights / max(float(self.stroke.barycentric[number] @ own), _LEAST)

    def _check_knot(self, number: int, what: str) -> None:
        count = len(self.stroke.triangles)
        if not 0 <= number < count:
            raise InputError(_WHERE, f"knot {number} was to {what}", f"there are {count}", "name one of those")
