"""What touches what: spatial hash, k-DOPs, hierarchy of boxes, winding numbers, self-intersection."""
