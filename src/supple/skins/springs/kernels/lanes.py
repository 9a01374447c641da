# mypy: ignore-errors
"""Pulls, and the linear problem near a shape, of eight vertices at a time, as registers of a processor hold them.

Symbols as in `energy`, whose `pull` this repeats. H is how pulls fall as vertices move, with a block H_ij of three by
three for each edge and H_ii for each vertex. Where springs give way, as in skin that folds, the true H says that
farther is better without end; what makes it so is left out of each spring. So H is stiffer than springs there, and each
spring adds what is positive:

    edges            k (n n^T + a (1 - n n^T))               n along the edge, a = max(1 - L/|e|, 0); at both ends alike
    relative_radius  w_l g g^T                               g = (u_i, -u_j)
    bend             w_t (max(cos D, 0) g g^T + b h h^T)     g = (t_i / l_i, -t_j / l_j), h = (s / l_i, -s / l_j),
                                                             D = theta - theta_0, b = max(sin D cot theta, 0)

t are directions across u along the arc between u_i and u_j, s that across both. Springs to the bone have the same at
one end.

`states` are eight numbers a vertex (see `placing`). A group's ring are as many slots as the vertex with most neighbors
has; a slot holds one neighbor of each of the eight, and -H_ij of these edges number by number.
"""

import warp as wp

from supple.skins.springs.kernels.eight import LANES, NEIGHBORS, RINGS
from supple.skins.springs.kernels.energy import FloatArray, IntArray, Points, Springs
from supple.skins.springs.kernels.rounds import Rounds

_STATE = """
    const float *state = states.data, *wanted = (const float*)springs.edges.data;
    const float* stiffness = (const float*)springs.edge_stiffness.data;
    F x, y, z, inverse, ux, uy, uz, beyond;
    rows(state, i, x, y, z, inverse, ux, uy, uz, beyond);
    F along_x = 0.0f, along_y = 0.0f, along_z = 0.0f, across_x = 0.0f, across_y = 0.0f, across_z = 0.0f, longer = 0.0f;
    // G'(theta - theta_0) / sin(theta), which lies along v - cos(theta) u
    auto error = [&](F cosine, F sine, F inverse_sine, F cosine_0, F sine_0) {
        const F change = (sine * cosine_0 - cosine * sine_0) * inverse_sine;
        const F off = __builtin_elementwise_abs(change) * sine;
        return cosine * cosine_0 + sine * sine_0 < 0.0f ? change * (2.0f - off) / larger(off, flat) : change;
    };
"""

_EDGE = f"""{NEIGHBORS}
        F other_x, other_y, other_z, inverse_j, vx, vy, vz, beyond_j;
        rows(state, j, other_x, other_y, other_z, inverse_j, vx, vy, vz, beyond_j);
        const F c0 = at(wanted, 3, e, 0), c1 = at(wanted, 3, e, 1), c2 = at(wanted, 3, e, 2);
        const F w0 = there ? at(stiffness, 3, e, 0) : 0.0f, w1 = there ? at(stiffness, 3, e, 1) : 0.0f;
        const F w2 = there ? at(stiffness, 3, e, 2) : 0.0f;
        const F ex = other_x - x, ey = other_y - y, ez = other_z - z;
        const F length = larger(root(ex * ex + ey * ey + ez * ez), tiny);
        const F stretch = 1.0f - c0 / length;
        const F pressing = stretch < 0.0f ? w0 * 0.2f : w0;  // SLACK
        const F drawn = pressing * stretch;
        along_x += drawn * ex, along_y += drawn * ey, along_z += drawn * ez;
        longer += w1 * (beyond_j - beyond);
        const F cosine = ux * vx + uy * vy + uz * vz;
        const F tx = vx - cosine * ux, ty = vy - cosine * uy, tz = vz - cosine * uz;
        const F sine = root(tx * tx + ty * ty + tz * tz);
        F inverse_sine = 1.0f / larger(sine, flat);
        const F bent_by = w2 * error(cosine, sine, inverse_sine, c1, c2);
        across_x += bent_by * tx, across_y += bent_by * ty, across_z += bent_by * tz;
"""

_SITE = """
    }
    const float *aims = (const float*)springs.aims.data, *bone = (const float*)springs.bone_stiffness.data;
    const float *targets = (const float*)springs.targets.data, *ways = (const float*)springs.bone_directions.data;
    const F anchor = at(springs.anchors.data, 1, i, 0), rest = at(springs.rest_lengths.data, 1, i, 0);
    const F site_0 = anchor * at(bone, 3, i, 0), site_1 = anchor * at(bone, 3, i, 1);
    const F site_2 = anchor * at(bone, 3, i, 2);
    const F aim_x = at(aims, 4, i, 0), aim_y = at(aims, 4, i, 1), aim_z = at(aims, 4, i, 2);
    const F hold = at(springs.holds.data, 1, i, 0), freedom = at(springs.freedom.data, 1, i, 0);
    const F phi_0 = at((const float*)springs.bone_angles.data, 2, i, 0);
    const F phi_1 = at((const float*)springs.bone_angles.data, 2, i, 1);
    I segment;
    for (int n = 0; n < 8; ++n) segment[n] = springs.segments.data[i[n]];
    const F bx = at(ways, 3, segment, 0), by = at(ways, 3, segment, 1), bz = at(ways, 3, segment, 2);
    const F to_bone = ux * bx + uy * by + uz * bz, to_aim = ux * aim_x + uy * aim_y + uz * aim_z;
    const F bone_x = bx - to_bone * ux, bone_y = by - to_bone * uy, bone_z = bz - to_bone * uz;
    const F off_x = aim_x - to_aim * ux, off_y = aim_y - to_aim * uy, off_z = aim_z - to_aim * uz;
    const F bone_sine = root(bone_x * bone_x + bone_y * bone_y + bone_z * bone_z);
    const F aim_sine = root(off_x * off_x + off_y * off_y + off_z * off_z);
    const F squared = rest * rest;
    const F swung = squared * site_1 * error(to_bone, bone_sine, 1.0f / larger(bone_sine, flat), phi_0, phi_1);
    const F turned = squared * site_2 * error(to_aim, aim_sine, 1.0f / larger(aim_sine, flat), 1.0f, 0.0f);
    const F outwards = longer - site_0 * beyond;
    const F fx = along_x + outwards * ux + inverse * (across_x + swung * bone_x + turned * off_x)
        + hold * (at(targets, 3, i, 0) - x);
    const F fy = along_y + outwards * uy + inverse * (across_y + swung * bone_y + turned * off_y)
        + hold * (at(targets, 3, i, 1) - y);
    const F fz = along_z + outwards * uz + inverse * (across_z + swung * bone_z + turned * off_z)
        + hold * (at(targets, 3, i, 2) - z);
    const float* ring = (const float*)springs.ring_stiffness.data;
    const F total = at(ring, 3, i, 0) + at(ring, 3, i, 1) + at(ring, 3, i, 2) + site_0 + site_1 + site_2 + hold;
"""

_PULL = f"""
{LANES}{RINGS}{_STATE}{_EDGE}{_SITE}
    const F size = freedom * root(fx * fx + fy * fy + fz * fz);
    const F found = size / larger(at(tolerances.data, 1, i, 0) * total, tiny);
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {{
            float* force = (float*)forces.data + 3 * i[n];
            force[0] = fx[n], force[1] = fy[n], force[2] = fz[n];
            residuals.data[i[n]] = found[n];
        }}
#endif
"""

_BLOCK = """
        const F bend = w2 * inverse, near = cosine * c1 + sine * c2, change = sine * c1 - cosine * c2;
        const F towards = bend * larger(near, 0.0f);
        const I alike_ways = sine < flat;  // along one bone nothing tells one way across from another
        const F sideways = alike_ways ? towards : bend * larger(change * cosine * inverse_sine, 0.0f);
        inverse_sine = alike_ways ? 0.0f : inverse_sine;
        const F inverse_length = 1.0f / length;
        F aside = larger(stretch, 0.0f) * pressing;
        every += aside;
        out += w1;
        plane += inverse * sideways;
        const F squared_inverse = inverse_sine * inverse_sine;
        const F bent = inverse * (towards - sideways) * squared_inverse;
        const F pressed = (pressing - aside) * inverse_length * inverse_length;
        const F px = pressed * ex, py = pressed * ey, pz = pressed * ez, ax = bent * tx, ay = bent * ty, az = bent * tz;
        xx += px * ex + ax * tx, yy += py * ey + ay * ty, zz += pz * ez + az * tz;
        xy += px * ey + ax * ty, xz += px * ez + ax * tz, yz += py * ez + ay * tz;
        const F ahead = inverse_j * towards * squared_inverse, beside = inverse_j * sideways * squared_inverse;
        const F hx = ahead * (cosine * vx - ux), hy = ahead * (cosine * vy - uy), hz = ahead * (cosine * vz - uz);
        const F sx = uy * vz - uz * vy, sy = uz * vx - ux * vz, sz = ux * vy - uy * vx;
        const F gx = beside * sx, gy = beside * sy, gz = beside * sz;
        const F alike = alike_ways ? inverse_j * towards : 0.0f, radial = w1 - alike;
        aside += alike;
        const F mx = radial * vx, my = radial * vy, mz = radial * vz;
        float* block = rounds.blocks.data + 72 * slot;
        *(F8*)(block) = aside + ex * px + ux * mx + tx * hx + sx * gx;
        *(F8*)(block + 8) = ex * py + ux * my + tx * hy + sx * gy;
        *(F8*)(block + 16) = ex * pz + ux * mz + tx * hz + sx * gz;
        *(F8*)(block + 24) = ey * px + uy * mx + ty * hx + sy * gx;
        *(F8*)(block + 32) = aside + ey * py + uy * my + ty * hy + sy * gy;
        *(F8*)(block + 40) = ey * pz + uy * mz + ty * hz + sy * gz;
        *(F8*)(block + 48) = ez * px + uz * mx + tz * hx + sz * gx;
        *(F8*)(block + 56) = ez * py + uz * my + tz * hy + sz * gy;
        *(F8*)(block + 64) = aside + ez * pz + uz * mz + tz * hz + sz * gz;
        for (int n = 0; n < 8; ++n) rounds.neighbors.data[8 * slot + n] = j[n];
        ++slot;
"""

_LINEARIZE = f"""
    const auto& some = rounds.pulled;
    const auto& states = rounds.states;
    const float least = 1.0e-6f;  // of all springs at a vertex, which H has at least
    const float scale = 2.0f / (rounds.highest + rounds.lowest);
{LANES}{RINGS}{_STATE}
    // What H_ii has of u u^T, of 1, and of 1 - u u^T; then all of it.
    F out = 0.0f, every = 0.0f, plane = 0.0f, xx = 0.0f, yy = 0.0f, zz = 0.0f, xy = 0.0f, xz = 0.0f, yz = 0.0f;
    int slot = rounds.slots.data[group];
{_EDGE}{_BLOCK}{_SITE}
    const F levered = squared * inverse * inverse, own_sine = larger(bone_sine, flat);
    plane += larger(-outwards * inverse, 0.0f) + levered * site_2 * larger(to_aim, 0.0f);
    const F bent = levered * site_1 * larger(to_bone * phi_0 + own_sine * phi_1, 0.0f) / (own_sine * own_sine);
    out += site_0 - plane;
    every += plane + hold + least * total + tiny;
    xx += every + out * ux * ux + bent * bone_x * bone_x;
    yy += every + out * uy * uy + bent * bone_y * bone_y;
    zz += every + out * uz * uz + bent * bone_z * bone_z;
    xy += out * ux * uy + bent * bone_x * bone_y;
    xz += out * ux * uz + bent * bone_x * bone_z;
    yz += out * uy * uz + bent * bone_y * bone_z;
    const F c_xx = yy * zz - yz * yz, c_xy = xz * yz - xy * zz, c_xz = xy * yz - xz * yy;  // cofactors
    const F s = freedom / larger(xx * c_xx + xy * c_xy + xz * c_xz, 1.0e-36f);
    const F i_xx = s * c_xx, i_xy = s * c_xy, i_xz = s * c_xz, i_yy = s * (xx * zz - xz * xz);
    const F i_yz = s * (xy * xz - xx * yz), i_zz = s * (xx * yy - xy * xy);
    float* row = rounds.sides.data + 72 * group;
    *(F8*)(row) = fx, *(F8*)(row + 8) = fy, *(F8*)(row + 16) = fz;
    *(F8*)(row + 24) = i_xx, *(F8*)(row + 32) = i_xy, *(F8*)(row + 40) = i_xz;
    *(F8*)(row + 48) = i_yy, *(F8*)(row + 56) = i_yz, *(F8*)(row + 64) = i_zz;
    const F yx = scale * (i_xx * fx + i_xy * fy + i_xz * fz), yy_ = scale * (i_xy * fx + i_yy * fy + i_yz * fz);
    const F yz_ = scale * (i_xz * fx + i_yz * fy + i_zz * fz);
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {{
            float* move = rounds.others.data + 4 * i[n];
            move[0] = yx[n], move[1] = yy_[n], move[2] = yz_[n];
        }}
#endif
"""

_RESPOND = f"""
    const auto& some = rounds.pulled;
{LANES}
    const float* row = rounds.sides.data + 72 * group;
    F sx = *(const F8*)(row), sy = *(const F8*)(row + 8), sz = *(const F8*)(row + 16);
    for (int slot = rounds.slots.data[group]; slot < rounds.slots.data[group + 1]; ++slot) {{
        I j;
        for (int n = 0; n < 8; ++n) j[n] = rounds.neighbors.data[8 * slot + n];
        F x, y, z;
        triples(moves.data, j, x, y, z);
        const float* block = rounds.blocks.data + 72 * slot;
        sx += *(const F8*)(block) * x + *(const F8*)(block + 8) * y + *(const F8*)(block + 16) * z;
        sy += *(const F8*)(block + 24) * x + *(const F8*)(block + 32) * y + *(const F8*)(block + 40) * z;
        sz += *(const F8*)(block + 48) * x + *(const F8*)(block + 56) * y + *(const F8*)(block + 64) * z;
    }}
    const F i_xx = *(const F8*)(row + 24), i_xy = *(const F8*)(row + 32), i_xz = *(const F8*)(row + 40);
    const F i_yy = *(const F8*)(row + 48), i_yz = *(const F8*)(row + 56), i_zz = *(const F8*)(row + 64);
    F x, y, z, last_x, last_y, last_z;
    triples(moves.data, i, x, y, z);
    triples(before.data, i, last_x, last_y, last_z);
    const float scale = 2.0f / (rounds.highest + rounds.lowest);
    const float own = weight * scale, kept = weight * (1.0f - scale), back = 1.0f - weight;
    x = own * (i_xx * sx + i_xy * sy + i_xz * sz) + kept * x + back * last_x;
    y = own * (i_xy * sx + i_yy * sy + i_yz * sz) + kept * y + back * last_y;
    z = own * (i_xz * sx + i_yz * sy + i_zz * sz) + kept * z + back * last_z;
    for (int n = 0; n < 8; ++n)
        if (list[n] >= 0) {{
            float* move = before.data + 4 * i[n];
            move[0] = x[n], move[1] = y[n], move[2] = z[n];
        }}
#endif
"""


@wp.func_native(_PULL)
def pull_group(
    group: int,
    some: IntArray,
    springs: Springs,
    states: FloatArray,
    tolerances: FloatArray,
    forces: Points,
    residuals: FloatArray,
):
    """All pulls on a group, and how many times its tolerance [m] a vertex is pulled by, per unit of stiffness."""


@wp.func_native(_LINEARIZE)
def linearize_group(group: int, springs: Springs, rounds: Rounds):
    """Pulls F and the inverse of H_ii of a group into `sides`, -H_ij into `blocks`; y <- s H_ii^-1 F into `others`."""


@wp.func_native(_RESPOND)
def respond_group(group: int, weight: float, moves: FloatArray, before: FloatArray, rounds: Rounds):
    """One of Jacobi's rounds: y <- weight (s H_ii^-1 (F - sum H_ij y_j) + (1 - s) y) + (1 - weight) y_before.

    It is written over the last but one.
    """


@wp.kernel(enable_backward=False)
def measure_pulls(
    first: int,
    some: IntArray,
    springs: Springs,
    states: FloatArray,
    tolerances: FloatArray,
    forces: Points,
    residuals: FloatArray,
):
    """All pulls on the groups of a list."""
    pull_group(first + wp.tid(), some, springs, states, tolerances, forces, residuals)
