# mypy: ignore-errors
"""Many right sides times an inverse in numbers of 16 bits, by tensor cores.

Symbols as in `inverse_kernels`. Such a number has 11 bits, of which a right side takes two, b = h + l, and the inverse
one: it only has to be near A^-1, as a preconditioner is. Both are brought to where 16 bits reach: b by a factor that
what is expected of it allows, and cut off beyond; A^-1 by one at which its largest entry is near the largest there is.

Columns of right sides, three of every body, and rows of the inverse stand `width` items apart, and there are as many as
fill whole tiles; what is too many is zero.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
HalfArray = wp.array(dtype=wp.float16)
Points = wp.array(dtype=wp.vec3f)

TILE = 128  # rows and columns that a block of threads makes
STEP = 32  # of a row that are multiplied at a time
THREADS = wp.constant(256)
SHARED = 3 * 3 * TILE * STEP // 2  # numbers of 32 bits: three steps, of which two are on their way
MOST = wp.constant(65000.0)  # that fits into 16 bits
SIDES = wp.constant(0)  # what right sides are multiplied by before, and answers after
ANSWERS = wp.constant(1)


@wp.kernel(enable_backward=False)
def split_sides(
    first: int,
    stride: int,
    width: int,
    rows: IntArray,
    scales: FloatArray,
    sides: Points,
    high: HalfArray,
    low: HalfArray,
):
    """h and l of all right sides, as rows of one coordinate of one body."""
    t = first + wp.tid()
    n = rows.shape[0]
    c = t // n
    k = t - c * n
    side = scales[SIDES] * sides[c * stride + rows[k]]
    for axis in range(3):
        at = (3 * c + axis) * width + k
        b = wp.clamp(side[axis], -MOST, MOST)
        h = wp.float16(b)
        high[at] = h
        low[at] = wp.float16(b - wp.float32(h))


# A warp makes 64 x 32 of a tile in pieces of 16 x 8; which thread holds which entries of a piece is given by
# `mma.m16n8k16`. Sixteen bytes of a row lie in shared memory where eight rows at the same place are in eight different
# groups of banks.
_MULTIPLY = """
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int TILE = 128, STEP = 32, STAGES = 3, CHUNKS = STEP / 8;
    const int n = (int)rows.shape[0], thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int wm = warp % 2 * 64, wn = warp / 2 * 32, tiles = (n + TILE - 1) / TILE;
    const int j0 = tile % tiles * TILE, column0 = tile / tiles * TILE;
    const unsigned shared = (unsigned)__cvta_generic_to_shared(&memory.data(0));
    const char* from[3] = {
        (const char*)inverse.data + 2 * (size_t)j0 * width,
        (const char*)high.data + 2 * (size_t)column0 * width,
        (const char*)low.data + 2 * (size_t)column0 * width,
    };
    auto place = [](int row, int chunk) { return (unsigned)(row * CHUNKS + (chunk ^ (row / 2 % CHUNKS))) * 16u; };
    constexpr unsigned PART = 2u * TILE * STEP;  // bytes of each of the three matrices of a stage
    auto fetch = [&](int k0, int to) {
        if (k0 < width) {
            #pragma unroll
            for (int part = 0; part < 3; ++part)
                #pragma unroll
                for (int turn = 0; turn < TILE * CHUNKS / 256; ++turn) {
                    const int item = thread + 256 * turn, row = item / CHUNKS, chunk = item % CHUNKS;
                    const unsigned at = shared + (3u * to + part) * PART + place(row, chunk);
                    const char* source = from[part] + 2 * ((size_t)row * width + k0 + 8 * chunk);
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at), "l"(source) : "memory");
                }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    auto load = [](unsigned* r, unsigned at) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
    };
    auto product = [](float* d, const unsigned* a, const unsigned* b) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    };
    float acc[4][4][4] = {};
    fetch(0, 0);
    fetch(STEP, 1);
    for (int k0 = 0, now = 0; k0 < width; k0 += STEP, now = (now + 1) % STAGES) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(k0 + 2 * STEP, (now + 2) % STAGES);
        const unsigned stage = shared + 3u * now * PART;
        #pragma unroll
        for (int k = 0; k < CHUNKS; k += 2) {
            unsigned a[4][4], b[2][2][4];
            #pragma unroll
            for (int m = 0; m < 4; ++m) load(a[m], stage + place(wm + 16 * m + lane % 16, k + lane / 16));
            #pragma unroll
            for (int part = 0; part < 2; ++part)
                #pragma unroll
                for (int p = 0; p < 2; ++p) {
                    const int row = wn + 16 * p + lane % 8 + lane / 16 * 8;
                    load(b[part][p], stage + (1 + part) * PART + place(row, k + lane / 8 % 2));
                }
            #pragma unroll
            for (int part = 1; part >= 0; --part)
                #pragma unroll
                for (int m = 0; m < 4; ++m)
                    #pragma unroll
                    for (int p = 0; p < 4; ++p) product(acc[m][p], a[m], &b[part][p / 2][p % 2 * 2]);
        }
    }
    float* X = (float*)answers.data;
    const float scale = scales.data[1];
    #pragma unroll
    for (int p = 0; p < 4; ++p)
        #pragma unroll
        for (int side = 0; side < 2; ++side) {
            const int column = column0 + wn + 8 * p + lane % 4 * 2 + side, c = column / 3;
            if (c >= copies) continue;
            float* x = X + 3 * (size_t)c * stride + column % 3;
            #pragma unroll
            for (int m = 0; m < 4; ++m)
                #pragma unroll
                for (int q = 0; q < 2; ++q) {
                    const int j = j0 + wm + 16 * m + lane / 4 + 8 * q;
                    if (j < n) x[3 * (size_t)rows.data[j]] = scale * acc[m][p][2 * q + side];
                }
        }
#endif
"""


@wp.func_native(_MULTIPLY)
def multiply_tile(
    tile: int,
    copies: int,
    stride: int,
    width: int,
    rows: IntArray,
    scales: FloatArray,
    inverse: HalfArray,
    high: HalfArray,
    low: HalfArray,
    memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared"),
    answers: Points,
): ...


@wp.kernel(enable_backward=False, launch_bounds=(256, 2))
def multiply_tiles(
    first: int,
    copies: int,
    stride: int,
    width: int,
    rows: IntArray,
    scales: FloatArray,
    inverse: HalfArray,
    high: HalfArray,
    low: HalfArray,
    answers: Points,
):
    """x = A^-1 b for many bodies, on blocks of `THREADS`."""
    memory = wp.tile_empty(shape=(SHARED,), dtype=float, storage="shared")
    tile = (first + wp.tid()) // THREADS
    multiply_tile(tile, copies, stride, width, rows, scales, inverse, high, low, memory, answers)
