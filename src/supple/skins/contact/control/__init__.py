"""Muscles: what a motion asks of joints and roots."""
