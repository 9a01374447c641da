# mypy: ignore-errors
"""Solving with the factor L D L^T of the flesh, node by node, in double precision.

Blocks are 3x3. Those of column j below the diagonal stand from starts[j] to starts[j + 1]; what lies on it is one.
Columns come part by part, then those of the top. Parts do not reach each other, so each is a thread's own; what they
say about the top they keep apart, from `places` on behind the unknowns, and the top adds it up in a fixed order.
Answers are written down, or with `adds` added to what is in `onto`.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Matrices, Vectors, Whole


@wp.func
def answered(adds: int, onto: Vectors, node: int, x: wp.vec3d) -> wp.vec3d:
    if adds == 1:
        return onto[node] + x
    return x


@wp.func
def down_part(
    part: int,
    count: int,
    top: int,
    bounds: Whole,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    order: Whole,
    sides: Vectors,
    work: Vectors,
):
    """L^-1 within a part."""
    own = count + part * (count - top)
    for t in range(own, own + count - top):
        work[t] = wp.vec3d()
    for j in range(bounds[part], bounds[part + 1]):
        work[j] = sides[order[j]]
    for j in range(bounds[part], bounds[part + 1]):
        x = work[j]
        for e in range(starts[j], starts[j + 1]):
            work[positions[e]] = work[positions[e]] - blocks[e] * x


@wp.func
def through_top(
    count: int,
    top: int,
    parts: int,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    inverses: Matrices,
    order: Whole,
    sides: Vectors,
    work: Vectors,
    adds: int,
    onto: Vectors,
    answers: Vectors,
):
    """L^-T D^-1 L^-1 of the top."""
    for j in range(top, count):
        x = sides[order[j]]
        for part in range(parts):
            x += work[j + (part + 1) * (count - top)]
        work[j] = x
    for j in range(top, count):
        x = work[j]
        for e in range(starts[j], starts[j + 1]):
            work[positions[e]] = work[positions[e]] - blocks[e] * x
    for back in range(count - top):
        j = count - 1 - back
        x = inverses[j] * work[j]
        for e in range(starts[j + 1] - 1, starts[j] - 1, -1):
            x -= work[positions[e]] * blocks[e]
        work[j] = x
        answers[order[j]] = answered(adds, onto, order[j], x)


@wp.func
def up_part(
    part: int,
    count: int,
    top: int,
    bounds: Whole,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    inverses: Matrices,
    order: Whole,
    work: Vectors,
    adds: int,
    onto: Vectors,
    answers: Vectors,
):
    """L^-T D^-1 within a part, from what the top is."""
    own = (part + 1) * (count - top)
    for j in range(top, count):
        work[own + j] = work[j]
    for back in range(bounds[part + 1] - bounds[part]):
        j = bounds[part + 1] - 1 - back
        x = inverses[j] * work[j]
        for e in range(starts[j + 1] - 1, starts[j] - 1, -1):
            x -= work[positions[e]] * blocks[e]
        work[j] = x
        answers[order[j]] = answered(adds, onto, order[j], x)


@wp.kernel(enable_backward=False)
def down_parts(
    first: int,
    count: int,
    top: int,
    bounds: Whole,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    order: Whole,
    sides: Vectors,
    work: Vectors,
):
    down_part(first + wp.tid(), count, top, bounds, starts, positions, blocks, order, sides, work)


@wp.kernel(enable_backward=False)
def solve_top(
    first: int,
    count: int,
    top: int,
    parts: int,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    inverses: Matrices,
    order: Whole,
    sides: Vectors,
    work: Vectors,
    adds: int,
    onto: Vectors,
    answers: Vectors,
):
    through_top(count, top, parts, starts, positions, blocks, inverses, order, sides, work, adds, onto, answers)


@wp.kernel(enable_backward=False)
def up_parts(
    first: int,
    count: int,
    top: int,
    bounds: Whole,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    inverses: Matrices,
    order: Whole,
    work: Vectors,
    adds: int,
    onto: Vectors,
    answers: Vectors,
):
    part = first + wp.tid()
    up_part(part, count, top, bounds, starts, positions, blocks, inverses, order, work, adds, onto, answers)


@wp.kernel(enable_backward=False)
def solve_all(
    first: int,
    count: int,
    top: int,
    parts: int,
    bounds: Whole,
    starts: Whole,
    positions: Whole,
    blocks: Matrices,
    inverses: Matrices,
    order: Whole,
    sides: Vectors,
    work: Vectors,
    adds: int,
    onto: Vectors,
    answers: Vectors,
):
    """The three, one after another, by one thread."""
    for part in range(parts):
        down_part(part, count, top, bounds, starts, positions, blocks, order, sides, work)
    through_top(count, top, parts, starts, positions, blocks, inverses, order, sides, work, adds, onto, answers)
    for part in range(parts):
        up_part(part, count, top, bounds, starts, positions, blocks, inverses, order, work, adds, onto, answers)
