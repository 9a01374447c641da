# mypy: ignore-errors
"""What keeps edges from swinging too far, `springs.limit_stretch`, of eight vertices at a time (see `lanes`)."""

import warp as wp

from supple.skins.springs.kernels.eight import LANES, NEIGHBORS, RINGS
from supple.skins.springs.kernels.energy import FloatArray, IntArray, Points, Springs
from supple.skins.springs.kernels.springs import MAX_STRETCH

_LIMIT = f"""
{LANES}{RINGS}
    const float *swing = swings.data, *home = homes.data, *wanted = (const float*)springs.edges.data;
    const float half = 0.5f * max_stretch, yielding = 0.05f;  // within `half` nothing is taut
    F x, y, z, vx, vy, vz, loose, room, home_x, home_y, home_z;
    rows(swing, i, x, y, z, vx, vy, vz, loose, room);
    triples(home, i, home_x, home_y, home_z);
    F change_x = 0.0f, change_y = 0.0f, change_z = 0.0f;
{NEIGHBORS}
        F other_x, other_y, other_z, wx, wy, wz, loose_j, room_j;
        rows(swing, j, other_x, other_y, other_z, wx, wy, wz, loose_j, room_j);
        const F rest = at(wanted, 3, e, 0), ex = other_x - x, ey = other_y - y, ez = other_z - z;
        const F squared = ex * ex + ey * ey + ez * ez;
        const F opening = (wx - vx) * ex + (wy - vy) * ey + (wz - vz) * ez;
        const F longest = (1.0f + half) * rest, shortest = (1.0f - half) * rest;
        const I opens = opening > 0.0f, closes = opening < 0.0f;
        const I tight = there & ((opens & (squared > longest * longest)) | (closes & (squared < shortest * shortest)));
        if (!__builtin_reduce_or(tight)) continue;
        F there_x, there_y, there_z;
        triples(home, j, there_x, there_y, there_z);
        const F gx = there_x - home_x, gy = there_y - home_y, gz = there_z - home_z;
        const F length = larger(root(squared), tiny), aimed = root(gx * gx + gy * gy + gz * gz);
        const F out = larger(aimed, rest), in = smaller(aimed, rest);
        const F off = closes ? in - length : length - out;
        const F free = max_stretch * (closes ? in : out);
        const F taut = smaller(larger(2.0f * off / larger(free + room + room_j, tiny) - 1.0f, 0.0f), 1.0f);
        const F lost = taut * loose / (loose + larger(loose_j, yielding));
        const F back = tight ? lost * opening / (length * length) : 0.0f;
        change_x += back * ex, change_y += back * ey, change_z += back * ez;
    }}
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {{
            float* left = (float*)after.data + 3 * i[n];
            const float part = loose[n] < yielding ? 0.0f : 2.0f / (float)(count[n] < 2 ? 2 : count[n]);
            left[0] = vx[n] + part * change_x[n], left[1] = vy[n] + part * change_y[n];
            left[2] = vz[n] + part * change_z[n];
        }}
#endif
"""


@wp.func_native(_LIMIT)
def limit_group(
    group: int,
    some: IntArray,
    springs: Springs,
    max_stretch: float,
    swings: FloatArray,
    homes: FloatArray,
    after: Points,
):
    """What is left of the velocities of a group."""


@wp.kernel(enable_backward=False)
def take_swings(
    first: int,
    springs: Springs,
    looseness: FloatArray,
    rooms: FloatArray,
    now: Points,
    velocities: Points,
    swings: FloatArray,
    homes: FloatArray,
):
    """What `limit_group` reads of a vertex: where it is, its velocity, looseness and room, and where it hangs."""
    i = first + wp.tid()
    x = now[i]
    velocity = velocities[i]
    aim = springs.aims[i]
    home = springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2])
    row = 8 * i
    for k in range(3):
        swings[row + k] = x[k]
        swings[row + 3 + k] = velocity[k]
        homes[4 * i + k] = home[k]
    swings[row + 6] = looseness[i]
    swings[row + 7] = rooms[i] + springs.edit_rooms[i]


@wp.kernel(enable_backward=False)
def limit_stretch(
    first: int,
    some: IntArray,
    springs: Springs,
    parameters: FloatArray,
    swings: FloatArray,
    homes: FloatArray,
    after: Points,
):
    """What is left of the velocities of the groups of a list."""
    limit_group(first + wp.tid(), some, springs, parameters[MAX_STRETCH], swings, homes, after)
