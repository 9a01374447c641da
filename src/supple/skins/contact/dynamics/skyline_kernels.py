# mypy: ignore-errors
"""A symmetric system in blocks of 3x3, kept row by row: how it is put together, factored and solved.

Row i is kept from column firsts[i], the first that is not zero or may become so, to the diagonal: block (i, j) stands
at ats[i] + j - firsts[i]. That is also where its factor L D L^T has places, so it needs no others. Whoever puts it
together sees to it that no pivot, a 3x3 block of D, vanishes; then no rows are exchanged.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Matrices, Vectors, Whole


@wp.func
def add_block(row: int, column: int, block: wp.mat33d, firsts: Whole, ats: Whole, values: Matrices):
    """Add a block at (row, column), which does not lie above the diagonal."""
    at = ats[row] - firsts[row] + column
    values[at] = values[at] + block


@wp.func
def add_pair(row: int, column: int, block: wp.mat33d, firsts: Whole, ats: Whole, values: Matrices):
    """Add a block or its transpose, whichever lies below the diagonal."""
    if row >= column:
        add_block(row, column, block, firsts, ats, values)
    else:
        add_block(column, row, wp.transpose(block), firsts, ats, values)


@wp.func
def inverse_of(m: wp.mat33d) -> wp.mat33d:
    """The inverse of a symmetric block, positive or negative, by its own L D L^T: cofactors lose too many digits."""
    one = wp.float64(1.0)
    a = m[1, 0] / m[0, 0]
    b = m[2, 0] / m[0, 0]
    d = m[1, 1] - a * m[1, 0]
    t = m[2, 1] - b * m[1, 0]
    c = t / d
    e = m[2, 2] - b * m[2, 0] - c * t
    x = wp.vec3d(one, wp.float64(0.0), wp.float64(0.0))
    y = wp.vec3d(-a, one, wp.float64(0.0))
    z = wp.vec3d(a * c - b, -c, one)
    return wp.outer(x, x) / m[0, 0] + wp.outer(y, y) / d + wp.outer(z, z) / e


@wp.func
def factor_row(i: int, firsts: Whole, ats: Whole, factor: Matrices, pivots: Matrices):
    """Row i of L D L^T, in place of that of the system; those before it are factored. `pivots` are inverses of D."""
    begin = firsts[i]
    own = ats[i] - begin
    for j in range(begin, i):
        other = ats[j] - firsts[j]
        g = factor[own + j]
        for t in range(wp.max(begin, firsts[j]), j):
            g -= factor[own + t] * wp.transpose(factor[other + t])
        factor[own + j] = g
    d = factor[own + i]
    for t in range(begin, i):
        g = factor[own + t]
        scaled = g * pivots[t]
        d -= scaled * wp.transpose(g)
        factor[own + t] = scaled
    pivots[i] = inverse_of(d)


@wp.func
def factorised(count: int, firsts: Whole, ats: Whole, values: Matrices, factor: Matrices, pivots: Matrices):
    """L D L^T of the system, in place of a copy of it."""
    for e in range(ats[count]):
        factor[e] = values[e]
    for i in range(count):
        factor_row(i, firsts, ats, factor, pivots)


@wp.func
def substituted(
    count: int, firsts: Whole, ats: Whole, factor: Matrices, pivots: Matrices, right: Vectors, answer: Vectors
):
    """Solve with the factor."""
    for i in range(count):
        own = ats[i] - firsts[i]
        total = right[i]
        for t in range(firsts[i], i):
            total -= factor[own + t] * answer[t]
        answer[i] = total
    for i in range(count):
        answer[i] = pivots[i] * answer[i]
    for back in range(count):
        i = count - 1 - back
        own = ats[i] - firsts[i]
        x = answer[i]
        for t in range(firsts[i], i):
            answer[t] = answer[t] - x * factor[own + t]


@wp.kernel(enable_backward=False)
def solve_system(
    first: int,
    count: int,
    firsts: Whole,
    ats: Whole,
    values: Matrices,
    factor: Matrices,
    pivots: Matrices,
    right: Vectors,
    answer: Vectors,
):
    """Factor a system and solve it."""
    factorised(count, firsts, ats, values, factor, pivots)
    substituted(count, firsts, ats, factor, pivots, right, answer)
