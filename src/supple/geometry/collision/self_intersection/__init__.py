"""Surfaces that pass through themselves: which triangles cross, which vertices are inside, and how deep."""

from supple.geometry.collision.self_intersection.self_intersection import CrossingFinder, Crossings, crossing_pairs

__all__ = ["CrossingFinder", "Crossings", "crossing_pairs"]
