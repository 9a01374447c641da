"""What a character does: poses, motions, and the built-in ones, made by code."""
