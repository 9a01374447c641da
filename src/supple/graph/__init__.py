"""Skins chained into a graph, and the player that runs it frame by frame."""

from supple.graph.mask import Mask

__all__ = ["Mask"]
