# mypy: ignore-errors
"""Solving with a factor on arrays of vectors.

Symbols: A = L D L^T the matrix, P its order of elimination; b a right side and x the answer, a vector per unknown.
Bodies alike stand one after another, `stride` items each; unknown j of a body is its item `rows[j]`.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def solve_sparse(
    first: int,
    stride: int,
    rows: IntArray,
    starts: IntArray,
    below: IntArray,
    lower: FloatArray,
    inverse_pivots: FloatArray,
    sides: Points,
    work: Points,
    answers: Points,
):
    """x = L^-T D^-1 L^-1 b for one body, column by column: those of L below the diagonal, in compressed columns."""
    c = first + wp.tid()
    n = rows.shape[0]
    for j in range(n):
        work[c * n + j] = sides[c * stride + rows[j]]
    for j in range(n):
        x = work[c * n + j]
        for e in range(starts[j], starts[j + 1]):
            i = c * n + below[e]
            work[i] = work[i] - lower[e] * x
    for back in range(n):
        j = n - 1 - back
        x = inverse_pivots[j] * work[c * n + j]
        for e in range(starts[j], starts[j + 1]):
            x -= lower[e] * work[c * n + below[e]]
        work[c * n + j] = x
        answers[c * stride + rows[j]] = x


@wp.kernel(enable_backward=False)
def multiply_inverse(first: int, stride: int, rows: IntArray, inverse: FloatArray, sides: Points, answers: Points):
    """x = A^-1 b, a thread for every unknown of every body. A^-1 is symmetric, so threads read it side by side."""
    t = first + wp.tid()
    n = rows.shape[0]
    c = t // n
    j = t - c * n
    x = wp.vec3f(0.0, 0.0, 0.0)
    for i in range(n):
        x += inverse[i * n + j] * sides[c * stride + rows[i]]
    answers[c * stride + rows[j]] = x
