"""Skins chained into a graph, and the player that runs it frame by frame."""
