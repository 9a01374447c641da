"""What a character is: mesh, skeleton, weights, painted maps; and the built-in ones, made by code."""
