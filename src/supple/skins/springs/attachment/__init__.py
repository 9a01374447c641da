"""Where every vertex hangs on the skeleton: segments, attachment points, and the weights that blend them."""
