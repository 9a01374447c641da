"""Slow, readable answers to compare with."""
