"""The built-in characters, made by code."""
