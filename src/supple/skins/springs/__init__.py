"""Skins that need no good weights: every vertex hangs on a place of the skeleton by a vector of its own."""

from supple.skins.springs.attachment.attachment import attach

__all__ = ["attach"]
