"""Many characters at once."""
