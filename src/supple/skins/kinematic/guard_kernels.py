# mypy: ignore-errors
"""Arithmetic of edges that flesh would draw out too far.

Symbols: y a vertex where the bones alone carry it, x where flesh has it, d = x - y; l an edge as bones have it, L at
rest, e as flesh has it.
"""

import warp as wp

from supple.skins.kinematic.kernels import Points

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Pairs = wp.array(dtype=wp.vec2i)


@wp.func
def kept_difference(limit: float, rest: float, carried: wp.vec3f, difference: wp.vec3f) -> float:
    """How much of the difference of d at its two ends an edge may keep: 1 where |e| <= max(limit L, |l|).

    With b that share, |l + b (e - l)| <= (1 - b) |l| + b |e|, which is the most that is allowed.
    """
    plain = wp.length(carried)
    longest = wp.max(limit * rest, plain)
    now = wp.length(carried + difference)
    if now <= longest:
        return 1.0
    return (longest - plain) / (now - plain)


@wp.kernel(enable_backward=False)
def find_drawn_out(
    first: int, limit: float, each: int, edges: Pairs, rest: FloatArray, incoming: Points, skin: Points, flags: IntArray
):
    """1 for edges that are too long, else 0; those of one copy of `each` vertices follow those of the one before."""
    n = first + wp.tid()
    copy = n / edges.shape[0]
    e = n - copy * edges.shape[0]
    i = copy * each + edges[e][0]
    j = copy * each + edges[e][1]
    carried = incoming[i] - incoming[j]
    flags[n] = int(kept_difference(limit, rest[e], carried, skin[i] - skin[j] - carried) < 1.0)


@wp.kernel(enable_backward=False)
def draw_together(
    first: int,
    limit: float,
    number: int,
    each: int,
    starts: IntArray,
    others: IntArray,
    rest: FloatArray,
    incoming: Points,
    skin: Points,
    after: Points,
    moved: IntArray,
):
    """Ends of an edge that is too long come to what they have in common, by as much as it is: their mean d.

    `starts`, `others` and `rest` are those of one copy, of `each` vertices. In round `number`, from 0 on, only vertices
    are looked at that moved in the round before, or have a neighbour that did: `moved` is the number of the next round
    for them. All others are alike in `skin` and `after` since the first round.
    """
    i = first + wp.tid()
    if number > 0 and moved[i] < number:
        return
    shift = (i / each) * each
    y = incoming[i]
    d = skin[i] - y
    change = wp.vec3f(0.0, 0.0, 0.0)
    wrong = float(0.0)
    for e in range(starts[i - shift], starts[i - shift + 1]):
        j = shift + others[e]
        difference = d - (skin[j] - incoming[j])
        kept = kept_difference(limit, rest[e], y - incoming[j], difference)
        if kept < 1.0:
            change -= 0.5 * (1.0 - kept) * difference
            wrong += 1.0
    after[i] = skin[i]
    if wrong > 0.0:
        after[i] = y + d + change / wrong
        moved[i] = number + 1
        for e in range(starts[i - shift], starts[i - shift + 1]):
            moved[shift + others[e]] = number + 1
