# mypy: ignore-errors
"""Arithmetic of clamped beams, in double precision: one curve is one walk along its nodes, and item `first + tid`.

Symbols: x shapes, q their values; L D L^T the factor of the matrix of inner nodes, five numbers per row: two of L for
the way forth, one over D, two of L for the way back; w the weights of the examples, a row for every frame and group;
mass_term = a2 M^2, damping_term = a3 M / 2. Fourth differences lose N^4 digits, which single precision does not have.
"""

import warp as wp

VectorArray = wp.array(dtype=wp.vec3d)
FloatArray = wp.array(dtype=wp.float64)
IntArray = wp.array(dtype=wp.int32)


@wp.struct
class Curves:
    """All curves one after another in one array, and what acts on them in each example.

    Curve c has the nodes starts[c] up to starts[c + 1], the factor rows from factor_rows[c] on, and the weights of
    group group_of[c], of which the first example_counts[group] are used. `loads` has all nodes, example after example:
    the load of an inner node, the value of an end.
    """

    count: int
    examples: int
    groups: int
    starts: IntArray
    factor_rows: IntArray
    group_of: IntArray
    example_counts: IntArray
    loads: VectorArray


@wp.struct
class Dynamics:
    """Of curves with mass: the factors of the first step from rest and of all others, and what is added per curve."""

    first_factor: FloatArray
    factor: FloatArray
    mass_terms: FloatArray
    damping_terms: FloatArray


@wp.func
def blend_loads(curves: Curves, w: FloatArray, row: int, count: int, node: int) -> wp.vec3d:
    """sum_e w_e load_e of a node, weights from w[row] on."""
    total = curves.starts[curves.count]
    mixed = wp.vec3d()
    for e in range(count):
        mixed += w[row + e] * curves.loads[e * total + node]
    return mixed


@wp.func
def back_substitute(x: VectorArray, at: int, count: int, factor: FloatArray, row: int):
    """Solve D L^T q = y for the `count` inner nodes from `at` on, in place; y was made on the way forth."""
    q1 = wp.vec3d()
    q2 = wp.vec3d()
    for k in range(count):
        i = count - 1 - k
        entry = 5 * (row + i)
        q = factor[entry + 2] * x[at + i] - factor[entry + 3] * q1 - factor[entry + 4] * q2
        x[at + i] = q
        q2 = q1
        q1 = q


@wp.kernel(enable_backward=False)
def solve_static(first: int, curves: Curves, factor: FloatArray, w: FloatArray, x: VectorArray):
    """One curve in one frame: K q = sum_e w_e load_e   [Chaudhry2015, Eq. 5.8]."""
    item = first + wp.tid()
    frame = item // curves.count
    c = item - frame * curves.count
    here = frame * curves.starts[curves.count]
    row = (frame * curves.groups + curves.group_of[c]) * curves.examples
    count = curves.example_counts[curves.group_of[c]]
    begins = curves.starts[c]
    ends = curves.starts[c + 1] - 1
    x[here + begins] = blend_loads(curves, w, row, count, begins)
    x[here + ends] = blend_loads(curves, w, row, count, ends)
    y1 = wp.vec3d()
    y2 = wp.vec3d()
    entry = 5 * curves.factor_rows[c]
    for node in range(begins + 1, ends):
        load = blend_loads(curves, w, row, count, node)
        y = load - factor[entry] * y1 - factor[entry + 1] * y2
        x[here + node] = y
        y2 = y1
        y1 = y
        entry += 5
    back_substitute(x, here + begins + 1, ends - begins - 1, factor, curves.factor_rows[c])


@wp.kernel(enable_backward=False)
def measure_forces(first: int, curves: Curves, w: FloatArray, x: VectorArray, forces: VectorArray):
    """What draws the nodes of one curve to where it would be in balance: load - K q, none at its ends.

    K is that of a clamped beam of bending one, N^4 (1, -4, 6, -4, 1) with 7 in its first and last row; what the ends
    add to it is in the load.
    """
    c = first + wp.tid()
    row = curves.group_of[c] * curves.examples
    count = curves.example_counts[curves.group_of[c]]
    begins = curves.starts[c]
    ends = curves.starts[c + 1] - 1
    intervals = wp.float64(ends - begins)
    bending = intervals * intervals * intervals * intervals
    forces[begins] = wp.vec3d()
    forces[ends] = wp.vec3d()
    for node in range(begins + 1, ends):
        bent = wp.float64(6.0) * x[node]
        if node == begins + 1 or node == ends - 1:
            bent += x[node]
        if node - 1 > begins:
            bent -= wp.float64(4.0) * x[node - 1]
        if node + 1 < ends:
            bent -= wp.float64(4.0) * x[node + 1]
        if node - 2 > begins:
            bent += x[node - 2]
        if node + 2 < ends:
            bent += x[node + 2]
        forces[node] = blend_loads(curves, w, row, count, node) - bending * bent


@wp.func
def solve_step(
    curves: Curves,
    c: int,
    factor: FloatArray,
    mass_term: wp.float64,
    before_weight: wp.float64,
    w: FloatArray,
    row: int,
    frame: int,
    x: VectorArray,
):
    """One curve one step on: (K + diagonal) q = load + mass_term 2 q_now + before_weight q_before."""
    total = curves.starts[curves.count]
    before = frame * total
    now = before + total
    here = now + total
    count = curves.example_counts[curves.group_of[c]]
    begins = curves.starts[c]
    ends = curves.starts[c + 1] - 1
    x[here + begins] = blend_loads(curves, w, row, count, begins)
    x[here + ends] = blend_loads(curves, w, row, count, ends)
    y1 = wp.vec3d()
    y2 = wp.vec3d()
    entry = 5 * curves.factor_rows[c]
    for node in range(begins + 1, ends):
        load = blend_loads(curves, w, row, count, node)
        load += wp.float64(2.0) * mass_term * x[now + node] + before_weight * x[before + node]
        y = load - factor[entry] * y1 - factor[entry + 1] * y2
        x[here + node] = y
        y2 = y1
        y1 = y
        entry += 5
    back_substitute(x, here + begins + 1, ends - begins - 1, factor, curves.factor_rows[c])


@wp.kernel(enable_backward=False)
def solve_dynamic(
    first: int, frames: int, curves: Curves, dynamics: Dynamics, w: FloatArray, resting: IntArray, x: VectorArray
):
    """One curve through all frames   [Chaudhry2015, Eq. 6.11 and 6.14].

    x holds the shape before, the shape now, and then one shape per frame; the last two become the first two, so that
    the next run goes on from here. At rest there is no shape before, and the first step has a factor of its own.
    """
    c = first + wp.tid()
    total = curves.starts[curves.count]
    mass_term = dynamics.mass_terms[c]
    row = curves.group_of[c] * curves.examples
    done = int(0)
    if resting[0] == 1:
        solve_step(curves, c, dynamics.first_factor, mass_term, wp.float64(0.0), w, row, 0, x)
        done = 1
    for frame in range(done, frames):
        here = row + frame * curves.groups * curves.examples
        solve_step(curves, c, dynamics.factor, mass_term, dynamics.damping_terms[c] - mass_term, w, here, frame, x)
    for node in range(curves.starts[c], curves.starts[c + 1]):
        x[node] = x[frames * total + node]
        x[total + node] = x[(frames + 1) * total + node]
