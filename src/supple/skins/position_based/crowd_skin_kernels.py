# mypy: ignore-errors
"""The skin of a crowd goes along with its flesh on a GPU, a block of threads for each body; see `carry_skin`.

Threads of a block share the flesh of its body: q and d of every particle, in rows that a thread reads at once.
"""

import warp as wp

from supple.geometry.kernels.block import BLOCK, SHARED_ROWS
from supple.skins.position_based.step_kernels import FloatArray, Vec3Array, carried_along

Vec6 = wp.types.vector(length=6, dtype=wp.float32)
SHARED = 6 * SHARED_ROWS  # numbers


@wp.struct
class PackedCorners:
    """Particles that carry the vertices of one body, block after block of four for all `count` of them.

    `particles` are four numbers of 16 bits in one of 64, `shares` how much they count, the largest first.
    """

    count: int
    particles: wp.array(dtype=wp.uint64)
    shares: wp.array(dtype=wp.vec4f)


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
#else
    const int thread = 0, threads = 1;
#endif
    float* rows = (float*)&memory.data(0);
    for (int i = thread; i < count; i += threads) {
        const wp::vec3f q = kinematic.data[first + i], d = offsets.data[first + i];
        const float row[6] = {q[0], q[1], q[2], d[0], d[1], d[2]};
        for (int k = 0; k < 4; ++k) rows[4 * i + k] = row[k];
        for (int k = 0; k < 2; ++k) rows[4 * count + 2 * i + k] = row[4 + k];
    }
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
""")
def share_flesh(
    first: int,
    count: int,
    kinematic: Vec3Array,
    offsets: Vec3Array,
    memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared"),
): ...


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    struct alignas(16) Four { float a, b, c, d; };
    struct alignas(8) Two { float a, b; };
#else
    struct Four { float a, b, c, d; };
    struct Two { float a, b; };
#endif
    const Four* rows = (const Four*)&memory.data(0);
    const Two* ends = (const Two*)(rows + count);
    const Four* shares = (const Four*)corners.shares.data;
    float sum[6] = {};
    for (int at = vertex; at < (int)corners.particles.shape[0]; at += corners.count) {
        const Four share = shares[at];
        if (share.a == 0.0f) break;
        const unsigned long long particles = corners.particles.data[at];
        const float by[4] = {share.a, share.b, share.c, share.d};
        for (int k = 0; k < 4; ++k) {
            const int j = (int)(particles >> (16 * k)) & 0xffff;
            const Four row = rows[j];
            const Two end = ends[j];
            sum[0] += by[k] * row.a;
            sum[1] += by[k] * row.b;
            sum[2] += by[k] * row.c;
            sum[3] += by[k] * row.d;
            sum[4] += by[k] * end.a;
            sum[5] += by[k] * end.b;
        }
    }
    wp::vec_t<6, float> found;
    for (int k = 0; k < 6; ++k) found[k] = sum[k];
    return found;
""")
def blend_flesh(
    vertex: int, count: int, corners: PackedCorners, memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared")
) -> Vec6: ...


@wp.kernel(enable_backward=False, launch_bounds=BLOCK)
def carry_skin_by_body(
    first: int,
    particles_per_copy: int,
    corners: PackedCorners,
    follow: FloatArray,
    rest_distance: FloatArray,
    leeway: float,
    kinematic: Vec3Array,
    offsets: Vec3Array,
    incoming: Vec3Array,
    skin: Vec3Array,
):
    """One body a block, whose threads go through its vertices."""
    t = first + wp.tid()
    copy = t / wp.block_dim()
    memory = wp.tile_empty(shape=(SHARED,), dtype=float, storage="shared")
    share_flesh(copy * particles_per_copy, particles_per_copy, kinematic, offsets, memory)
    for i in range(t % wp.block_dim(), corners.count, wp.block_dim()):
        v = copy * corners.count + i
        x = incoming[v]
        if follow[v] != 0.0:
            f = blend_flesh(i, particles_per_copy, corners, memory)
            q = wp.vec3f(f[0], f[1], f[2])
            x = carried_along(x, q, wp.vec3f(f[3], f[4], f[5]), follow[v], rest_distance[v], leeway)
        skin[v] = x
