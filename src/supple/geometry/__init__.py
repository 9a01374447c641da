"""Pure functions on arrays. Nothing here knows what a character or a skin is."""
