"""Hands that hold places of the skin or push them while it plays."""
