"""A character as a network of curves: where they run on its skin, and how the mesh follows them."""
