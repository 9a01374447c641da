# mypy: ignore-errors
"""Arithmetic of the volume that a skin encloses."""

import warp as wp

from supple.skins.kinematic.kernels import Points

FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

SMALLEST_AREA = wp.constant(1.0e-20)
CHUNK = wp.constant(64)  # vertices that one thread adds up
COLUMNS = wp.constant(5)  # of sums: rest volume, volume, volume that the offset adds, its slope, and the offset [m]


@wp.kernel(enable_backward=False)
def volume_terms(
    first: int,
    starts: IntArray,
    members: IntArray,
    areas: Points,
    thickness: FloatArray,
    each: int,
    origins: Points,
    skin: Points,
    directions: Points,
    volumes: FloatArray,
    gains: FloatArray,
    sums: FloatArray,
):
    """With S_i the sum of the area vectors (twice the area each) around vertex i: V = sum_i (x_i - o) . S_i / 18.

    A vertex that moves by m_i along its normal n_i = S_i / |S_i| adds m_i |S_i| / 6 to the volume. Copies of a crowd
    have `each` vertices and an origin o of their own, and begin to add up at zero.
    """
    i = first + wp.tid()
    if i % each == 0:
        c = COLUMNS * (i / each)
        for column in range(1, COLUMNS):
            sums[c + column] = 0.0
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[i], starts[i + 1]):
        total += areas[members[m]]
    size = wp.length(total)
    volumes[i] = wp.dot(skin[i] - origins[i / each], total) / 18.0
    gains[i] = thickness[i] * size / 6.0
    directions[i] = (thickness[i] / wp.max(size, SMALLEST_AREA)) * total


@wp.kernel(enable_backward=False)
def add_terms(
    first: int,
    each: int,
    chunks: int,
    volumes: FloatArray,
    gains: FloatArray,
    thickness: FloatArray,
    limits: FloatArray,
    sums: FloatArray,
):
    """Add up the terms of one piece of one copy: volume, what its offset adds to it, and how fast that grows."""
    t = first + wp.tid()
    copy = t / chunks
    start = copy * each + (t % chunks) * CHUNK
    stop = wp.min(start + CHUNK, (copy + 1) * each)
    offset = wp.abs(sums[COLUMNS * copy + 4])
    volume = float(0.0)
    added = float(0.0)
    slope = float(0.0)
    for i in range(start, stop):
        volume += volumes[i]
        if offset * thickness[i] < limits[i]:
            added += offset * gains[i]
            slope += gains[i]
        elif thickness[i] > 0.0:
            added += limits[i] / thickness[i] * gains[i]
    wp.atomic_add(sums, COLUMNS * copy + 1, volume)
    wp.atomic_add(sums, COLUMNS * copy + 2, added)
    wp.atomic_add(sums, COLUMNS * copy + 3, slope)


@wp.kernel(enable_backward=False)
def raise_offsets(first: int, sums: FloatArray):
    """One step of Newton towards the offset that adds what a copy is missing; from below, so that it never overshoots.

    Vertices that are at their limit leave the rest to the others.
    """
    c = COLUMNS * (first + wp.tid())
    missing = sums[c] - sums[c + 1]
    left = wp.abs(missing) - sums[c + 2]
    if sums[c + 3] > 0.0 and left > 0.0:
        sums[c + 4] = wp.sign(missing) * (wp.abs(sums[c + 4]) + left / sums[c + 3])
    for column in range(1, 4):
        sums[c + column] = 0.0


@wp.kernel(enable_backward=False)
def inflate(first: int, each: int, sums: FloatArray, limits: FloatArray, directions: Points, skin: Points):
    """Move every vertex along its normal by its share of the offset of its copy, and by no more than its limit [m]."""
    i = first + wp.tid()
    move = sums[COLUMNS * (i / each) + 4] * directions[i]
    skin[i] = skin[i] + wp.min(1.0, limits[i] / wp.max(wp.length(move), SMALLEST_AREA)) * move
