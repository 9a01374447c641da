# mypy: ignore-errors
"""The law of one constraint: the impulse that belongs to a velocity and its slope, and what bounds friction.

Symbols as in newton_kernels.py.
"""

import warp as wp

from supple.skins.contact.response.constraint_kernels import Constraints, SolverState, project_onto_cone


@wp.func
def impulse_at(c: int, w: wp.vec3d, bound: wp.float64, constraints: Constraints) -> wp.vec3d:
    """The impulse of a constraint that has the velocity w."""
    if constraints.bounds[c] >= wp.float64(0.0):
        drag = -w / constraints.tangent_compliances[c]
        strength = wp.length(drag)
        if strength > bound:
            drag = (bound / strength) * drag
        return drag
    if constraints.radii[c] >= wp.float64(0.0):
        turned = w + constraints.bends[c]
        size = wp.length(turned)
        if size <= constraints.radii[c]:
            return wp.vec3d()
        return ((constraints.radii[c] - size) / (size * constraints.compliances[c])) * turned
    n = constraints.normals[c]
    along = wp.dot(n, w)
    pressed = wp.max(constraints.target_velocities[c] - along, wp.float64(0.0)) / constraints.compliances[c]
    impulse = pressed * n
    if bound > wp.float64(0.0):
        rubbing = (along * n - w) / constraints.tangent_compliances[c]
        size = wp.length(rubbing)
        if size > bound:
            rubbing = (bound / size) * rubbing
        impulse += rubbing
    return impulse


@wp.func
def stiffness_at(c: int, w: wp.vec3d, bound: wp.float64, constraints: Constraints) -> wp.mat33d:
    """How fast that impulse changes with -w; zero where nothing pushes."""
    if constraints.bounds[c] >= wp.float64(0.0):
        pace = wp.length(w)
        if pace <= bound * constraints.tangent_compliances[c]:
            return wp.identity(n=3, dtype=wp.float64) / constraints.tangent_compliances[c]
        return (bound / pace) * (wp.identity(n=3, dtype=wp.float64) - wp.outer(w, w) / (pace * pace))
    if constraints.radii[c] >= wp.float64(0.0):
        turned = w + constraints.bends[c]
        size = wp.length(turned)
        if size <= constraints.radii[c]:
            return wp.mat33d()
        out = wp.outer(turned, turned) / (size * size)
        left = wp.float64(1.0) - constraints.radii[c] / size
        return (out + left * (wp.identity(n=3, dtype=wp.float64) - out)) / constraints.compliances[c]
    n = constraints.normals[c]
    along = wp.dot(n, w)
    across = wp.outer(n, n)
    k = wp.mat33d()
    if constraints.target_velocities[c] > along:
        k += across / constraints.compliances[c]
    if bound > wp.float64(0.0):
        plane = wp.identity(n=3, dtype=wp.float64) - across
        slide = w - along * n
        speed = wp.length(slide)
        if speed <= bound * constraints.tangent_compliances[c]:
            k += plane / constraints.tangent_compliances[c]
        else:
            k += (bound / speed) * (plane - wp.outer(slide, slide) / (speed * speed))
    return k


@wp.func
def bound_friction(count: int, constraints: Constraints, state: SolverState) -> wp.float64:
    """Bounds of friction by the impulses as they are; by how much they changed [m/s], as flesh or its links yield."""
    drift = wp.float64(0.0)
    for c in range(count):
        if constraints.frictions[c] == wp.float64(0.0):
            continue
        pressed = wp.max(wp.dot(constraints.normals[c], state.impulses[c]), wp.float64(0.0))
        bound = constraints.frictions[c] * pressed
        change = wp.abs(bound - state.friction_bounds[c])
        rubbing = wp.length(state.impulses[c] - pressed * constraints.normals[c])
        if rubbing >= wp.float64(0.99) * wp.min(bound, state.friction_bounds[c]):  # else it sticks by either
            yields = wp.max(constraints.tangent_compliances[c], constraints.inverse_masses[c])
            drift = wp.max(drift, change * yields)
        state.friction_bounds[c] = bound
    return drift


@wp.func
def cut_friction(contacts: int, constraints: Constraints, state: SolverState) -> wp.float64:
    """By how much [m/s] links would move otherwise if impulses were brought into their cones."""
    worst = wp.float64(0.0)
    for c in range(contacts):
        within = project_onto_cone(state.impulses[c], constraints.normals[c], constraints.frictions[c])
        worst = wp.max(worst, wp.length(state.impulses[c] - within) * constraints.inverse_masses[c])
    return worst


@wp.func
def load_friction(contacts: int, constraints: Constraints, state: SolverState):
    """Let friction be what it is, within its cone, whatever velocities become."""
    for c in range(contacts):
        n = constraints.normals[c]
        within = project_onto_cone(state.impulses[c], n, constraints.frictions[c])
        state.loads[c] = within - wp.dot(n, within) * n
        state.friction_bounds[c] = wp.float64(0.0)
