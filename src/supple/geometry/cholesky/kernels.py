# mypy: ignore-errors
"""Solving with a factor on arrays of vectors.

Symbols: A = L D L^T the matrix, P its order of elimination; b a right side and x the answer, a vector per unknown.
Bodies alike stand one after another, `stride` items each; unknown j of a body is its item `rows[j]`.

A split factor has its columns part by part, then those of the top. Parts do not reach each other, so each is a thread's
own; what they say about the top they keep apart, from `targets` on behind the unknowns, and the top adds it up in a
fixed order.
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
def down_parts(
    first: int,
    top: int,
    bounds: IntArray,
    rows: IntArray,
    starts: IntArray,
    targets: IntArray,
    lower: FloatArray,
    sides: Points,
    work: Points,
):
    """L^-1 within every part, and what it says about the top."""
    part = first + wp.tid()
    begin = bounds[part]
    end = bounds[part + 1]
    own = rows.shape[0] - top
    for t in range(top + (part + 1) * own, top + (part + 2) * own):
        work[t] = wp.vec3f(0.0, 0.0, 0.0)
    for j in range(begin, end):
        work[j] = sides[rows[j]]
    for j in range(begin, end):
        x = work[j]
        for e in range(starts[j], starts[j + 1]):
            t = targets[e]
            work[t] = work[t] - lower[e] * x


@wp.kernel(enable_backward=False)
def add_up_top(first: int, parts: int, top: int, rows: IntArray, sides: Points, work: Points):
    """What all parts say about the top, in a fixed order, by one thread."""
    own = rows.shape[0] - top
    for j in range(top, rows.shape[0]):
        x = sides[rows[j]]
        for part in range(parts):
            x += work[j + (part + 1) * own]
        work[j] = x


@wp.kernel(enable_backward=False)
def solve_top(
    first: int,
    top: int,
    rows: IntArray,
    starts: IntArray,
    targets: IntArray,
    lower: FloatArray,
    inverse_pivots: FloatArray,
    work: Points,
    answers: Points,
):
    """L^-T D^-1 L^-1 of the top, by one thread."""
    count = rows.shape[0]
    for j in range(top, count):
        x = work[j]
        for e in range(starts[j], starts[j + 1]):
            t = targets[e]
            work[t] = work[t] - lower[e] * x
    for back in range(count - top):
        j = count - 1 - back
        x = inverse_pivots[j] * work[j]
        for e in range(starts[j], starts[j + 1]):
            x -= lower[e] * work[targets[e]]
        work[j] = x
        answers[rows[j]] = x


@wp.kernel(enable_backward=False)
def up_parts(
    first: int,
    top: int,
    bounds: IntArray,
    rows: IntArray,
    starts: IntArray,
    targets: IntArray,
    lower: FloatArray,
    inverse_pivots: FloatArray,
    work: Points,
    answers: Points,
):
    """L^-T D^-1 within every part, from what the top is."""
    part = first + wp.tid()
    begin = bounds[part]
    end = bounds[part + 1]
    own = rows.shape[0] - top
    for j in range(top, rows.shape[0]):
        work[j + (part + 1) * own] = work[j]
    for back in range(end - begin):
        j = end - 1 - back
        x = inverse_pivots[j] * work[j]
        for e in range(starts[j], starts[j + 1]):
            x -= lower[e] * work[targets[e]]
        work[j] = x
        answers[rows[j]] = x
