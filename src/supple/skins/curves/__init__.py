"""Skin as a network of curves that bend like beams."""
