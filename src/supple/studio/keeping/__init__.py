"""The document on disk while it is made: its file, the list of those open before, and what has no name yet."""
