# mypy: ignore-errors
"""Arithmetic of attached skins: where attachment points go, and how scale vectors turn.

Symbols: s a scale vector at rest, b the segment a vertex hangs on, R_b its turn, S_b its stretch, a' the posed
attachment point, w_k the weight of a neighbouring segment k, omega_bk = log(R_b^T R_k) the turn from b to k.
Control points (the ends of segments) and neighbours come in blocks of four, unused ones with weight zero.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

from supple.geometry.kernels.triangle import closest_on_segment

Points = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Indices = wp.array(dtype=wp.vec4i)
Weights = wp.array(dtype=wp.vec4f)
Matrices = wp.array(dtype=wp.mat33f)
Quats = wp.array(dtype=wp.quatf)
Rows = wp.array(dtype=wp.vec4f)  # of three numbers and nothing, as a processor reads them at once

CORRECTION = wp.constant(0)  # among the parameters
STRETCHED = wp.constant(0)  # flag: some segment stretches or squashes
PER_STOP = wp.constant(2.0)  # how fast length correction fades towards the inside of a bend
AS_NEAR = wp.constant(0.03)  # of the squares of two distances, by which they differ at most to count as alike
LEANING = wp.constant(8.0)  # and how fast it sets in with the share of another segment's turn


@wp.struct
class Pairs:
    """Pairs of segments that vertices turn between, and by how much; `blocks` of four for every vertex.

    Of each pair: which segment is the other, the turn omega_bk from one to it, S_k - S_b, and the direction to the
    inside of their bend.
    Of each vertex: whether it is `chained`, 1 where only bones that follow each other turn it, and the `distances` of
    its rest position from the nearer segment of each of its pairs.
    """

    blocks: int
    indices: Indices
    weights: Weights
    others: IntArray
    rotations: Rows
    stretches: Matrices
    insides: Rows
    chained: FloatArray
    distances: Weights


@wp.struct
class Posing:
    """What posing reads: where vertices hang and what they turn with, and segments in a pose; and what it writes.

    Control points come in `control_blocks` of four a vertex. `positions` are the starts of all `size` segments, then
    their ends.
    """

    control_blocks: int
    control_points: Indices
    control_weights: Weights
    size: int
    positions: Rows
    rest_vectors: Points
    segments: IntArray
    pairs: Pairs
    rotations: Quats
    stretches: Matrices
    flags: IntArray
    parameters: FloatArray
    attachment_points: Points
    scale_vectors: Points
    posed: Points


@wp.func
def first_three(row: wp.vec4f) -> wp.vec3f:
    """Without the nothing at its end."""
    return wp.vec3f(row[0], row[1], row[2])


@wp.func
def attachment_point(i: int, posing: Posing) -> wp.vec3f:
    """a' = sum_k w_k x_k: between the posed ends of its segment, so a bone may change its length."""
    total = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    for b in range(i * posing.control_blocks, i * posing.control_blocks + posing.control_blocks):
        w = posing.control_weights[b]
        k = posing.control_points[b]
        total += w[0] * posing.positions[k[0]] + w[1] * posing.positions[k[1]]
        if w[2] > 0.0:
            total += w[2] * posing.positions[k[2]] + w[3] * posing.positions[k[3]]
    return first_three(total)


@wp.func
def rotate_by(omega: wp.vec3f, v: wp.vec3f) -> wp.vec3f:
    """exp(omega) v, by Rodrigues' formula."""
    square = wp.dot(omega, omega)
    if square < 1.0e-12:
        return v + wp.cross(omega, v)
    angle = wp.sqrt(square)
    across = wp.cross(omega, v)
    return v + (wp.sin(angle) / angle) * across + ((1.0 - wp.cos(angle)) / square) * wp.cross(omega, across)


@wp.func
def rotate_vector(i: int, s: wp.vec3f, posing: Posing) -> wp.vec3f:
    """s' = R_b exp(sum_k w_k omega_bk) (S_b + sum_k w_k (S_k - S_b)) s   [Toothman2020, Eq. 15 to 18]."""
    pairs = posing.pairs
    b = posing.segments[i]
    omega = wp.vec4f(0.0, 0.0, 0.0, 0.0)
    stretched = posing.flags[STRETCHED] != 0
    stretch = posing.stretches[b]
    for n in range(i * pairs.blocks, i * pairs.blocks + pairs.blocks):
        w = pairs.weights[n]
        p = pairs.indices[n]
        if w[0] > 0.0:
            omega += w[0] * pairs.rotations[p[0]] + w[1] * pairs.rotations[p[1]]
            omega += w[2] * pairs.rotations[p[2]] + w[3] * pairs.rotations[p[3]]
            if stretched:
                stretch += w[0] * pairs.stretches[p[0]] + w[1] * pairs.stretches[p[1]]
                stretch += w[2] * pairs.stretches[p[2]] + w[3] * pairs.stretches[p[3]]
    if stretched:
        s = stretch * s
    return wp.quat_rotate(posing.rotations[b], rotate_by(first_three(omega), s))


@wp.func
def away_from_segment(x: wp.vec3f, segment: int, size: int, positions: Rows) -> wp.vec3f:
    """From the nearest point of a segment to x."""
    return x - closest_on_segment(x, first_three(positions[segment]), first_three(positions[size + segment]))


@wp.func
def away_from(x: wp.vec3f, one: int, other: int, size: int, positions: Rows) -> wp.vec3f:
    """From the nearer of two segments, and from between both where they are as near, so that rounding decides nothing.

    Starts come first in `positions`, then ends.
    """
    first = away_from_segment(x, one, size, positions)
    second = away_from_segment(x, other, size, positions)
    far, near = wp.dot(first, first), wp.dot(second, second)
    share = wp.clamp(0.5 + 0.5 * (far - near) / wp.max(AS_NEAR * (far + near), 1.0e-24), 0.0, 1.0)
    return first + share * (second - first)


@wp.func
def restore_distance(i: int, a: wp.vec3f, s: wp.vec3f, posing: Posing) -> wp.vec3f:
    """x = a' + s', then its distance from its segments as at rest [Toothman2020, Sec. 4.1], except inside a bend.

    A scale vector that leans over comes nearer to the bone; outside a bend that would leave a point at the joint. The
    paper asks the nearest bone of all, which changes abruptly where two are equally near. Here it is the nearer one of
    each pair that turns a vertex, weighted as that turns it: vertices beside each other that have the two segments of
    a pair the other way round ask the same.
    Where limbs branch off, vertices next to each other have different bones of their own, and keep their place.
    """
    pairs = posing.pairs
    x = a + s
    correction = posing.parameters[CORRECTION] * pairs.chained[i]
    if correction > 0.0:
        b = posing.segments[i]
        length = wp.length(s)
        inside = float(0.0)
        leaning = float(0.0)
        for n in range(i * pairs.blocks, i * pairs.blocks + pairs.blocks):
            w = pairs.weights[n]
            p = pairs.indices[n]
            for k in range(4):
                if w[k] > 0.0:
                    facing = wp.dot(s, first_three(pairs.insides[p[k]])) / wp.max(length, 1.0e-12)
                    leaning += w[k]
                    inside += 2.0 * w[k] * wp.clamp(PER_STOP * facing, 0.0, 1.0)
        amount = correction * wp.min(LEANING * leaning, 1.0) * (1.0 - wp.min(inside, 1.0))
        if amount > 0.0 and length > 0.0:
            grown = length / wp.max(wp.length(posing.rest_vectors[i]), 1.0e-12)  # what stretch did to the scale vector
            shift = wp.vec3f(0.0, 0.0, 0.0)
            for n in range(i * pairs.blocks, i * pairs.blocks + pairs.blocks):
                w = pairs.weights[n]
                p = pairs.indices[n]
                for k in range(4):
                    if w[k] > 0.0:
                        away = away_from(x, b, pairs.others[p[k]], posing.size, posing.positions)
                        wanted = pairs.distances[n][k] * grown
                        far = wp.max(wp.max(wp.length(away), 0.2 * wanted), 1.0e-12)
                        shift += (w[k] * (wanted / far - 1.0)) * away
            x += (amount / leaning) * shift
    return x


@wp.kernel(enable_backward=False)
def measure_distances(first: int, rest: Points, rest_positions: Rows, posing: Posing):
    """How far every vertex is from the nearer segment of each of its pairs, at rest."""
    i = first + wp.tid()
    pairs = posing.pairs
    b = posing.segments[i]
    for n in range(i * pairs.blocks, i * pairs.blocks + pairs.blocks):
        w = pairs.weights[n]
        p = pairs.indices[n]
        far = wp.vec4f(0.0, 0.0, 0.0, 0.0)
        for k in range(4):
            if w[k] > 0.0:
                o = pairs.others[p[k]]
                far[k] = wp.length(away_from(rest[i], b, o, posing.size, rest_positions))
        pairs.distances[n] = far


@wp.kernel(enable_backward=False)
def pose(first: int, posing: Posing):
    """Where a vertex hangs, its scale vector, and where both have it."""
    i = first + wp.tid()
    a = attachment_point(i, posing)
    s = rotate_vector(i, posing.rest_vectors[i], posing)
    posing.attachment_points[i] = a
    posing.scale_vectors[i] = s
    posing.posed[i] = restore_distance(i, a, s, posing)


@wp.kernel(enable_backward=False)
def rotate_vectors(first: int, vectors: Points, posing: Posing, rotated: Points):
    """Vectors that turn and stretch with the skin, as scale vectors do."""
    i = first + wp.tid()
    rotated[i] = rotate_vector(i, vectors[i], posing)
