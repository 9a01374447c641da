"""A skin that swells under a stroke."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.edits.radial import profile_named
from supple.edits.region import region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.strokes.stroke import Stroke
from supple.edits.strokes.surface_stroke import SurfaceStroke, raised
from supple.errors import InputError

_WHERE = "bulge"


def bulge(
    points: ArrayLike,
    triangles: ArrayLike,
    stroke: SurfaceStroke,
    *,
    height: float,
    reach: float,
    profile: str = "even",
    method: str = "smooth",
) -> FloatArray:
    """The skin `points` (V, 3) [m] raised along its normals under a stroke that lies on it.

    Under the line it rises by `height` [m], which may be negative, times how hard the pen was pressed there, times
    `profile` along the line (`PROFILES`); skin up to `reach` [m] away follows as `method` says (`RegionEditing`).
    """
    skin = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
    stroke.check_fits(faces)
    if not (np.isfinite(height) and np.isfinite(reach) and reach >= 0.0):
        raise InputError(_WHERE, f"height is {height} and reach {reach}", "metres are needed", "try 0.02 and 0.06")
    handles = stroke.handles(faces)
    fractions, pressures = along_stroke(stroke, skin, faces, skin[handles])
    heights = height * pressures * profile_named(profile, _WHERE)(fractions)
    region = region_round(faces, handles, points=skin, reach=reach)
    targets = raised(skin, faces, handles, heights=heights)
    return RegionEditing(skin, faces, region, method=method).moved(targets)


def along_stroke(
    stroke: SurfaceStroke, points: FloatArray, triangles: IntArray, places: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The shares (N,) of a stroke's length nearest to places (N, 3) [m], and how hard the pen was pressed there.

    A dot has no length: all of it is its middle, 0.5.
    """
    curve = curve_of(stroke, points, triangles)
    if curve is None:
        pressure = 1.0 if stroke.pressures is None else float(stroke.pressures[0])
        return np.full(len(places), 0.5), np.full(len(places), pressure)
    fractions, _ = curve.nearest(places)
    return fractions, curve.pressure_at(fractions)


def curve_of(stroke: SurfaceStroke, points: FloatArray, triangles: IntArray) -> Stroke | None:
    """The curve through all knots of a stroke, or None for a dot."""
    knots = stroke.positions(points, triangles)
    if len(knots) < 2:
        return None
    return Stroke(knots, np.linspace(0.0, 1.0, len(knots)), stroke.pressures)
