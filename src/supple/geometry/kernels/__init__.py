"""One library of device functions: rotations, oscillators, normals."""
