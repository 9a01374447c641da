"""Files in and out: one module per format, found by suffix."""

from supple.io.loading import load, load_motion

__all__ = ["load", "load_motion"]
