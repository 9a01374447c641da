# mypy: ignore-errors
"""Arithmetic of edges that flesh would draw out too far.

Symbols: y a vertex where the bones alone carry it, x where flesh has it; l an edge as bones have it, L at rest, e as
flesh has it, l' the longest that it may be.
"""

import warp as wp

from supple.skins.kinematic.kernels import Points

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Pairs = wp.array(dtype=wp.vec2i)
TINY = wp.constant(1.0e-12)


@wp.func
def longest_edge(limit: float, rest: float, carried: wp.vec3f) -> float:
    """max(limit L, |l|)."""
    return wp.max(limit * rest, wp.length(carried))


@wp.kernel(enable_backward=False)
def find_drawn_out(
    first: int,
    limit: float,
    slack: float,
    each: int,
    edges: Pairs,
    rest: FloatArray,
    incoming: Points,
    skin: Points,
    flags: IntArray,
):
    """1 for edges that are too long by more than a share `slack`, else 0; those of one copy of `each`
    vertices follow those of the one before.
    """
    n = first + wp.tid()
    copy = n / edges.shape[0]
    e = n - copy * edges.shape[0]
    i = copy * each + edges[e][0]
    j = copy * each + edges[e][1]
    carried = incoming[i] - incoming[j]
    flags[n] = int(wp.length(skin[i] - skin[j]) > (1.0 + slack) * longest_edge(limit, rest[e], carried))


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
    """Ends of an edge that is too long come together along it: x -= s e / 2, s = 1 - l' / |e|, a mean that weighs by s.

    `starts`, `others` and `rest` are those of one copy, of `each` vertices. In round `number`, from 0 on, only vertices
    are looked at that moved in the round before, or have a neighbour that did: `moved` is the number of the next round
    for them. All others are alike in `skin` and `after` since the first round.
    """
    i = first + wp.tid()
    if number > 0 and moved[i] < number:
        return
    shift = (i / each) * each
    x = skin[i]
    change = wp.vec3f(0.0, 0.0, 0.0)
    wrong = float(0.0)
    for e in range(starts[i - shift], starts[i - shift + 1]):
        j = shift + others[e]
        edge = x - skin[j]
        now = wp.length(edge)
        longest = limit * rest[e]
        if now > longest:  # few are: where bones have the others is not looked up
            longest = longest_edge(limit, rest[e], incoming[i] - incoming[j])
        excess = wp.max(1.0 - longest / wp.max(now, TINY), 0.0)
        change -= 0.5 * excess * excess * edge
        wrong += excess
    after[i] = x
    if wrong > 0.0:
        after[i] = x + change / wrong
        moved[i] = number + 1
        for e in range(starts[i - shift], starts[i - shift + 1]):
            moved[shift + others[e]] = number + 1
