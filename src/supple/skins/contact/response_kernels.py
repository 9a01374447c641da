"""Which rows push, and how hard: pushes that part, that never pull, and that rub within Coulomb's cone.

In every pass all rows that push, or go on too fast, are answered at once. A row whose push p answers a velocity u as
p = -K u adds (A, B)^T K (A, B) to the system of links and bodies. What it then would need is brought back to what it
can do; links are moved by what is left, in the system without rows, as far as that does good, and all is judged again.
Every pass leaves pushes that can be, and velocities that follow from them.

Pushes along the normals and along the surface are found in turns [Kaufman2008]: K = n n^T / (n^T C n) for the first;
for the second C^-1 within the plane, and nothing where the place slides, with at most friction times the first.

The system is small and its steps depend on each other, so one thread walks through it. Symbols as in row_kernels.py.
"""

import warp as wp

from supple.skins.contact.body_kernels import IMPULSE, TWIST, WORK
from supple.skins.contact.kernels import Matrices, Numbers, Vectors, Whole
from supple.skins.contact.row_kernels import (
    CORNERS,
    CROWDED,
    HANDS,
    PASSES,
    ROWS,
    Effort,
    Flesh,
    Met,
    Rows,
    judged,
    pace_of,
)
from supple.skins.contact.system_kernels import add_block, factor_row, factorised, substituted

ROUNDING = wp.constant(wp.float64(1.0e-20))  # square of the share of pushes that is no change
WHOLE = wp.constant(wp.float64(0.999))  # a part of the changes from which on they are taken whole
LEAST = wp.constant(wp.float64(0.05))  # a part that is too small to go on in this way
ENOUGH = wp.constant(wp.float64(0.5))  # a part that is worth taking before any row has ended
EASED = wp.constant(wp.float64(0.1))  # how much more rows yield when some would pull, as a part of what links do,
EASE_UP = wp.constant(wp.float64(4.0))  # how that grows,
EASIEST = wp.constant(wp.float64(10.0))  # to which end,
EASE_DOWN = wp.constant(wp.float64(0.25))  # and how it goes back
ENDED = wp.constant(wp.float64(0.999))  # share of its friction with which a row counts as sliding
OUTSIDE = wp.constant(wp.float64(1.0e-2))  # share of a push that may lie outside its cone
THROWN = wp.constant(wp.float64(4.0))  # times as fast as something closes on it, and
SPEED = wp.constant(wp.float64(1.0))  # [m/s] more, a link may be thrown, and
NARROW = wp.constant(wp.float64(0.05))  # [m]: spun as if so far from its middle
GRIP = wp.constant(wp.float64(0.25))  # who has little of a place is not moved for all of it
BEYOND = wp.constant(wp.float64(1.01))  # times as far as it may turn, a ball is seen to be beyond its limit
FLAT = wp.constant(wp.float64(0.3))  # determinant of blended turns below which bones have crushed the flesh
SEEN = wp.constant(wp.float64(1.0e-2))  # share of a depth that is not seen, which nobody sees in a step, either
FINE = wp.constant(wp.float64(1.0e-4))  # of how fast rows went on at first: so much may be left


@wp.struct
class System:
    """Where a symmetric matrix has places, row by row from `firsts` to the diagonal; its factor, and room to solve in.

    `touched` says which rows differ from those of the system without rows, or follow from some that do.
    """

    size: int
    touched: Whole
    firsts: Whole
    ats: Whole
    factor: Matrices
    pivots: Matrices
    right: Vectors
    answer: Vectors


@wp.struct
class Loose:
    """Free bodies behind the links of the system."""

    count: int
    masses: Numbers
    inertia: Matrices
    inverses: Matrices


@wp.func
def copy_base(base: System, values: Matrices, loose: Loose, wide: System):
    """The system without rows: that of the links, and the free bodies behind it; factored, where nothing is touched."""
    for i in range(wide.size):
        to = wide.ats[i] - wide.firsts[i]
        for j in range(wide.firsts[i], i + 1):
            wide.factor[to + j] = wp.mat33d()
        if i < base.size:
            at = base.ats[i] - base.firsts[i]
            if wide.touched[i] == 1:
                for j in range(base.firsts[i], i + 1):
                    wide.factor[to + j] = values[at + j]
            else:
                for j in range(base.firsts[i], i + 1):
                    wide.factor[to + j] = base.factor[at + j]
                wide.pivots[i] = base.pivots[i]
    for b in range(loose.count):
        at = base.size + 2 * b
        one = wp.identity(n=3, dtype=wp.float64)
        add_block(at, at, loose.masses[b] * one, wide.firsts, wide.ats, wide.factor)
        add_block(at + 1, at + 1, loose.inertia[b], wide.firsts, wide.ats, wide.factor)


@wp.func
def touch_rows(count: int, rows: Rows, effort: Effort, wide: System):
    """Which rows of the system change by what pushes; all that reach back to one of them do, too."""
    for i in range(wide.size):
        wide.touched[i] = 0
    for c in range(count):
        if effort.pushing[c] == 1:
            for p in range(HANDS * c, HANDS * c + rows.counts[c]):
                wide.touched[rows.hands[p]] = 1
                wide.touched[rows.hands[p] + 1] = 1
    last = int(-1)
    for i in range(wide.size):
        if last >= wide.firsts[i]:
            wide.touched[i] = 1
        if wide.touched[i] == 1:
            last = i


@wp.func
def row_stiffness(c: int, rubs: int, eased: wp.float64, rows: Rows) -> wp.mat33d:
    """K of a row, along its normal or (`rubs`) in its plane, as if it yielded more by a part of what its links do."""
    n = rows.normals[c]
    across = wp.outer(n, n)
    one = wp.identity(n=3, dtype=wp.float64)
    soft = rows.soft[c] + (eased * rows.light[c]) * one
    if rubs == 0:
        return across / wp.dot(n, soft * n)
    plane = one - across
    return plane * wp.inverse(plane * soft * plane + across) * plane


@wp.func
def add_row(c: int, k: wp.mat33d, rows: Rows, effort: Effort, wide: System):
    """(A, B)^T K (A, B) and its right side."""
    last = HANDS * c + rows.counts[c]
    push = -(k * effort.residuals[c])
    for p in range(HANDS * c, last):
        at = rows.hands[p]
        move = wp.transpose(rows.moves[p])
        turn = wp.transpose(rows.turns[p])
        wide.right[at] = wide.right[at] + move * push
        wide.right[at + 1] = wide.right[at + 1] + turn * push
        for q in range(HANDS * c, last):
            other = rows.hands[q]
            if other <= at:
                left = k * rows.moves[q]
                right = k * rows.turns[q]
                add_block(at, other, move * left, wide.firsts, wide.ats, wide.factor)
                add_block(at + 1, other, turn * left, wide.firsts, wide.ats, wide.factor)
                add_block(at + 1, other + 1, turn * right, wide.firsts, wide.ats, wide.factor)
                if other < at:
                    add_block(at, other + 1, move * right, wide.firsts, wide.ats, wide.factor)


@wp.func
def within(c: int, push: wp.vec3d, rubs: int, rows: Rows) -> wp.vec3d:
    """The push nearest to the one asked for that a row can give: it does not pull, or (`rubs`) stays in the cone."""
    n = rows.normals[c]
    pressed = wp.dot(n, push)
    along = push - pressed * n
    if rubs == 0:
        return wp.max(pressed, wp.float64(0.0)) * n + along
    most = rows.frictions[c] * wp.max(pressed, wp.float64(0.0))
    size = wp.length(along)
    if size > most:
        along = (most / size) * along
    return wp.max(pressed, wp.float64(0.0)) * n + along


@wp.func
def room_along(c: int, change: wp.vec3d, rubs: int, rows: Rows, effort: Effort) -> wp.float64:
    """Which part of a change a row can take, at most one."""
    n = rows.normals[c]
    pressed = wp.dot(n, effort.pushes[c])
    part = wp.float64(1.0)
    if rubs == 0:
        drop = -wp.dot(n, change)
        if drop > pressed:
            part = pressed / drop
    else:
        along = effort.pushes[c] - pressed * n
        most = rows.frictions[c] * pressed
        square = wp.dot(change, change)
        half = wp.dot(along, change)
        ends = square + wp.float64(2.0) * half + wp.dot(along, along)
        if ends > most * most and square > wp.float64(0.0):
            rest = wp.max(most * most - wp.dot(along, along), wp.float64(0.0))
            part = (wp.sqrt(half * half + square * rest) - half) / square
    return wp.max(part, wp.float64(0.0))


@wp.func
def choose_rows(count: int, rubs: int, firm: int, slack: wp.float64, rows: Rows, effort: Effort):
    """Which rows are answered in a pass: those that push, and those that go on too fast and are not barred.

    With `firm` skin on skin is left as it is.
    """
    for c in range(count):
        effort.pushing[c] = 0
        n = rows.normals[c]
        if firm == 1 and rows.skin[c] == 1:
            continue
        if rubs == 1:
            if effort.sliding[c] == 0 and wp.dot(n, effort.pushes[c]) * rows.frictions[c] > wp.float64(0.0):
                effort.pushing[c] = 1
        else:
            joins = effort.barred[c] == 0 and wp.dot(n, effort.residuals[c]) < -slack
            if joins or wp.dot(n, effort.pushes[c]) > wp.float64(0.0):
                effort.pushing[c] = 1


@wp.func
def find_changes(
    count: int, rubs: int, eased: wp.float64, rows: Rows, effort: Effort, base: System, values: Matrices,
    loose: Loose, wide: System,
):  # fmt: skip
    """By how much the chosen rows would have to push more, or less, for all of them to be answered."""
    touch_rows(count, rows, effort, wide)
    copy_base(base, values, loose, wide)
    for i in range(wide.size):
        wide.right[i] = wp.vec3d()
    for c in range(count):
        if effort.pushing[c] == 1:
            add_row(c, row_stiffness(c, rubs, eased, rows), rows, effort, wide)
    for i in range(wide.size):
        if wide.touched[i] == 1 or i >= base.size:
            factor_row(i, wide.firsts, wide.ats, wide.factor, wide.pivots)
    substituted(wide.size, wide.firsts, wide.ats, wide.factor, wide.pivots, wide.right, wide.answer)
    for c in range(count):
        effort.changes[c] = wp.vec3d()
        if effort.pushing[c] == 1:
            effort.changes[c] = -(
                row_stiffness(c, rubs, eased, rows) * (effort.residuals[c] + pace_of(c, rows, wide.answer))
            )


@wp.func
def answered(
    count: int, contacts: int, free: int, rubs: int, firm: int, most: int, slack: wp.float64, coarse: wp.float64,
    rows: Rows, effort: Effort, met: Met, base: System, values: Matrices, loose: Loose, wide: System,
) -> int:  # fmt: skip
    """Find pushes along the normals, or (`rubs`) along the surface, for which no row goes on too fast.

    How many passes that took. Where rows would begin by pulling, they are barred for the next pass, and all are made to
    yield more, so that fewer pull; then less again. A row that comes to its end on the way stops there, and so do all
    others, unless it is better to go on without it.
    """
    passes = int(0)
    going = int(1)
    careful = int(0)
    eased = wp.float64(0.0)
    fine = coarse
    for c in range(count):
        effort.barred[c] = 0
        effort.sliding[c] = 0
        if coarse > slack:
            fine = wp.max(fine, -FINE * wp.dot(rows.normals[c], effort.residuals[c]))
    while going == 1 and passes < most:
        going = int(0)
        passes += 1
        choose_rows(count, rubs, firm, slack, rows, effort)
        find_changes(count, rubs, eased, rows, effort, base, values, loose, wide)
        pulls = int(0)
        part = wp.float64(1.0)
        for c in range(count):
            if effort.pushing[c] == 1:
                n = rows.normals[c]
                if (
                    rubs == 0
                    and wp.dot(n, effort.pushes[c]) <= wp.float64(0.0)
                    and wp.dot(n, effort.changes[c]) < wp.float64(0.0)
                ):
                    effort.barred[c] = 1
                    pulls = 1
                else:
                    part = wp.min(part, room_along(c, effort.changes[c], rubs, rows, effort))
        if pulls == 1 and eased < EASIEST:
            going = 1
            eased = wp.max(EASE_UP * eased, EASED)
        else:
            if pulls == 1:
                part = wp.float64(0.0)
            if part < ENOUGH and careful == 0:  # many end on the way: each goes as far as it can
                for c in range(count):
                    if effort.pushing[c] == 1:
                        effort.changes[c] = (
                            within(c, effort.pushes[c] + effort.changes[c], rubs, rows) - effort.pushes[c]
                        )
                move_by_pushes(count, rows, effort, base, loose, wide)
                part = wp.float64(1.0)
                going = 1
            if eased > wp.float64(0.0):
                going = 1
                eased = eased * EASE_DOWN
                if eased < EASED:
                    eased = wp.float64(0.0)
            taken = took_changes(part, count, contacts, free, rows, effort, met, wide)
            careful = int(0)
            if taken < LEAST:
                careful = 1
            for c in range(count):
                effort.barred[c] = 0
                if rubs == 1 and effort.pushing[c] == 1:
                    n = rows.normals[c]
                    pressed = wp.dot(n, effort.pushes[c])
                    if wp.length(effort.pushes[c] - pressed * n) > ENDED * rows.frictions[c] * pressed:
                        effort.sliding[c] = 1
            if part < wp.float64(1.0) or careful == 1:
                going = 1
            if rubs == 0:
                for c in range(count):
                    ahead = wp.dot(rows.normals[c], effort.residuals[c])
                    left = firm == 1 and rows.skin[c] == 1
                    if not left and (ahead < -fine or (ahead < -slack and effort.pushing[c] == 0)):
                        going = 1
    return passes


@wp.func
def took_changes(
    most: wp.float64, count: int, contacts: int, free: int, rows: Rows, effort: Effort, met: Met, wide: System
) -> wp.float64:  # fmt: skip
    """Take the part of the changes that makes the work of all pushes least, and judge all rows again; which part.

    Along the changes d that work is w(t) = t d . r + t^2 / 2 d . A d, with r how fast rows go on and A d what d does to
    that: so no pass undoes what those before it found.
    """
    for c in range(count):
        effort.before[c] = effort.residuals[c]
    add_changes(most, count, contacts, free, rows, effort, met, wide)
    judged(count, rows, effort, met, contacts, free)
    slope = wp.float64(0.0)
    bow = wp.float64(0.0)
    change = wp.float64(0.0)
    whole = wp.float64(0.0)
    for c in range(count):
        if effort.pushing[c] == 1:
            slope += most * wp.dot(effort.changes[c], effort.before[c])
            bow += most * wp.dot(effort.changes[c], effort.residuals[c] - effort.before[c])
            change += wp.length_sq(effort.changes[c])
            whole += wp.length_sq(effort.pushes[c])
    part = wp.float64(1.0)
    if bow > wp.float64(0.0) and change > ROUNDING * whole and -slope < WHOLE * bow:
        part = wp.max(-slope, wp.float64(0.0)) / bow
        add_changes(most * (part - wp.float64(1.0)), count, contacts, free, rows, effort, met, wide)
        for c in range(count):
            effort.residuals[c] = effort.before[c] + part * (effort.residuals[c] - effort.before[c])
    return part


@wp.func
def add_changes(
    part: wp.float64, count: int, contacts: int, free: int, rows: Rows, effort: Effort, met: Met, wide: System
):  # fmt: skip
    """Add a part of the changes to the pushes, and what follows from them to links, bodies and nodes."""
    for i in range(wide.size):
        effort.totals[i] = effort.totals[i] + part * wide.answer[i]
    for c in range(count):
        push = effort.pushes[c] + part * effort.changes[c]
        effort.pushes[c] = push - wp.min(wp.dot(rows.normals[c], push), wp.float64(0.0)) * rows.normals[c]  # rounding
    for a in range(CORNERS * contacts):
        j = met.corners[a]
        if j < free:
            effort.forces[j] = effort.forces[j] + (part * met.shares[a]) * effort.changes[a // CORNERS]


@wp.func
def move_by_pushes(count: int, rows: Rows, effort: Effort, base: System, loose: Loose, wide: System):
    """What links and bodies do when rows push by their changes, in the system without rows."""
    for i in range(wide.size):
        wide.right[i] = wp.vec3d()
    for c in range(count):
        if effort.pushing[c] == 1:
            push = effort.changes[c]
            for p in range(HANDS * c, HANDS * c + rows.counts[c]):
                at = rows.hands[p]
                wide.right[at] = wide.right[at] + wp.transpose(rows.moves[p]) * push
                wide.right[at + 1] = wide.right[at + 1] + wp.transpose(rows.turns[p]) * push
    substituted(base.size, base.firsts, base.ats, base.factor, base.pivots, wide.right, wide.answer)
    for b in range(loose.count):
        at = base.size + 2 * b
        wide.answer[at] = wide.right[at] / loose.masses[b]
        wide.answer[at + 1] = loose.inverses[b] * wide.right[at + 1]


@wp.func
def kept_in_cones(
    outside: wp.float64, count: int, contacts: int, free: int, rows: Rows, effort: Effort, met: Met, base: System,
    loose: Loose, wide: System,
) -> int:  # fmt: skip
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
    count: int, contacts: int, free: int, links: int, starts: Whole, closing: wp.float64, rows: Rows, effort: Effort,
    met: Met, wide: System,
):  # fmt: skip
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
    c: int, gap: wp.float64, unseen: wp.float64, farthest: wp.float64, share: wp.float64, n: wp.vec3d, met: Met,
    flesh: Flesh, shifts: Vectors,
):  # fmt: skip
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
    first: int, counts: Whole, limits: int, dt: wp.float64, slack: wp.float64, unseen: wp.float64,
    farthest: wp.float64, most: int, rubbing: int, turns: int, back: wp.float64, share: wp.float64,
    rows: Rows, effort: Effort, met: Met, flesh: Flesh, base: System, values: Matrices, loose: Loose, wide: System,
    links: int, starts: Whole, velocities: Vectors, spins: Vectors, shifts: Vectors, books: Numbers,
):  # fmt: skip
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
    turn = int(0)
    while turn < turns and (again == 1 or aim_limits(contacts, count, dt, back, rows, effort) > 0):
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
        turn += 1
    if skin == 1:  # whatever skin does to skin, nobody goes through a wall for it
        passes += answered(
            count, contacts, free, 0, 1, most, slack, coarse, rows, effort, met, base, values, loose, wide
        )
    if rubs == 1:
        kept_in_cones(ROUNDING, count, contacts, free, rows, effort, met, base, loose, wide)
    counts[PASSES] = passes
    tame(count, contacts, free, links, starts, closing, rows, effort, met, wide)
    for j in range(flesh.places.shape[0]):
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
            twist = met.shares[a] * wp.cross(flesh.places[met.corners[a]], push)
            if rows.skin[c] == 1:  # nothing comes from outside, though two places are a little apart
                twist = wp.vec3d()
            for axis in range(3):
                books[IMPULSE + axis] = books[IMPULSE + axis] + met.shares[a] * push[axis]
                books[TWIST + axis] = books[TWIST + axis] + twist[axis]
        motion = met.motions[c]
        if met.bodies[c] >= 0:
            motion = motion - pace_of_body(c, rows, effort.totals)
        books[WORK] = books[WORK] + wp.max(wp.dot(push, motion), wp.float64(0.0))


@wp.func
def pace_of_body(c: int, rows: Rows, values: Vectors) -> wp.vec3d:
    """What its free body, the last of its hands, does to a row's place."""
    p = HANDS * c + rows.counts[c] - 1
    return rows.moves[p] * values[rows.hands[p]] + rows.turns[p] * values[rows.hands[p] + 1]


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
