"""Several skins beside each other: one film, one timeline, one page that needs no network."""

from supple.report.comparison import Comparison, Step, compare

__all__ = ["Comparison", "Step", "compare"]
