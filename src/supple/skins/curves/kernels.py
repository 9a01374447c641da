"""Arithmetic of clamped beams, in double precision: one curve is one walk along its nodes, and item `first + tid`.

Symbols: x shapes, q their values; L and U the factors of the matrix of inner nodes, seven numbers per row: two of L,
one over the pivot, four of U; w the weights of the examples; push = a2 M^2, drag = a3 M / 2. All curves lie one after
another in one array; curve c has the nodes starts[c] up to starts[c + 1] and the factor rows from rows[c] on. Fourth
differences lose N^4 digits, which single precision does not have.
"""

import warp as wp

Vectors = wp.array(dtype=wp.vec3d)
Numbers = wp.array(dtype=wp.float64)
Ints = wp.array(dtype=wp.int32)


@wp.func
def blended(sources: Vectors, w: Numbers, frame: int, examples: int, total: int, node: int) -> wp.vec3d:
    """sum_e w_e source_e of a node: the load of an inner node, the value of an end."""
    mixed = wp.vec3d()
    for e in range(examples):
        mixed += w[frame * examples + e] * sources[e * total + node]
    return mixed


@wp.func
def substitute(x: Vectors, at: int, count: int, factor: Numbers, pivots: Ints, row: int):
    """Solve L U q = x for the `count` inner nodes from `at` on, in place, with the row exchanges of the factor."""
    a = x[at]
    b = x[at + 1]
    for j in range(count):
        c = wp.vec3d()
        if j + 2 < count:
            c = x[at + j + 2]
        place = 7 * (row + j)
        pivot = pivots[row + j]
        if pivot == 1:
            held = a
            a = b
            b = held
        if pivot == 2:
            held = a
            a = c
            c = held
        x[at + j] = a
        held = a
        a = b - factor[place] * held
        b = c - factor[place + 1] * held
    q1 = wp.vec3d()
    q2 = wp.vec3d()
    q3 = wp.vec3d()
    q4 = wp.vec3d()
    for k in range(count):
        i = count - 1 - k
        place = 7 * (row + i)
        rest = x[at + i] - factor[place + 3] * q1 - factor[place + 4] * q2 - factor[place + 5] * q3
        q = factor[place + 2] * (rest - factor[place + 6] * q4)
        x[at + i] = q
        q4 = q3
        q3 = q2
        q2 = q1
        q1 = q


@wp.kernel(enable_backward=False)
def static_shapes(
    first: int,
    curves: int,
    starts: Ints,
    rows: Ints,
    factor: Numbers,
    pivots: Ints,
    sources: Vectors,
    examples: int,
    w: Numbers,
    x: Vectors,
):
    """One curve in one frame: K q = sum_e w_e load_e   [You, Eq. 5.8]."""
    item = first + wp.tid()
    frame = item // curves
    c = item - frame * curves
    total = starts[curves]
    here = frame * total
    for node in range(starts[c], starts[c + 1]):
        x[here + node] = blended(sources, w, frame, examples, total, node)
    substitute(x, here + starts[c] + 1, starts[c + 1] - starts[c] - 2, factor, pivots, rows[c])


@wp.kernel(enable_backward=False)
def dynamic_shapes(
    first: int,
    curves: int,
    frames: int,
    starts: Ints,
    rows: Ints,
    factor: Numbers,
    pivots: Ints,
    first_factor: Numbers,
    first_pivots: Ints,
    pushes: Numbers,
    drags: Numbers,
    sources: Vectors,
    examples: int,
    w: Numbers,
    resting: Ints,
    x: Vectors,
):
    """One curve through all frames   [You, Eq. 6.11 and 6.14].

    x holds the shape before, the shape now, and then one shape per frame; the last two become the first two, so that
    the next run goes on from here. At rest there is no shape before.
    """
    c = first + wp.tid()
    total = starts[curves]
    push = pushes[c]
    drag = drags[c]
    count = starts[c + 1] - starts[c] - 2
    for frame in range(frames):
        now = (frame + 1) * total
        here = now + total
        begins = starts[c]
        ends = starts[c + 1] - 1
        at_rest = frame == 0 and resting[0] == 1
        x[here + begins] = blended(sources, w, frame, examples, total, begins)
        x[here + ends] = blended(sources, w, frame, examples, total, ends)
        for node in range(begins + 1, ends):
            load = blended(sources, w, frame, examples, total, node)
            if at_rest:
                load += wp.float64(2.0) * push * x[now + node]
            else:
                before = x[now - total + node]
                load += push * (wp.float64(2.0) * x[now + node] - before) + drag * before
            x[here + node] = load
        if at_rest:
            substitute(x, here + begins + 1, count, first_factor, first_pivots, rows[c])
        else:
            substitute(x, here + begins + 1, count, factor, pivots, rows[c])
    for node in range(starts[c], starts[c + 1]):
        x[node] = x[frames * total + node]
        x[total + node] = x[(frames + 1) * total + node]
