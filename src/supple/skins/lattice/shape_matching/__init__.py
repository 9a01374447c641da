"""One step of the lattice: nodes swing, keep their distances and volumes, and regions of them keep their shape."""
