"""One library of device functions: rotations, nearest rotations, closest points, oscillators, normals, particles."""
