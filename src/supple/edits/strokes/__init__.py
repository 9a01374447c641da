"""Strokes: what a hand draws, in space or on the skin, and what follows it."""

from supple.edits.strokes.oversketch import oversketch
from supple.edits.strokes.picking import depth_buffer, id_buffer, pick, pick_by_rays
from supple.edits.strokes.plane import Plane
from supple.edits.strokes.posing import joints_near, posed_by_strokes
from supple.edits.strokes.reduction import resample, simplify
from supple.edits.strokes.skin_line import SkinLine
from supple.edits.strokes.stroke import Stroke, carry_along
from supple.edits.strokes.surface_stroke import SurfaceStroke, raised
from supple.edits.strokes.timing import layer_by_gesture, pace_of, travel_along
from supple.edits.strokes.view import View

__all__ = [
    "Plane",
    "SkinLine",
    "Stroke",
    "SurfaceStroke",
    "View",
    "carry_along",
    "depth_buffer",
    "id_buffer",
    "joints_near",
    "layer_by_gesture",
    "oversketch",
    "pace_of",
    "pick",
    "pick_by_rays",
    "posed_by_strokes",
    "raised",
    "resample",
    "simplify",
    "travel_along",
]
