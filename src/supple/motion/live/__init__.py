"""Poses that arrive while they are played: streams, noise on them, and what keeps them steady."""
