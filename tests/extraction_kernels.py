"""A kernel that shows what the function that finds rotations does to many matrices."""

import warp as wp

from supple.skins.lattice.matching_kernels import extracted


@wp.kernel(enable_backward=False)
def extract_all(rounds: int, matrices: wp.array(dtype=wp.mat33f), rotations: wp.array(dtype=wp.vec4f)):
    i = wp.tid()
    rotations[i] = extracted(matrices[i], rotations[i], rounds)
