"""BVH: the plain-text motions of Biovision, which every motion library and tool speaks."""

from supple.io.bvh.reader import read_motion
from supple.io.bvh.writer import write_motion

__all__ = ["read_motion", "write_motion"]
