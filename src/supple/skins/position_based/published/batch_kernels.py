# mypy: ignore-errors
"""Projections of eight constraints at a time, as registers of a processor hold them.

Symbols and arithmetic are those of `projection_kernels`. One thread walks through the batches of a slab; constraints of
a batch share no particle, so that all eight start from the same.
"""

import warp as wp

from supple.geometry.kernels.eight import EIGHT
from supple.skins.position_based.published.projection_kernels import FloatArray, IntArray, Vec3Array, Vec4Array


@wp.struct
class VolumeBatches:
    """Batches of elements: those of slab g are starts[g] to starts[g + 1]. Of each, first corners one to four of all
    eight (`corners`), then 6 V_0, the square of the longest move and the factor on the stiffness of all (`sizes`)."""

    starts: IntArray
    corners: IntArray
    sizes: FloatArray


@wp.struct
class BindBatches:
    """Batches of bound particles; anchors, distances at rest and factors are those of all particles."""

    starts: IntArray
    bound: IntArray
    anchors: Vec3Array
    lengths: FloatArray
    stiffness: FloatArray


@wp.struct
class StretchBatches:
    """Batches of edges: both `ends` of all eight, then their lengths and the factors on their stiffness (`sizes`)."""

    starts: IntArray
    ends: IntArray
    sizes: FloatArray


_SWEEP = f"""
{EIGHT}
    float* p = (float*)particles.data;
    const float press = params.data[0], hold = params.data[1], pull = params.data[2];  // VOLUME, BIND, STRETCH
    const float flattest = 1.0e-12f;  // FLATTEST
    for (int b = volumes.starts.data[slab]; press > 0.0f && b < volumes.starts.data[slab + 1]; ++b) {{
        const int* t = volumes.corners.data + 32 * b;
        const float* size = volumes.sizes.data + 24 * b;
        const F rest = *(const F8*)size, longest = *(const F8*)(size + 8), factor = *(const F8*)(size + 16);
        F x[4], y[4], z[4], w[4];
        for (int k = 0; k < 4; ++k) quads(p, t + 8 * k, x[k], y[k], z[k], w[k]);
        const F bx = x[1] - x[0], by = y[1] - y[0], bz = z[1] - z[0];
        const F cx = x[2] - x[0], cy = y[2] - y[0], cz = z[2] - z[0];
        const F dx = x[3] - x[0], dy = y[3] - y[0], dz = z[3] - z[0];
        const F g2x = cy * dz - cz * dy, g2y = cz * dx - cx * dz, g2z = cx * dy - cy * dx;
        const F g3x = dy * bz - dz * by, g3y = dz * bx - dx * bz, g3z = dx * by - dy * bx;
        const F g4x = by * cz - bz * cy, g4y = bz * cx - bx * cz, g4z = bx * cy - by * cx;
        const F g1x = -(g2x + g3x + g4x), g1y = -(g2y + g3y + g4y), g1z = -(g2z + g3z + g4z);
        const F slope = w[0] * (g1x * g1x + g1y * g1y + g1z * g1z) + w[1] * (g2x * g2x + g2y * g2y + g2z * g2z)
            + w[2] * (g3x * g3x + g3y * g3y + g3z * g3z) + w[3] * (g4x * g4x + g4y * g4y + g4z * g4z);
        F s = -press * factor * (g4x * dx + g4y * dy + g4z * dz - rest) / slope;
        s = slope > longest * longest * flattest ? s : 0.0f;
        const F reach = s * s * slope;
        s = reach > longest ? s * root(longest / reach) : s;
        const F s1 = s * w[0], s2 = s * w[1], s3 = s * w[2], s4 = s * w[3];
        keep_quads(p, t, x[0] + s1 * g1x, y[0] + s1 * g1y, z[0] + s1 * g1z, w[0]);
        keep_quads(p, t + 8, x[1] + s2 * g2x, y[1] + s2 * g2y, z[1] + s2 * g2z, w[1]);
        keep_quads(p, t + 16, x[2] + s3 * g3x, y[2] + s3 * g3y, z[2] + s3 * g3z, w[2]);
        keep_quads(p, t + 24, x[3] + s4 * g4x, y[3] + s4 * g4y, z[3] + s4 * g4z, w[3]);
    }}
    for (int b = bonds.starts.data[slab]; hold > 0.0f && b < bonds.starts.data[slab + 1]; ++b) {{
        const int* t = bonds.bound.data + 8 * b;
        I i;
        for (int n = 0; n < 8; ++n) i[n] = t[n];
        const float* anchors = (const float*)bonds.anchors.data;
        F x, y, z, w;
        quads(p, t, x, y, z, w);
        const F ax = x - at(anchors, 3, i, 0), ay = y - at(anchors, 3, i, 1), az = z - at(anchors, 3, i, 2);
        const F length = root(ax * ax + ay * ay + az * az);
        F s = -hold * at(bonds.stiffness.data, 1, i, 0) * (length - at(bonds.lengths.data, 1, i, 0)) / length;
        s = w > 0.0f && length > tiny ? s : 0.0f;
        keep_quads(p, t, x + s * ax, y + s * ay, z + s * az, w);
    }}
    for (int b = edges.starts.data[slab]; pull > 0.0f && b < edges.starts.data[slab + 1]; ++b) {{
        const int* t = edges.ends.data + 16 * b;
        const F rest = *(const F8*)(edges.sizes.data + 16 * b), factor = *(const F8*)(edges.sizes.data + 16 * b + 8);
        F x[2], y[2], z[2], w[2];
        for (int k = 0; k < 2; ++k) quads(p, t + 8 * k, x[k], y[k], z[k], w[k]);
        const F ax = x[0] - x[1], ay = y[0] - y[1], az = z[0] - z[1], masses = w[0] + w[1];
        const F length = root(ax * ax + ay * ay + az * az);
        F s = -pull * factor * (length - rest) / (masses * length);
        s = masses > 0.0f && length > tiny ? s : 0.0f;
        const F s1 = s * w[0], s2 = s * w[1];
        keep_quads(p, t, x[0] + s1 * ax, y[0] + s1 * ay, z[0] + s1 * az, w[0]);
        keep_quads(p, t + 8, x[1] - s2 * ax, y[1] - s2 * ay, z[1] - s2 * az, w[1]);
    }}
#endif
"""


@wp.func_native(_SWEEP)
def sweep_slab(
    slab: int,
    params: FloatArray,
    volumes: VolumeBatches,
    bonds: BindBatches,
    edges: StretchBatches,
    particles: Vec4Array,
): ...


@wp.kernel(enable_backward=False)
def sweep(
    first: int,
    params: FloatArray,
    volumes: VolumeBatches,
    bonds: BindBatches,
    edges: StretchBatches,
    particles: Vec4Array,
):
    """Walk once through one slab: its volumes, its bonds to the bones, its edges."""
    sweep_slab(first + wp.tid(), params, volumes, bonds, edges, particles)
