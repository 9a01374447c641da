# mypy: ignore-errors
"""The rotation nearest to a matrix (the rotation of its polar decomposition), in three ways.

`extract_rotation` begins at a rotation that is near already and takes a few Newton steps, in single precision: for a
search in every step. `nearest_rotation` needs no start and no singular values, in double precision. `jacobi_rotation`
takes the axes of the two largest stretches, so that flat and mirrored matrices have their rotation too, in double
precision.
"""

import warp as wp

from supple.geometry.kernels.rotation import quat_multiply

CLOSE = wp.constant(1.0e-3)  # rad: a step squares the error, so that after one this short there is none to see
LARGEST_ROTATION = wp.constant(1.5)  # rad, in one step of the search
SMALLEST = wp.constant(1.0e-30)


@wp.func
def solve_symmetric(d: wp.vec3f, o: wp.vec3f, g: wp.vec3f) -> wp.vec4f:
    """H w = g for a symmetric H with diagonal `d` and 01, 02, 12 in `o`: w, then 1; zeros where H is not positive."""
    c00 = d[1] * d[2] - o[2] * o[2]
    c01 = o[1] * o[2] - o[0] * d[2]
    c02 = o[0] * o[2] - o[1] * d[1]
    c22 = d[0] * d[1] - o[0] * o[0]
    det = d[0] * c00 + o[0] * c01 + o[1] * c02
    least = 1.0e-6 * (wp.abs(d[0]) + wp.abs(d[1]) + wp.abs(d[2]))
    if d[0] <= least or c22 <= least * least or det <= least * least * least:
        return wp.vec4f(0.0, 0.0, 0.0, 0.0)
    c11 = d[0] * d[2] - o[1] * o[1]
    c12 = o[0] * o[1] - d[0] * o[2]
    return wp.vec4f(
        (c00 * g[0] + c01 * g[1] + c02 * g[2]) / det,
        (c01 * g[0] + c11 * g[1] + c12 * g[2]) / det,
        (c02 * g[0] + c12 * g[1] + c22 * g[2]) / det,
        1.0,
    )


@wp.func
def lowest_eigenvalue(d: wp.vec3f, o: wp.vec3f) -> float:
    """Of a symmetric matrix with diagonal `d` and 01, 02, 12 in `o`, by the cosines of a third of an angle."""
    mean = (d[0] + d[1] + d[2]) / 3.0
    e = d - wp.vec3f(mean, mean, mean)
    p = wp.sqrt((wp.dot(e, e) + 2.0 * wp.dot(o, o)) / 6.0) + SMALLEST
    e = e / p
    f = o / p
    half = 0.5 * (
        e[0] * (e[1] * e[2] - f[2] * f[2]) - f[0] * (f[0] * e[2] - f[1] * f[2]) + f[1] * (f[0] * f[2] - f[1] * e[1])
    )
    return mean + 2.0 * p * wp.cos((wp.acos(wp.clamp(half, -1.0, 1.0)) + 2.0 * wp.PI) / 3.0)


@wp.func
def extract_rotation(a: wp.mat33f, start: wp.quatf, newton_steps: int) -> wp.quatf:
    """The rotation R, as a unit quaternion, that maximises tr(R^T A); `start` is where the search begins.

    Newton steps on the turn w of R: with S the symmetric part of B = R^T A and g the axis of B - B^T,
      H w = g,   H = tr(S) - S.
    Where H is not positive the search is far off: a half turn is made where one helps, else H is raised until it is
    positive. No singular values are needed, and whatever A is the result is proper.
    """
    q = start
    for _ in range(newton_steps):
        b = wp.transpose(wp.quat_to_matrix(q)) * a
        d = wp.vec3f(b[1, 1] + b[2, 2], b[0, 0] + b[2, 2], b[0, 0] + b[1, 1])
        o = -0.5 * wp.vec3f(b[0, 1] + b[1, 0], b[0, 2] + b[2, 0], b[1, 2] + b[2, 1])
        g = wp.vec3f(b[2, 1] - b[1, 2], b[0, 2] - b[2, 0], b[1, 0] - b[0, 1])
        w = solve_symmetric(d, o, g)
        if w[3] == 0.0:
            lowest = wp.min(d[0], wp.min(d[1], d[2]))
            if lowest < 0.0:
                # A half turn about an axis changes the trace by minus twice what stands in H for it.
                if lowest == d[0]:
                    q = quat_multiply(q, wp.quatf(1.0, 0.0, 0.0, 0.0))
                elif lowest == d[1]:
                    q = quat_multiply(q, wp.quatf(0.0, 1.0, 0.0, 0.0))
                else:
                    q = quat_multiply(q, wp.quatf(0.0, 0.0, 1.0, 0.0))
            else:
                raised = 1.0e-3 * (d[0] + d[1] + d[2]) - 2.0 * wp.min(lowest_eigenvalue(d, o), 0.0)
                w = solve_symmetric(d + wp.vec3f(raised, raised, raised), o, g)
        longest = wp.length(wp.vec3f(w[0], w[1], w[2]))
        half = 0.5 * wp.min(1.0, LARGEST_ROTATION / wp.max(longest, SMALLEST))
        q = quat_multiply(q, wp.quatf(half * w[0], half * w[1], half * w[2], 1.0))
        q = q / wp.length(q)
        if longest < CLOSE and w[3] > 0.0:
            break
    return q


NEWTON_STEPS = wp.constant(40)  # of Newton's method; a simple root takes five to eight


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
    for _step in range(NEWTON_STEPS):
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


@wp.func
def jacobi_rotation(m: wp.mat33d) -> wp.mat33d:
    """The proper rotation nearest to a matrix; to flat and mirrored ones too.

    m = U S V^T, with V from m^T m by Jacobi's method. The axes of the two largest stretches are turned as m turns them,
    the third goes along.
    """
    zero = wp.float64(0.0)
    one = wp.float64(1.0)
    s = wp.transpose(m) * m
    v = wp.identity(n=3, dtype=wp.float64)
    again = int(1)
    sweeps = int(0)
    while again == 1 and sweeps < 16:
        again = 0
        sweeps += 1
        for pair in range(3):
            p = pair // 2
            q = 1 + (pair + 1) // 2
            if wp.abs(s[p, q]) > wp.float64(1.0e-15) * (s[p, p] + s[q, q]):
                again = 1
                x = (s[q, q] - s[p, p]) / (wp.float64(2.0) * s[p, q])
                t = one / (wp.abs(x) + wp.sqrt(x * x + one))
                if x < zero:
                    t = -t
                c = one / wp.sqrt(t * t + one)
                rotation = wp.identity(n=3, dtype=wp.float64)
                rotation[p, p] = c
                rotation[q, q] = c
                rotation[p, q] = t * c
                rotation[q, p] = -t * c
                s = wp.transpose(rotation) * s * rotation
                v = v * rotation
    large = int(0)
    small = int(0)
    for axis in range(1, 3):
        if s[axis, axis] > s[large, large]:
            large = axis
        if s[axis, axis] <= s[small, small]:
            small = axis
    middle = 3 - large - small
    if large == small:  # no numbers at all
        return wp.identity(n=3, dtype=wp.float64)
    back = wp.transpose(v)
    along = back[large]
    across = back[middle]
    a = m * along
    size = wp.length(a)
    if size == zero:
        return wp.identity(n=3, dtype=wp.float64)
    a = a / size
    b = m * across
    b = b - wp.dot(a, b) * a
    if wp.length(b) <= wp.float64(1.0e-14) * size:  # flat as a needle: any turn about it will do
        b = across - wp.dot(a, across) * a
        if wp.length(b) < wp.float64(0.5):
            b = wp.cross(along, across)
            b = b - wp.dot(a, b) * a
    b = wp.normalize(b)
    return wp.outer(a, along) + wp.outer(b, across) + wp.outer(wp.cross(a, b), wp.cross(along, across))
