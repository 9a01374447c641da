# mypy: ignore-errors
"""Incremental rotation of eight vertices at a time, as registers of a processor hold them (see `lanes`).

Symbols and arithmetic are those of `incremental`, of which this is `pose`. The turn exp(omega) is a unit
quaternion, (omega sin(a) / 2a, cos(a)) with a = |omega| / 2, of which both functions are series in a^2: no vertex turns
by more than half a turn from its own bone, and there they are exact to the last bit but one.
"""

import warp as wp

from supple.geometry.kernels.eight import EIGHT
from supple.skins.springs.kernels.incremental import Posing

_POSE = f"""
{EIGHT}
    const int last = (int)posing.posed.shape[0] - 1;
    I i;
    for (int n = 0; n < 8; ++n) i[n] = 8 * group + n < last ? 8 * group + n : last;
    auto clamped = [&](F x) {{ return smaller(larger(x, 0.0f), 1.0f); }};
    auto size_of = [&](F x, F y, F z) {{ return root(x * x + y * y + z * z); }};
    auto weighs = [](F w) {{ return __builtin_reduce_or(w > 0.0f) != 0; }};
    auto fours = [&](const void* from, I row, F* out) {{
        quads((const float*)from, row, out[0], out[1], out[2], out[3]);
    }};
    const float* positions = (const float*)posing.positions.data;
    F ax = 0.0f, ay = 0.0f, az = 0.0f, w[4], found[4];
    for (int block = 0; block < posing.control_blocks; ++block) {{
        const I row = i * posing.control_blocks + block;
        fours(posing.control_weights.data, row, w), fours(posing.control_points.data, row, found);
        for (int k = 0; k < 4; ++k) {{
            if (!weighs(w[k])) continue;
            F x, y, z;
            triples(positions, (I)found[k], x, y, z);
            ax += w[k] * x, ay += w[k] * y, az += w[k] * z;
        }}
    }}

    const auto& pairs = posing.pairs;
    const float *rest = (const float*)posing.rest_vectors.data;
    const int* owners = posing.segments.data;
    I b;
    for (int n = 0; n < 8; ++n) b[n] = owners[i[n]];
    F sx = at(rest, 3, i, 0), sy = at(rest, 3, i, 1), sz = at(rest, 3, i, 2);
    const F rest_length = size_of(sx, sy, sz);
    auto each_pair = [&](auto visit) {{
        for (int block = 0; block < pairs.blocks; ++block) {{
            const I row = i * pairs.blocks + block;
            F weights[4], indices[4];
            fours(pairs.weights.data, row, weights), fours(pairs.indices.data, row, indices);
            for (int k = 0; k < 4; ++k)
                if (weighs(weights[k])) visit(weights[k], (I)indices[k], row, k);
        }}
    }};
    F ox = 0.0f, oy = 0.0f, oz = 0.0f, leaning = 0.0f;
    each_pair([&](F w, I p, I, int) {{
        F x, y, z;
        triples((const float*)pairs.rotations.data, p, x, y, z);
        leaning += w, ox += w * x, oy += w * y, oz += w * z;
    }});
    if (posing.flags.data[0] != 0) {{  // STRETCHED
        F stretch[9];
        for (int m = 0; m < 9; ++m) stretch[m] = at((const float*)posing.stretches.data, 9, b, m);
        each_pair([&](F w, I p, I, int) {{
            for (int m = 0; m < 9; ++m) stretch[m] += w * at((const float*)pairs.stretches.data, 9, p, m);
        }});
        const F x = sx, y = sy, z = sz;
        sx = stretch[0] * x + stretch[1] * y + stretch[2] * z;
        sy = stretch[3] * x + stretch[4] * y + stretch[5] * z;
        sz = stretch[6] * x + stretch[7] * y + stretch[8] * z;
    }}
    auto rotate = [&](F qx, F qy, F qz, F qw) {{
        const F tx = qy * sz - qz * sy, ty = qz * sx - qx * sz, tz = qx * sy - qy * sx;
        sx += 2.0f * (qw * tx + qy * tz - qz * ty);
        sy += 2.0f * (qw * ty + qz * tx - qx * tz);
        sz += 2.0f * (qw * tz + qx * ty - qy * tx);
    }};
    const F q = 0.25f * (ox * ox + oy * oy + oz * oz);
    const F half_sinc = 0.5f + q * (-8.3333333e-2f + q * (4.1666667e-3f + q * (-9.9206349e-5f + q * (1.3778660e-6f
        + q * (-1.2526052e-8f + q * 8.0295198e-11f)))));
    const F cosine = 1.0f + q * (-0.5f + q * (4.1666667e-2f + q * (-1.3888889e-3f + q * (2.4801587e-5f
        + q * (-2.7557319e-7f + q * (2.0876757e-9f + q * -1.1470746e-11f))))));
    rotate(half_sinc * ox, half_sinc * oy, half_sinc * oz, cosine);
    F turn[4];
    fours(posing.rotations.data, b, turn);
    rotate(turn[0], turn[1], turn[2], turn[3]);

    F x = ax + sx, y = ay + sy, z = az + sz;
    F amount = posing.parameters.data[0] * at(pairs.chained.data, 1, i, 0) * smaller(8.0f * leaning, 1.0f);  // LEANING
    if (weighs(amount)) {{
        const F length = size_of(sx, sy, sz), inverse_length = 1.0f / larger(length, tiny);
        F inside = 0.0f;
        each_pair([&](F w, I p, I, int) {{
            F nx, ny, nz;
            triples((const float*)pairs.insides.data, p, nx, ny, nz);
            inside += 2.0f * w * clamped(2.0f * inverse_length * (sx * nx + sy * ny + sz * nz));  // PER_STOP
        }});
        amount = length > 0.0f ? amount * (1.0f - smaller(inside, 1.0f)) : 0.0f;
        if (weighs(amount)) {{
            auto away_from = [&](I segment, F& dx, F& dy, F& dz) {{
                F fx, fy, fz, wx, wy, wz;
                triples(positions, segment, fx, fy, fz);
                triples(positions, segment + posing.size, wx, wy, wz);
                wx -= fx, wy -= fy, wz -= fz, dx = x - fx, dy = y - fy, dz = z - fz;
                const F square = larger(wx * wx + wy * wy + wz * wz, 1.0e-20f);
                const F t = clamped((dx * wx + dy * wy + dz * wz) / square);
                dx -= t * wx, dy -= t * wy, dz -= t * wz;
            }};
            F ex, ey, ez, hx = 0.0f, hy = 0.0f, hz = 0.0f;
            away_from(b, ex, ey, ez);
            const F far_square = ex * ex + ey * ey + ez * ez, grown = length / larger(rest_length, tiny);
            each_pair([&](F w, I p, I row, int k) {{
                I other;
                for (int n = 0; n < 8; ++n) other[n] = pairs.others.data[p[n]];
                F gx, gy, gz;
                away_from(other, gx, gy, gz);
                const F near_square = gx * gx + gy * gy + gz * gz;
                const F between = larger(0.03f * (far_square + near_square), 1.0e-24f);  // AS_NEAR
                const F share = clamped(0.5f + 0.5f * (far_square - near_square) / between);
                gx = ex + share * (gx - ex), gy = ey + share * (gy - ey), gz = ez + share * (gz - ez);
                const F wanted = at((const float*)pairs.distances.data, 4, row, k) * grown;
                const F far = larger(larger(size_of(gx, gy, gz), 0.2f * wanted), tiny);
                const F part = w * (wanted / far - 1.0f);
                hx += part * gx, hy += part * gy, hz += part * gz;
            }});
            amount /= larger(leaning, tiny);
            x += amount * hx, y += amount * hy, z += amount * hz;
        }}
    }}
    float *attached = (float*)posing.attachment_points.data, *scale = (float*)posing.scale_vectors.data;
    float* posed = (float*)posing.posed.data;
    for (int n = 0; n < 8; ++n) {{
        const int row = 3 * i[n];
        attached[row] = ax[n], attached[row + 1] = ay[n], attached[row + 2] = az[n];
        scale[row] = sx[n], scale[row + 1] = sy[n], scale[row + 2] = sz[n];
        posed[row] = x[n], posed[row + 1] = y[n], posed[row + 2] = z[n];
    }}
#endif
"""


@wp.func_native(_POSE)
def pose_group(group: int, posing: Posing):
    """Attachment points, scale vectors and posed skin of vertices 8 group to 8 group + 7."""


@wp.kernel(enable_backward=False)
def pose(first: int, posing: Posing):
    """Incremental rotation of a group."""
    pose_group(first + wp.tid(), posing)
