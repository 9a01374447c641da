# mypy: ignore-errors
"""A step of springs in time that is stable however stiff they are: skin that would outrun the step is made heavier.

Symbols: x a vertex, v its velocity, F the pulls, m = total / rate^2 its mass; K a matrix of one number c_ij per edge
and one per vertex that is about as stiff as the springs, h the step, b shares (`implicit.shares`).

    (m / h^2 + b K) y = F(x),    v <- exp(-fading h) (v + y / h),    x <- x + h v

With K the true stiffness and b = 1/4 that is the trapezoidal rule, with b = 0 symplectic Euler's; both take nothing
from a swing. It is stable where springs are at most 4 (m / h^2 + b K) stiff. y is found by a few of Jacobi's rounds
with Chebyshev's weights; what they leave out makes skin heavier, never less stable.
"""

import warp as wp

from supple.skins.springs.kernels.energy import (
    TINY,
    FloatArray,
    IntArray,
    Points,
    Polars,
    Springs,
    polar,
    total_stiffness,
)
from supple.skins.springs.kernels.springs import STEP, swing


@wp.kernel(enable_backward=False)
def respond(
    first: int,
    springs: Springs,
    rates: FloatArray,
    parameters: FloatArray,
    shares: FloatArray,
    along: FloatArray,
    forces: Points,
    inverses: FloatArray,
    answers: Points,
):
    """The inverse of the matrix's diagonal, and the first answer; `along` is what b K has of it along the skin."""
    i = first + wp.tid()
    site = springs.anchors[i] * springs.bone_stiffness[i]
    h = parameters[STEP] * rates[i]
    mass = total_stiffness(i, springs) / wp.max(h * h, TINY)
    stiff = along[i] + shares[i] * (0.5 * (site[0] + site[1] + site[2]) + springs.holds[i])
    inverse = springs.freedom[i] / wp.max(mass + stiff, TINY)
    inverses[i] = inverse
    answers[i] = inverse * forces[i]


@wp.kernel(enable_backward=False)
def spread(
    first: int,
    starts: IntArray,
    others: IntArray,
    couplings: FloatArray,
    weight: float,
    forces: Points,
    inverses: FloatArray,
    answers: Points,
    before: Points,
):
    """One of Jacobi's rounds: y <- y_before + weight (D^-1 (F + sum c_ij y_j) - y_before), over the last but one."""
    i = first + wp.tid()
    side = forces[i]
    for e in range(starts[i], starts[i + 1]):
        side += couplings[e] * answers[others[e]]
    before[i] = (weight * inverses[i]) * side + (1.0 - weight) * before[i]  # of the first round nothing was before


@wp.kernel(enable_backward=False)
def accelerate(first: int, parameters: FloatArray, fadings: FloatArray, answers: Points, velocities: Points):
    """v <- exp(-fading h) (v + y / h)."""
    i = first + wp.tid()
    retained = wp.exp(-fadings[i] * parameters[STEP])
    velocities[i] = retained * (velocities[i] + (1.0 / parameters[STEP]) * answers[i])


@wp.kernel(enable_backward=False)
def step(
    first: int,
    springs: Springs,
    rates: FloatArray,
    max_offsets: FloatArray,
    rooms: FloatArray,
    parameters: FloatArray,
    limited: Points,
    velocities: Points,
    now: Points,
    polars: Polars,
):
    """On by the velocity that is left where edges would become too long or too short."""
    i = first + wp.tid()
    swung = swing(i, now[i], limited[i], parameters[STEP], springs, rates, max_offsets, rooms)
    velocities[i] = swung.velocity
    now[i] = swung.x
    polars[i] = polar(swung.x, springs.attachment_points[i], springs.aims[i])
