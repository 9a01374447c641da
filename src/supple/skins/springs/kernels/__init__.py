"""Arithmetic of attached skins and their springs, on the device."""
