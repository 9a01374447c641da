# mypy: ignore-errors
"""Solving on a GPU: the inverse of the matrix times right sides, of one body or of hundreds alike.

Symbols: A the matrix; b a right side and x the answer, a vector per unknown. Bodies alike stand one after another,
`stride` items each; unknown j of a body is its item `rows[j]`. A^-1 is symmetric.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Points = wp.array(dtype=wp.vec3f)

LANES = wp.constant(64)  # threads that share the row of one unknown


@wp.kernel(enable_backward=False)
def multiply_row(first: int, stride: int, rows: IntArray, inverse: FloatArray, sides: Points, answers: Points):
    """x = A^-1 b: a block of threads for every unknown of every body."""
    t = first + wp.tid()
    n = rows.shape[0]
    lane = t % LANES
    row = t // LANES
    c = row // n
    j = row - c * n
    x = wp.vec3f(0.0, 0.0, 0.0)
    for i in range(lane, n, LANES):
        x += inverse[j * n + i] * sides[c * stride + rows[i]]
    total = wp.tile_sum(wp.tile(x, preserve_type=True))
    answer = total[0]
    if lane == 0:
        answers[c * stride + rows[j]] = answer
