# mypy: ignore-errors
"""The step problem of contacts, friction and joint limits, and the Newton method that solves it.

With A the condensed matrix of links and dynamic bodies (joints are equalities beside it), d the change of their
velocities, w_c = w0_c + J_c d the velocity of constraint c, n its normal, R its compliance and t what it wants along n,

    minimise  1/2 d^T A d + sum_c [ (t - n . w)_+^2 / (2 R) + mu l h(|w_t|) ],

h the Huber function with the slope |w_t| / (R_t mu l) up to 1; of a limit (|w + b| - r)_+^2 / (2 R). It is
convex and has a continuous gradient, so Newton's method with an exact line search converges from anywhere [Castro2023].
Its slopes are the impulses: along the normal (t - n . w)_+ / R, which never pull, and along the surface against the
sliding, at most mu l. The normal impulse l in that bound is the one of the iteration before (lagged, [Li2020]), and the
iteration goes on until it does not change: what is found then is Coulomb's law, without the lift that convex friction
cones give to what slides.

`applied` are the impulses that make the velocity changes of the moment, A d = J^T p; each step makes the problem's
value less, so they are bounded also where the iteration is cut short. They are brought into their cones in the end, and
velocities made to follow from them, so that momentum is kept whatever the iteration left. `residuals` are the
largest change of a link's velocity [m/s] that is still asked for, and by how much friction bounds still change.

The system is small and its steps depend on each other, so one thread walks through it.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Links, Matrices, Vectors
from supple.skins.contact.dynamics.skyline_kernels import add_block, factor_row, substitute
from supple.skins.contact.response.constraint_kernels import (
    CONTACTS,
    COUPLED_LINKS,
    ITERATIONS,
    Constraints,
    Solve,
    SolverState,
    apply_impulse,
    constraint_velocity,
    project_onto_cone,
)
from supple.skins.contact.response.impulse_kernels import (
    bound_friction,
    cut_friction,
    impulse_at,
    load_friction,
    stiffness_at,
)

STICKS = wp.constant(wp.float64(0.999))  # of its bound: who rubbed less stuck
SEARCHES = wp.constant(12)  # of the line, at most
LOADINGS = wp.constant(4)  # how often friction is made a load, where it does not settle
BOUNDINGS = wp.constant(6)  # how often bounds of friction are found in one solution
LEAST = wp.constant(3)  # place in the residuals: what the best round so far leaves
LOOSE = wp.constant(wp.float64(1.0e-3))  # of how fast things close: a residual below which bounds of friction are found
FINER = wp.constant(wp.float64(10.0))  # times what rounds before left: what a round is measured by, where that is less
FLAT = wp.constant(wp.float64(0.1))  # of the slope at its start: where a line is searched enough


@wp.struct
class System:
    """A symmetric matrix row by row from `first_columns` to the diagonal; its factor, and room to solve.

    `touched` says which rows differ from those of the system without contacts, or follow from some that do.
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
class Bodies:
    """Dynamic bodies behind the links of the system."""

    count: int
    masses: FloatArray
    inertia: Matrices
    inverses: Matrices


@wp.func
def add_stiffness(c: int, k: wp.mat33d, constraints: Constraints, wide: System):
    """J^T k J of a constraint."""
    last = COUPLED_LINKS * c + constraints.counts[c]
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
def mark_touched(count: int, constraints: Constraints, state: SolverState, wide: System):
    """Which rows of the system change by active constraints; all that reach back to one of them do, too."""
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
def copy_base(base: System, values: Matrices, bodies: Bodies, wide: System):
    """A, of links and then bodies; factored already, where nothing is touched."""
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
    for b in range(bodies.count):
        at = base.size + 2 * b
        one = wp.identity(n=3, dtype=wp.float64)
        add_block(at, at, bodies.masses[b] * one, wide.first_columns, wide.row_offsets, wide.factor)
        add_block(at + 1, at + 1, bodies.inertia[b], wide.first_columns, wide.row_offsets, wide.factor)


@wp.func
def follow_impulses(
    count: int, constraints: Constraints, state: SolverState, base: System, bodies: Bodies, wide: System
):
    """The velocity changes A^-1 J^T p that follow from the impulses, and what constraints do then."""
    for i in range(wide.size):
        wide.rhs[i] = wp.vec3d()
    for c in range(count):
        apply_impulse(c, state.impulses[c], constraints, wide.rhs)
    substitute(base.size, base.first_columns, base.row_offsets, base.factor, base.pivots, wide.rhs, wide.solution)
    for b in range(bodies.count):
        at = base.size + 2 * b
        wide.solution[at] = wide.rhs[at] / bodies.masses[b]
        wide.solution[at + 1] = bodies.inverses[b] * wide.rhs[at + 1]
    for i in range(wide.size):
        state.velocity_changes[i] = wide.solution[i]
        state.momenta[i] = wide.rhs[i]
    for c in range(count):
        state.velocities[c] = (
            constraints.initial_velocities[c]
            + constraints.offsets[c]
            + constraint_velocity(c, constraints, state.velocity_changes)
        )


@wp.func
def compute_residual(
    count: int,
    link_count: int,
    link_rows: IntArray,
    links: Links,
    constraints: Constraints,
    state: SolverState,
    bodies: Bodies,
    base: System,
    wide: System,
) -> wp.float64:
    """J^T p - A d in `wide.rhs`, with the impulses p that belong to the velocities; its largest part [m/s]."""
    for i in range(wide.size):
        wide.rhs[i] = -state.momenta[i]
    for c in range(count):
        state.impulses[c] = impulse_at(c, state.velocities[c], state.friction_bounds[c], constraints) + state.loads[c]
        if wp.length_sq(state.impulses[c]) > wp.float64(0.0):
            apply_impulse(c, state.impulses[c], constraints, wide.rhs)
    worst = wp.float64(0.0)
    for i in range(link_count):
        at = link_rows[i]
        worst = wp.max(worst, wp.length(wide.rhs[at]) / links.masses[i])
        spread = wp.trace(links.second_moments[i])  # m r^2: a change of spin counts at the radius r
        worst = wp.max(worst, wp.length(wide.rhs[at + 1]) / wp.sqrt(spread * links.masses[i]))
    for b in range(bodies.count):
        worst = wp.max(worst, wp.length(wide.rhs[base.size + 2 * b]) / bodies.masses[b])
    return worst


@wp.func
def search_line(
    count: int, slope: wp.float64, curve: wp.float64, constraints: Constraints, state: SolverState
) -> wp.float64:
    """Which part of the change to take: where the slope of the problem along it vanishes, at most all of it.

    `slope` and `curve` are those of 1/2 d^T A d.
    """
    low = wp.float64(0.0)
    high = wp.float64(1.0)
    at_low = slope
    at_high = slope + curve
    for c in range(count):
        at_low -= wp.dot(state.impulses[c], state.directions[c])
        full = impulse_at(c, state.velocities[c] + state.directions[c], state.friction_bounds[c], constraints)
        at_high -= wp.dot(full + state.loads[c], state.directions[c])
    steep = wp.abs(at_low)
    if at_high <= FLAT * steep:
        return wp.float64(1.0)
    middle = wp.float64(1.0)
    search = int(0)
    value = at_high
    while search < SEARCHES and wp.abs(value) > FLAT * steep:
        search += 1
        middle = low + (high - low) * (at_low / (at_low - at_high))
        middle = wp.clamp(middle, low + wp.float64(0.05) * (high - low), high - wp.float64(0.05) * (high - low))
        value = slope + middle * curve
        for c in range(count):
            w = state.velocities[c] + middle * state.directions[c]
            pushed = impulse_at(c, w, state.friction_bounds[c], constraints) + state.loads[c]
            value -= wp.dot(pushed, state.directions[c])
        if value > wp.float64(0.0):
            high = middle
            at_high = value
        else:
            low = middle
            at_low = value
    return middle


@wp.func
def newton_step(
    count: int,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
):
    """One step: `wide.rhs` is the residual, and what constraints do then is brought up to date."""
    for c in range(count):
        state.active[c] = 0
        if wp.length_sq(state.impulses[c]) > wp.float64(0.0):
            state.active[c] = 1
            state.stiffness[c] = stiffness_at(c, state.velocities[c], state.friction_bounds[c], constraints)
    solve_newton(count, constraints, state, base, values, bodies, wide)
    slope = wp.float64(0.0)
    curve = wp.float64(0.0)
    for i in range(wide.size):
        slope += wp.dot(state.velocity_changes[i], wide.rhs[i])
        curve += wp.dot(wide.solution[i], wide.rhs[i])
    part = search_line(count, slope, curve, constraints, state)
    for c in range(count):
        applied = (wp.float64(1.0) - part) * state.applied[c]
        if state.active[c] == 1:
            applied += part * (state.impulses[c] - state.stiffness[c] * state.directions[c])
        state.applied[c] = applied
    take_part(part, count, state, wide)


@wp.func
def take_part(part: wp.float64, count: int, state: SolverState, wide: System):
    """Take a part of the change that was found."""
    for i in range(wide.size):
        state.velocity_changes[i] = state.velocity_changes[i] + part * wide.solution[i]
        state.momenta[i] = state.momenta[i] + part * wide.rhs[i]
    for c in range(count):
        state.velocities[c] = state.velocities[c] + part * state.directions[c]


@wp.func
def solve_newton(
    count: int,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
):
    """The change in `wide.solution` that answers `wide.rhs` with the active constraints, A times it in `wide.rhs`."""
    mark_touched(count, constraints, state, wide)
    copy_base(base, values, bodies, wide)
    for c in range(count):
        if state.active[c] == 1:
            add_stiffness(c, state.stiffness[c], constraints, wide)
    for i in range(wide.size):
        if wide.touched[i] == 1 or i >= base.size:
            factor_row(i, wide.first_columns, wide.row_offsets, wide.factor, wide.pivots)
    substitute(wide.size, wide.first_columns, wide.row_offsets, wide.factor, wide.pivots, wide.rhs, wide.solution)
    # A times the change is the residual less what active constraints take of it; no product with A is needed.
    for c in range(count):
        state.directions[c] = constraint_velocity(c, constraints, wide.solution)
        if state.active[c] == 1:
            apply_impulse(c, -(state.stiffness[c] * state.directions[c]), constraints, wide.rhs)


@wp.func
def start_warm(
    count: int,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
):
    """Begin with what pushed in the step before: one Newton step in which the same constraints push, and stick.

    Constraints so stiff would else take their velocities, which are right but for rounding, for quite other impulses.
    """
    follow_impulses(count, constraints, state, base, bodies, wide)
    for i in range(wide.size):
        wide.rhs[i] = wp.vec3d()
    for c in range(count):
        n = constraints.normals[c]
        target = constraints.target_velocities[c]
        if constraints.radii[c] >= wp.float64(0.0) and wp.length_sq(state.impulses[c]) > wp.float64(0.0):
            n = wp.normalize(state.impulses[c])  # a limit pushes from any side
            target = -(constraints.radii[c] + wp.dot(n, constraints.bends[c]))
        pressed = wp.dot(n, state.impulses[c])
        state.active[c] = 0
        if constraints.bounds[c] >= wp.float64(0.0):
            if wp.length_sq(state.impulses[c]) > wp.float64(0.0):
                state.active[c] = 1
                slack = wp.vec3d()
                if wp.length(state.impulses[c]) < STICKS * constraints.bounds[c]:
                    slack = state.velocities[c] + constraints.tangent_compliances[c] * state.impulses[c]
                    state.stiffness[c] = wp.identity(n=3, dtype=wp.float64) / constraints.tangent_compliances[c]
                else:
                    state.stiffness[c] = stiffness_at(c, state.velocities[c], constraints.bounds[c], constraints)
                state.applied[c] = state.impulses[c] - state.stiffness[c] * slack
                apply_impulse(c, -(state.stiffness[c] * slack), constraints, wide.rhs)
        elif pressed > wp.float64(0.0):
            state.active[c] = 1
            w = state.velocities[c]
            along = wp.dot(n, w)
            across = wp.outer(n, n)
            off = (along - target + constraints.compliances[c] * pressed) * n
            k = across / constraints.compliances[c]
            rubbing = state.impulses[c] - pressed * n
            if constraints.frictions[c] > wp.float64(0.0):
                if wp.length(rubbing) < STICKS * state.friction_bounds[c]:
                    k += (wp.identity(n=3, dtype=wp.float64) - across) / constraints.tangent_compliances[c]
                    off += w - along * n + constraints.tangent_compliances[c] * rubbing
                else:
                    k += stiffness_at(c, w, state.friction_bounds[c], constraints) * (
                        wp.identity(n=3, dtype=wp.float64) - across
                    )
            state.stiffness[c] = k
            state.applied[c] = state.impulses[c] - k * off
            apply_impulse(c, -(k * off), constraints, wide.rhs)
    solve_newton(count, constraints, state, base, values, bodies, wide)
    for c in range(count):
        if state.active[c] == 1:
            state.applied[c] = state.applied[c] - state.stiffness[c] * state.directions[c]
    take_part(wp.float64(1.0), count, state, wide)


@wp.kernel(enable_backward=False)
def follow_warm_start(
    first: int,
    solve: Solve,
    counts: IntArray,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
):
    """What links and bodies do if the impulses of the step before push once more."""
    follow_impulses(counts[CONTACTS] + solve.limits, constraints, state, base, bodies, wide)


@wp.kernel(enable_backward=False)
def solve_contacts(
    first: int,
    solve: Solve,
    counts: IntArray,
    constraints: Constraints,
    state: SolverState,
    base: System,
    values: Matrices,
    bodies: Bodies,
    wide: System,
    link_rows: IntArray,
    links: Links,
    residuals: FloatArray,
):
    """Impulses and velocity changes that solve the step problem with compliances and offsets as they are.

    Where bounds of friction do not settle (a finger that jams between the floor and a heavy arm), friction becomes a
    load as large as it may be, and what presses is found for that. What is exact enough is measured by how fast things
    close, and by what the rounds before have left to be done.
    """
    count = counts[CONTACTS] + solve.limits
    link_count = links.masses.shape[0]
    closing = wp.float64(0.1)
    known = int(0)
    for i in range(wide.size):
        state.velocity_changes[i] = wp.vec3d()
        state.momenta[i] = wp.vec3d()
    for c in range(count):
        n = constraints.normals[c]
        w = constraints.initial_velocities[c] + constraints.offsets[c]
        if constraints.bounds[c] < wp.float64(0.0):
            closing = wp.max(closing, constraints.target_velocities[c] - wp.dot(n, w))
        state.impulses[c] = state.held_impulses[c]
        if c < counts[CONTACTS]:  # a round may begin outside
            state.impulses[c] = project_onto_cone(state.held_impulses[c], n, constraints.frictions[c])
        state.friction_bounds[c] = constraints.frictions[c] * wp.dot(n, state.impulses[c])
        state.loads[c] = wp.vec3d()
        if constraints.bounds[c] >= wp.float64(0.0):
            state.friction_bounds[c] = constraints.bounds[c]
        state.velocities[c] = w
        state.applied[c] = wp.vec3d()
        if wp.length_sq(state.impulses[c]) > wp.float64(0.0):
            known = 1
    if known == 1:
        start_warm(count, constraints, state, base, values, bodies, wide)
    level = wp.clamp(FINER * residuals[LEAST], FINER * solve.speed, closing)
    enough = solve.tolerance * level
    iterations = known
    bounded = int(0)
    loaded = int(0)
    most = int(solve.most)
    going = int(1)
    residual = wp.float64(0.0)
    drift = wp.float64(0.0)
    while going == 1:
        residual = compute_residual(count, link_count, link_rows, links, constraints, state, bodies, base, wide)
        going = int(0)
        if residual > enough:
            going = 1
        # Impulses say something of friction only once velocities are nearly those that follow from them.
        if loaded == 0 and residual < wp.max(LOOSE * level, enough) and bounded < BOUNDINGS:
            bounded += 1
            drift = bound_friction(count, constraints, state)
            if drift > solve.friction_tolerance * level:
                going = 1
                residual = compute_residual(count, link_count, link_rows, links, constraints, state, bodies, base, wide)
        if iterations >= most:
            going = 0
        settled = residual <= enough and cut_friction(counts[CONTACTS], constraints, state) <= (
            solve.friction_tolerance * closing
        )
        if going == 0 and loaded < LOADINGS and not settled:
            loaded += 1
            load_friction(counts[CONTACTS], constraints, state)
            most = iterations + solve.most_loaded
            residual = compute_residual(count, link_count, link_rows, links, constraints, state, bodies, base, wide)
            going = 1
        if going == 1:
            iterations += 1
            newton_step(count, constraints, state, base, values, bodies, wide)
    for c in range(count):
        # Of contacts that one link has many of, the same velocities follow from other impulses too: those that belong
        # to the velocities lie in their cones, where `applied` may have to be cut, and a finger be flung by that.
        impulse = state.impulses[c]
        if residual > enough:
            impulse = state.applied[c]
        state.impulses[c] = impulse
        if c < counts[CONTACTS]:
            state.impulses[c] = project_onto_cone(impulse, constraints.normals[c], constraints.frictions[c])
        elif constraints.bounds[c] >= wp.float64(0.0):
            share = constraints.bounds[c] / wp.max(wp.length(impulse), wp.float64(1.0e-300))
            state.impulses[c] = wp.min(share, wp.float64(1.0)) * impulse
    follow_impulses(count, constraints, state, base, bodies, wide)
    counts[ITERATIONS] = counts[ITERATIONS] + iterations
    residuals[0] = residual
