# mypy: ignore-errors
"""Strains of bodies of a crowd on a GPU, along strips of triangles around every particle; see `strips`.

A block of threads holds the particles of a body, or of two, in memory that its threads share, and each goes around a
particle at a time: a step reads one corner and makes one element of it and the two corners before. The arithmetic is
that of `energy_kernels`. On a processor a block is one thread, as tests have it.
"""

import warp as wp

from supple.geometry.kernels.block import BLOCK, SHARED_ROWS

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)
SHARED = 2 * 4 * SHARED_ROWS + 1  # numbers: where particles of two bodies are, and their pressures; groups gone round


@wp.struct
class StripArrays:
    """`Strips` of one body: 6 V_0 and 1 / s of a step's element, the length of its edge, and its code, an integer."""

    particles: IntArray
    starts: IntArray
    steps: Vec4Array


# What goes on for the bodies A and B of a block, whose vectors are relative to the particle. With SETTLED, A is where a
# body is and B where it settled, which says what sizes A wants; without, they are two bodies that want those at rest.
_STRAIN = """
#if defined(__CUDA_ARCH__)
    constexpr int READ = 16;  // bytes that are read at once
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
    auto wait = [] { __syncthreads(); };
    auto one_over_root = [](float x) { return rsqrtf(x); };
    // The next group of particles goes to the threads that are done first.
    auto next = [&](int) {
        int group = 0;
        if (thread % 32 == 0) group = atomicAdd((int*)&memory.data(2 * 4 * MOST_ROWS), 1);
        return 32 * __shfl_sync(0xffffffffu, group, 0) + thread % 32;
    };
    if (thread == 0) *(int*)&memory.data(2 * 4 * MOST_ROWS) = 0;
#else
    constexpr int READ = 4;
    const int thread = 0, threads = 1;
    auto wait = [] {};
    auto one_over_root = [](float x) { return 1.0f / wp::sqrt(x); };
    auto next = [](int t) { return t + 1; };
#endif
    constexpr bool SETTLED = IS_SETTLED;
    struct alignas(READ) Row { float x, y, z, p; };
    struct alignas(READ) Step { float size, slope, length; int code; };
    struct Vec { float x, y, z; };
    auto dot = [](const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
    auto normal = [](const Vec& p, const Vec& q, const Vec& v) {
        const Vec a = {q.x - p.x, q.y - p.y, q.z - p.z}, b = {v.x - p.x, v.y - p.y, v.z - p.z};
        return Vec{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    };
    auto add = [](Row& total, float n_share, const Vec& n, float v_share, const Vec& v) {
        total.x -= n_share * n.x + v_share * v.x;
        total.y -= n_share * n.y + v_share * v.y;
        total.z -= n_share * n.z + v_share * v.z;
    };
    const int last = (int)particles.shape[0] / count - 1;
    const size_t from_a = (size_t)(SETTLED ? block : 2 * block) * count;
    const size_t from_b = (size_t)(SETTLED ? block : wp::min(2 * block + 1, last)) * count;
    Row* rows_a = (Row*)&memory.data(0);
    Row* rows_b = rows_a + count;
    for (int i = thread; i < count; i += threads) {
        Row a = ((const Row*)particles.data)[from_a + i], b;
        if (SETTLED) {
            const Vec at = ((const Vec*)rest.data)[from_b + i];
            b = Row{at.x, at.y, at.z, 0.0f};
        } else {
            b = ((const Row*)particles.data)[from_b + i];
            a.p = 0.25f * ((const float*)rest.data)[from_a + i];
            b.p = 0.25f * ((const float*)rest.data)[from_b + i];
        }
        rows_a[i] = a;
        rows_b[i] = b;
    }
    wait();
    const float volume = weights.data[0], stretch = weights.data[2];
    const Step* __restrict__ steps = (const Step*)strips.steps.data;
    for (int t = next(-1); t < (int)strips.particles.shape[0]; t = next(t)) {
        const int i = strips.particles.data[t], stop = strips.starts.data[t / 32 + 1];
        if (i < 0) continue;  // of the last group
        const Row xa = rows_a[i], xb = rows_b[i];
        Vec pa = {0.0f, 0.0f, 0.0f}, qa = pa, pb = pa, qb = pa;
        float at_p_a = 0.0f, at_q_a = 0.0f, at_p_b = 0.0f, at_q_b = 0.0f;
        Row sum_a = {0.0f, 0.0f, 0.0f, 0.0f}, sum_b = sum_a;
        for (int s = strips.starts.data[t / 32] + t % 32; s < stop; s += 32) {
            const Step step = steps[s];
            const int j = step.code & 0xffff;
            const bool first = step.code >= 0x10000;
            const Row ra = rows_a[j], rb = rows_b[j];
            const Vec va = {ra.x - xa.x, ra.y - xa.y, ra.z - xa.z}, vb = {rb.x - xb.x, rb.y - xb.y, rb.z - xb.z};
            const Vec na = normal(pa, qa, va), nb = normal(pb, qb, vb);
            const float weight = volume * step.slope, k = step.length < 0.0f ? 0.0f : stretch;
            const float has_a = dot(na, pa), has_b = dot(nb, pb), far_a = dot(va, va), far_b = dot(vb, vb);
            const float over_a = one_over_root(wp::max(far_a, 1.0e-24f));
            const float over_b = one_over_root(wp::max(far_b, 1.0e-24f));
            if (SETTLED) {
                add(sum_a, weight * (has_a - has_b), na, k * (1.0f - far_b * over_b * over_a), va);
                sum_a.p += 4.0f * weight * dot(na, na) + 2.0f * k;
            } else {
                const float lost_a = has_a - step.size * (1.0f + xa.p + at_p_a + at_q_a + ra.p);
                const float lost_b = has_b - step.size * (1.0f + xb.p + at_p_b + at_q_b + rb.p);
                const float off_a = far_a * over_a - step.length, off_b = far_b * over_b - step.length;
                add(sum_a, weight * lost_a, na, k * off_a * over_a, va);
                add(sum_b, weight * lost_b, nb, k * off_b * over_b, vb);
                sum_a.p += 0.125f * weight * lost_a * lost_a + 0.25f * k * off_a * off_a;
                sum_b.p += 0.125f * weight * lost_b * lost_b + 0.25f * k * off_b * off_b;
                at_p_a = first ? ra.p : at_p_a;
                at_p_b = first ? rb.p : at_p_b;
                at_q_a = first ? at_q_a : ra.p;
                at_q_b = first ? at_q_b : rb.p;
            }
            pa = first ? va : pa;
            pb = first ? vb : pb;
            qa = first ? qa : va;
            qb = first ? qb : vb;
        }
        ((Row*)sums.data)[from_a + i] = sum_a;
        if (!SETTLED) ((Row*)sums.data)[from_b + i] = sum_b;
    }
"""


_STRAIN = _STRAIN.replace("MOST_ROWS", str(SHARED_ROWS))


@wp.func_native(_STRAIN.replace("IS_SETTLED", "false"))
def strain_of_two(
    block: int,
    count: int,
    weights: FloatArray,
    strips: StripArrays,
    rest: FloatArray,
    particles: Vec4Array,
    memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared"),
    sums: Vec4Array,
): ...


@wp.func_native(_STRAIN.replace("IS_SETTLED", "true"))
def strain_where_settled(
    block: int,
    count: int,
    weights: FloatArray,
    strips: StripArrays,
    rest: Vec3Array,
    particles: Vec4Array,
    memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared"),
    sums: Vec4Array,
): ...


@wp.kernel(enable_backward=False, launch_bounds=(BLOCK, 2))
def strain_by_body(
    first: int,
    count: int,
    weights: FloatArray,
    strips: StripArrays,
    pressures: FloatArray,
    particles: Vec4Array,
    sums: Vec4Array,
):
    """What elements and edges do to particles at rest sizes under `pressures`: two bodies of `count` a block."""
    memory = wp.tile_empty(shape=(SHARED,), dtype=float, storage="shared")
    strain_of_two((first + wp.tid()) / wp.block_dim(), count, weights, strips, pressures, particles, memory, sums)


@wp.kernel(enable_backward=False, launch_bounds=(BLOCK, 2))
def strain_by_body_where_settled(
    first: int,
    count: int,
    weights: FloatArray,
    strips: StripArrays,
    settled: Vec3Array,
    particles: Vec4Array,
    sums: Vec4Array,
):
    """The same with the sizes that there are at `settled`, one body a block."""
    memory = wp.tile_empty(shape=(SHARED,), dtype=float, storage="shared")
    strain_where_settled((first + wp.tid()) / wp.block_dim(), count, weights, strips, settled, particles, memory, sums)
