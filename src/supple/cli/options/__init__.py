"""Options that several commands take."""
