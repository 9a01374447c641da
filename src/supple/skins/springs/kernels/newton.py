# mypy: ignore-errors
"""Rounds of Newton's method for some of the vertices, on a processor.

What a group of eight vertices is pulled by and how its pulls fall as it moves is in `lanes`; here that is done for
lists of vertices, and lists are made: of those that are still pulled, and of those beside them. A list ends in eight
none. Kernels work on group `first + tid` of a list as long as `counts` says, or on all of it at once.
"""

import warp as wp

from supple.skins.springs.kernels.energy import TINY, FloatArray, IntArray, Points, Polars, Springs, polar
from supple.skins.springs.kernels.lanes import linearize_group, pull_group, respond_group, take_state

LEAST = wp.constant(1.0e-6)  # of all springs at a vertex, which H has at least
FARTHEST = wp.constant(0.5)  # of the distance from the bone that one round moves a vertex by at most
PULLED, TOUCHED, MARK = wp.constant(0), wp.constant(1), wp.constant(2)  # `counts`: of two lists, and the last mark


@wp.struct
class Rounds:
    """What rounds work on and with.

    `pulled` are vertices that are not at rest, `touched` those and the ones beside them; `slots` where the ring of
    each group of `pulled` begins, `marks` which list a vertex came into last. `lowest` and `highest` are the
    eigenvalues of H_ii^-1 H between which Jacobi's rounds take care of what is wrong; a move is `reach` times what
    these say, since H is stiffer than springs are in folds.
    """

    pulled: IntArray
    touched: IntArray
    slots: IntArray
    marks: IntArray
    counts: IntArray
    states: FloatArray
    tolerances: FloatArray
    forces: Points
    residuals: FloatArray
    neighbors: IntArray
    blocks: FloatArray
    sides: FloatArray
    moves: FloatArray
    others: FloatArray
    lowest: float
    highest: float
    jacobi: int
    reach: float


@wp.func
def take_move(i: int, reach: float, springs: Springs, rounds: Rounds, now: Points, polars: Polars):
    """x <- x + reach y, no farther than lies near the shape of which H was made; what comes next begins at y = 0."""
    row = 4 * i
    y = reach * wp.vec3f(rounds.moves[row], rounds.moves[row + 1], rounds.moves[row + 2])
    most = FARTHEST / rounds.states[8 * i + 3]
    x = now[i] + wp.min(most / wp.max(wp.length(y), TINY), 1.0) * y
    now[i] = x
    p = polar(x, springs.attachment_points[i], springs.aims[i])
    polars[i] = p
    take_state(i, x, p, springs, rounds.states)
    for k in range(3):
        rounds.moves[row + k] = 0.0
        rounds.others[row + k] = 0.0


@wp.func
def end_list(some: IntArray, count: int) -> int:
    """Fill the last group of a list."""
    for none in range(8):
        some[count + none] = -1
    return count


@wp.func
def list_touched(springs: Springs, rounds: Rounds) -> int:
    """List those that are not at rest and the ones beside them: all whose pulls a round has changed."""
    mark = rounds.counts[MARK] + 1
    rounds.counts[MARK] = mark
    count = int(0)
    for place in range(rounds.counts[PULLED]):
        i = rounds.pulled[place]
        if rounds.marks[i] != mark:
            rounds.marks[i] = mark
            rounds.touched[count] = i
            count += 1
        for e in range(springs.starts[i], springs.starts[i + 1]):
            j = springs.others[e]
            if rounds.marks[j] != mark:
                rounds.marks[j] = mark
                rounds.touched[count] = j
                count += 1
    rounds.counts[TOUCHED] = end_list(rounds.touched, count)
    return count


@wp.func
def list_pulled(springs: Springs, rounds: Rounds) -> float:
    """List those pulled by more than their tolerance and the ones beside them; the largest residual."""
    mark = rounds.counts[MARK] + 1
    rounds.counts[MARK] = mark
    count = int(0)
    largest = float(0.0)
    for place in range(rounds.counts[TOUCHED]):
        i = rounds.touched[place]
        residual = rounds.residuals[i]
        if not (residual <= 1.0):  # what is no number is pulled too
            if not (residual <= largest):
                largest = residual
            if rounds.marks[i] != mark:
                rounds.marks[i] = mark
                rounds.pulled[count] = i
                count += 1
            for e in range(springs.starts[i], springs.starts[i + 1]):
                j = springs.others[e]
                if rounds.marks[j] != mark:
                    rounds.marks[j] = mark
                    rounds.pulled[count] = j
                    count += 1
    rounds.counts[PULLED] = end_list(rounds.pulled, count)
    find_slots(springs, rounds)
    return largest


@wp.func
def find_slots(springs: Springs, rounds: Rounds):
    """Give every group as many slots as the vertex of it with most neighbors has."""
    slot = int(0)
    count = rounds.counts[PULLED]
    groups = (count + 7) // 8
    for group in range(groups):
        rounds.slots[group] = slot
        most = int(0)
        for place in range(8 * group, wp.min(8 * group + 8, count)):
            i = rounds.pulled[place]
            most = wp.max(most, springs.starts[i + 1] - springs.starts[i])
        slot += most
    rounds.slots[groups] = slot


@wp.func
def linearize_listed(group: int, springs: Springs, rounds: Rounds):
    """The linear problem of a group, and the first of Jacobi's rounds."""
    linearize_group(
        group,
        rounds.pulled,
        rounds.slots,
        springs,
        rounds.states,
        LEAST,
        2.0 / (rounds.highest + rounds.lowest),
        rounds.neighbors,
        rounds.blocks,
        rounds.sides,
        rounds.others,
    )


@wp.func
def respond_listed(group: int, weight: float, moves: FloatArray, before: FloatArray, rounds: Rounds):
    """One more of Jacobi's rounds."""
    scale = 2.0 / (rounds.highest + rounds.lowest)
    respond_group(
        group, rounds.pulled, rounds.slots, scale, weight, rounds.neighbors, rounds.blocks, rounds.sides, moves, before
    )


@wp.func
def next_weight(done: int, weight: float, rounds: Rounds) -> float:
    """Chebyshev's weight of the next of Jacobi's rounds."""
    radius = (rounds.highest - rounds.lowest) / (rounds.highest + rounds.lowest)
    if done == 1:
        return 2.0 / (2.0 - radius * radius)
    return 4.0 / (4.0 - radius * radius * weight)


@wp.kernel(enable_backward=False)
def list_all(first: int, springs: Springs, rounds: Rounds):
    """List every vertex as pulled and as touched, by one thread."""
    count = rounds.tolerances.shape[0]
    for i in range(count):
        rounds.pulled[i] = i
        rounds.touched[i] = i
    rounds.counts[PULLED] = end_list(rounds.pulled, count)
    rounds.counts[TOUCHED] = end_list(rounds.touched, count)
    find_slots(springs, rounds)


@wp.kernel(enable_backward=False)
def linearize(first: int, springs: Springs, rounds: Rounds):
    """The linear problem of those who are pulled."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[PULLED]:
        linearize_listed(group, springs, rounds)


@wp.kernel(enable_backward=False)
def respond(first: int, weight: float, moves: FloatArray, before: FloatArray, rounds: Rounds):
    """One of Jacobi's rounds over those who are pulled."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[PULLED]:
        respond_listed(group, weight, moves, before, rounds)


@wp.kernel(enable_backward=False)
def take_moves(first: int, reach: float, springs: Springs, rounds: Rounds, now: Points, polars: Polars):
    """Move those who are pulled."""
    group = first + wp.tid()
    for place in range(8 * group, wp.min(8 * group + 8, rounds.counts[PULLED])):
        take_move(rounds.pulled[place], reach, springs, rounds, now, polars)


@wp.kernel(enable_backward=False)
def measure_pulls(first: int, springs: Springs, rounds: Rounds):
    """Pulls on those who are touched."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[TOUCHED]:
        pull_group(group, rounds.touched, springs, rounds.states, rounds.tolerances, rounds.forces, rounds.residuals)


@wp.kernel(enable_backward=False)
def touch(first: int, springs: Springs, rounds: Rounds):
    """List who is touched, by one thread."""
    list_touched(springs, rounds)


@wp.kernel(enable_backward=False)
def drop_out(first: int, springs: Springs, rounds: Rounds, largest: FloatArray):
    """Leave out who is at rest, by one thread."""
    largest[0] = list_pulled(springs, rounds)


@wp.kernel(enable_backward=False)
def settle(
    first: int, most: IntArray, springs: Springs, rounds: Rounds, now: Points, polars: Polars, largest: FloatArray
):
    """All rounds that are left, by one thread: those who are still pulled are few."""
    for _ in range(most[0]):
        count = rounds.counts[PULLED]
        if count > 0:
            groups = (count + 7) // 8
            for group in range(groups):
                linearize_listed(group, springs, rounds)
            weight = float(1.0)
            for done in range(1, rounds.jacobi):
                weight = next_weight(done, weight, rounds)
                for group in range(groups):
                    if done % 2 == 1:
                        respond_listed(group, weight, rounds.others, rounds.moves, rounds)
                    else:
                        respond_listed(group, weight, rounds.moves, rounds.others, rounds)
            for place in range(count):
                take_move(rounds.pulled[place], rounds.reach, springs, rounds, now, polars)
            touched = list_touched(springs, rounds)
            for group in range((touched + 7) // 8):
                pull_group(
                    group, rounds.touched, springs, rounds.states, rounds.tolerances, rounds.forces, rounds.residuals
                )
            largest[0] = list_pulled(springs, rounds)
