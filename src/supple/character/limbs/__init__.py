"""The limbs of a character, each from the middle of one bone to the middle of the next, and their volumes."""
