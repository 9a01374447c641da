"""Arithmetic of attached skins: where attachment points go, and how scale vectors turn.

Symbols: s a scale vector at rest, b the segment a vertex hangs on, R_b its turn, S_b its stretch, a' the posed
attachment point, w_k the share of a neighbouring segment k, omega_bk = log(R_b^T R_k) the turn from b to k.
Places (segment ends) and neighbours come in blocks of four, unused ones with share zero.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

Points = wp.array(dtype=wp.vec3f)
Ints = wp.array(dtype=wp.int32)
Floats = wp.array(dtype=wp.float32)
Indices = wp.array(dtype=wp.vec4i)
Shares = wp.array(dtype=wp.vec4f)
Matrices = wp.array(dtype=wp.mat33f)

STRETCHED = wp.constant(0)  # flag: some segment stretches or squashes
PER_STOP = wp.constant(2.0)  # how fast length correction fades towards the inside of a bend


@wp.func
def blended_place(i: int, blocks: int, indices: Indices, shares: Shares, places: Points) -> wp.vec3f:
    """sum_k share_k place_k."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(i * blocks, i * blocks + blocks):
        w = shares[b]
        k = indices[b]
        total += w[0] * places[k[0]] + w[1] * places[k[1]]
        if w[2] > 0.0:
            total += w[2] * places[k[2]] + w[3] * places[k[3]]
    return total


@wp.func
def turned_by(omega: wp.vec3f, v: wp.vec3f) -> wp.vec3f:
    """exp(omega) v, by Rodrigues' formula."""
    square = wp.dot(omega, omega)
    if square < 1.0e-12:
        return v + wp.cross(omega, v)
    angle = wp.sqrt(square)
    across = wp.cross(omega, v)
    return v + (wp.sin(angle) / angle) * across + ((1.0 - wp.cos(angle)) / square) * wp.cross(omega, across)


@wp.func
def distance_along(x: wp.vec3f, start: wp.vec3f, end: wp.vec3f) -> wp.vec3f:
    """The nearest place to x on a segment."""
    way = end - start
    t = wp.dot(x - start, way) / wp.max(wp.dot(way, way), 1.0e-20)
    return start + wp.clamp(t, 0.0, 1.0) * way


@wp.func
def nearest_place(x: wp.vec3f, b: int, near_starts: Ints, near: Ints, size: int, places: Points) -> wp.vec3f:
    """The nearest place on segment b and those that meet it; starts come first in `places`, then ends."""
    best = distance_along(x, places[b], places[size + b])
    least = wp.length_sq(x - best)
    for n in range(near_starts[b], near_starts[b + 1]):
        other = distance_along(x, places[near[n]], places[size + near[n]])
        far = wp.length_sq(x - other)
        if far < least:
            least = far
            best = other
    return best


@wp.kernel(enable_backward=False)
def rest_distances(
    first: int, rest: Points, segments: Ints, near_starts: Ints, near: Ints, size: int, places: Points, found: Floats
):
    i = first + wp.tid()
    found[i] = wp.length(rest[i] - nearest_place(rest[i], segments[i], near_starts, near, size, places))


@wp.kernel(enable_backward=False)
def attach(first: int, blocks: int, knots: Indices, knot_shares: Shares, places: Points, attached: Points):
    """a' = sum_k share_k place_k: between the posed ends of its segment, so a bone may change its length."""
    i = first + wp.tid()
    attached[i] = blended_place(i, blocks, knots, knot_shares, places)


@wp.kernel(enable_backward=False)
def scale_vectors(
    first: int,
    vectors: Points,
    segments: Ints,
    pair_blocks: int,
    pairs: Indices,
    pair_shares: Shares,
    pair_turns: Points,
    pair_stretches: Matrices,
    turns: Matrices,
    stretches: Matrices,
    flags: Ints,
    turned: Points,
):
    """s' = R_b exp(sum_k w_k omega_bk) (S_b + sum_k w_k (S_k - S_b)) s   [Toothman2022, Eq. 15 to 18]."""
    i = first + wp.tid()
    b = segments[i]
    s = vectors[i]
    omega = wp.vec3f(0.0, 0.0, 0.0)
    stretched = flags[STRETCHED] != 0
    stretch = stretches[b]
    for n in range(i * pair_blocks, i * pair_blocks + pair_blocks):
        w = pair_shares[n]
        p = pairs[n]
        if w[0] > 0.0:
            omega += w[0] * pair_turns[p[0]] + w[1] * pair_turns[p[1]]
            omega += w[2] * pair_turns[p[2]] + w[3] * pair_turns[p[3]]
            if stretched:
                stretch += w[0] * pair_stretches[p[0]] + w[1] * pair_stretches[p[1]]
                stretch += w[2] * pair_stretches[p[2]] + w[3] * pair_stretches[p[3]]
    if stretched:
        s = stretch * s
    turned[i] = turns[b] * turned_by(omega, s)


@wp.kernel(enable_backward=False)
def incremental(
    first: int,
    attached: Points,
    turned: Points,
    vectors: Points,
    segments: Ints,
    pair_blocks: int,
    pairs: Indices,
    pair_shares: Shares,
    pair_insides: Points,
    near_starts: Ints,
    near: Ints,
    size: int,
    places: Points,
    distances: Floats,
    correction: float,
    posed: Points,
):
    """x = a' + s', then its distance from the skeleton as at rest [Toothman2022, Sec. 4.1], except inside a bend.

    Inside, the nearest bone may be the one on the other side, and pushing away from it would cross the fold.
    """
    i = first + wp.tid()
    s = turned[i]
    x = attached[i] + s
    if correction > 0.0:
        b = segments[i]
        length = wp.length(s)
        inside = float(0.0)
        for n in range(i * pair_blocks, i * pair_blocks + pair_blocks):
            w = pair_shares[n]
            p = pairs[n]
            for k in range(4):
                if w[k] > 0.0:
                    facing = wp.dot(s, pair_insides[p[k]]) / wp.max(length, 1.0e-12)
                    inside += 2.0 * w[k] * wp.clamp(PER_STOP * facing, 0.0, 1.0)
        amount = correction * (1.0 - wp.min(inside, 1.0))
        if amount > 0.0 and length > 0.0:
            place = nearest_place(x, b, near_starts, near, size, places)
            away = x - place
            far = wp.length(away)
            grown = length / wp.max(wp.length(vectors[i]), 1.0e-12)  # what stretch did to the scale vector
            if far > 0.1 * distances[i] * grown:
                x += amount * (distances[i] * grown / far - 1.0) * away
    posed[i] = x
