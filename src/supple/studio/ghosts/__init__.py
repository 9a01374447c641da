"""The character a little earlier and later, seen through, and the way of a joint."""
