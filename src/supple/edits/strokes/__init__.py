"""Strokes: what a hand draws, in space or on the skin, and what follows it."""

from supple.edits.strokes.picking import Picks, depth_buffer, id_buffer, pick, pick_by_rays
from supple.edits.strokes.posing import joints_near, posed_by_strokes
from supple.edits.strokes.reduction import evenly, reduced
from supple.edits.strokes.stroke import Stroke, carried_along
from supple.edits.strokes.surface_stroke import SurfaceStroke, raised
from supple.edits.strokes.view import View

__all__ = [
    "Picks",
    "Stroke",
    "SurfaceStroke",
    "View",
    "carried_along",
    "depth_buffer",
    "evenly",
    "id_buffer",
    "joints_near",
    "pick",
    "pick_by_rays",
    "posed_by_strokes",
    "raised",
    "reduced",
]
