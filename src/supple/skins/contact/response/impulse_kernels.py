# mypy: ignore-errors
"""How hard rows push: in passes, each by one solution of links and bodies with all rows that push.

In every pass all rows that push, or go on too fast, are answered at once. A row whose push p answers a velocity u as
p = -K u adds (A, B)^T K (A, B) to the system of links and bodies; K = n n^T / (n^T C n) along its normal, and C^-1
within its plane along the surface. What it then would need is brought back to what it can do; links are moved by what
is left, in the system without rows, as far as that does good, and all is judged again. Every pass leaves pushes that
can be, and velocities that follow from them.

The system is small and its steps depend on each other, so one thread walks through it. Symbols as in
constraint_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Matrices, Vectors
from supple.skins.contact.dynamics.skyline_kernels import add_block, factor_row, substitute
from supple.skins.contact.response.constraint_kernels import (
    CORNERS,
    COUPLED_LINKS,
    Constraints,
    Contacts,
    SolverState,
    compute_residuals,
    constraint_velocity,
    project_onto_cone,
)

ROUNDING = wp.constant(wp.float64(1.0e-20))  # square of the share of pushes that is no change
WHOLE = wp.constant(wp.float64(0.999))  # a part of the changes from which on they are taken whole
LEAST = wp.constant(wp.float64(0.05))  # a part that is too small to go on in this way
ENOUGH = wp.constant(wp.float64(0.5))  # a part that is worth taking before any row has ended
REGULARIZATION = wp.constant(
    wp.float64(0.1)
)  # how much more rows yield when some would pull, as a part of what links do,
REGULARIZATION_UP = wp.constant(wp.float64(4.0))  # how that grows,
REGULARIZATION_MOST = wp.constant(wp.float64(10.0))  # to which end,
REGULARIZATION_DOWN = wp.constant(wp.float64(0.25))  # and how it goes back
ENDED = wp.constant(wp.float64(0.999))  # share of its friction with which a row counts as sliding
FINE = wp.constant(wp.float64(1.0e-4))  # of how fast rows went on at first: so much may be left


@wp.struct
class System:
    """Where a symmetric matrix has places, row by row from `first_columns` to the diagonal; its factor, room to solve.

    `touched` says which rows differ from those of the system without rows, or follow from some that do.
    """

    size: int
    touched: IntArray
    first_columns: IntArray
    row_offsets: IntArray
    factor: Matrices
    pivots: Matrices
    rhs: Vectors
    solution: Vectors


@wp.struct
class DynamicBodies:
    """Free bodies behind the links of the system."""

    count: int
    masses: FloatArray
    inertia: Matrices
    inverses: Matrices


@wp.func
def copy_base(base: System, values: Matrices, dynamic_bodies: DynamicBodies, wide: System):
    """The system without rows: that of the links, and the free bodies behind it; factored, where nothing is touched."""
    for i in range(wide.size):
        to = wide.row_offsets[i] - wide.first_columns[i]
        for j in range(wide.first_columns[i], i + 1):
            wide.factor[to + j] = wp.mat33d()
        if i < base.size:
            at = base.row_offsets[i] - base.first_columns[i]
            if wide.touched[i] == 1:
                for j in range(base.first_columns[i], i + 1):
                    wide.factor[to + j] = values[at + j]
            else:
                for j in range(base.first_columns[i], i + 1):
                    wide.factor[to + j] = base.factor[at + j]
                wide.pivots[i] = base.pivots[i]
    for b in range(dynamic_bodies.count):
        at = base.size + 2 * b
        one = wp.identity(n=3, dtype=wp.float64)
        add_block(at, at, dynamic_bodies.masses[b] * one, wide.first_columns, wide.row_offsets, wide.factor)
        add_block(at + 1, at + 1, dynamic_bodies.inertia[b], wide.first_columns, wide.row_offsets, wide.factor)


@wp.func
def mark_touched(count: int, constraints: Constraints, state: SolverState, wide: System):
    """Which rows of the system change by what pushes; all that reach back to one of them do, too."""
    for i in range(wide.size):
        wide.touched[i] = 0
    for c in range(count):
        if state.active[c] == 1:
            for p in range(COUPLED_LINKS * c, COUPLED_LINKS * c + constraints.counts[c]):
                wide.touched[constraints.coupled_links[p]] = 1
                wide.touched[constraints.coupled_links[p] + 1] = 1
    last = int(-1)
    for i in range(wide.size):
        if last >= wide.first_columns[i]:
            wide.touched[i] = 1
        if wide.touched[i] == 1:
            last = i


@wp.func
def constraint_stiffness(c: int, frictional: int, regularization: wp.float64, constraints: Constraints) -> wp.mat33d:
    """K of a row, along its normal or (`frictional`) in its plane, as if it yielded more by part of what links do."""
    n = constraints.normals[c]
    across = wp.outer(n, n)
    one = wp.identity(n=3, dtype=wp.float64)
    compliance = constraints.compliance[c] + (regularization * constraints.inverse_mass[c]) * one
    if frictional == 0:
        return across / wp.dot(n, compliance * n)
    plane = one - across
    return plane * wp.inverse(plane * compliance * plane + across) * plane


@wp.func
def apply_impulse(c: int, impulse: wp.vec3d, constraints: Constraints, wide: System):
    """Enter what a row's hands feel of a push."""
    for p in range(COUPLED_LINKS * c, COUPLED_LINKS * c + constraints.counts[c]):
        at = constraints.coupled_links[p]
        wide.rhs[at] = wide.rhs[at] + wp.transpose(constraints.linear_blocks[p]) * impulse
        wide.rhs[at + 1] = wide.rhs[at + 1] + wp.transpose(constraints.angular_blocks[p]) * impulse


@wp.func
def add_constraint(c: int, k: wp.mat33d, constraints: Constraints, state: SolverState, wide: System):
    """(A, B)^T K (A, B) and its right side."""
    last = COUPLED_LINKS * c + constraints.counts[c]
    apply_impulse(c, -(k * state.residuals[c]), constraints, wide)
    for p in range(COUPLED_LINKS * c, last):
        at = constraints.coupled_links[p]
        move = wp.transpose(constraints.linear_blocks[p])
        rotation = wp.transpose(constraints.angular_blocks[p])
        for q in range(COUPLED_LINKS * c, last):
            other = constraints.coupled_links[q]
            if other <= at:
                left = k * constraints.linear_blocks[q]
                right = k * constraints.angular_blocks[q]
                add_block(at, other, move * left, wide.first_columns, wide.row_offsets, wide.factor)
                add_block(at + 1, other, rotation * left, wide.first_columns, wide.row_offsets, wide.factor)
                add_block(at + 1, other + 1, rotation * right, wide.first_columns, wide.row_offsets, wide.factor)
                if other < at:
                    add_block(at, other + 1, move * right, wide.first_columns, wide.row_offsets, wide.factor)


@wp.func
def project_impulse(c: int, impulse: wp.vec3d, frictional: int, constraints: Constraints) -> wp.vec3d:
    """The push nearest to the one asked for that a row can give: it never pulls, or (`frictional`) is in the cone."""
    n = constraints.normals[c]
    if frictional == 1:
        return project_onto_cone(impulse, n, constraints.frictions[c])
    pressed = wp.dot(n, impulse)
    return wp.max(pressed, wp.float64(0.0)) * n + (impulse - pressed * n)


@wp.func
def max_step_length(
    c: int, change: wp.vec3d, frictional: int, constraints: Constraints, state: SolverState
) -> wp.float64:
    """Which part of a change a row can take, at most one."""
    n = constraints.normals[c]
    pressed = wp.dot(n, state.impulses[c])
    step_length = wp.float64(1.0)
    if frictional == 0:
        drop = -wp.dot(n, change)
        if drop > pressed:
            step_length = pressed / drop
    else:
        along = state.impulses[c] - pressed * n
        most = constraints.frictions[c] * pressed
        square = wp.dot(change, change)
        half = wp.dot(along, change)
        ends = square + wp.float64(2.0) * half + wp.dot(along, along)
        if ends > most * most and square > wp.float64(0.0):
            rest = wp.max(most * most - wp.dot(along, along), wp.float64(0.0))
            step_length = (wp.sqrt(half * half + square * rest) - half) / square
    return wp.max(step_length, wp.float64(0.0))


@wp.func
def choose_active(
    count: int, frictional: int, firm: int, tolerance: wp.float64, constraints: Constraints, state: SolverState
):
    """Which rows are answered in a pass: those that push, and those that go on too fast and are not barred.

    With `firm` skin on skin is left as it is.
    """
    for c in range(count):
        state.active[c] = 0
        n = constraints.normals[c]
        if firm == 1 and constraints.skin[c] == 1:
            continue
        if frictional == 1:
            if state.sliding[c] == 0 and wp.dot(n, state.impulses[c]) * constraints.frictions[c] > wp.float64(0.0):
                state.active[c] = 1
        else:
            joins = state.inactive[c] == 0 and wp.dot(n, state.residuals[c]) < -tolerance
            if joins or wp.dot(n, state.impulses[c]) > wp.float64(0.0):
                state.active[c] = 1


@wp.func
def solve_active(
    count: int,
    frictional: int,
    regularization: wp.float64,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    dynamic_bodies: DynamicBodies,
    wide: System,
):
    """By how much the chosen rows would have to push more, or less, for all of them to be answered."""
    mark_touched(count, constraints, state, wide)
    copy_base(base, values, dynamic_bodies, wide)
    for i in range(wide.size):
        wide.rhs[i] = wp.vec3d()
    for c in range(count):
        if state.active[c] == 1:
            add_constraint(
                c, constraint_stiffness(c, frictional, regularization, constraints), constraints, state, wide
            )
    for i in range(wide.size):
        if wide.touched[i] == 1 or i >= base.size:
            factor_row(i, wide.first_columns, wide.row_offsets, wide.factor, wide.pivots)
    substitute(wide.size, wide.first_columns, wide.row_offsets, wide.factor, wide.pivots, wide.rhs, wide.solution)
    for c in range(count):
        state.impulse_changes[c] = wp.vec3d()
        if state.active[c] == 1:
            state.impulse_changes[c] = -(
                constraint_stiffness(c, frictional, regularization, constraints)
                * (state.residuals[c] + constraint_velocity(c, constraints, wide.solution))
            )


@wp.func
def solve_impulses(
    count: int,
    contact_count: int,
    free: int,
    frictional: int,
    firm: int,
    most: int,
    tolerance: wp.float64,
    coarse: wp.float64,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    base: System,
    values: Matrices,
    dynamic_bodies: DynamicBodies,
    wide: System,
) -> int:
    """Find pushes along the normals, or (`frictional`) along the surface, for which no row goes on too fast.

    How many passes that took. Where rows would begin by pulling, they are barred for the next pass, and all are made to
    yield more, so that fewer pull; then less again. A row that comes to its end on the way stops there, and so do all
    others, unless it is better to go on without it.
    """
    passes = int(0)
    going = int(1)
    careful = int(0)
    regularization = wp.float64(0.0)
    fine = coarse
    for c in range(count):
        state.inactive[c] = 0
        state.sliding[c] = 0
        if coarse > tolerance:
            fine = wp.max(fine, -FINE * wp.dot(constraints.normals[c], state.residuals[c]))
    while going == 1 and passes < most:
        going = int(0)
        passes += 1
        choose_active(count, frictional, firm, tolerance, constraints, state)
        solve_active(count, frictional, regularization, constraints, state, base, values, dynamic_bodies, wide)
        pulls = int(0)
        step_length = wp.float64(1.0)
        for c in range(count):
            if state.active[c] == 1:
                n = constraints.normals[c]
                if (
                    frictional == 0
                    and wp.dot(n, state.impulses[c]) <= wp.float64(0.0)
                    and wp.dot(n, state.impulse_changes[c]) < wp.float64(0.0)
                ):
                    state.inactive[c] = 1
                    pulls = 1
                else:
                    step_length = wp.min(
                        step_length, max_step_length(c, state.impulse_changes[c], frictional, constraints, state)
                    )
        if pulls == 1 and regularization < REGULARIZATION_MOST:
            going = 1
            regularization = wp.max(REGULARIZATION_UP * regularization, REGULARIZATION)
        else:
            if pulls == 1:
                step_length = wp.float64(0.0)
            if step_length < ENOUGH and careful == 0:  # many end on the way: each goes as far as it can
                for c in range(count):
                    if state.active[c] == 1:
                        state.impulse_changes[c] = (
                            project_impulse(c, state.impulses[c] + state.impulse_changes[c], frictional, constraints)
                            - state.impulses[c]
                        )
                apply_impulses(count, constraints, state, base, dynamic_bodies, wide)
                step_length = wp.float64(1.0)
                going = 1
            if regularization > wp.float64(0.0):
                going = 1
                regularization = regularization * REGULARIZATION_DOWN
                if regularization < REGULARIZATION:
                    regularization = wp.float64(0.0)
            taken = line_search(step_length, count, contact_count, free, constraints, state, contacts, wide)
            careful = int(0)
            if taken < LEAST:
                careful = 1
            for c in range(count):
                state.inactive[c] = 0
                if frictional == 1 and state.active[c] == 1:
                    n = constraints.normals[c]
                    pressed = wp.dot(n, state.impulses[c])
                    if wp.length(state.impulses[c] - pressed * n) > ENDED * constraints.frictions[c] * pressed:
                        state.sliding[c] = 1
            if step_length < wp.float64(1.0) or careful == 1:
                going = 1
            if frictional == 0:
                for c in range(count):
                    ahead = wp.dot(constraints.normals[c], state.residuals[c])
                    left = firm == 1 and constraints.skin[c] == 1
                    if not left and (ahead < -fine or (ahead < -tolerance and state.active[c] == 0)):
                        going = 1
    return passes


@wp.func
def line_search(
    most: wp.float64,
    count: int,
    contact_count: int,
    free: int,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    wide: System,
) -> wp.float64:
    """Take the part of the changes that makes the work of all pushes least, and judge all rows again; which part.

    Along the changes d that work is w(t) = t d . r + t^2 / 2 d . A d, with r how fast rows go on and A d what d does to
    that: so no pass undoes what those before it found.
    """
    for c in range(count):
        state.previous_residuals[c] = state.residuals[c]
    take_step(most, count, contact_count, free, constraints, state, contacts, wide)
    compute_residuals(count, constraints, state, contacts, contact_count, free)
    slope = wp.float64(0.0)
    bow = wp.float64(0.0)
    change = wp.float64(0.0)
    whole = wp.float64(0.0)
    for c in range(count):
        if state.active[c] == 1:
            slope += most * wp.dot(state.impulse_changes[c], state.previous_residuals[c])
            bow += most * wp.dot(state.impulse_changes[c], state.residuals[c] - state.previous_residuals[c])
            change += wp.length_sq(state.impulse_changes[c])
            whole += wp.length_sq(state.impulses[c])
    step_length = wp.float64(1.0)
    if bow > wp.float64(0.0) and change > ROUNDING * whole and -slope < WHOLE * bow:
        step_length = wp.max(-slope, wp.float64(0.0)) / bow
        take_step(
            most * (step_length - wp.float64(1.0)), count, contact_count, free, constraints, state, contacts, wide
        )
        for c in range(count):
            state.residuals[c] = state.previous_residuals[c] + step_length * (
                state.residuals[c] - state.previous_residuals[c]
            )
    return step_length


@wp.func
def take_step(
    step_length: wp.float64,
    count: int,
    contact_count: int,
    free: int,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    wide: System,
):
    """Add a part of the changes to the pushes, and what follows from them to links, bodies and nodes."""
    for i in range(wide.size):
        state.velocity_changes[i] = state.velocity_changes[i] + step_length * wide.solution[i]
    for c in range(count):
        impulse = state.impulses[c] + step_length * state.impulse_changes[c]
        state.impulses[c] = (
            impulse - wp.min(wp.dot(constraints.normals[c], impulse), wp.float64(0.0)) * constraints.normals[c]
        )  # rounding
    for a in range(CORNERS * contact_count):
        j = contacts.corners[a]
        if j < free:
            state.node_impulses[j] = (
                state.node_impulses[j] + (step_length * contacts.weights[a]) * state.impulse_changes[a // CORNERS]
            )


@wp.func
def apply_impulses(
    count: int, constraints: Constraints, state: SolverState, base: System, dynamic_bodies: DynamicBodies, wide: System
):
    """What links and bodies do when rows push by their changes, in the system without rows."""
    for i in range(wide.size):
        wide.rhs[i] = wp.vec3d()
    for c in range(count):
        if state.active[c] == 1:
            apply_impulse(c, state.impulse_changes[c], constraints, wide)
    substitute(base.size, base.first_columns, base.row_offsets, base.factor, base.pivots, wide.rhs, wide.solution)
    for b in range(dynamic_bodies.count):
        at = base.size + 2 * b
        wide.solution[at] = wide.rhs[at] / dynamic_bodies.masses[b]
        wide.solution[at + 1] = dynamic_bodies.inverses[b] * wide.rhs[at + 1]
