# mypy: ignore-errors
"""Arithmetic of rows: what may not go on, and what a push on it does, for contacts and joint limits alike.

A row is a place where two things meet: nodes with shares s (one, or the corners of an element, or a node against the
corners of a triangle, whose shares then are negative), and perhaps a free body. With V_j = sum w (c' + o x r) what the
links do to node j, f_j the push on it, G = W D W^T how it gives way and P = 1 - m G, the velocity of the place is

    u = sum_j s_j (P_j V_j + G_j f_j) - (c' + o x r of the body),                             [Galoppo2007, 5.4]

so links and bodies, its hands, take part by two 3x3 blocks each, u += A c' + B o, and feel a push p by (A^T p, B^T p).
C = sum_j |s_j| (sum of |s_j| over all rows) G_j is how softly it answers alone; rows that share nodes answer too little
rather than too much, and are answered again. The limit of a joint is a row of how its two links turn.
"""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import HINGE, rotation_vector
from supple.skins.contact.dynamics.node_kernels import Matrices, Numbers, Vectors, Whole, cross_matrix

CORNERS = wp.constant(4)
NOTHING = wp.constant(wp.float64(1.0e-3))  # of how much links yield: who yields less has no flesh
PARTED = wp.constant(wp.float64(0.2))  # share of a depth that bones and skin leave in a step, at most
FREE = wp.constant(wp.float64(1.0e9))  # [m/s]: who may go on so fast is not held
HANDS = wp.constant(17)  # links that carry four corners, and a body
ROWS = wp.constant(0)  # places in the counts: how many contacts are given,
BROKEN = wp.constant(1)  # how many rows go on too fast,
PASSES = wp.constant(2)  # how many passes were made,
ENTRIES = wp.constant(3)  # how many places the system has,
CROWDED = wp.constant(4)  # and whether rows answer too little at once


@wp.struct
class Flesh:
    """Nodes and the links that carry them, as they are at the start of the step.

    `kept` are the pushes of the step before, by the first node of their rows: what pressed then is begun with.
    """

    carriers: int
    free: int
    links: Whole
    weights: Numbers
    arms: Vectors
    masses: Numbers
    blends: Matrices
    alone: Matrices
    positions: Vectors
    paces: Vectors
    reach: Numbers
    kept: Vectors


@wp.struct
class Met:
    """Contacts as they are given."""

    corners: Whole
    shares: Numbers
    normals: Vectors
    motions: Vectors
    gaps: Numbers
    frictions: Numbers
    bodies: Whole
    spots: Vectors


@wp.struct
class Rows:
    """What the solution needs of every row. `begun` is its gap [m, rad] at the start of the step.

    `skin` says that skin meets skin, `light` is how much its links yield, each by itself. Of the limits of balls,
    `bends` (in world axes) and `highs` [rad] are how far the joint is bent and may be.
    """

    skin: Whole
    normals: Vectors
    frictions: Numbers
    soft: Matrices
    light: Numbers
    begun: Numbers
    gives: Matrices
    counts: Whole
    hands: Whole
    moves: Matrices
    rotations: Matrices
    bends: Vectors
    highs: Numbers


@wp.struct
class Effort:
    """One solution for pushes: where rows begin, what they want along their normals, and what was found so far.

    `totals` are the changes of links and bodies, `forces` the pushes on free nodes.
    """

    begins: Vectors
    wanted: Numbers
    pushes: Vectors
    changes: Vectors
    residuals: Vectors
    before: Vectors
    pushing: Whole
    barred: Whole
    sliding: Whole
    totals: Vectors
    forces: Vectors


@wp.func
def in_cone(push: wp.vec3d, n: wp.vec3d, friction: wp.float64) -> wp.vec3d:
    """The push with the same share along n, if it does not pull, and along the surface at most friction times that."""
    pressed = wp.dot(n, push)
    along = push - pressed * n
    pressed = wp.max(pressed, wp.float64(0.0))
    size = wp.length(along)
    if size > friction * pressed:
        along = (friction * pressed / size) * along
    return pressed * n + along


@wp.kernel(enable_backward=False)
def open_rows(
    first: int,
    counts: Whole,
    flesh: Flesh,
    met: Met,
    starts: Whole,
    body_start: int,
    size: int,
    limits: int,
    firsts: Whole,
    wide_firsts: Whole,
    wide_ats: Whole,
    effort: Effort,
):
    """Which places of the system contacts couple, which nodes they share, and nothing pushed yet."""
    for i in range(size):
        wide_firsts[i] = i
        if i < body_start:
            wide_firsts[i] = firsts[i]
        elif (i - body_start) % 2 > 0:
            wide_firsts[i] = i - 1
        effort.totals[i] = wp.vec3d()
    for a in range(CORNERS * counts[ROWS]):
        if met.corners[a] < flesh.free:
            flesh.reach[met.corners[a]] = wp.float64(0.0)
    crowded = int(0)
    for c in range(counts[ROWS]):
        least = int(size)
        for rotation in range(2):  # first the earliest hand, then all reach back to it
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                j = met.corners[a]
                if met.shares[a] != wp.float64(0.0):
                    if rotation == 0 and j < flesh.free:
                        if flesh.reach[j] > wp.float64(0.0):
                            crowded = 1
                        flesh.reach[j] = flesh.reach[j] + wp.abs(met.shares[a])
                    for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
                        if flesh.weights[e] > wp.float64(0.0):
                            at = starts[flesh.links[e]]
                            if rotation == 0:
                                least = wp.min(least, at)
                            else:
                                for i in range(at, at + 2):
                                    wide_firsts[i] = wp.min(wide_firsts[i], least)
        if met.bodies[c] >= 0:
            at = body_start + 2 * met.bodies[c]
            for i in range(at, at + 2):
                wide_firsts[i] = wp.min(wide_firsts[i], least)
    wide_ats[0] = 0
    for i in range(size):
        wide_ats[i + 1] = wide_ats[i] + i - wide_firsts[i] + 1
    for c in range(counts[ROWS] + limits):
        effort.pushes[c] = wp.vec3d()
    for c in range(counts[ROWS]):
        effort.pushes[c] = in_cone(flesh.kept[met.corners[CORNERS * c]], met.normals[c], met.frictions[c])
    counts[BROKEN] = 0
    counts[PASSES] = 0
    counts[ENTRIES] = wide_ats[size]
    counts[CROWDED] = crowded


@wp.func
def add_hand(row: int, at: int, move: wp.mat33d, rotation: wp.mat33d, rows: Rows):
    """One more hand of a row, or more of one that it has."""
    begin = HANDS * row
    position = int(begin)
    while position < begin + rows.counts[row] and rows.hands[position] != at:
        position += 1
    if position == begin + rows.counts[row]:
        rows.counts[row] = rows.counts[row] + 1
        rows.hands[position] = at
        rows.moves[position] = wp.mat33d()
        rows.rotations[position] = wp.mat33d()
    rows.moves[position] = rows.moves[position] + move
    rows.rotations[position] = rows.rotations[position] + rotation


@wp.kernel(enable_backward=False)
def build_rows(
    first: int,
    counts: Whole,
    flesh: Flesh,
    met: Met,
    starts: Whole,
    body_start: int,
    masses: Numbers,
    body_masses: Numbers,
    body_positions: Vectors,
    firmness: wp.float64,
    out: wp.float64,
    unseen: wp.float64,
    lost: wp.float64,
    dt: wp.float64,
    rows: Rows,
    effort: Effort,
):
    """The row of a contact: its hands, how softly it answers, how fast it is and may be.

    A place that began the step outside may come as far as to touch; one that began inside may not go deeper, and if it
    has no flesh to be lifted by, or is skin in skin, it comes out at the pace `out` [m/s]. Skin that began deeper in
    skin than `lost` [m] is left alone: nobody knows any more which way is out.
    """
    c = first + wp.tid()
    if c >= counts[ROWS]:
        return
    n = met.normals[c]
    one = wp.identity(n=3, dtype=wp.float64)
    rows.counts[c] = 0
    rows.skin[c] = 0
    total = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        total += met.shares[a]
    if total < wp.float64(0.5):
        rows.skin[c] = 1
    soft = wp.mat33d()
    pace = -met.motions[c]
    light = wp.float64(0.0)
    bare = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        s = met.shares[a]
        rows.gives[a] = wp.mat33d()
        if s != wp.float64(0.0):
            j = met.corners[a]
            pace += s * flesh.paces[j]
            passed = one
            if j < flesh.free:
                give = flesh.blends[j] * flesh.alone[j] * wp.transpose(flesh.blends[j])
                rows.gives[a] = give
                soft += (wp.abs(s) * flesh.reach[j]) * give
                passed = one - flesh.masses[j] * give
            for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
                w = flesh.weights[e]
                if w > wp.float64(0.0):
                    move = (s * w) * passed
                    add_hand(c, starts[flesh.links[e]], move, -(move * cross_matrix(flesh.arms[e])), rows)
                    light += s * s * w * w / masses[flesh.links[e]]
    b = met.bodies[c]
    if b >= 0:
        add_hand(c, body_start + 2 * b, -one, cross_matrix(met.spots[c] - body_positions[b]), rows)
        light += wp.float64(1.0) / body_masses[b]
    if wp.dot(n, soft * n) < NOTHING * light:  # the core, or flesh that bones have crushed
        soft += (firmness * light) * one
        counts[CROWDED] = 1
        bare = wp.float64(1.0)
    rows.soft[c] = soft
    rows.light[c] = light
    rows.normals[c] = n
    rows.frictions[c] = met.frictions[c]
    rows.begun[c] = met.gaps[c] - dt * wp.dot(n, pace)
    effort.begins[c] = pace
    effort.wanted[c] = -wp.max(rows.begun[c], wp.float64(0.0)) / dt
    if rows.begun[c] < -unseen and (bare > wp.float64(0.0) or rows.skin[c] == 1):
        effort.wanted[c] = wp.min(out, -PARTED * rows.begun[c] / dt)
    if rows.skin[c] == 1 and rows.begun[c] < -lost:
        effort.wanted[c] = -FREE


@wp.kernel(enable_backward=False)
def build_limits(
    first: int,
    counts: Whole,
    joints: Whole,
    dt: wp.float64,
    children: Whole,
    parents: Whole,
    kinds: Whole,
    axes: Vectors,
    lows: Numbers,
    highs: Numbers,
    starts: Whole,
    rotations: Matrices,
    spins: Vectors,
    squares: Matrices,
    firmness: wp.float64,
    friction: wp.float64,
    back: wp.float64,
    rows: Rows,
    effort: Effort,
):
    """The row of a joint's limit, behind those of the contacts.

    The limit of a hinge bounds its angle about the axis, from the side that it will be nearer to; that of a ball its
    angle, seen along the way that it is foreseen to have turned at the end of the step. Who is pressed against a limit
    does not turn freely along it, either: a slender link, struck aslant, would spin. Who is beyond it comes `back` at
    that pace [rad/s].
    """
    item = first + wp.tid()
    c = joints[item]
    row = counts[ROWS] + item
    child = children[c]
    parent = parents[c]
    out = rotation_vector(wp.transpose(rotations[parent]) * rotations[child])
    spin = spins[child] - spins[parent]
    way = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    room = highs[c]
    if kinds[c] == HINGE:
        axis = rotations[child] * axes[3 * c]
        angle = wp.dot(out, axes[3 * c])
        ahead = angle + dt * wp.dot(spin, axis)
        way = -axis
        room = highs[c] - angle
        if ahead - lows[c] < highs[c] - ahead:
            way = axis
            room = angle - lows[c]
        rows.highs[row] = wp.float64(-1.0)
    else:
        rows.highs[row] = highs[c]
        rows.bends[row] = rotations[child] * out
        ends = rows.bends[row] + dt * spin
        if wp.length(ends) > wp.float64(1.0e-12):
            way = -wp.normalize(ends)
            room = highs[c] + wp.dot(way, rows.bends[row])
    one = wp.identity(n=3, dtype=wp.float64)
    rows.counts[row] = 0
    rows.skin[row] = 0
    add_hand(row, starts[child], wp.mat33d(), one, rows)
    add_hand(row, starts[parent], wp.mat33d(), -one, rows)
    light = wp.float64(1.0) / wp.trace(squares[child]) + wp.float64(1.0) / wp.trace(squares[parent])
    soft = (firmness * light) * one
    rows.soft[row] = soft
    rows.light[row] = light
    rows.normals[row] = way
    rows.frictions[row] = friction
    rows.begun[row] = room
    effort.begins[row] = spin
    effort.wanted[row] = wp.min(-room / dt, back)


@wp.func
def hand_pace(p: int, rows: Rows, values: Vectors) -> wp.vec3d:
    """What one hand does to its row's place."""
    return rows.moves[p] * values[rows.hands[p]] + rows.rotations[p] * values[rows.hands[p] + 1]


@wp.func
def pace_of(c: int, rows: Rows, values: Vectors) -> wp.vec3d:
    """What links and bodies do to a row's place."""
    pace = wp.vec3d()
    for p in range(HANDS * c, HANDS * c + rows.counts[c]):
        pace += hand_pace(p, rows, values)
    return pace


@wp.func
def judged(count: int, rows: Rows, effort: Effort, met: Met, contacts: int, free: int):
    """How fast all rows go on with what was found so far."""
    for c in range(count):
        pace = effort.begins[c] - effort.wanted[c] * rows.normals[c] + pace_of(c, rows, effort.totals)
        if c < contacts:
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                if met.shares[a] != wp.float64(0.0) and met.corners[a] < free:
                    pace += met.shares[a] * (rows.gives[a] * effort.forces[met.corners[a]])
        effort.residuals[c] = pace


@wp.kernel(enable_backward=False)
def judge_rows(
    first: int,
    counts: Whole,
    limits: int,
    free: int,
    dt: wp.float64,
    slack: wp.float64,
    unseen: wp.float64,
    met: Met,
    rows: Rows,
    effort: Effort,
):
    """How fast every row goes on while nothing pushes, and how many go on too fast or end too deep."""
    judged(counts[ROWS] + limits, rows, effort, met, counts[ROWS], free)
    for c in range(counts[ROWS] + limits):
        n = rows.normals[c]
        deep = rows.begun[c] + dt * wp.dot(n, effort.begins[c]) < -unseen and rows.skin[c] == 0
        if deep or wp.dot(n, effort.residuals[c]) < -slack:
            counts[BROKEN] = counts[BROKEN] + 1
