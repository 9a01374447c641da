"""What a character's flesh is: tetrahedra, the constraints that hold them together, and how soft they are."""
