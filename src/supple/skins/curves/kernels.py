# mypy: ignore-errors
"""Arithmetic of clamped beams, in double precision: one curve is one walk along its nodes, and item `first + tid`.

Symbols: x shapes, q their values; L D L^T the factor of the matrix of inner nodes, five numbers per row: two of L for
the way forth, one over D, two of L for the way back; w the weights of the examples, a row for every frame and group;
push = a2 M^2, drag = a3 M / 2. All curves lie one after another in one array; curve c has the nodes starts[c] up to
starts[c + 1], the factor rows from rows[c] on, and the weights of group group_of[c], of which the first counts[group]
are used. Fourth differences lose N^4 digits, which single precision does not have.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3d)
Numbers = wp.array(dtype=wp.float64)
Ints = wp.array(dtype=wp.int32)


@wp.func
def blended(sources: Vectors, w: Numbers, row: int, count: int, total: int, node: int) -> wp.vec3d:
    """sum_e w_e source_e of a node, weights from w[row] on: the load of an inner node, the value of an end."""
    mixed = wp.vec3d()
    for e in range(count):
        mixed += w[row + e] * sources[e * total + node]
    return mixed


@wp.func
def walk_back(x: Vectors, at: int, count: int, factor: Numbers, row: int):
    """Solve D L^T q = y for the `count` inner nodes from `at` on, in place; y was made on the way forth."""
    q1 = wp.vec3d()
    q2 = wp.vec3d()
    for k in range(count):
        i = count - 1 - k
        position = 5 * (row + i)
        q = factor[position + 2] * x[at + i] - factor[position + 3] * q1 - factor[position + 4] * q2
        x[at + i] = q
        q2 = q1
        q1 = q


@wp.kernel(enable_backward=False)
def static_shapes(
    first: int,
    curves: int,
    starts: Ints,
    rows: Ints,
    factor: Numbers,
    sources: Vectors,
    examples: int,
    groups: int,
    group_of: Ints,
    counts: Ints,
    w: Numbers,
    x: Vectors,
):
    """One curve in one frame: K q = sum_e w_e load_e   [Chaudhry2015, Eq. 5.8]."""
    item = first + wp.tid()
    frame = item // curves
    c = item - frame * curves
    total = starts[curves]
    here = frame * total
    row = (frame * groups + group_of[c]) * examples
    count = counts[group_of[c]]
    begins = starts[c]
    ends = starts[c + 1] - 1
    x[here + begins] = blended(sources, w, row, count, total, begins)
    x[here + ends] = blended(sources, w, row, count, total, ends)
    y1 = wp.vec3d()
    y2 = wp.vec3d()
    position = 5 * rows[c]
    for node in range(begins + 1, ends):
        load = blended(sources, w, row, count, total, node)
        y = load - factor[position] * y1 - factor[position + 1] * y2
        x[here + node] = y
        y2 = y1
        y1 = y
        position += 5
    walk_back(x, here + begins + 1, ends - begins - 1, factor, rows[c])


@wp.func
def step(
    begins: int,
    ends: int,
    total: int,
    first_row: int,
    factor: Numbers,
    push: wp.float64,
    before_share: wp.float64,
    sources: Vectors,
    w: Numbers,
    row: int,
    count: int,
    frame: int,
    x: Vectors,
):
    """One curve one step on: (K + diagonal) q = load + push 2 q_now + before_share q_before."""
    before = frame * total
    now = before + total
    here = now + total
    x[here + begins] = blended(sources, w, row, count, total, begins)
    x[here + ends] = blended(sources, w, row, count, total, ends)
    y1 = wp.vec3d()
    y2 = wp.vec3d()
    position = 5 * first_row
    for node in range(begins + 1, ends):
        load = blended(sources, w, row, count, total, node)
        load += wp.float64(2.0) * push * x[now + node] + before_share * x[before + node]
        y = load - factor[position] * y1 - factor[position + 1] * y2
        x[here + node] = y
        y2 = y1
        y1 = y
        position += 5
    walk_back(x, here + begins + 1, ends - begins - 1, factor, first_row)


@wp.kernel(enable_backward=False)
def dynamic_shapes(
    first: int,
    curves: int,
    frames: int,
    starts: Ints,
    rows: Ints,
    factor: Numbers,
    first_factor: Numbers,
    pushes: Numbers,
    drags: Numbers,
    sources: Vectors,
    examples: int,
    groups: int,
    group_of: Ints,
    counts: Ints,
    w: Numbers,
    resting: Ints,
    x: Vectors,
):
    """One curve through all frames   [Chaudhry2015, Eq. 6.11 and 6.14].

    x holds the shape before, the shape now, and then one shape per frame; the last two become the first two, so that
    the next run goes on from here. At rest there is no shape before, and the first step has a factor of its own.
    """
    c = first + wp.tid()
    total = starts[curves]
    begins = starts[c]
    ends = starts[c + 1] - 1
    push = pushes[c]
    row = group_of[c] * examples
    count = counts[group_of[c]]
    done = int(0)
    if resting[0] == 1:
        step(begins, ends, total, rows[c], first_factor, push, wp.float64(0.0), sources, w, row, count, 0, x)
        done = 1
    for frame in range(done, frames):
        here = row + frame * groups * examples
        step(begins, ends, total, rows[c], factor, push, drags[c] - push, sources, w, here, count, frame, x)
    for node in range(begins, ends + 1):
        x[node] = x[frames * total + node]
        x[total + node] = x[(frames + 1) * total + node]
