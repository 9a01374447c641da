# mypy: ignore-errors
"""Arithmetic of the volume that a skin encloses."""

import warp as wp

from supple.skins.kinematic.kernels import Points

FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

Vec4iArray = wp.array(dtype=wp.vec4i)
Vec4Array = wp.array(dtype=wp.vec4f)

LEAST_PART = wp.constant(0.002)  # of the whole: what is less has no volume to lose
EVENLY = wp.constant(0.1)  # of what the part takes that has lost most: what all parts take at least
FOLDED = wp.constant(0.5)  # of the areas around a vertex: below this its normal may point anywhere
SMALLEST_AREA = wp.constant(1.0e-20)
LANES = wp.constant(256)  # threads of a GPU that add up together
SEARCHERS = wp.constant(512)  # threads of a GPU that search for the offset of one copy
MOST_ROUNDS = wp.constant(64)  # of the search for an offset: some six are enough
FOLDED_AWAY = wp.constant(1.0e-6)  # of the largest gain: who gives less is not asked, which would be an endless way
ROUNDING = wp.constant(1.0e-6)  # of an offset: a step that is shorter changes nothing
COLUMNS = wp.constant(2)  # of what is found of a copy: rest volume, and the offset [m]


@wp.struct
class Surroundings:
    """How far [m] every vertex may be moved; of one copy, of `each` vertices and `joint_count` joints, twice the area
    around every vertex at rest and the joints that move it, the strongest first."""

    limits: FloatArray
    rest_areas: FloatArray
    joints: Vec4iArray
    each: int
    joint_count: int


@wp.kernel(enable_backward=False)
def volume_terms(
    first: int,
    around: Surroundings,
    sums: Points,
    thickness: FloatArray,
    heads: Points,
    skin: Points,
    directions: Points,
    volumes: FloatArray,
    gains: FloatArray,
    cones: FloatArray,
    reaches: FloatArray,
):
    """With S_i the sum of the area vectors (twice the area each) around vertex i: V = sum_i (x_i - o) . S_i / 18.

    A vertex that moves by m_i along its normal n_i = S_i / |S_i| adds m_i |S_i| / 6 to the volume. Where its triangles
    are folded, |S_i| is less than half of their areas at rest, and it moves less; how far it may be moved at most, its
    reach, goes down with |S_i| there, so that one folded to nothing stays.

    Copies of a crowd have `each` vertices and an origin o of their own, the head of their first joint. The same about
    the head of the joint that moves a vertex most is its part in the cones that make up the volume of that joint's
    part.
    """
    i = first + wp.tid()
    each = around.each
    total = sums[i]
    size = wp.length(total)
    first_joint = (i / each) * around.joint_count
    volumes[i] = wp.dot(skin[i] - heads[first_joint], total) / 18.0
    cones[i] = wp.dot(skin[i] - heads[first_joint + around.joints[i % each][0]], total) / 18.0
    whole = wp.max(FOLDED * around.rest_areas[i % each], SMALLEST_AREA)
    reaches[i] = wp.min(size / whole, 1.0) * around.limits[i]
    size = wp.max(size, whole)
    gains[i] = thickness[i] * wp.dot(total, total) / (6.0 * size)
    directions[i] = (thickness[i] / size) * total


@wp.kernel(enable_backward=False)
def part_volumes(
    first: int, each: int, joint_count: int, starts: IntArray, members: IntArray, cones: FloatArray, found: FloatArray
):
    """The volume of what every joint of every copy moves most, as cones about it."""
    n = first + wp.tid()
    copy = n / joint_count
    j = n - copy * joint_count
    volume = float(0.0)
    for m in range(starts[j], starts[j + 1]):
        volume += cones[copy * each + members[m]]
    found[n] = volume


@wp.kernel(enable_backward=False)
def part_volumes_in_blocks(
    first: int, each: int, joint_count: int, starts: IntArray, members: IntArray, cones: FloatArray, found: FloatArray
):
    """The same on a GPU: a block of threads for every joint of every copy."""
    t = first + wp.tid()
    lane = t % LANES
    n = t / LANES
    copy = n / joint_count
    j = n - copy * joint_count
    volume = float(0.0)
    for m in range(starts[j] + lane, starts[j + 1], LANES):
        volume += cones[copy * each + members[m]]
    total = wp.tile_sum(wp.tile(volume))
    whole = total[0]
    if lane == 0:
        found[n] = whole


@wp.kernel(enable_backward=False)
def part_losses(first: int, joint_count: int, at_rest: FloatArray, parts: FloatArray):
    """From the volumes of the parts of one copy to how much each has lost, as shares of what the worst has lost.

    Where the whole has gained volume, how much each has gained. What hardly encloses anything has no say.
    """
    copy = first + wp.tid()
    start = copy * joint_count
    missing = float(0.0)
    whole = float(0.0)
    for j in range(joint_count):
        missing += at_rest[j] - parts[start + j]
        whole += wp.abs(at_rest[j])
    side = wp.sign(missing)
    worst = float(0.0)
    for j in range(joint_count):
        lost = float(0.0)
        if at_rest[j] > LEAST_PART * whole:
            lost = wp.clamp(side * (1.0 - parts[start + j] / at_rest[j]), 0.0, 1.0)
        parts[start + j] = lost
        worst = wp.max(worst, lost)
    for j in range(joint_count):
        parts[start + j] = EVENLY + (1.0 - EVENLY) * parts[start + j] / wp.max(worst, SMALLEST_AREA)


@wp.kernel(enable_backward=False)
def share_locally(
    first: int,
    each: int,
    joint_count: int,
    joints: Vec4iArray,
    weights: Vec4Array,
    losses: FloatArray,
    thickness: FloatArray,
    directions: Points,
    gains: FloatArray,
    shares: FloatArray,
):
    """A vertex takes part in a change by its flesh, and by how much the parts that it belongs to have lost."""
    i = first + wp.tid()
    copy = i / each
    j = joints[i - copy * each]
    w = weights[i - copy * each]
    lost = float(0.0)
    for k in range(4):
        lost += w[k] * losses[copy * joint_count + j[k]]
    shares[i] = lost * thickness[i]
    gains[i] = lost * gains[i]
    directions[i] = lost * directions[i]


@wp.func
def offered(
    i: int, offset: float, least: float, gains: FloatArray, shares: FloatArray, reaches: FloatArray
) -> wp.vec2d:
    """What a vertex at its limit adds, and how fast one that is not adds more, of an offset; who gives less than
    `least` is not asked."""
    g = gains[i]
    if g > least:
        if offset * shares[i] < reaches[i]:
            return wp.vec2d(wp.float64(0.0), wp.float64(g))
        return wp.vec2d(wp.float64(g * reaches[i] / wp.max(shares[i], SMALLEST_AREA)), wp.float64(0.0))
    return wp.vec2d(wp.float64(0.0), wp.float64(0.0))


@wp.func
def further(wanted: wp.float64, offers: wp.vec2d, offset: float, longest: float) -> float:
    """A step of Newton from an offset, which never goes beyond the answer nor beyond the longest offset."""
    left = wanted - offers[0] - wp.float64(offset) * offers[1]
    step = float(0.0)
    if left > wp.float64(0.0):
        if offers[1] > wp.float64(0.0):
            step = wp.min(float(left / offers[1]), longest - offset)
        elif offers[0] > wp.float64(0.0):
            step = longest - offset
    return step


@wp.kernel(enable_backward=False)
def find_offset(
    first: int,
    each: int,
    longest: FloatArray,
    volumes: FloatArray,
    gains: FloatArray,
    shares: FloatArray,
    reaches: FloatArray,
    found: FloatArray,
):
    """The offset that adds what a copy is missing: sum_i g_i min(|d|, f_i) = |missing|, with |d| <= `longest` [m].

    g_i is the volume that an offset of one adds at a vertex, and f_i the offset from which it gives no more. Every
    round is a step of Newton, none of which goes beyond the answer. Who gives next to nothing is not asked; where all
    others together do not give what is missing, the offset is the longest.
    """
    copy = first + wp.tid()
    start = copy * each
    stop = start + each
    volume = wp.float64(0.0)
    largest = float(0.0)
    for i in range(start, stop):
        volume += wp.float64(volumes[i])
        largest = wp.max(largest, gains[i])
    missing = found[COLUMNS * copy] - float(volume)
    wanted = wp.float64(wp.abs(missing))
    offset = float(0.0)
    going = bool(1)
    for _ in range(MOST_ROUNDS):
        if going:
            offers = wp.vec2d()
            for i in range(start, stop):
                offers += offered(i, offset, FOLDED_AWAY * largest, gains, shares, reaches)
            step = further(wanted, offers, offset, longest[0])
            offset += step
            going = step > ROUNDING * offset
    found[COLUMNS * copy + 1] = wp.sign(missing) * offset


@wp.kernel(enable_backward=False)
def find_offset_in_blocks(
    first: int,
    each: int,
    longest: FloatArray,
    volumes: FloatArray,
    gains: FloatArray,
    shares: FloatArray,
    reaches: FloatArray,
    found: FloatArray,
):
    """The same on a GPU: a block of threads for every copy. Threads of a processor may not share a tile."""
    t = first + wp.tid()
    copy = t / SEARCHERS
    lane = t - copy * SEARCHERS
    start = copy * each + lane
    stop = (copy + 1) * each
    volume = wp.float64(0.0)
    largest = float(0.0)
    for i in range(start, stop, SEARCHERS):
        volume += wp.float64(volumes[i])
        largest = wp.max(largest, gains[i])
    all_volumes = wp.tile_sum(wp.tile(volume))
    all_largest = wp.tile_max(wp.tile(largest))
    least = FOLDED_AWAY * all_largest[0]
    missing = found[COLUMNS * copy] - float(all_volumes[0])
    wanted = wp.float64(wp.abs(missing))
    offset = float(0.0)
    going = bool(1)
    for _ in range(MOST_ROUNDS):
        if going:
            part = wp.vec2d()
            for i in range(start, stop, SEARCHERS):
                part += offered(i, offset, least, gains, shares, reaches)
            offers = wp.tile_sum(wp.tile(part, preserve_type=True))
            step = further(wanted, offers[0], offset, longest[0])
            offset += step
            going = step > ROUNDING * offset
    if lane == 0:
        found[COLUMNS * copy + 1] = wp.sign(missing) * offset


@wp.kernel(enable_backward=False)
def inflate(first: int, each: int, found: FloatArray, reaches: FloatArray, directions: Points, skin: Points):
    """Move every vertex along its normal by its share of the offset of its copy, and by no more than its reach [m]."""
    i = first + wp.tid()
    offset = found[COLUMNS * (i / each) + 1]
    size = wp.length(directions[i])
    if size > SMALLEST_AREA:
        skin[i] = skin[i] + (wp.sign(offset) * wp.min(wp.abs(offset) * size, reaches[i]) / size) * directions[i]
