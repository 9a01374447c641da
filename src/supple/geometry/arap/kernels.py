# mypy: ignore-errors
"""Arithmetic of as-rigid-as-possible surfaces, in double precision, item `first + tid`.

Symbols: p rest vectors, x the vectors now, w edge weights, R_i the turn of the ring of vertex i. Edges come as
compressed rows with w p_ij ready made, p_ij = p_i - p_j.
"""

import warp as wp

from supple.geometry.kernels.polar import nearest_rotation

Vectors = wp.array(dtype=wp.vec3d)
Matrices = wp.array(dtype=wp.mat33d)
IntArray = wp.array(dtype=wp.int32)


@wp.kernel(enable_backward=False)
def fit(first: int, starts: IntArray, others: IntArray, weighted: Vectors, x: Vectors, rotations: Matrices):
    """R_i nearest to sum_j w_ij (x_i - x_j) p_ij^T."""
    i = first + wp.tid()
    total = wp.mat33d()
    here = x[i]
    for e in range(starts[i], starts[i + 1]):
        total += wp.outer(here - x[others[e]], weighted[e])
    rotations[i] = nearest_rotation(total)


@wp.kernel(enable_backward=False)
def gather(
    first: int,
    rows: IntArray,
    starts: IntArray,
    others: IntArray,
    weighted: Vectors,
    rotations: Matrices,
    sums: Vectors,
):
    """sum_j w_ij (R_i + R_j) p_ij / 2 of the rows that are solved for   [Toothman2020, Eq. 10]."""
    n = first + wp.tid()
    i = rows[n]
    rotated = wp.vec3d()
    own = wp.vec3d()
    for e in range(starts[i], starts[i + 1]):
        own += weighted[e]
        rotated += rotations[others[e]] * weighted[e]
    sums[n] = wp.float64(0.5) * (rotated + rotations[i] * own)
