# mypy: ignore-errors
"""Where the next round of the contact answer begins: Anderson acceleration over the last few rounds [Walker2011].

A round leads from where it begins, y, to impulses p(y) (flesh_response_kernels.py); it ends where p(y) = y. Of the last
rounds y_i with their steps g_i = p(y_i) - y_i the mixture is taken whose step is the least,

    minimise  |sum_i a_i g_i|^2_C  with  sum_i a_i = 1,      y = sum_i a_i p(y_i),

measured by the compliances C of the contacts, so as an energy. Where the same contacts push, that is what GMRES does
with as many directions. A mixture may pull a little, or lie outside a cone of friction: only rounds begin there. What
is answered in the end is the p(y_i) with the least residual, and what the flesh has done then is known exactly.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Vectors
from supple.skins.contact.response.constraint_kernels import CONTACTS, FLATTENED, Constraints, Flesh, Solve, SolverState
from supple.skins.contact.response.flesh_response_kernels import flesh_residual, friction_residual, set_offset
from supple.skins.contact.response.newton_kernels import LEAST

DEPTH = wp.constant(6)  # rounds that are remembered; more than 4 changed little where falls were tried
RUBBING = wp.constant(1)  # places in the residuals: how fast contacts slip beside what friction would do,
FLESH = wp.constant(2)  # how fast they really go on, before the larger of the two of the best round,
OF_BEST = wp.constant(4)  # and both of it
MADE = wp.constant(0)  # places in the book: how many rounds are remembered,
SLOT = wp.constant(1)  # where the last one stands,
IS_BEST = wp.constant(2)  # and whether it is the best so far
WILDEST = wp.constant(wp.float64(10.0))  # sum of the parts' sizes: a wilder mixture is not believed
RIDGE = wp.constant(wp.float64(1.0e-10))  # of the mean square of steps: below it rounding tells them apart


@wp.struct
class Rounds:
    """The last rounds, each in its slot: impulses p(y) with what follows from them, and `steps` p(y) - y.

    `mixture` has the parts a, `products` the inner products of steps by slots, `system` is room to solve. The `best` so
    far is kept apart.
    """

    book: IntArray
    mixture: FloatArray
    products: FloatArray
    system: FloatArray
    steps: Vectors
    impulses: Vectors
    velocities: Vectors
    changes: Vectors
    best_impulses: Vectors
    best_velocities: Vectors
    best_changes: Vectors


@wp.func
def inner_product(count: int, one: int, other: int, constraints: Constraints, rounds: Rounds) -> wp.float64:
    """That of the steps in two slots."""
    total = wp.float64(0.0)
    room = constraints.normals.shape[0]
    for c in range(count):
        a = rounds.steps[one * room + c]
        b = rounds.steps[other * room + c]
        n = constraints.normals[c]
        along = wp.dot(n, a) * wp.dot(n, b)
        across = wp.dot(a, b) - along
        total += constraints.compliances[c] * along + constraints.tangent_compliances[c] * across
    return total


@wp.func
def mix(rounds: Rounds):
    """The parts of the remembered rounds; all of the last one where no mixture is believed."""
    made = rounds.book[MADE]
    last = rounds.book[SLOT]
    mean = wp.float64(0.0)
    for i in range(made):
        mean += rounds.products[DEPTH * i + i] / wp.float64(made)
    for i in range(made):
        rounds.mixture[i] = wp.float64(1.0)
        for j in range(made):
            rounds.system[DEPTH * i + j] = rounds.products[DEPTH * i + j]
        rounds.system[DEPTH * i + i] = rounds.system[DEPTH * i + i] + RIDGE * mean + wp.float64(1.0e-300)
    for i in range(made):  # it is positive, so no pivot is looked for
        for k in range(i + 1, made):
            f = rounds.system[DEPTH * k + i] / rounds.system[DEPTH * i + i]
            for j in range(i, made):
                rounds.system[DEPTH * k + j] = rounds.system[DEPTH * k + j] - f * rounds.system[DEPTH * i + j]
            rounds.mixture[k] = rounds.mixture[k] - f * rounds.mixture[i]
    total = wp.float64(0.0)
    for m in range(made):
        i = made - 1 - m
        for j in range(i + 1, made):
            rounds.mixture[i] = rounds.mixture[i] - rounds.system[DEPTH * i + j] * rounds.mixture[j]
        rounds.mixture[i] = rounds.mixture[i] / rounds.system[DEPTH * i + i]
        total += rounds.mixture[i]
    size = wp.float64(0.0)
    for i in range(made):
        rounds.mixture[i] = rounds.mixture[i] / total
        size += wp.abs(rounds.mixture[i])
    if not (size <= WILDEST):
        for i in range(made):
            rounds.mixture[i] = wp.float64(0.0)
        rounds.mixture[last] = wp.float64(1.0)


@wp.func
def remember(count: int, size: int, constraints: Constraints, state: SolverState, rounds: Rounds):
    """Put a round into the place of the oldest."""
    room = constraints.normals.shape[0]
    slot = (rounds.book[SLOT] + 1) % DEPTH
    rounds.book[SLOT] = slot
    rounds.book[MADE] = wp.min(rounds.book[MADE] + 1, int(DEPTH))
    for c in range(count):
        rounds.steps[slot * room + c] = state.impulses[c] - state.held_impulses[c]
        rounds.impulses[slot * room + c] = state.impulses[c]
        rounds.velocities[slot * room + c] = state.velocities[c]
    for i in range(size):
        rounds.changes[slot * size + i] = state.velocity_changes[i]
    for i in range(rounds.book[MADE]):
        product = inner_product(count, slot, i, constraints, rounds)
        rounds.products[DEPTH * slot + i] = product
        rounds.products[DEPTH * i + slot] = product


@wp.func
def hold_mixture(count: int, size: int, constraints: Constraints, state: SolverState, rounds: Rounds):
    """Let the next round begin at the mixture."""
    room = constraints.normals.shape[0]
    for c in range(count):
        impulse = wp.vec3d()
        velocity = wp.vec3d()
        for i in range(rounds.book[MADE]):
            impulse += rounds.mixture[i] * rounds.impulses[i * room + c]
            velocity += rounds.mixture[i] * rounds.velocities[i * room + c]
        state.held_impulses[c] = impulse
        state.held_velocities[c] = velocity
    for k in range(size):
        change = wp.vec3d()
        for i in range(rounds.book[MADE]):
            change += rounds.mixture[i] * rounds.changes[i * size + k]
        state.held_changes[k] = change


@wp.kernel(enable_backward=False)
def forget_rounds(first: int, rounds: Rounds, residuals: FloatArray):
    """Begin without any."""
    rounds.book[MADE] = 0
    rounds.book[SLOT] = -1
    residuals[LEAST] = wp.float64(1.0e300)


@wp.kernel(enable_backward=False)
def accept_round(
    first: int,
    solve: Solve,
    counts: IntArray,
    constraints: Constraints,
    state: SolverState,
    rounds: Rounds,
    is_round: int,
    residuals: FloatArray,
):
    """Say what the impulses that were found leave to be done, remember them, and where the next round begins.

    Those of the step before are no round's, which begins there and remembers nothing.
    """
    contacts = counts[CONTACTS]
    count = contacts + solve.limits
    size = state.velocity_changes.shape[0]
    goes_on = wp.float64(0.0)
    slips = wp.float64(0.0)
    for c in range(contacts):
        if constraints.bounds[c] > FLATTENED:
            goes_on = wp.max(goes_on, flesh_residual(c, state.impulses[c], state.velocities[c], constraints))
            if constraints.frictions[c] > wp.float64(0.0):
                slips = wp.max(slips, friction_residual(c, state.impulses[c], state.velocities[c], constraints))
    residuals[FLESH] = goes_on
    residuals[RUBBING] = slips
    rounds.book[IS_BEST] = 0
    if wp.max(goes_on, slips) < residuals[LEAST]:
        residuals[LEAST] = wp.max(goes_on, slips)
        residuals[OF_BEST] = slips
        residuals[OF_BEST + 1] = goes_on
        rounds.book[IS_BEST] = 1
        for c in range(count):
            rounds.best_impulses[c] = state.impulses[c]
            rounds.best_velocities[c] = state.velocities[c]
        for i in range(size):
            rounds.best_changes[i] = state.velocity_changes[i]
    if is_round == 1:
        remember(count, size, constraints, state, rounds)
        mix(rounds)
        hold_mixture(count, size, constraints, state, rounds)
    else:
        for c in range(count):
            state.held_impulses[c] = state.impulses[c]
            state.held_velocities[c] = state.velocities[c]
        for i in range(size):
            state.held_changes[i] = state.velocity_changes[i]
    for c in range(count):
        set_offset(c, contacts, constraints, state)


@wp.kernel(enable_backward=False)
def accept_responses(first: int, flesh: Flesh, rounds: Rounds):
    """What the flesh does with the impulses of the best round."""
    j = first + wp.tid()
    if rounds.book[IS_BEST] == 1:
        flesh.held_responses[j] = flesh.responses[j]


@wp.kernel(enable_backward=False)
def take_best(first: int, solve: Solve, counts: IntArray, constraints: Constraints, state: SolverState, rounds: Rounds):
    """Hold the impulses of the best round, with what follows from them."""
    for c in range(counts[CONTACTS] + solve.limits):
        state.held_impulses[c] = rounds.best_impulses[c]
        state.held_velocities[c] = rounds.best_velocities[c]
    for i in range(state.velocity_changes.shape[0]):
        state.held_changes[i] = rounds.best_changes[i]
