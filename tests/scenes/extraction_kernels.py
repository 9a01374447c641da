"""A kernel that shows what the function that finds rotations does to many matrices."""

import warp as wp

from supple.geometry.kernels.polar import extract_rotation


@wp.kernel(enable_backward=False)
def extract_all(newton_steps: int, matrices: wp.array(dtype=wp.mat33f), rotations: wp.array(dtype=wp.quatf)):
    i = wp.tid()
    rotations[i] = extract_rotation(matrices[i], rotations[i], newton_steps)
