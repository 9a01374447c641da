# mypy: ignore-errors
"""Arithmetic of as-rigid-as-possible surfaces, in double precision, item `first + tid`.

Symbols: p rest vectors, x the vectors now, w edge weights, R_i the turn of the ring of vertex i. Edges come as
compressed rows with w p_ij ready made, p_ij = p_i - p_j.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3d)
Matrices = wp.array(dtype=wp.mat33d)
Ints = wp.array(dtype=wp.int32)

STEPS = wp.constant(40)  # of Newton's method; a simple root takes five to eight


@wp.func
def cofactors(a: wp.mat33d) -> wp.mat33d:
    """The matrix whose rows are the cross products of the other two rows."""
    r0 = wp.vec3d(a[0, 0], a[0, 1], a[0, 2])
    r1 = wp.vec3d(a[1, 0], a[1, 1], a[1, 2])
    r2 = wp.vec3d(a[2, 0], a[2, 1], a[2, 2])
    c0 = wp.cross(r1, r2)
    c1 = wp.cross(r2, r0)
    c2 = wp.cross(r0, r1)
    return wp.matrix_from_rows(c0, c1, c2)


@wp.func
def polar_svd(a: wp.mat33d) -> wp.mat33d:
    """The nearest rotation of a matrix that leaves it open, or almost so."""
    u = wp.mat33d()
    s = wp.vec3d()
    v = wp.mat33d()
    wp.svd3(a, u, s, v)
    if wp.determinant(u) * wp.determinant(v) < wp.float64(0.0):
        u = u * wp.diag(wp.vec3d(wp.float64(1.0), wp.float64(1.0), wp.float64(-1.0)))
    return u * wp.transpose(v)


@wp.func
def nearest_rotation(matrix: wp.mat33d) -> wp.mat33d:
    """The rotation R with the largest tr(R^T A), without a singular value decomposition.

    With singular values a >= b >= |c| (c has the sign of det A) the largest is i1 = a + b + c, the greatest root of
        t^4 - 2 |A|^2 t^2 - 8 det(A) t + |A|^4 - 4 |cof A|^2,
    which Newton's method reaches from above, and
        R = ((i1^2 - i2) A + i1 cof A - A A^T A) / (i1 i2 - i3),   i2 = (i1^2 - |A|^2) / 2,   i3 = det A.
    The divisor is (a + b) (b + c) (c + a): zero only where the rotation is open.
    """
    size = wp.sqrt(wp.ddot(matrix, matrix))
    one = wp.identity(n=3, dtype=wp.float64)
    if size < wp.float64(1.0e-200):
        return one
    a = matrix / size
    cof = cofactors(a)
    i3 = wp.determinant(a)
    constant = wp.float64(1.0) - wp.float64(4.0) * wp.ddot(cof, cof)
    t = wp.float64(1.7320508075688774)
    for _step in range(STEPS):
        square = t * t
        value = (square - wp.float64(2.0)) * square - wp.float64(8.0) * i3 * t + constant
        slope = wp.float64(4.0) * (square - wp.float64(1.0)) * t - wp.float64(8.0) * i3
        if slope <= wp.float64(0.0):
            break
        change = value / slope
        t -= change
        if change < wp.float64(1.0e-15):
            break
    i2 = wp.float64(0.5) * (t * t - wp.float64(1.0))
    divisor = t * i2 - i3
    if divisor < wp.float64(1.0e-6):
        return polar_svd(a)
    r = ((t * t - i2) * a + t * cof - a * wp.transpose(a) * a) / divisor
    # Rounding, made larger by a small divisor, is taken out by a step towards orthogonality.
    return wp.float64(0.5) * r * (wp.float64(3.0) * one - wp.transpose(r) * r)


@wp.kernel(enable_backward=False)
def fit(first: int, starts: Ints, others: Ints, weighted: Vectors, x: Vectors, rotations: Matrices):
    """R_i nearest to sum_j w_ij (x_i - x_j) p_ij^T."""
    i = first + wp.tid()
    total = wp.mat33d()
    here = x[i]
    for e in range(starts[i], starts[i + 1]):
        total += wp.outer(here - x[others[e]], weighted[e])
    rotations[i] = nearest_rotation(total)


@wp.kernel(enable_backward=False)
def gather(first: int, rows: Ints, starts: Ints, others: Ints, weighted: Vectors, rotations: Matrices, sums: Vectors):
    """sum_j w_ij (R_i + R_j) p_ij / 2 of the rows that are solved for   [Toothman2020, Eq. 10]."""
    n = first + wp.tid()
    i = rows[n]
    rotated = wp.vec3d()
    own = wp.vec3d()
    for e in range(starts[i], starts[i + 1]):
        own += weighted[e]
        rotated += rotations[others[e]] * weighted[e]
    sums[n] = wp.float64(0.5) * (rotated + rotations[i] * own)
