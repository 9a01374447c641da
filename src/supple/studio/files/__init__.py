"""Files that a page may open: those of a folder, and those that it sent. Pages know them by numbers, never by paths."""
