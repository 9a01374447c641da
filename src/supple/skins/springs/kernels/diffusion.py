# mypy: ignore-errors
"""Arithmetic of weights that are blended over a skin: a few columns of them at a time, of which the largest are kept.

Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
COLUMN = wp.types.vector(length=16, dtype=wp.float32)
Columns = wp.array(dtype=COLUMN)
IDS = wp.types.vector(length=8, dtype=wp.int32)
VALUES = wp.types.vector(length=8, dtype=wp.float32)
NOTHING = IDS(-1)


@wp.kernel(enable_backward=False)
def spread(first: int, width: int, indices: IntArray, values: FloatArray, things: IntArray, columns: Columns):
    """Put the weights of a few things, `width` of them at each vertex, into the columns of these things."""
    i = first + wp.tid()
    column = COLUMN()
    for n in range(i * width, i * width + width):
        if values[n] > 0.0:
            for k in range(16):
                if things[k] == indices[n]:
                    column[k] = values[n]
    columns[i] = column


@wp.kernel(enable_backward=False)
def diffuse(first: int, starts: IntArray, others: IntArray, shares: FloatArray, before: Columns, after: Columns):
    """Every column goes half way to the mean of the neighbours, of which each has its share."""
    i = first + wp.tid()
    mean = COLUMN()
    for e in range(starts[i], starts[i + 1]):
        mean += shares[e] * before[others[e]]
    if starts[i + 1] > starts[i]:
        after[i] = 0.5 * before[i] + 0.5 * mean
    else:
        after[i] = before[i]


@wp.kernel(enable_backward=False)
def keep_largest(
    first: int, things: IntArray, columns: Columns, kept: wp.array(dtype=IDS), values: wp.array(dtype=VALUES)
):
    """Take the weights in the columns among the eight largest, if they are; of equals, what came first stays first."""
    i = first + wp.tid()
    ids = kept[i]
    largest = values[i]
    column = columns[i]
    for k in range(16):
        if things[k] >= 0 and column[k] > 0.0:
            value = column[k]
            thing = things[k]
            for n in range(8):
                if ids[n] < 0 or value > largest[n]:
                    other = largest[n]
                    other_thing = ids[n]
                    largest[n] = value
                    ids[n] = thing
                    value = other
                    thing = other_thing
                    if thing < 0:
                        break
    kept[i] = ids
    values[i] = largest
