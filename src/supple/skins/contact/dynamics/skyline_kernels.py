# mypy: ignore-errors
"""A symmetric system in blocks of 3x3, kept row by row: how it is put together, factored and solved.

Row i is kept from column first_columns[i], the first that is not zero or may become so, to the diagonal: block (i, j)
stands at row_offsets[i] + j - first_columns[i]. That is also where its factor L D L^T has places, so it needs no
others. Whoever puts it together sees to it that no pivot, a 3x3 block of D, vanishes; then no rows are exchanged.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import IntArray, Matrices, Vectors


@wp.func
def add_block(
    row: int, column: int, block: wp.mat33d, first_columns: IntArray, row_offsets: IntArray, values: Matrices
):
    """Add a block at (row, column), which does not lie above the diagonal."""
    at = row_offsets[row] - first_columns[row] + column
    values[at] = values[at] + block


@wp.func
def add_pair(row: int, column: int, block: wp.mat33d, first_columns: IntArray, row_offsets: IntArray, values: Matrices):
    """Add a block or its transpose, whichever lies below the diagonal."""
    if row >= column:
        add_block(row, column, block, first_columns, row_offsets, values)
    else:
        add_block(column, row, wp.transpose(block), first_columns, row_offsets, values)


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
def factor_row(i: int, first_columns: IntArray, row_offsets: IntArray, factor: Matrices, pivots: Matrices):
    """Row i of L D L^T, in place of that of the system; those before it are factored. `pivots` are inverses of D."""
    begin = first_columns[i]
    own = row_offsets[i] - begin
    for j in range(begin, i):
        other = row_offsets[j] - first_columns[j]
        g = factor[own + j]
        for t in range(wp.max(begin, first_columns[j]), j):
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
def factorize(
    count: int, first_columns: IntArray, row_offsets: IntArray, values: Matrices, factor: Matrices, pivots: Matrices
):
    """L D L^T of the system, in place of a copy of it."""
    for e in range(row_offsets[count]):
        factor[e] = values[e]
    for i in range(count):
        factor_row(i, first_columns, row_offsets, factor, pivots)


@wp.func
def substitute(
    count: int,
    first_columns: IntArray,
    row_offsets: IntArray,
    factor: Matrices,
    pivots: Matrices,
    rhs: Vectors,
    solution: Vectors,
):
    """Solve with the factor."""
    for i in range(count):
        own = row_offsets[i] - first_columns[i]
        total = rhs[i]
        for t in range(first_columns[i], i):
            total -= factor[own + t] * solution[t]
        solution[i] = total
    for i in range(count):
        solution[i] = pivots[i] * solution[i]
    for back in range(count):
        i = count - 1 - back
        own = row_offsets[i] - first_columns[i]
        x = solution[i]
        for t in range(first_columns[i], i):
            solution[t] = solution[t] - x * factor[own + t]


@wp.kernel(enable_backward=False)
def solve_system(
    first: int,
    count: int,
    first_columns: IntArray,
    row_offsets: IntArray,
    values: Matrices,
    factor: Matrices,
    pivots: Matrices,
    rhs: Vectors,
    solution: Vectors,
):
    """Factor a system and solve it."""
    factorize(count, first_columns, row_offsets, values, factor, pivots)
    substitute(count, first_columns, row_offsets, factor, pivots, rhs, solution)
