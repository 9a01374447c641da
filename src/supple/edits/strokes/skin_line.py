"""A line that is being drawn on a skin while it moves: every stretch lies on the skin as it was seen then."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.edits.strokes.gaps import drop_crumbs, find_breaks, find_leaps
from supple.edits.strokes.picking import pick
from supple.edits.strokes.reduction import PIXELS, resample, simplify
from supple.edits.strokes.stroke import check_pressures
from supple.edits.strokes.surface_stroke import SurfaceStroke, only_piece
from supple.edits.strokes.view import View
from supple.errors import InputError

MOST_PLACES = 100_000
_WHERE = "SkinLine"
_PRESSURE = 0.02  # by how much pressure between knots may be off
_PARTS = 4  # no two knots are farther apart than the line's length by this, so that there are some to take hold of


class SkinLine:
    """Collects what a pen draws, stretch by stretch, on a mesh with these `triangles` (T, 3).

    Between two stretches skin and camera may have moved. The line goes on from where it lies on the skin by then, so
    that no stretch is drawn twice and none is missing. What is drawn beside the skin breaks it.
    """

    def __init__(self, triangles: ArrayLike) -> None:
        self._faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self._triangles: list[IntArray] = []
        self._barycentric: list[FloatArray] = []
        self._pressures: list[FloatArray] = []
        self._pen: tuple[FloatArray, float] | None = None  # where it was last, as a pixel, and how hard it was pressed
        self._seen: tuple[FloatArray, View] | None = None
        self._count, self._missed = 0, 0  # pixels of the line, and of those the last ones that lie beside the skin
        self._starts: list[int] = []  # numbers of places that begin another piece

    def __len__(self) -> int:
        """How many places of the skin it passes, about one a pixel."""
        return sum(len(triangles) for triangles in self._triangles)

    def add(self, points: ArrayLike, view: View, *, pixels: ArrayLike, pressures: ArrayLike | None = None) -> None:
        """Go on through `pixels` (N, 2), drawn while the skin was seen at `points` (V, 3) in a view.

        `pressures` (N,) are 0 to 1; without them the pen is pressed all the way.
        """
        drawn = frozen(pixels, np.float64, (-1, 2), _WHERE, "pixels")
        hard = np.ones(len(drawn)) if pressures is None else check_pressures(pressures, len(drawn), _WHERE)
        if len(drawn) == 0:
            return
        start, course = self._start(points, view), np.column_stack([drawn, hard])
        line = _resample(course if start is None else np.vstack([start, course]))
        line = line if start is None else line[1:]
        self._count += len(line)
        if self._count > MOST_PLACES:
            raise InputError(
                _WHERE,
                f"it is {self._count} pixels long",
                f"at most {MOST_PLACES} are laid on the skin",
                "lift the pen",
            )
        hits = pick(points, self._faces, view, pixels=line[:, :2])
        on_skin = hits.triangles >= 0
        self._break(np.asarray(points, dtype=np.float64), hits.triangles, hits.barycentric)
        self._triangles.append(hits.triangles[on_skin].astype(np.int32))
        self._barycentric.append(np.clip(hits.barycentric[on_skin], 0.0, 1.0))
        self._pressures.append(np.clip(line[on_skin, 2], 0.0, 1.0))
        self._pen = None if on_skin[-1] else (drawn[-1], float(hard[-1]))
        self._seen = np.asarray(points, dtype=np.float64), view

    def _start(self, points: ArrayLike, view: View) -> FloatArray | None:
        """Where the pen is before it goes on, as pixel and pressure (1, 3): on the skin where that is by now."""
        if self._seen is None:
            return None
        if self._pen is not None:
            return np.array([[*self._pen[0], self._pen[1]]])
        last = next(number for number in reversed(range(len(self._triangles))) if len(self._triangles[number]))
        corners = np.asarray(points, dtype=np.float64)[self._faces[self._triangles[last][-1]]]
        pixel, _ = view.project(self._barycentric[last][-1] @ corners)
        return np.array([[*pixel, self._pressures[last][-1]]])

    def _break(self, points: FloatArray, faces: IntArray, barycentric: FloatArray) -> None:
        """Note where a stretch of picks begins another piece of the line."""
        there = np.flatnonzero(faces >= 0)
        if len(there) == 0:
            self._missed += len(faces)
            return
        own, inside = faces[there], barycentric[there]
        last = next((number for number in reversed(range(len(self._triangles))) if len(self._triangles[number])), None)
        if last is not None:
            own = np.concatenate([self._triangles[last][-1:], own])
            inside = np.concatenate([self._barycentric[last][-1:], inside])
        positions = np.einsum("kc,kci->ki", inside, points[self._faces[own]])
        leaps = find_leaps(points, self._faces, own, positions)[-len(there) :]
        missed = np.diff(there, prepend=-1) - 1.0
        missed[0] += self._missed
        starts = find_breaks(missed, leaps)
        known = len(self)
        if known and not (missed[0] > PIXELS or leaps[0]):
            starts = starts[1:]
        self._starts += [known + int(start) for start in starts]
        self._missed = len(faces) - 1 - int(there[-1])

    def stroke(self, *, tolerance: float = PIXELS) -> SurfaceStroke:
        """The stroke so far, with as few knots as `tolerance` [px] of the last view and its pressures allow.

        A line that breaks is refused.
        """
        return only_piece(self.strokes(tolerance=tolerance), "SkinLine.strokes")

    def strokes(self, *, tolerance: float = PIXELS) -> tuple[SurfaceStroke, ...]:
        """The same for a line that breaks, as `SurfaceStroke.drawn_pieces` says: a stroke for every piece."""
        if self._seen is None or len(self) == 0:
            raise InputError(_WHERE, "the line does not touch the skin", "some of it must", "draw it over the skin")
        points, view = self._seen
        triangles = np.concatenate(self._triangles)
        inside = np.concatenate(self._barycentric)
        hard = np.concatenate(self._pressures)
        positions = np.einsum("kc,kci->ki", inside, points[self._faces[triangles]])
        wide = float(np.median(view.pixel_size(view.project(positions)[1])))
        found = []
        for piece in drop_crumbs(np.array(self._starts, dtype=np.int32), len(triangles)):
            moved = np.concatenate([[True], np.abs(np.diff(positions[piece], axis=0)).max(axis=1) > 0.0])
            own = piece[moved]
            knots = own[choose_knots(positions[own], hard[own], tolerance * wide)]
            found.append(SurfaceStroke(triangles[knots], inside[knots], triangles[own], hard[knots]))
        return tuple(found)


def _resample(course: FloatArray) -> FloatArray:
    """Pixels and pressures (N, 3) at most a pixel apart, all given ones among them."""
    line = resample(course[:, :2], 1.0)
    passed, all_of_it = (
        np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
        for places in (course[:, :2], line)
    )
    return np.column_stack([line, np.interp(all_of_it, passed, course[:, 2])])


def choose_knots(positions: FloatArray, pressures: FloatArray, tolerance: float) -> IntArray:
    """Numbers of the places (N, 3) [m] of a line to keep as knots: for it, for its pressure, and in long gaps."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))])
    along = along / max(float(along[-1]), 1e-300)
    kept = np.union1d(simplify(positions, tolerance), simplify(np.column_stack([along, pressures]), _PRESSURE))
    gaps = np.diff(along[kept])
    more = [
        np.interp(np.arange(1, parts) / parts, [0.0, 1.0], along[kept[[number, number + 1]]])
        for number, parts in enumerate(np.ceil(_PARTS * gaps - 1e-9).astype(int))
        if parts > 1
    ]
    between = np.searchsorted(along, np.concatenate(more)) if more else np.zeros(0, dtype=int)
    return np.union1d(kept, np.clip(between, 0, len(along) - 1)).astype(np.int32)
