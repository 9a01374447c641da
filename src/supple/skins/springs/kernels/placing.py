# mypy: ignore-errors
"""Where eight vertices at a time are put, and what groups read of them then (see `eight`).

That are the `states`, eight numbers a vertex: where it is, 1 / l, or what pulls aside have of it near the bone, and its
polar, which is that of `energy.polar`.
"""

import warp as wp

from supple.skins.springs.kernels.eight import LANES
from supple.skins.springs.kernels.energy import FloatArray, IntArray, Points, Polars, Springs
from supple.skins.springs.kernels.rounds import Rounds

_PUT = """
    const float *attached = (const float*)springs.attachment_points.data, *aims = (const float*)springs.aims.data;
    const F sx = x - at(attached, 3, i, 0), sy = y - at(attached, 3, i, 1), sz = z - at(attached, 3, i, 2);
    const F radius = root(sx * sx + sy * sy + sz * sz);
    F ux, uy, uz, aim;
    quads(aims, i, ux, uy, uz, aim);
    const I off = (radius > 1.0e-3f * aim) & (radius > tiny);  // on the skeleton, u' stands in
    const F divisor = off ? radius : 1.0f;
    ux = off ? sx / divisor : ux, uy = off ? sy / divisor : uy, uz = off ? sz / divisor : uz;
    const F beyond = radius - aim, near = 0.5f * at(springs.rest_lengths.data, 1, i, 0);  // NEAR
    const F inverse = 1.0f / larger(larger(beyond + aim, near), tiny);
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {
            float *point = (float*)now.data + 3 * i[n], *direction = (float*)polars.data + 4 * i[n];
            float* state = states.data + 8 * i[n];
            state[0] = point[0] = x[n], state[1] = point[1] = y[n], state[2] = point[2] = z[n], state[3] = inverse[n];
            state[4] = direction[0] = ux[n], state[5] = direction[1] = uy[n], state[6] = direction[2] = uz[n];
            state[7] = direction[3] = beyond[n];
        }
"""

_START = f"""
{LANES}
    const float* from = (const float*)start.data;
    const F x = at(from, 3, i, 0), y = at(from, 3, i, 1), z = at(from, 3, i, 2);
{_PUT}
#endif
"""

_SHIFT = f"""
{LANES}
    const float *here = (const float*)now.data, *by = (const float*)moves.data;
    const F free = at(springs.freedom.data, 1, i, 0);
    const F x = at(here, 3, i, 0) + free * at(by, 3, i, 0), y = at(here, 3, i, 1) + free * at(by, 3, i, 1);
    const F z = at(here, 3, i, 2) + free * at(by, 3, i, 2);
{_PUT}
#endif
"""

_MOVE = f"""
    const auto& some = rounds.pulled;
    const auto& states = rounds.states;
{LANES}
    const float* here = (const float*)now.data;
    F x, y, z;
    triples(rounds.moves.data, i, x, y, z);
    x *= reach, y *= reach, z *= reach;
    const F most = 0.5f / at(states.data, 8, i, 3);  // of the distance from the bone
    const F share = smaller(most / larger(root(x * x + y * y + z * z), tiny), 1.0f);
    x = at(here, 3, i, 0) + share * x, y = at(here, 3, i, 1) + share * y, z = at(here, 3, i, 2) + share * z;
{_PUT}
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {{
            *(F4*)(rounds.moves.data + 4 * i[n]) = 0.0f;
            *(F4*)(rounds.others.data + 4 * i[n]) = 0.0f;
        }}
#endif
"""


@wp.func_native(_START)
def start_group(
    group: int, some: IntArray, start: Points, springs: Springs, now: Points, polars: Polars, states: FloatArray
):
    """Begin from a shape."""


@wp.func_native(_SHIFT)
def shift_group(
    group: int, some: IntArray, moves: Points, springs: Springs, now: Points, polars: Polars, states: FloatArray
):
    """x <- x + move, as far as it is free."""


@wp.func_native(_MOVE)
def move_group(group: int, reach: float, springs: Springs, rounds: Rounds, now: Points, polars: Polars):
    """x <- x + reach y, no farther than lies near the shape of which H was made; what comes next begins at y = 0."""


@wp.kernel(enable_backward=False)
def start(first: int, some: IntArray, shape: Points, springs: Springs, now: Points, polars: Polars, states: FloatArray):
    """Begin from a shape."""
    start_group(first + wp.tid(), some, shape, springs, now, polars, states)


@wp.kernel(enable_backward=False)
def shift(first: int, some: IntArray, moves: Points, springs: Springs, now: Points, polars: Polars, states: FloatArray):
    """Move all, as far as they are free."""
    shift_group(first + wp.tid(), some, moves, springs, now, polars, states)
