"""What happens at binding: voxels of flesh, their layers and weights, and how the skin hangs on them."""
