"""Files in and out: one module per format, found by suffix."""

from supple.io.loading import load, load_motion
from supple.io.saving import save

__all__ = ["load", "load_motion", "save"]
