# mypy: ignore-errors
"""Arithmetic of limbs that swell, on arrays.

Symbols: x a vertex of the skin, d how far and where it goes when its limb swells by one, b by how much the limb does.
A copy of a crowd has `each` vertices; what belongs to copies follows copy after copy.
"""

import warp as wp

from supple.geometry.kernels.block import sum_of_eight
from supple.geometry.kernels.rotation import rotate
from supple.skins.kinematic.kernels import Joints, Points, Quaternions, Weights
from supple.skins.kinematic.rotation_kernels import blend_rotations

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Vec2iArray = wp.array(dtype=wp.vec2i)
Vec2Array = wp.array(dtype=wp.vec2f)
Vec3iArray = wp.array(dtype=wp.vec3i)

TRIANGLE = wp.constant(0)  # kinds of terms that a limb is added up from
CAP = wp.constant(1)
VERTEX = wp.constant(2)
FOLDED = wp.constant(0.3)  # of its length at rest along the limb: skin that is as short lies in a crease
UNFOLDED = wp.constant(0.8)  # the same for skin that swells in full
LANES = 8  # threads of a GPU that add up together, beside one another; elsewhere each is alone
OUT = wp.constant(0.5)  # of how far limbs may swell: skin that is as far out already swells less
MOST_STRAIN = wp.constant(0.8)  # of an edge: how differently its ends may go when a limb grows to twice its girth
LEAST_GAIN = wp.constant(0.02)  # of a limb's volume: what gains less by swelling to twice its girth is left as it is
FULL_GAIN = wp.constant(0.06)  # the same from which it swells in full
LEAST_HELP = wp.constant(0.1)  # of what a limb lacks: where swelling can bring back less, skin is left as it is
FULL_HELP = wp.constant(0.3)  # the same from which it swells in full


@wp.struct
class Limbs:
    """What limbs are made of; vertices, corners, lines and segments are those of one copy.

    A cut's corner lies between the vertices `corner_vertices` by `corner_shares`; the corners of line k are
    `line_corners[line_starts[k]:line_starts[k + 1]]` by `line_shares`. A segment leads from corner to corner of a line,
    `segments`. Chunk c adds up terms of one kind, `items[chunk_starts[c]:chunk_starts[c + 1]]` by `item_shares`, for
    one limb; those of limb l are `limb_chunks[l]` up to `limb_chunks[l + 1]`. Its volume is measured about `pivots[l]`.
    """

    each: int
    corner_vertices: Vec3iArray
    corner_shares: Points
    line_starts: IntArray
    line_corners: IntArray
    line_shares: FloatArray
    segments: Vec3iArray
    triangles: Vec3iArray
    chunk_starts: IntArray
    chunk_kinds: IntArray
    chunk_limbs: IntArray
    items: IntArray
    item_shares: FloatArray
    limb_chunks: IntArray
    pivots: IntArray


@wp.struct
class Girths:
    """How far from its bone every vertex of one copy is.

    A vertex lies beside the place `along` the way from one joint of `bones` to the other, `distances` [m] off at rest,
    where flesh is twice `halves` [m] thick. A copy has `joint_count` joints.
    """

    joint_count: int
    bones: Vec2iArray
    along: FloatArray
    distances: FloatArray
    halves: FloatArray


@wp.kernel(enable_backward=False)
def open_gates(
    first: int,
    each: int,
    bounds: FloatArray,
    girths: Girths,
    heads: Points,
    ends: Vec2iArray,
    spans: FloatArray,
    skin: Points,
    gates: FloatArray,
):
    """How much of the swelling of its limb every vertex takes, 0 to 1: where girth was lost all, in a crease nothing.

    Skin in a crease is folded together along its limb, `spans` from one of its `ends` to the other at rest. Skin that
    is farther from its bone than at rest by half of what swelling may bring it swells less, and by all of it no more:
    the cap of a bent knee stays where it is, and the flesh beside it gives way.
    """
    i = first + wp.tid()
    copy = i / each
    v = i - copy * each
    gate = float(1.0)
    if spans[v] > 0.0:
        e = ends[v]
        t = wp.length(skin[i - v + e[1]] - skin[i - v + e[0]]) / spans[v]
        gate = wp.smoothstep(FOLDED, UNFOLDED, t)
    bone = girths.bones[v]
    t = girths.along[v]
    at = copy * girths.joint_count
    c = (1.0 - t) * heads[at + bone[0]] + t * heads[at + bone[1]]
    farther = (wp.length(skin[i] - c) - girths.distances[v]) / wp.max(girths.halves[v], 1.0e-12)
    most = wp.max(bounds[1], 1.0e-6)
    gates[i] = gate * (1.0 - wp.smoothstep(OUT * most, most, farther))


@wp.kernel(enable_backward=False)
def lower_gates(
    first: int, each: int, starts: IntArray, around: IntArray, radii: Points, gates: FloatArray, lowered: FloatArray
):
    """No vertex takes more than it and its neighbours do on average: none stands out beside a crease.

    Those that never swell are passed over.
    """
    i = first + wp.tid()
    copy = i / each
    v = i - copy * each
    if wp.length_sq(radii[v]) == 0.0:
        return
    total = gates[i]
    for m in range(starts[v], starts[v + 1]):
        total += gates[copy * each + around[m]]
    lowered[i] = wp.min(gates[i], total / float(1 + starts[v + 1] - starts[v]))


@wp.kernel(enable_backward=False)
def turn_radii(
    first: int,
    each: int,
    radii: Points,
    blocks: int,
    joints: Joints,
    weights: Weights,
    reals: Quaternions,
    gates: FloatArray,
    directions: Points,
):
    """d: the way outwards at rest, turned as the bones turn the vertex, as far as its gate is open."""
    i = first + wp.tid()
    r = gates[i] * radii[i % each]
    d = wp.vec3f(0.0, 0.0, 0.0)
    if wp.dot(r, r) > 0.0:
        d = rotate(blend_rotations(i, blocks, joints, weights, reals), r)
    directions[i] = d


@wp.kernel(enable_backward=False)
def even_directions(
    first: int, each: int, starts: IntArray, around: IntArray, skin: Points, ways: Points, evened: Points
):
    """Bring d nearer to those beside it where they differ by more than skin between them can take; the longer go more.

    A limb that swells by b changes what is between two vertices by b (d_i - d_j), which shall be no more than b times
    `MOST_STRAIN` of the way from one to the other as skin lies now: in a crease, where they have come near each other,
    none of them stands out.
    """
    i = first + wp.tid()
    d = ways[i]
    length = wp.length_sq(d)
    if length > 0.0:
        copy = i / each
        v = i - copy * each
        x = skin[i]
        move = wp.vec3f(0.0, 0.0, 0.0)
        total = float(0.0)
        for m in range(starts[v], starts[v + 1]):
            j = copy * each + around[m]
            other = ways[j]
            apart = d - other
            size = wp.length_sq(apart)
            bound = MOST_STRAIN * MOST_STRAIN * wp.length_sq(x - skin[j])
            if size > bound:
                excess = 1.0 - wp.sqrt(bound / size)
                move += (excess * excess * length / (length + wp.length_sq(other))) * apart
                total += excess
        if total > 0.0:
            d = d - move / total
    evened[i] = d


@wp.kernel(enable_backward=False)
def place_corners(first: int, count: int, limbs: Limbs, skin: Points, corners: Points):
    """Where the corners of cuts are."""
    n = first + wp.tid()
    copy = n / count
    v = limbs.corner_vertices[n - copy * count]
    s = limbs.corner_shares[n - copy * count]
    at = copy * limbs.each
    corners[n] = s[0] * skin[at + v[0]] + s[1] * skin[at + v[1]] + s[2] * skin[at + v[2]]


@wp.kernel(enable_backward=False)
def place_middles(
    first: int, lanes: int, count: int, corner_count: int, limbs: Limbs, corners: Points, middles: Points
):
    """The middle of every line, by so many threads beside one another: `LANES` of a GPU, one elsewhere."""
    thread = first + wp.tid()
    n = thread / lanes
    lane = thread - n * lanes
    copy = n / count
    k = n - copy * count
    middle = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(limbs.line_starts[k] + lane, limbs.line_starts[k + 1], lanes):
        middle += limbs.line_shares[m] * corners[copy * corner_count + limbs.line_corners[m]]
    middle = wp.vec3f(sum_of_eight(middle[0]), sum_of_eight(middle[1]), sum_of_eight(middle[2]))
    if lane == 0:
        middles[n] = middle


@wp.kernel(enable_backward=False)
def measure_gains(first: int, sums: Points, directions: Points, gains: FloatArray):
    """By how much the volume grows with the way of a vertex: S . d / 6, S the sum of area vectors around it."""
    i = first + wp.tid()
    gains[i] = wp.dot(sums[i], directions[i]) / 6.0


@wp.func
def cone(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f) -> float:
    return wp.dot(a, wp.cross(b, c)) / 6.0


@wp.kernel(enable_backward=False)
def add_chunks(
    first: int,
    lanes: int,
    chunk_count: int,
    corner_count: int,
    line_count: int,
    limbs: Limbs,
    skin: Points,
    corners: Points,
    middles: Points,
    gains: FloatArray,
    sums: Vec2Array,
):
    """Volume, and what it gains by swelling, of one chunk of one limb; `lanes` as for middles."""
    thread = first + wp.tid()
    n = thread / lanes
    lane = thread - n * lanes
    copy = n / chunk_count
    c = n - copy * chunk_count
    at = copy * limbs.each
    o = skin[at + limbs.pivots[limbs.chunk_limbs[c]]]
    kind = limbs.chunk_kinds[c]
    volume = float(0.0)
    gain = float(0.0)
    for m in range(limbs.chunk_starts[c] + lane, limbs.chunk_starts[c + 1], lanes):
        item = limbs.items[m]
        if kind == TRIANGLE:
            t = limbs.triangles[item]
            volume += limbs.item_shares[m] * cone(skin[at + t[0]] - o, skin[at + t[1]] - o, skin[at + t[2]] - o)
        elif kind == CAP:
            s = limbs.segments[item]
            a = corners[copy * corner_count + s[1]] - o
            b = corners[copy * corner_count + s[0]] - o
            volume += limbs.item_shares[m] * cone(a, b, middles[copy * line_count + s[2]] - o)
        else:
            gain += gains[at + item]
    total = wp.vec2f(sum_of_eight(volume), sum_of_eight(gain))
    if lane == 0:
        sums[n] = total


@wp.kernel(enable_backward=False)
def solve_limbs(
    first: int,
    limb_count: int,
    chunk_count: int,
    bounds: FloatArray,
    again: int,
    limbs: Limbs,
    rest_volumes: FloatArray,
    sums: Vec2Array,
    swellings: FloatArray,
    changes: FloatArray,
):
    """A step towards the swelling at which a limb has its volume, smoothly within `bounds`.

    A section that grows to 1 + b of its girth has (1 + b)^2 of its area, so that V(b) = V(0) + g ((1 + b)^2 - 1) / 2, g
    the gain at b = 0: (1 + b)^2 += 2 (V_0 - V) / g. With m the most it may, it swells by b / (1 + (b / m)^8)^(1/8).
    """
    n = first + wp.tid()
    copy = n / limb_count
    limb = n - copy * limb_count
    total = wp.vec2f(0.0, 0.0)
    for c in range(limbs.limb_chunks[limb], limbs.limb_chunks[limb + 1]):
        total += sums[copy * chunk_count + c]
    rest = rest_volumes[n]
    before = float(again) * swellings[n]
    now = before
    if total[1] > LEAST_GAIN * rest:
        square = (1.0 + before) * (1.0 + before) + 2.0 * (rest - total[0]) / total[1]
        wanted = wp.sqrt(wp.max(square, 0.0)) - 1.0
        most = bounds[1]
        if wanted < 0.0:
            most = bounds[0]
        share = wanted / wp.where(most == 0.0, 1.0e-12, most)
        share = share * share
        share = share * share
        now = wanted / wp.sqrt(wp.sqrt(wp.sqrt(1.0 + share * share)))
        now = now * wp.smoothstep(LEAST_GAIN, FULL_GAIN, total[1] / rest)
        missing = wp.max(rest - total[0] + total[1] * before * (1.0 + 0.5 * before), 1.0e-6 * rest)
        reached = total[1] * bounds[1] * (1.0 + 0.5 * bounds[1])
        now = now * wp.smoothstep(LEAST_HELP, FULL_HELP, reached / missing)
    else:
        now = 0.0
    swellings[n] = now
    changes[n] = now - before


@wp.kernel(enable_backward=False)
def swell(
    first: int, each: int, limb_count: int, limb_of: IntArray, changes: FloatArray, directions: Points, skin: Points
):
    """x += b d."""
    i = first + wp.tid()
    copy = i / each
    skin[i] = skin[i] + changes[copy * limb_count + limb_of[i - copy * each]] * directions[i]
