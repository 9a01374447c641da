# mypy: ignore-errors
"""Arithmetic of attachments that are smoothed over a skin, in double precision.

Sums stand in the order in which NumPy makes them, so that a vertex half way between two segments goes to the same one.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
Points = wp.array(dtype=wp.vec3d)

ONE = wp.constant(wp.float64(1.0))
HALF = wp.constant(wp.float64(0.5))
NIL = wp.constant(wp.float64(0.0))
TINY = wp.constant(wp.float64(1.0e-300))
FAR = wp.constant(wp.float64(1.0e300))


@wp.kernel(enable_backward=False)
def smooth(
    first: int,
    starts: IntArray,
    others: IntArray,
    candidates: wp.array2d(dtype=wp.int32),
    segments: wp.array2d(dtype=wp.vec3d),
    before: Points,
    old_segment: IntArray,
    after: Points,
    segment: IntArray,
    along: wp.array(dtype=wp.float64),
):
    """Half way to the mean of the neighbours' attachment points, and back to the nearest segment that meets its own.

    `segments` are the start of each and the vector to its end, `candidates` those that meet it and itself.
    """
    i = first + wp.tid()
    count = starts[i + 1] - starts[i]
    total = wp.vec3d(NIL, NIL, NIL)
    for e in range(starts[i], starts[i + 1]):
        total += before[others[e]]
    p = before[i]
    if count > 0:
        p = HALF * p + (HALF * total) / wp.float64(count)
    least = FAR
    for k in range(candidates.shape[1]):
        b = candidates[old_segment[i], k]
        start = segments[b, 0]
        d = segments[b, 1]
        off = p - start
        square = wp.max(d[0] * d[0] + d[2] * d[2] + d[1] * d[1], TINY)
        t = wp.clamp((off[0] * d[0] + off[2] * d[2] + off[1] * d[1]) / square, NIL, ONE)
        place = start + t * d
        away = p - place
        distance = wp.sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2])
        if distance < least:
            least = distance
            segment[i] = b
            along[i] = t
            after[i] = place
