# mypy: ignore-errors
"""The answer to all that is met in a step: pushes that part, that never pull, and that rub within Coulomb's cone.

Pushes along the normals and along the surface are found in turns [Kaufman2008]; the second are at most friction times
the first. Limits of balls are seen anew along the ways that they will have turned. Then flesh that still is inside
something is lifted out, and momentum that came from outside is entered in the books.

One thread walks through it. Symbols as in constraint_kernels.py.
"""

import warp as wp

from supple.skins.contact.dynamics.energy_kernels import IMPULSE, TWIST, WORK
from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Matrices, Vectors
from supple.skins.contact.dynamics.skyline_kernels import factorize
from supple.skins.contact.response.constraint_kernels import (
    CONTACTS,
    CORNERS,
    COUPLED_LINKS,
    CROWDED,
    PASSES,
    Constraints,
    Contacts,
    Flesh,
    SolverState,
    compute_residuals,
    link_velocity,
)
from supple.skins.contact.response.impulse_kernels import (
    ROUNDING,
    DynamicBodies,
    System,
    apply_impulses,
    line_search,
    project_impulse,
    solve_impulses,
    take_step,
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
def project_onto_cones(
    outside: wp.float64,
    count: int,
    contact_count: int,
    free: int,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    base: System,
    dynamic_bodies: DynamicBodies,
    wide: System,
) -> int:
    """Rows that press less than when their friction was found rub less; whether any was `outside` by that share."""
    found = int(0)
    for c in range(count):
        state.active[c] = 1
        state.impulse_changes[c] = project_impulse(c, state.impulses[c], 1, constraints) - state.impulses[c]
        if wp.length(state.impulse_changes[c]) > outside * wp.length(state.impulses[c]):
            found = 1
    if found == 1:
        apply_impulses(count, constraints, state, base, dynamic_bodies, wide)
        take_step(wp.float64(1.0), count, contact_count, free, constraints, state, contacts, wide)
        compute_residuals(count, constraints, state, contacts, contact_count, free)
    return found


@wp.func
def any_friction(count: int, constraints: Constraints, state: SolverState) -> int:
    """Whether any row that presses has friction."""
    for c in range(count):
        if constraints.frictions[c] * wp.dot(constraints.normals[c], state.impulses[c]) > wp.float64(0.0):
            return 1
    return 0


@wp.func
def redirect_limits(
    contact_count: int,
    count: int,
    dt: wp.float64,
    recovery_speed: wp.float64,
    constraints: Constraints,
    state: SolverState,
) -> int:
    """See the limits of balls along the ways that they will have turned now; how many will be turned too far."""
    beyond = int(0)
    for c in range(contact_count, count):
        if constraints.highs[c] >= wp.float64(0.0):
            n = constraints.normals[c]
            ends = constraints.bends[c] + dt * (state.residuals[c] + state.target_velocities[c] * n)
            size = wp.length(ends)
            if size > wp.max(constraints.highs[c], wp.length(constraints.bends[c])) * BEYOND + ROUNDING:
                beyond += 1
                n = -ends / size
                room = constraints.highs[c] + wp.dot(n, constraints.bends[c])
                constraints.normals[c] = n
                constraints.initial_gaps[c] = room
                state.target_velocities[c] = wp.min(-room / dt, recovery_speed)
    return beyond


@wp.func
def clamp_energy(
    count: int,
    contact_count: int,
    free: int,
    links: int,
    link_rows: IntArray,
    closing: wp.float64,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    wide: System,
):
    """Take only so much of an answer that no link is thrown faster than anything can throw it.

    What cannot be, such as a bone between walls that close, has answers without end. Nothing that closes at some speed
    throws a link at more than a few times that.
    """
    most = THROWN * (closing + SPEED)
    worst = wp.float64(0.0)
    for i in range(links):
        worst = wp.max(worst, wp.length(state.velocity_changes[link_rows[i]]))
        worst = wp.max(worst, NARROW * wp.length(state.velocity_changes[link_rows[i] + 1]))
    if worst > most:
        step_length = most / worst
        for i in range(wide.size):
            state.velocity_changes[i] = step_length * state.velocity_changes[i]
        for c in range(count):
            state.impulses[c] = step_length * state.impulses[c]
        for a in range(CORNERS * contact_count):
            if contacts.corners[a] < free:
                state.node_impulses[contacts.corners[a]] = wp.vec3d()
        for a in range(CORNERS * contact_count):
            j = contacts.corners[a]
            if j < free:
                state.node_impulses[j] = state.node_impulses[j] + contacts.weights[a] * state.impulses[a // CORNERS]
        compute_residuals(count, constraints, state, contacts, contact_count, free)


@wp.func
def project_out(
    c: int,
    gap: wp.float64,
    slop: wp.float64,
    max_correction: wp.float64,
    fraction: wp.float64,
    n: wp.vec3d,
    contacts: Contacts,
    flesh: Flesh,
    corrections: Vectors,
):
    """Flesh that will be deeper inside than `slop` is parted by a `fraction` of that, at most by `max_correction`.

    Rows are taken one after another, each with what those before it did.
    """
    grip = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        j = contacts.corners[a]
        s = contacts.weights[a]
        if j < flesh.free and s != wp.float64(0.0):
            grip += s * s
            gap += s * wp.dot(n, flesh.blended_rotations[j] * corrections[j])
    if gap < -slop and grip > wp.float64(0.0):
        move = (wp.min(-fraction * gap, max_correction) / wp.max(grip, GRIP)) * n
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            j = contacts.corners[a]
            s = contacts.weights[a]
            if j < flesh.free and s != wp.float64(0.0):
                inverse = wp.transpose(flesh.blended_rotations[j])
                if wp.determinant(flesh.blended_rotations[j]) > FLAT:
                    inverse = wp.inverse(flesh.blended_rotations[j])
                corrections[j] = corrections[j] + s * (inverse * move)


@wp.kernel(enable_backward=False)
def solve_contacts(
    first: int,
    counts: IntArray,
    limits: int,
    dt: wp.float64,
    tolerance: wp.float64,
    slop: wp.float64,
    max_correction: wp.float64,
    most: int,
    friction_passes: int,
    friction_rounds: int,
    recovery_speed: wp.float64,
    fraction: wp.float64,
    constraints: Constraints,
    state: SolverState,
    contacts: Contacts,
    flesh: Flesh,
    base: System,
    values: Matrices,
    dynamic_bodies: DynamicBodies,
    wide: System,
    links: int,
    link_rows: IntArray,
    velocities: Vectors,
    angular_velocities: Vectors,
    corrections: Vectors,
    energy_balance: FloatArray,
):
    """Velocities that no row forbids; then `corrections` of flesh that is still inside, which change no velocity."""
    contact_count = counts[CONTACTS]
    count = contact_count + limits
    coarse = tolerance  # how much may be left of how fast rows go on, where they answer too little at once
    if counts[CROWDED] == 1:
        coarse = SEEN * slop / dt
    free = flesh.free
    closing = wp.float64(0.0)
    skin = int(0)
    known = int(0)
    for c in range(count):
        skin = wp.max(skin, constraints.skin[c])
        closing = wp.max(closing, -wp.dot(constraints.normals[c], state.residuals[c]))
        state.active[c] = 0
        state.impulse_changes[c] = state.impulses[c]
        state.impulses[c] = wp.vec3d()
        if wp.length_sq(state.impulse_changes[c]) > wp.float64(0.0):
            state.active[c] = 1
            known = 1
    factorize(base.size, base.first_columns, base.row_offsets, values, base.factor, base.pivots)
    if known == 1:  # begin with what pushed in the step before
        apply_impulses(count, constraints, state, base, dynamic_bodies, wide)
        line_search(wp.float64(1.0), count, contact_count, free, constraints, state, contacts, wide)
    passes = solve_impulses(
        count,
        contact_count,
        free,
        0,
        0,
        most,
        tolerance,
        coarse,
        constraints,
        state,
        contacts,
        base,
        values,
        dynamic_bodies,
        wide,
    )
    frictional = any_friction(count, constraints, state)
    again = frictional
    rounds = int(0)
    while rounds < friction_rounds and (
        again == 1 or redirect_limits(contact_count, count, dt, recovery_speed, constraints, state) > 0
    ):
        compute_residuals(count, constraints, state, contacts, contact_count, free)
        if again == 1:
            passes += solve_impulses(
                count,
                contact_count,
                free,
                1,
                0,
                friction_passes,
                tolerance,
                coarse,
                constraints,
                state,
                contacts,
                base,
                values,
                dynamic_bodies,
                wide,
            )
        passes += solve_impulses(
            count,
            contact_count,
            free,
            0,
            0,
            most,
            tolerance,
            coarse,
            constraints,
            state,
            contacts,
            base,
            values,
            dynamic_bodies,
            wide,
        )
        again = int(0)
        if frictional == 1:
            again = project_onto_cones(
                OUTSIDE, count, contact_count, free, constraints, state, contacts, base, dynamic_bodies, wide
            )
        rounds += 1
    if skin == 1:  # whatever skin does to skin, nobody goes through a wall for it
        passes += solve_impulses(
            count,
            contact_count,
            free,
            0,
            1,
            most,
            tolerance,
            coarse,
            constraints,
            state,
            contacts,
            base,
            values,
            dynamic_bodies,
            wide,
        )
    if frictional == 1:
        project_onto_cones(
            ROUNDING, count, contact_count, free, constraints, state, contacts, base, dynamic_bodies, wide
        )
    counts[PASSES] = passes
    clamp_energy(count, contact_count, free, links, link_rows, closing, constraints, state, contacts, wide)
    for j in range(flesh.positions.shape[0]):
        flesh.warm_start[j] = wp.vec3d()
    for c in range(contact_count):
        flesh.warm_start[contacts.corners[CORNERS * c]] = state.impulses[c]
        gap = constraints.initial_gaps[c] + dt * (
            wp.dot(constraints.normals[c], state.residuals[c]) + state.target_velocities[c]
        )
        if constraints.skin[c] == 0:
            project_out(c, gap, slop, max_correction, fraction, constraints.normals[c], contacts, flesh, corrections)
    for i in range(links):
        velocities[i] = velocities[i] + state.velocity_changes[link_rows[i]]
        angular_velocities[i] = angular_velocities[i] + state.velocity_changes[link_rows[i] + 1]
    for c in range(contact_count):
        impulse = state.impulses[c]
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            twist = contacts.weights[a] * wp.cross(flesh.positions[contacts.corners[a]], impulse)
            if constraints.skin[c] == 1:  # nothing comes from outside, though two places are a little apart
                twist = wp.vec3d()
            for axis in range(3):
                energy_balance[IMPULSE + axis] = energy_balance[IMPULSE + axis] + contacts.weights[a] * impulse[axis]
                energy_balance[TWIST + axis] = energy_balance[TWIST + axis] + twist[axis]
        motion = contacts.velocities[c]
        if contacts.bodies[c] >= 0:  # a free body is the last of its hands
            motion = motion - link_velocity(
                COUPLED_LINKS * c + constraints.counts[c] - 1, constraints, state.velocity_changes
            )
        energy_balance[WORK] = energy_balance[WORK] + wp.max(wp.dot(impulse, motion), wp.float64(0.0))


@wp.kernel(enable_backward=False)
def update_nodes(first: int, flesh: Flesh, link_rows: IntArray, state: SolverState, node_velocities: Vectors):
    """u' += D (W^T f - m W^T V) of every node. Pushes are used up."""
    j = first + wp.tid()
    carried = wp.vec3d()
    for e in range(flesh.carriers * j, flesh.carriers * j + flesh.carriers):
        at = link_rows[flesh.links[e]]
        carried += flesh.weights[e] * (
            state.velocity_changes[at] + wp.cross(state.velocity_changes[at + 1], flesh.arms[e])
        )
    impulse = state.node_impulses[j] - flesh.masses[j] * carried
    node_velocities[j] = node_velocities[j] + flesh.block_inverses[j] * (
        wp.transpose(flesh.blended_rotations[j]) * impulse
    )
    state.node_impulses[j] = wp.vec3d()
