"""Arithmetic on the skin's own points: how it follows the flesh, and the volume it encloses."""

import warp as wp

from supple.skins.kinematic.kernels import Joints, Weights
from supple.skins.position_based.kernels import TINY, Numbers, Points, Whole

SMALLEST_AREA = wp.constant(1.0e-20)
PIECE = wp.constant(64)  # vertices that one thread adds up


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


@wp.kernel(enable_backward=False)
def volume_terms(
    first: int,
    starts: Whole,
    members: Whole,
    areas: Points,
    thickness: Numbers,
    each: int,
    origins: Points,
    skin: Points,
    ways: Points,
    volumes: Numbers,
    gains: Numbers,
):
    """With S_i the sum of the area vectors (twice the area each) around vertex i: V = sum_i (x_i - o) . S_i / 18.

    A vertex that moves by m_i along its normal n_i = S_i / |S_i| adds m_i |S_i| / 6 to the volume. Copies of a crowd
    have `each` vertices and an origin o of their own.
    """
    i = first + wp.tid()
    total = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[i], starts[i + 1]):
        total += areas[members[m]]
    size = wp.length(total)
    volumes[i] = wp.dot(skin[i] - origins[i / each], total) / 18.0
    gains[i] = thickness[i] * size / 6.0
    ways[i] = (thickness[i] / wp.max(size, SMALLEST_AREA)) * total


@wp.kernel(enable_backward=False)
def add_terms(first: int, each: int, pieces: int, volumes: Numbers, gains: Numbers, sums: Numbers):
    """Add up the terms of one piece of one copy; sums are rest volume, volume, and gain for one metre, copy by copy."""
    t = first + wp.tid()
    copy = t / pieces
    start = copy * each + (t % pieces) * PIECE
    stop = wp.min(start + PIECE, (copy + 1) * each)
    volume = float(0.0)
    gain = float(0.0)
    for i in range(start, stop):
        volume += volumes[i]
        gain += gains[i]
    wp.atomic_add(sums, 3 * copy + 1, volume)
    wp.atomic_add(sums, 3 * copy + 2, gain)


@wp.kernel(enable_backward=False)
def inflate(first: int, each: int, sums: Numbers, ways: Points, skin: Points):
    """Move every vertex along its normal by what its copy is missing."""
    i = first + wp.tid()
    c = 3 * (i / each)
    if sums[c + 2] > 0.0:
        skin[i] = skin[i] + ((sums[c] - sums[c + 1]) / sums[c + 2]) * ways[i]
