"""Surfaces that pass through themselves: which triangles cross, which vertices are inside, and how deep."""

from supple.geometry.crossings.crossings import CrossingFinder, Crossings, crossing_pairs

__all__ = ["CrossingFinder", "Crossings", "crossing_pairs"]
