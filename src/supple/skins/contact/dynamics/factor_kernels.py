# mypy: ignore-errors
"""Solving with the factor L D L^T of the flesh, node by node, in double precision.

Blocks are 3x3. Those of column j below the diagonal stand from starts[j] to starts[j + 1]; what lies on it is one.
Columns come part by part, then those of the top. Parts do not reach each other, so each is a thread's own; what they
say about the top they keep apart, from `targets` on behind the unknowns, and the top adds it up in a fixed order.
Solutions are written down, or with `adds` added to what is in `onto`.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import IntArray, Matrices, Vectors


@wp.struct
class Factor:
    """L D L^T in blocks, cut into parts and a top, and room to `work` in."""

    count: int
    top: int
    parts: int
    bounds: IntArray
    starts: IntArray
    targets: IntArray
    blocks: Matrices
    inverses: Matrices
    order: IntArray
    work: Vectors


@wp.func
def accumulate(adds: int, onto: Vectors, node: int, x: wp.vec3d) -> wp.vec3d:
    if adds == 1:
        return onto[node] + x
    return x


@wp.func
def down_part(part: int, factor: Factor, rhs: Vectors):
    """L^-1 within a part."""
    own = factor.count + part * (factor.count - factor.top)
    for t in range(own, own + factor.count - factor.top):
        factor.work[t] = wp.vec3d()
    for j in range(factor.bounds[part], factor.bounds[part + 1]):
        factor.work[j] = rhs[factor.order[j]]
    for j in range(factor.bounds[part], factor.bounds[part + 1]):
        x = factor.work[j]
        for e in range(factor.starts[j], factor.starts[j + 1]):
            t = factor.targets[e]
            factor.work[t] = factor.work[t] - factor.blocks[e] * x


@wp.func
def through_top(factor: Factor, rhs: Vectors, adds: int, onto: Vectors, solution: Vectors):
    """L^-T D^-1 L^-1 of the top."""
    count = factor.count
    top = factor.top
    for j in range(top, count):
        x = rhs[factor.order[j]]
        for part in range(factor.parts):
            x += factor.work[j + (part + 1) * (count - top)]
        factor.work[j] = x
    for j in range(top, count):
        x = factor.work[j]
        for e in range(factor.starts[j], factor.starts[j + 1]):
            t = factor.targets[e]
            factor.work[t] = factor.work[t] - factor.blocks[e] * x
    for back in range(count - top):
        j = count - 1 - back
        x = factor.inverses[j] * factor.work[j]
        for e in range(factor.starts[j + 1] - 1, factor.starts[j] - 1, -1):
            x -= factor.work[factor.targets[e]] * factor.blocks[e]
        factor.work[j] = x
        solution[factor.order[j]] = accumulate(adds, onto, factor.order[j], x)


@wp.func
def up_part(part: int, factor: Factor, adds: int, onto: Vectors, solution: Vectors):
    """L^-T D^-1 within a part, from what the top is."""
    own = (part + 1) * (factor.count - factor.top)
    for j in range(factor.top, factor.count):
        factor.work[own + j] = factor.work[j]
    for back in range(factor.bounds[part + 1] - factor.bounds[part]):
        j = factor.bounds[part + 1] - 1 - back
        x = factor.inverses[j] * factor.work[j]
        for e in range(factor.starts[j + 1] - 1, factor.starts[j] - 1, -1):
            x -= factor.work[factor.targets[e]] * factor.blocks[e]
        factor.work[j] = x
        solution[factor.order[j]] = accumulate(adds, onto, factor.order[j], x)


@wp.kernel(enable_backward=False)
def down_parts(first: int, factor: Factor, rhs: Vectors):
    down_part(first + wp.tid(), factor, rhs)


@wp.kernel(enable_backward=False)
def solve_top(first: int, factor: Factor, rhs: Vectors, adds: int, onto: Vectors, solution: Vectors):
    through_top(factor, rhs, adds, onto, solution)


@wp.kernel(enable_backward=False)
def up_parts(first: int, factor: Factor, adds: int, onto: Vectors, solution: Vectors):
    up_part(first + wp.tid(), factor, adds, onto, solution)


@wp.kernel(enable_backward=False)
def solve_all(first: int, factor: Factor, rhs: Vectors, adds: int, onto: Vectors, solution: Vectors):
    """The three, one after another, by one thread."""
    for part in range(factor.parts):
        down_part(part, factor, rhs)
    through_top(factor, rhs, adds, onto, solution)
    for part in range(factor.parts):
        up_part(part, factor, adds, onto, solution)
