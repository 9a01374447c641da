"""Motions made by code, so that the demo, the tests and the benchmarks need no file."""

from supple.motion.builtin.catalogue import MOTIONS, motion, recipe

__all__ = ["MOTIONS", "motion", "recipe"]
