"""Painting maps on a skin: the brush, what it does to values, and the other half of the body."""

from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.edits.painting.stroke import ACTIONS, MapStroke

__all__ = ["ACTIONS", "Brush", "Canvas", "MapStroke", "Place"]
