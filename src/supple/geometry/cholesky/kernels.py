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
Rows = wp.array(dtype=wp.vec4f)


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


@wp.func
def as_row(b: wp.vec3f) -> wp.vec4f:
    """With a fourth number, so that a processor holds it in one register."""
    return wp.vec4f(b[0], b[1], b[2], 0.0)


# A register of a processor holds a row; a walk along columns takes a third of the time then. None of it runs on a GPU.
_ROWS = """
#if !defined(__CUDA_ARCH__)
    typedef float F4 __attribute__((ext_vector_type(4), aligned(4)));
    F4* __restrict__ b = (F4*)work.data;
    const float* __restrict__ l = lower.data;
    const int *__restrict__ t = targets.data, *__restrict__ from = starts.data;
"""

_DOWN = f"""
{_ROWS}
    for (int j = begin; j < end; ++j) {{
        const F4 x = b[j];
        for (int e = from[j]; e < from[j + 1]; ++e) b[t[e]] -= l[e] * x;
    }}
#endif
"""

_UP = f"""
{_ROWS}
    for (int j = end - 1; j >= begin; --j) {{
        F4 sums[4] = {{0.0f, 0.0f, 0.0f, 0.0f}};  // four at a time, so that none waits for the one before
        int e = from[j];
        for (; e + 4 <= from[j + 1]; e += 4)
            for (int n = 0; n < 4; ++n) sums[n] += l[e + n] * b[t[e + n]];
        for (; e < from[j + 1]; ++e) sums[0] += l[e] * b[t[e]];
        const F4 x = inverse_pivots.data[j] * b[j] - ((sums[0] + sums[1]) + (sums[2] + sums[3]));
        b[j] = x;
        float* answer = (float*)answers.data + 3 * rows.data[j];
        answer[0] = x[0], answer[1] = x[1], answer[2] = x[2];
    }}
#endif
"""


@wp.func_native(_DOWN)
def go_down(begin: int, end: int, starts: IntArray, targets: IntArray, lower: FloatArray, work: Rows):
    """b <- b - L_j b_j, column by column."""


@wp.func_native(_UP)
def go_up(
    begin: int,
    end: int,
    rows: IntArray,
    starts: IntArray,
    targets: IntArray,
    lower: FloatArray,
    inverse_pivots: FloatArray,
    work: Rows,
    answers: Points,
):
    """x_j = b_j / d_j - L_j^T x, column by column, the last one first."""


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
    work: Rows,
):
    """L^-1 within every part, and what it says about the top."""
    part = first + wp.tid()
    begin = bounds[part]
    end = bounds[part + 1]
    own = rows.shape[0] - top
    for t in range(top + (part + 1) * own, top + (part + 2) * own):
        work[t] = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    for j in range(begin, end):
        work[j] = as_row(sides[rows[j]])
    go_down(begin, end, starts, targets, lower, work)


@wp.kernel(enable_backward=False)
def add_up_top(first: int, parts: int, top: int, rows: IntArray, sides: Points, work: Rows):
    """What all parts say about the top, in a fixed order, by one thread."""
    own = rows.shape[0] - top
    for j in range(top, rows.shape[0]):
        x = as_row(sides[rows[j]])
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
    work: Rows,
    answers: Points,
):
    """L^-T D^-1 L^-1 of the top, by one thread."""
    count = rows.shape[0]
    go_down(top, count, starts, targets, lower, work)
    go_up(top, count, rows, starts, targets, lower, inverse_pivots, work, answers)


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
    work: Rows,
    answers: Points,
):
    """L^-T D^-1 within every part, from what the top is."""
    part = first + wp.tid()
    begin = bounds[part]
    end = bounds[part + 1]
    own = rows.shape[0] - top
    for j in range(top, rows.shape[0]):
        work[j + (part + 1) * own] = work[j]
    go_up(begin, end, rows, starts, targets, lower, inverse_pivots, work, answers)
