"""Files of strangers, read by a process of its own that is bounded in memory and time, whatever their format."""

from supple.io.confined.reader import read_confined

__all__ = ["read_confined"]
