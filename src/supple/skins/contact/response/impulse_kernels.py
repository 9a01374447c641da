# mypy: ignore-errors
"""How hard rows push: in passes, each by one solution of links and bodies with all rows that push.

In every pass all rows that push, or go on too fast, are answered at once. A row whose push p answers a velocity u as
p = -K u adds (A, B)^T K (A, B) to the system of links and bodies; K = n n^T / (n^T C n) along its normal, and C^-1
within its plane along the surface. What it then would need is brought back to what it can do; links are moved by what
is left, in the system without rows, as far as that does good, and all is judged again. Every pass leaves pushes that
can be, and velocities that follow from them.

The system is small and its steps depend on each other, so one thread walks through it. Symbols as in row_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Matrices, Numbers, Vectors, Whole
from supple.skins.contact.dynamics.skyline_kernels import add_block, factor_row, substituted
from supple.skins.contact.response.constraint_kernels import CORNERS, HANDS, Effort, Met, Rows, in_cone, judged, pace_of

ROUNDING = wp.constant(wp.float64(1.0e-20))  # square of the share of pushes that is no change
WHOLE = wp.constant(wp.float64(0.999))  # a part of the changes from which on they are taken whole
LEAST = wp.constant(wp.float64(0.05))  # a part that is too small to go on in this way
ENOUGH = wp.constant(wp.float64(0.5))  # a part that is worth taking before any row has ended
EASED = wp.constant(wp.float64(0.1))  # how much more rows yield when some would pull, as a part of what links do,
EASE_UP = wp.constant(wp.float64(4.0))  # how that grows,
EASIEST = wp.constant(wp.float64(10.0))  # to which end,
EASE_DOWN = wp.constant(wp.float64(0.25))  # and how it goes back
ENDED = wp.constant(wp.float64(0.999))  # share of its friction with which a row counts as sliding
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
def push_hands(c: int, push: wp.vec3d, rows: Rows, wide: System):
    """Enter what a row's hands feel of a push."""
    for p in range(HANDS * c, HANDS * c + rows.counts[c]):
        at = rows.hands[p]
        wide.right[at] = wide.right[at] + wp.transpose(rows.moves[p]) * push
        wide.right[at + 1] = wide.right[at + 1] + wp.transpose(rows.rotations[p]) * push


@wp.func
def add_row(c: int, k: wp.mat33d, rows: Rows, effort: Effort, wide: System):
    """(A, B)^T K (A, B) and its right side."""
    last = HANDS * c + rows.counts[c]
    push_hands(c, -(k * effort.residuals[c]), rows, wide)
    for p in range(HANDS * c, last):
        at = rows.hands[p]
        move = wp.transpose(rows.moves[p])
        rotation = wp.transpose(rows.rotations[p])
        for q in range(HANDS * c, last):
            other = rows.hands[q]
            if other <= at:
                left = k * rows.moves[q]
                right = k * rows.rotations[q]
                add_block(at, other, move * left, wide.firsts, wide.ats, wide.factor)
                add_block(at + 1, other, rotation * left, wide.firsts, wide.ats, wide.factor)
                add_block(at + 1, other + 1, rotation * right, wide.firsts, wide.ats, wide.factor)
                if other < at:
                    add_block(at, other + 1, move * right, wide.firsts, wide.ats, wide.factor)


@wp.func
def within(c: int, push: wp.vec3d, rubs: int, rows: Rows) -> wp.vec3d:
    """The push nearest to the one asked for that a row can give: it does not pull, or (`rubs`) stays in the cone."""
    n = rows.normals[c]
    if rubs == 1:
        return in_cone(push, n, rows.frictions[c])
    pressed = wp.dot(n, push)
    return wp.max(pressed, wp.float64(0.0)) * n + (push - pressed * n)


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
    count: int,
    rubs: int,
    eased: wp.float64,
    rows: Rows,
    effort: Effort,
    base: System,
    values: Matrices,
    loose: Loose,
    wide: System,
):
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
    count: int,
    contacts: int,
    free: int,
    rubs: int,
    firm: int,
    most: int,
    slack: wp.float64,
    coarse: wp.float64,
    rows: Rows,
    effort: Effort,
    met: Met,
    base: System,
    values: Matrices,
    loose: Loose,
    wide: System,
) -> int:
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
) -> wp.float64:
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
):
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
            push_hands(c, effort.changes[c], rows, wide)
    substituted(base.size, base.firsts, base.ats, base.factor, base.pivots, wide.right, wide.answer)
    for b in range(loose.count):
        at = base.size + 2 * b
        wide.answer[at] = wide.right[at] / loose.masses[b]
        wide.answer[at + 1] = loose.inverses[b] * wide.right[at + 1]
