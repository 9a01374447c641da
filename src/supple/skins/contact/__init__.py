"""Soft articulated characters with contact: a dynamic skeleton inside elastic flesh, which move each other."""
