"""Limbs that swell around bent joints, so that each keeps its volume."""
