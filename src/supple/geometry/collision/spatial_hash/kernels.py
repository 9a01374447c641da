# mypy: ignore-errors
"""Arithmetic of the spatial hash, on arrays.

Symbols: p a particle, e an element (a tetrahedron), c a copy of the character: particles and elements of several copies
are stacked copy by copy. A cell is three whole numbers, x / size rounded down; its slot in the table is
(i 73856093 xor j 19349663 xor k 83492791 xor c 1640531527) mod n, with n a power of two.

A slot holds two numbers in one: the time of its last use above, its first particle below. Entering a particle swaps
that number for its own in one atomic step and keeps what was there as `next_particle`; an older time means that the
slot was empty. So nothing is ever cleared, and the same kernel is right on one core and on a GPU. Times have 32 bits:
they last for a year of 120 searches a second.
"""

from typing import Any

import warp as wp

from supple.geometry.kernels.particle import position

Positions = wp.array(dtype=Any)  # of vec3f, or of vec4f whose last number is something else
Vec4iArray = wp.array(dtype=wp.vec4i)
IntArray = wp.array(dtype=wp.int32)
Int64Array = wp.array(dtype=wp.int64)
Vec3Array2d = wp.array2d(dtype=wp.vec3f)

FARTHEST = wp.constant(1.0e9)  # cells from the origin: beyond this whole numbers run out
MOST_CELLS = wp.constant(4096)  # under one element: a larger one is torn, and meets nothing
FLAT = wp.constant(1.0e-7)  # of the cube of its longest side: an element of less volume has no inside
NOBODY = wp.constant(-1)
LOWER_HALF = wp.constant(wp.int64(0x7FFFFFFF))
TIME_SHIFT = wp.constant(wp.int64(31))


@wp.struct
class HashTable:
    """The time of the search, the table, and behind every particle the next one in its slot; -1 ends a list."""

    now: Int64Array
    slots: Int64Array
    next_particle: IntArray
    mask: wp.uint32
    per_length: float


@wp.struct
class LabelBoxes:
    """Boxes to look in, of every copy and label; with `everywhere` 1 they do not count."""

    everywhere: int
    lows: Vec3Array2d
    highs: Vec3Array2d


@wp.struct
class RestExclusions:
    """What is near at rest, in compressed rows: the particles round each, and the elements that held it then."""

    ring_starts: IntArray
    ring: IntArray
    overlap_starts: IntArray
    overlaps: IntArray


@wp.struct
class FoundPairs:
    """How many pairs were found, and those that there is room for."""

    found: IntArray
    particles: IntArray
    elements: IntArray


@wp.func
def slot_of(i: int, j: int, k: int, c: int, mask: wp.uint32) -> int:
    """The place of a cell in the table."""
    h = (
        (wp.uint32(i) * wp.uint32(73856093))
        ^ (wp.uint32(j) * wp.uint32(19349663))
        ^ (wp.uint32(k) * wp.uint32(83492791))
        ^ (wp.uint32(c) * wp.uint32(1640531527))
    )
    return int(h & mask)


@wp.func
def in_reach(x: wp.vec3f, per_length: float) -> bool:
    """Whether a place has a cell; one that is not finite has none."""
    return (
        wp.abs(x[0]) * per_length < FARTHEST
        and wp.abs(x[1]) * per_length < FARTHEST
        and wp.abs(x[2]) * per_length < FARTHEST
    )


@wp.func
def cell_of(x: wp.vec3f, per_length: float) -> wp.vec3i:
    """x / size, rounded down."""
    return wp.vec3i(
        int(wp.floor(x[0] * per_length)), int(wp.floor(x[1] * per_length)), int(wp.floor(x[2] * per_length))
    )


@wp.func
def boxes_overlap(low: wp.vec3f, high: wp.vec3f, other_low: wp.vec3f, other_high: wp.vec3f) -> bool:
    """Whether two boxes have a point in common; false where a number is not one."""
    return (
        low[0] <= other_high[0]
        and low[1] <= other_high[1]
        and low[2] <= other_high[2]
        and other_low[0] <= high[0]
        and other_low[1] <= high[1]
        and other_low[2] <= high[2]
    )


@wp.kernel(enable_backward=False)
def begin_search(first: int, now: Int64Array, found: IntArray):
    """The next time, at which nothing is found yet; told here and not by the host, so that a graph may replay it."""
    now[first + wp.tid()] += wp.int64(1)
    found[0] = 0


@wp.kernel(enable_backward=False)
def enter_particles(
    first: int, points: Positions, particles_per_copy: int, labels: IntArray, boxes: LabelBoxes, table: HashTable
):
    """Put every particle (or with `everywhere` 0, those in the box of their label) into its cell's list."""
    p = first + wp.tid()
    x = position(points[p])
    c = p // particles_per_copy
    if not in_reach(x, table.per_length):
        return
    if boxes.everywhere == 0:
        j = labels[p - c * particles_per_copy]
        if not boxes_overlap(x, x, boxes.lows[c, j], boxes.highs[c, j]):
            return
    cell = cell_of(x, table.per_length)
    stamp = table.now[0] << TIME_SHIFT
    before = wp.atomic_exch(table.slots, slot_of(cell[0], cell[1], cell[2], c, table.mask), stamp | wp.int64(p))
    if (before >> TIME_SHIFT) == table.now[0]:
        table.next_particle[p] = int(before & LOWER_HALF)
    else:
        table.next_particle[p] = -1


@wp.func
def tetrahedron_barycentric(x: wp.vec3f, a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, d: wp.vec3f) -> wp.vec4f:
    """Barycentric coordinates of x in the element (a, b, c, d), which must not be flat; it may be inside out.

    With edges from a, the share of b is ((x - a) x (c - a)) . (d - a) over ((b - a) x (c - a)) . (d - a), and so on.
    """
    u = b - a
    v = c - a
    w = d - a
    r = x - a
    vw = wp.cross(v, w)
    volume = wp.dot(u, vw)
    sb = wp.dot(r, vw) / volume
    sc = wp.dot(r, wp.cross(w, u)) / volume
    sd = wp.dot(r, wp.cross(u, v)) / volume
    return wp.vec4f(1.0 - sb - sc - sd, sb, sc, sd)


@wp.func
def is_flat(a: wp.vec3f, b: wp.vec3f, c: wp.vec3f, d: wp.vec3f, low: wp.vec3f, high: wp.vec3f) -> bool:
    """Whether an element has next to no volume for its size; true where a number is not one."""
    side = wp.max(wp.max(high[0] - low[0], high[1] - low[1]), high[2] - low[2])
    return not (wp.abs(wp.dot(b - a, wp.cross(c - a, d - a))) > FLAT * side * side * side)


@wp.func
def is_near_at_rest(p: int, e: int, corner: wp.vec4i, exclusions: RestExclusions) -> bool:
    """Whether an element touches the particle's rings, or held it at rest; p, e and corners count within one copy."""
    near = bool(0)
    for n in range(exclusions.ring_starts[p], exclusions.ring_starts[p + 1]):
        v = exclusions.ring[n]
        if v == corner[0] or v == corner[1] or v == corner[2] or v == corner[3]:
            near = True
            break
    if not near:
        for n in range(exclusions.overlap_starts[p], exclusions.overlap_starts[p + 1]):
            if exclusions.overlaps[n] == e:
                near = True
                break
    return near


@wp.func
def overlaps_own_box(low: wp.vec3f, high: wp.vec3f, label: wp.vec4i, c: int, boxes: LabelBoxes) -> bool:
    """Whether an element's box meets the box of one of its corners' labels, of which repeats are -1."""
    meets = boxes_overlap(low, high, boxes.lows[c, label[0]], boxes.highs[c, label[0]])
    for corner in range(1, 4):
        j = label[corner]
        if j >= 0 and not meets:
            meets = boxes_overlap(low, high, boxes.lows[c, j], boxes.highs[c, j])
    return meets


@wp.func
def is_left_alone(label: wp.vec4i, c: int, boxes: LabelBoxes) -> bool:
    """Whether the boxes of all labels of an element are empty, so that it need not be looked at."""
    alone = boxes.lows[c, label[0]][0] > boxes.highs[c, label[0]][0]
    for corner in range(1, 4):
        j = label[corner]
        if j >= 0 and alone:
            alone = boxes.lows[c, j][0] > boxes.highs[c, j][0]
    return alone


@wp.kernel(enable_backward=False)
def find_pairs(
    first: int,
    points: Positions,
    corners: Vec4iArray,
    particles_per_copy: int,
    element_labels: Vec4iArray,
    boxes: LabelBoxes,
    table: HashTable,
    exclusions: RestExclusions,
    pairs: FoundPairs,
):
    """Look for particles in every element: through the cells of its box, then its box, then barycentric coordinates.

    A cell's list may hold particles of other cells, whose hashes are equal; comparing cells leaves them out, which also
    keeps a particle from being found twice where two cells of one box share a list.
    """
    e = first + wp.tid()
    c = e // corners.shape[0]
    local = e - c * corners.shape[0]
    if boxes.everywhere == 0 and is_left_alone(element_labels[local], c, boxes):
        return
    shift = c * particles_per_copy
    corner = corners[local]
    xa = position(points[shift + corner[0]])
    xb = position(points[shift + corner[1]])
    xc = position(points[shift + corner[2]])
    xd = position(points[shift + corner[3]])
    low = wp.min(wp.min(xa, xb), wp.min(xc, xd))
    high = wp.max(wp.max(xa, xb), wp.max(xc, xd))
    if boxes.everywhere == 0 and not overlaps_own_box(low, high, element_labels[local], c, boxes):
        return
    if not (in_reach(low, table.per_length) and in_reach(high, table.per_length)) or is_flat(xa, xb, xc, xd, low, high):
        return
    start = cell_of(low, table.per_length)
    stop = cell_of(high, table.per_length)
    span = stop - start
    if span[0] >= MOST_CELLS or span[1] >= MOST_CELLS or span[2] >= MOST_CELLS:
        return
    if wp.int64(span[0] + 1) * wp.int64(span[1] + 1) * wp.int64(span[2] + 1) > wp.int64(MOST_CELLS):
        return
    time = table.now[0]
    for i in range(start[0], stop[0] + 1):
        for j in range(start[1], stop[1] + 1):
            for k in range(start[2], stop[2] + 1):
                head = table.slots[slot_of(i, j, k, c, table.mask)]
                p = int(head & LOWER_HALF)
                if (head >> TIME_SHIFT) != time:
                    p = NOBODY
                while p >= 0:
                    x = position(points[p])
                    own = p - shift
                    if boxes_overlap(x, x, low, high) and own >= 0 and own < particles_per_copy:
                        cell = cell_of(x, table.per_length)
                        mine = own == corner[0] or own == corner[1] or own == corner[2] or own == corner[3]
                        if not mine and cell[0] == i and cell[1] == j and cell[2] == k:
                            u = tetrahedron_barycentric(x, xa, xb, xc, xd)
                            inside = wp.min(wp.min(u[0], u[1]), wp.min(u[2], u[3])) >= 0.0
                            if inside and not is_near_at_rest(own, local, corner, exclusions):
                                n = wp.atomic_add(pairs.found, 0, 1)
                                if n < pairs.particles.shape[0]:
                                    pairs.particles[n] = p
                                    pairs.elements[n] = e
                    p = table.next_particle[p]


# Both are compiled at once; a kernel met later with another type would compile the whole file again.
for _kernel in (enter_particles, find_pairs):
    for _kind in (wp.vec3f, wp.vec4f):
        wp.overload(_kernel, {"points": wp.array(dtype=_kind)})
