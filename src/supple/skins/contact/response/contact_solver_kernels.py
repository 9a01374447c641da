# mypy: ignore-errors
"""The answer to all that is met in a step: pushes that part, that never pull, and that rub within Coulomb's cone.

Pushes along the normals and along the surface are found in turns [Kaufman2008]; the second are at most friction times
the first. Limits of balls are seen anew along the ways that they will have turned. Then flesh that still is inside
something is lifted out, and momentum that came from outside is entered in the books.

One thread walks through it. Symbols as in row_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.link_kernels import IMPULSE, TWIST, WORK
from supple.skins.contact.dynamics.node_kernels import Matrices, Numbers, Vectors, Whole
from supple.skins.contact.dynamics.skyline_kernels import factorised
from supple.skins.contact.response.constraint_kernels import (
    CORNERS,
    CROWDED,
    HANDS,
    PASSES,
    ROWS,
    Effort,
    Flesh,
    Met,
    Rows,
    hand_pace,
    judged,
)
from supple.skins.contact.response.impulse_kernels import (
    ROUNDING,
    Loose,
    System,
    add_changes,
    answered,
    move_by_pushes,
    took_changes,
    within,
)

OUTSIDE = wp.constant(wp.float64(1.0e-2))  # share of a push that may lie outside its cone
BEYOND = wp.constant(wp.float64(1.01))  # times as far as it may turn, a ball is seen to be beyond its limit
THROWN = wp.constant(wp.float64(4.0))  # times as fast as something closes on it, and
SPEED = wp.constant(wp.float64(1.0))  # [m/s] more, a link may be thrown, and
NARROW = wp.constant(wp.float64(0.05))  # [m]: spun as if so far from its middle
GRIP = wp.constant(wp.float64(0.25))  # who has little of a place is not moved for all of it
FLAT = wp.constant(wp.float64(0.3))  # determinant of blended turns below which bones have crushed the flesh
SEEN = wp.constant(wp.float64(1.0e-2))  # share of a depth that is not seen, which nobody sees in a step, either


@wp.func
def kept_in_cones(
    outside: wp.float64,
    count: int,
    contacts: int,
    free: int,
    rows: Rows,
    effort: Effort,
    met: Met,
    base: System,
    loose: Loose,
    wide: System,
) -> int:
    """Rows that press less than when their friction was found rub less; whether any was `outside` by that share."""
    found = int(0)
    for c in range(count):
        effort.pushing[c] = 1
        effort.changes[c] = within(c, effort.pushes[c], 1, rows) - effort.pushes[c]
        if wp.length(effort.changes[c]) > outside * wp.length(effort.pushes[c]):
            found = 1
    if found == 1:
        move_by_pushes(count, rows, effort, base, loose, wide)
        add_changes(wp.float64(1.0), count, contacts, free, rows, effort, met, wide)
        judged(count, rows, effort, met, contacts, free)
    return found


@wp.func
def rubbing_rows(count: int, rows: Rows, effort: Effort) -> int:
    """Whether any row that presses has friction."""
    for c in range(count):
        if rows.frictions[c] * wp.dot(rows.normals[c], effort.pushes[c]) > wp.float64(0.0):
            return 1
    return 0


@wp.func
def aim_limits(contacts: int, count: int, dt: wp.float64, back: wp.float64, rows: Rows, effort: Effort) -> int:
    """See the limits of balls along the ways that they will have turned now; how many will be turned too far."""
    beyond = int(0)
    for c in range(contacts, count):
        if rows.highs[c] >= wp.float64(0.0):
            n = rows.normals[c]
            ends = rows.bends[c] + dt * (effort.residuals[c] + effort.wanted[c] * n)
            size = wp.length(ends)
            if size > wp.max(rows.highs[c], wp.length(rows.bends[c])) * BEYOND + ROUNDING:
                beyond += 1
                n = -ends / size
                room = rows.highs[c] + wp.dot(n, rows.bends[c])
                rows.normals[c] = n
                rows.begun[c] = room
                effort.wanted[c] = wp.min(-room / dt, back)
    return beyond


@wp.func
def tame(
    count: int,
    contacts: int,
    free: int,
    links: int,
    starts: Whole,
    closing: wp.float64,
    rows: Rows,
    effort: Effort,
    met: Met,
    wide: System,
):
    """Take only so much of an answer that no link is thrown faster than anything can throw it.

    What cannot be, such as a bone between walls that close, has answers without end. Nothing that closes at some speed
    throws a link at more than a few times that.
    """
    most = THROWN * (closing + SPEED)
    worst = wp.float64(0.0)
    for i in range(links):
        worst = wp.max(worst, wp.length(effort.totals[starts[i]]))
        worst = wp.max(worst, NARROW * wp.length(effort.totals[starts[i] + 1]))
    if worst > most:
        part = most / worst
        for i in range(wide.size):
            effort.totals[i] = part * effort.totals[i]
        for c in range(count):
            effort.pushes[c] = part * effort.pushes[c]
        for a in range(CORNERS * contacts):
            if met.corners[a] < free:
                effort.forces[met.corners[a]] = wp.vec3d()
        for a in range(CORNERS * contacts):
            j = met.corners[a]
            if j < free:
                effort.forces[j] = effort.forces[j] + met.shares[a] * effort.pushes[a // CORNERS]
        judged(count, rows, effort, met, contacts, free)


@wp.func
def lift(
    c: int,
    gap: wp.float64,
    unseen: wp.float64,
    farthest: wp.float64,
    share: wp.float64,
    n: wp.vec3d,
    met: Met,
    flesh: Flesh,
    shifts: Vectors,
):
    """Flesh that will be deeper inside than `unseen` is parted by a `share` of that, but no more than by `farthest`.

    Rows are taken one after another, each with what those before it did.
    """
    grip = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        j = met.corners[a]
        s = met.shares[a]
        if j < flesh.free and s != wp.float64(0.0):
            grip += s * s
            gap += s * wp.dot(n, flesh.blends[j] * shifts[j])
    if gap < -unseen and grip > wp.float64(0.0):
        move = (wp.min(-share * gap, farthest) / wp.max(grip, GRIP)) * n
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            j = met.corners[a]
            s = met.shares[a]
            if j < flesh.free and s != wp.float64(0.0):
                back = wp.transpose(flesh.blends[j])
                if wp.determinant(flesh.blends[j]) > FLAT:
                    back = wp.inverse(flesh.blends[j])
                shifts[j] = shifts[j] + s * (back * move)


@wp.kernel(enable_backward=False)
def respond(
    first: int,
    counts: Whole,
    limits: int,
    dt: wp.float64,
    slack: wp.float64,
    unseen: wp.float64,
    farthest: wp.float64,
    most: int,
    rubbing: int,
    rotations: int,
    back: wp.float64,
    share: wp.float64,
    rows: Rows,
    effort: Effort,
    met: Met,
    flesh: Flesh,
    base: System,
    values: Matrices,
    loose: Loose,
    wide: System,
    links: int,
    starts: Whole,
    velocities: Vectors,
    spins: Vectors,
    shifts: Vectors,
    books: Numbers,
):
    """Velocities that no row forbids; then `shifts` of flesh that is still inside, which change no velocity."""
    contacts = counts[ROWS]
    count = contacts + limits
    coarse = slack  # how much may be left of how fast rows go on, where they answer too little at once
    if counts[CROWDED] == 1:
        coarse = SEEN * unseen / dt
    free = flesh.free
    closing = wp.float64(0.0)
    skin = int(0)
    known = int(0)
    for c in range(count):
        skin = wp.max(skin, rows.skin[c])
        closing = wp.max(closing, -wp.dot(rows.normals[c], effort.residuals[c]))
        effort.pushing[c] = 0
        effort.changes[c] = effort.pushes[c]
        effort.pushes[c] = wp.vec3d()
        if wp.length_sq(effort.changes[c]) > wp.float64(0.0):
            effort.pushing[c] = 1
            known = 1
    factorised(base.size, base.firsts, base.ats, values, base.factor, base.pivots)
    if known == 1:  # begin with what pushed in the step before
        move_by_pushes(count, rows, effort, base, loose, wide)
        took_changes(wp.float64(1.0), count, contacts, free, rows, effort, met, wide)
    passes = answered(count, contacts, free, 0, 0, most, slack, coarse, rows, effort, met, base, values, loose, wide)
    rubs = rubbing_rows(count, rows, effort)
    again = rubs
    rotation = int(0)
    while rotation < rotations and (again == 1 or aim_limits(contacts, count, dt, back, rows, effort) > 0):
        judged(count, rows, effort, met, contacts, free)
        if again == 1:
            passes += answered(
                count, contacts, free, 1, 0, rubbing, slack, coarse, rows, effort, met, base, values, loose, wide
            )
        passes += answered(
            count, contacts, free, 0, 0, most, slack, coarse, rows, effort, met, base, values, loose, wide
        )
        again = int(0)
        if rubs == 1:
            again = kept_in_cones(OUTSIDE, count, contacts, free, rows, effort, met, base, loose, wide)
        rotation += 1
    if skin == 1:  # whatever skin does to skin, nobody goes through a wall for it
        passes += answered(
            count, contacts, free, 0, 1, most, slack, coarse, rows, effort, met, base, values, loose, wide
        )
    if rubs == 1:
        kept_in_cones(ROUNDING, count, contacts, free, rows, effort, met, base, loose, wide)
    counts[PASSES] = passes
    tame(count, contacts, free, links, starts, closing, rows, effort, met, wide)
    for j in range(flesh.positions.shape[0]):
        flesh.kept[j] = wp.vec3d()
    for c in range(contacts):
        flesh.kept[met.corners[CORNERS * c]] = effort.pushes[c]
        gap = rows.begun[c] + dt * (wp.dot(rows.normals[c], effort.residuals[c]) + effort.wanted[c])
        if rows.skin[c] == 0:
            lift(c, gap, unseen, farthest, share, rows.normals[c], met, flesh, shifts)
    for i in range(links):
        velocities[i] = velocities[i] + effort.totals[starts[i]]
        spins[i] = spins[i] + effort.totals[starts[i] + 1]
    for c in range(contacts):
        push = effort.pushes[c]
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            twist = met.shares[a] * wp.cross(flesh.positions[met.corners[a]], push)
            if rows.skin[c] == 1:  # nothing comes from outside, though two places are a little apart
                twist = wp.vec3d()
            for axis in range(3):
                books[IMPULSE + axis] = books[IMPULSE + axis] + met.shares[a] * push[axis]
                books[TWIST + axis] = books[TWIST + axis] + twist[axis]
        motion = met.motions[c]
        if met.bodies[c] >= 0:  # a free body is the last of its hands
            motion = motion - hand_pace(HANDS * c + rows.counts[c] - 1, rows, effort.totals)
        books[WORK] = books[WORK] + wp.max(wp.dot(push, motion), wp.float64(0.0))


@wp.kernel(enable_backward=False)
def yield_nodes(first: int, flesh: Flesh, starts: Whole, effort: Effort, flows: Vectors):
    """u' += D (W^T f - m W^T V) of every node. Pushes are used up."""
    j = first + wp.tid()
    carried = wp.vec3d()
    for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
        at = starts[flesh.links[e]]
        carried += flesh.weights[e] * (effort.totals[at] + wp.cross(effort.totals[at + 1], flesh.arms[e]))
    push = effort.forces[j] - flesh.masses[j] * carried
    flows[j] = flows[j] + flesh.alone[j] * (wp.transpose(flesh.blends[j]) * push)
    effort.forces[j] = wp.vec3d()
