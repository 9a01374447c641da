"""Waves along strokes on the skin: as shapes that take turns, and as forces that springs pass on."""

from supple.edits.waves.driven_wave import drive_wave
from supple.edits.waves.shape_wave import with_wave

__all__ = ["drive_wave", "with_wave"]
