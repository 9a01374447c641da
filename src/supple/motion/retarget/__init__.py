"""A motion made for one skeleton, carried over to another."""

from supple.motion.retarget.retarget import retarget

__all__ = ["retarget"]
