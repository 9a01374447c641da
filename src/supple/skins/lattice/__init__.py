"""Multi-layer lattice: the flesh as voxels in layers, from bone to skin, that keep their shape together."""
