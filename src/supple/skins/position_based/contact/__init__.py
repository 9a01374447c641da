"""Flesh that meets flesh and the world: planes between bones, what touches what, and how it is parted."""
