"""Kinds of commands that `messages` gathers, each with what it may hold."""
