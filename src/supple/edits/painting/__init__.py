"""Painting maps on a skin, and touching up drawn shapes: the brush, what it does, and the other half of the body."""

from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.edits.painting.edit_stroke import EditStroke
from supple.edits.painting.region_stroke import REGION_ACTIONS, RegionStroke
from supple.edits.painting.retouching import RETOUCHING, erase_edit, mirror_edit, smooth_edit
from supple.edits.painting.stroke import ACTIONS, MapStroke

__all__ = [
    "ACTIONS",
    "REGION_ACTIONS",
    "RETOUCHING",
    "Brush",
    "Canvas",
    "EditStroke",
    "MapStroke",
    "Place",
    "RegionStroke",
    "erase_edit",
    "mirror_edit",
    "smooth_edit",
]
