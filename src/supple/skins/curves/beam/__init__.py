"""Curves that bend as clamped beams do: their equations, and all of them at once on a device."""
