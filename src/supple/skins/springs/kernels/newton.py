# mypy: ignore-errors
"""Rounds of Newton's method for some of the vertices, on a processor.

What a group of eight vertices is pulled by, and how its pulls fall as it moves, is in `lanes`, where its moves take it
in `placing`; here that is done for the lists of `rounds`. Kernels work on group `first + tid` of a list as long as
`counts` says, or on all of it at once.
"""

import warp as wp

from supple.skins.springs.kernels.energy import FloatArray, IntArray, Points, Polars, Springs
from supple.skins.springs.kernels.lanes import linearize_group, pull_group, respond_group
from supple.skins.springs.kernels.placing import move_group
from supple.skins.springs.kernels.rounds import PULLED, TOUCHED, Rounds, list_pulled, list_touched


@wp.func
def measure_group(group: int, springs: Springs, rounds: Rounds):
    """Pulls on a group of those who are touched."""
    pull_group(group, rounds.touched, springs, rounds.states, rounds.tolerances, rounds.forces, rounds.residuals)


@wp.func
def next_weight(done: int, weight: float, rounds: Rounds) -> float:
    """Chebyshev's weight of the next of Jacobi's rounds."""
    radius = (rounds.highest - rounds.lowest) / (rounds.highest + rounds.lowest)
    if done == 1:
        return 2.0 / (2.0 - radius * radius)
    return 4.0 / (4.0 - radius * radius * weight)


@wp.kernel(enable_backward=False)
def linearize(first: int, springs: Springs, rounds: Rounds):
    """The linear problem of those who are pulled."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[PULLED]:
        linearize_group(group, springs, rounds)


@wp.kernel(enable_backward=False)
def respond(first: int, weight: float, moves: FloatArray, before: FloatArray, rounds: Rounds):
    """One of Jacobi's rounds over those who are pulled."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[PULLED]:
        respond_group(group, weight, moves, before, rounds)


@wp.kernel(enable_backward=False)
def take_moves(first: int, reach: float, springs: Springs, rounds: Rounds, now: Points, polars: Polars):
    """Move those who are pulled."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[PULLED]:
        move_group(group, reach, springs, rounds, now, polars)


@wp.kernel(enable_backward=False)
def measure_pulls(first: int, springs: Springs, rounds: Rounds):
    """Pulls on those who are touched."""
    group = first + wp.tid()
    if 8 * group < rounds.counts[TOUCHED]:
        measure_group(group, springs, rounds)


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
                linearize_group(group, springs, rounds)
            weight = float(1.0)
            for done in range(1, rounds.jacobi):
                weight = next_weight(done, weight, rounds)
                for group in range(groups):
                    if done % 2 == 1:
                        respond_group(group, weight, rounds.others, rounds.moves, rounds)
                    else:
                        respond_group(group, weight, rounds.moves, rounds.others, rounds)
            for group in range(groups):
                move_group(group, rounds.reach, springs, rounds, now, polars)
            touched = list_touched(springs, rounds)
            for group in range((touched + 7) // 8):
                measure_group(group, springs, rounds)
            largest[0] = list_pulled(springs, rounds)
