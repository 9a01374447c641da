"""Arithmetic of the skin that goes along with flesh which has left its bones."""

import warp as wp

Points = wp.array(dtype=wp.vec3f)
Numbers = wp.array(dtype=wp.float32)
Whole = wp.array(dtype=wp.int32)
Turns = wp.array(dtype=wp.mat33f)


@wp.kernel(enable_backward=False)
def turn_offsets(
    first: int, carriers: int, links: Whole, shares: Numbers, turns: Turns, displacements: Points, offsets: Points
):
    """What flesh has left its bones by, in the world: R_W u, R_W = sum_i w_i R_i, of every free node."""
    j = first + wp.tid()
    total = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(carriers * j, carriers * j + carriers):
        total += shares[e] * (turns[links[e]] * displacements[j])
    offsets[j] = total


@wp.kernel(enable_backward=False)
def carry_skin(
    first: int, width: int, corners: Whole, shares: Numbers, along: Numbers, offsets: Points, carried: Points,
    skin: Points,
):  # fmt: skip
    """Where the bones carry the skin, and what the flesh around it adds: x = s + along sum_k share_k d_k."""
    v = first + wp.tid()
    d = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(width * v, width * v + width):
        d += shares[e] * offsets[corners[e]]
    skin[v] = carried[v] + along[v] * d
