# mypy: ignore-errors
"""Arithmetic on the skin's own points: how it follows the flesh."""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Weights
from supple.skins.position_based.kernels import TINY, Numbers, Points


@wp.kernel(enable_backward=False)
def carry_skin(
    first: int,
    blocks: int,
    corners: Joints,
    shares: Weights,
    along: Numbers,
    apart: Numbers,
    leeway: float,
    kinematic: Points,
    offsets: Points,
    incoming: Points,
    skin: Points,
):
    """The skin goes along with the flesh around it.

    With s the skin, q the flesh where the bones alone carry them, d what moved the flesh from there, and
    r = s - sum_k share_k q_k what the coarse flesh cannot follow of the bones:
      x = sum_k share_k (q_k + d_k) + (r_0 + e / (1 + e / leeway)) r / |r|,   e = max(|r| - r_0, 0),
    with r_0 (`apart`) the length of r at rest, zero inside the flesh. Small differences are kept, they are the bones'
    own detail; large ones come of a crease that the flesh has undone. `along` says how much of all this reaches the
    vertex.
    """
    v = first + wp.tid()
    x = incoming[v]
    q = wp.vec3f(0.0, 0.0, 0.0)
    d = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * blocks, v * blocks + blocks):
        c = corners[b]
        s = shares[b]
        q += s[0] * kinematic[c[0]] + s[1] * kinematic[c[1]] + s[2] * kinematic[c[2]] + s[3] * kinematic[c[3]]
        d += s[0] * offsets[c[0]] + s[1] * offsets[c[1]] + s[2] * offsets[c[2]] + s[3] * offsets[c[3]]
    r = x - q
    size = wp.length(r)
    excess = wp.max(size - apart[v], 0.0)
    skin[v] = x + along[v] * (d - (excess * excess / ((leeway + excess) * wp.max(size, TINY))) * r)
