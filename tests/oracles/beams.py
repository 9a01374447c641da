"""Clamped beams written down by hand: closed forms, exact modes, and the differences row by row as dense matrices."""

import numpy as np


def static_matrix(nodes, bending, compression):
    """Rows of all N + 3 unknowns, virtual nodes too: two slopes, two ends, and a difference equation per inner node.

    The unknowns are q[-1], q[0], ..., q[N+1]. The right-hand side is `static_right_side`.
    """
    n = nodes - 1
    matrix = np.zeros((n + 3, n + 3))
    matrix[0, [0, 2]] = -n / 2.0, n / 2.0
    matrix[1, 1] = 1.0
    for i in range(1, n):
        at = i + 1
        matrix[at, at - 2 : at + 3] += bending * n**4 * np.array([1.0, -4.0, 6.0, -4.0, 1.0])
        matrix[at, at - 1 : at + 2] += compression * n**2 * np.array([1.0, -2.0, 1.0])
    matrix[n + 1, n + 1] = 1.0
    matrix[n + 2, [n, n + 2]] = -n / 2.0, n / 2.0
    return matrix


def static_shape(force, values, slopes, *, bending, compression):
    """All nodes of one column."""
    nodes = len(force) + 2
    right = np.concatenate([[slopes[0], values[0]], force, [values[1], slopes[1]]])
    return np.linalg.solve(static_matrix(nodes, bending, compression), right)[1:-1]


def dynamic_ramp(force, values, slopes, *, steps, bending, mass, damping=0.0):
    """All shapes of one column while force and ends grow from zero; q[-1] = q[1] in time."""
    nodes = len(force) + 2
    inner = slice(2, nodes)
    shapes = [np.zeros(nodes)]
    for m in range(steps):
        t = (m + 1) / steps
        matrix = static_matrix(nodes, bending, 0.0)
        right = np.concatenate([[t * slopes[0], t * values[0]], t * force, [t * values[1], t * slopes[1]]])
        diagonal = np.einsum("ii->i", matrix)
        if m == 0:
            diagonal[inner] += 2.0 * mass * steps**2
        else:
            diagonal[inner] += mass * steps**2 + damping * steps / 2.0
            right[inner] += (mass * steps**2 * (2.0 * shapes[m] - shapes[m - 1]) + damping * steps / 2 * shapes[m - 1])[
                1:-1
            ]
        shapes.append(np.linalg.solve(matrix, right)[1:-1])
    return np.array(shapes)


def uniform_load(v, *, bending, compression, load=1.0):
    """The clamped beam under an even load: w = load v^2 (1 - v)^2 / (24 a1) where nothing pushes or pulls.

    With compression a2 = a1 k^2 the general solution is a particular one, load v^2 / (2 a2), and A + B v + C cos kv +
    D sin kv; with a pull, cosh and sinh. The four constants come from the four clamps.
    """
    if compression == 0.0:
        return load * v**2 * (1.0 - v) ** 2 / (24.0 * bending)
    return _with_constants(
        v, lambda x: load * x**2 / (2 * compression), lambda x: load * x / compression, bending, compression
    )


def clamped_ends(v, values, slopes, *, bending, compression):
    """The beam without a force, held by its ends: a cubic where nothing pushes or pulls."""
    if compression == 0.0:
        (a, b), (s, t) = values, slopes
        cubic = [a * (1 + 2 * v) * (1 - v) ** 2, s * v * (1 - v) ** 2, b * v**2 * (3 - 2 * v), t * v**2 * (v - 1)]
        return sum(cubic)
    return _with_constants(v, np.zeros_like, np.zeros_like, bending, compression, values, slopes)


def point_load(v, at, *, bending, compression, load=1.0):
    """The clamped beam under a load at one place: q''' jumps by load / a1 there, and all else goes on smoothly."""
    k = np.sqrt(abs(compression) / bending)

    def behind(x):
        x = np.maximum(x - at, 0.0)
        if compression == 0.0:
            return load * x**3 / (6.0 * bending)
        return load * (k * x - np.sin(k * x) if compression > 0.0 else np.sinh(k * x) - k * x) / (k**3 * bending)

    def slope(x):
        x = np.maximum(x - at, 0.0)
        if compression == 0.0:
            return load * x**2 / (2.0 * bending)
        return load * (1.0 - np.cos(k * x) if compression > 0.0 else np.cosh(k * x) - 1.0) / (k**2 * bending)

    if compression == 0.0:
        ends = np.array([0.0, 1.0])
        return behind(v) + clamped_ends(v, -behind(ends), -slope(ends), bending=bending, compression=0.0)
    return _with_constants(v, behind, slope, bending, compression)


def _with_constants(v, particular, slope, bending, compression, values=(0.0, 0.0), slopes=(0.0, 0.0)):
    k = np.sqrt(abs(compression) / bending)
    if compression > 0.0:
        c, s, sign = np.cos, np.sin, -1.0
    else:
        c, s, sign = np.cosh, np.sinh, 1.0

    def family(x):
        one = np.ones_like(x)
        return np.stack([one, x, c(k * x), s(k * x)], axis=-1)

    def slopes_of(x):
        one = np.ones_like(x)
        return np.stack([0.0 * one, one, sign * k * s(k * x), k * c(k * x)], axis=-1)

    ends = np.array([0.0, 1.0])
    rows = np.concatenate([family(ends), slopes_of(ends)])
    wanted = np.concatenate([np.asarray(values) - particular(ends), np.asarray(slopes) - slope(ends)])
    return particular(v) + family(v) @ np.linalg.solve(rows, wanted)


FREQUENCIES = (4.730040744862704, 7.853204624095838, 10.995607838001671)  # roots of cos b cosh b = 1


def mode(v, number):
    """A mode of the clamped beam: cosh bv - cos bv - s (sinh bv - sin bv)."""
    b = FREQUENCIES[number]
    ratio = (np.cosh(b) - np.cos(b)) / (np.sinh(b) - np.sin(b))
    return np.cosh(b * v) - np.cos(b * v) - ratio * (np.sinh(b * v) - np.sin(b * v))


def plucked(v, times, sizes, *, bending, mass):
    """The beam let go from a sum of modes: each swings with w = b^2 sqrt(a1 / a2), (times, nodes)."""
    total = np.zeros((len(times), len(v)))
    for number, size in enumerate(sizes):
        w = FREQUENCIES[number] ** 2 * np.sqrt(bending / mass)
        total += size * np.cos(w * np.asarray(times))[:, None] * mode(v, number)
    return total
