"""As-rigid-as-possible surfaces: every vertex turns its ring, and all rings agree as well as they can."""

from supple.geometry.arap.arap import Arap

__all__ = ["Arap"]
