# mypy: ignore-errors
"""Solving on a GPU: the inverse of the matrix times right sides, of one body or of hundreds alike.

Symbols: A the matrix; b a right side and x the answer, a vector per unknown. Bodies alike stand one after another,
`stride` items each; unknown j of a body is its item `rows[j]`. A^-1 is symmetric.
"""

import warp as wp

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Points = wp.array(dtype=wp.vec3f)

LANES = wp.constant(64)  # threads that share the row of one unknown
THREADS = wp.constant(128)  # of a block that makes a tile of the product
UNKNOWNS = 64  # of a tile
BODIES = 42


@wp.kernel(enable_backward=False)
def multiply_row(first: int, stride: int, rows: IntArray, inverse: FloatArray, sides: Points, answers: Points):
    """x = A^-1 b for a few bodies: a block of threads for every unknown of every body."""
    t = first + wp.tid()
    n = rows.shape[0]
    lane = t % LANES
    row = t // LANES
    c = row // n
    j = row - c * n
    x = wp.vec3f(0.0, 0.0, 0.0)
    for i in range(lane, n, LANES):
        x += inverse[j * n + i] * sides[c * stride + rows[i]]
    total = wp.tile_sum(wp.tile(x, preserve_type=True))
    answer = total[0]
    if lane == 0:
        answers[c * stride + rows[j]] = answer


# The product of A^-1 (n, n) with all right sides (n, 3 copies), a tile of 64 unknowns and 42 bodies a block. Tensor
# cores multiply numbers of 11 bits; each factor is the sum of two of them, x = h + l, and h h' + h l' + l h' has 22
# bits of the product. A warp makes 32 x 64 of the tile in pieces of 16 x 8; where each of its threads holds which entry
# of a piece is given by `mma.m16n8k8`. Rows in shared memory are as long as lets 32 threads read 32 banks. Products
# that add to the same piece stand far apart, so that none waits for the one before. While one piece of the rows is
# multiplied, the next two are on their way.
_MULTIPLY_TILE = """
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int BM = 64, BODIES = 42, BN = 128, BK = 16, LA = BM + 8, LB = BN + 8, EACH = BODIES / 2, STAGES = 3;
    __shared__ float As[STAGES][BK][LA];
    __shared__ float Bs[STAGES][BK][LB];
    const int n = (int)rows.shape[0], thread = (int)threadIdx.x, warp = thread / 32;
    const int g = (thread % 32) / 4, t = thread % 4, wm = (warp % 2) * 32, wn = (warp / 2) * 64;
    const int tiles = (n + BM - 1) / BM;
    const int j0 = (tile % tiles) * BM, c0 = (tile / tiles) * BODIES;
    const float* __restrict__ A = (const float*)inverse.data;
    const float* __restrict__ B = (const float*)sides.data;
    const int* __restrict__ place = (const int*)rows.data;
    float acc[2][8][4] = {};
    // Each thread fetches from one column of A, two rows apart, and one coordinate of every other body, straight into
    // shared memory; what is outside becomes zero.
    const int aj = thread % BM, ak = thread / BM, bk = thread % (3 * BK) / 3, axis = thread % 3, bb = thread / (3 * BK);
    const bool has_a = j0 + aj < n, has_b = bb < 2;
    const float* a_from = A + (size_t)ak * n + j0 + (has_a ? aj : 0);
    const float* b_from = B + 3 * (size_t)(c0 + bb) * stride + axis;
    auto bring = [](float* to, const float* from, bool there) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(to);
        const int bytes = there ? 4 : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(at), "l"(from), "r"(bytes) : "memory");
    };
    auto fetch = [&](int k0, int to) {
        #pragma unroll
        for (int r = 0; r < BK / 2; ++r) {
            const bool there = has_a && k0 + ak + 2 * r < n;
            bring(&As[to][ak + 2 * r][aj], there ? a_from + (unsigned)(k0 + 2 * r) * (unsigned)n : A, there);
        }
        if (has_b) {
            const bool fits = k0 + bk < n;
            const unsigned item = fits ? 3u * (unsigned)place[k0 + bk] : 0u;
            #pragma unroll
            for (int r = 0; r < EACH; ++r) {
                const bool there = fits && c0 + bb + 2 * r < copies;
                const float* from = b_from + item + 6u * (unsigned)(r * stride);
                bring(&Bs[to][bk][3 * (bb + 2 * r) + axis], there ? from : B, there);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    auto upper = [](float x) { unsigned h; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(h) : "f"(x)); return h; };
    auto product = [](float* d, const unsigned* a, const unsigned* b) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9},"
                     " {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    };
    // The last two columns of a tile belong to no body.
    for (int e = thread; e < STAGES * BK * 2; e += 128) Bs[e / (2 * BK)][e / 2 % BK][3 * BODIES + e % 2] = 0.0f;
    fetch(0, 0);
    fetch(BK, 1);
    for (int k0 = 0, now = 0; k0 < n; k0 += BK, now = (now + 1) % STAGES) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(k0 + 2 * BK, (now + 2) % STAGES);
        #pragma unroll
        for (int k = 0; k < BK; k += 8) {
            unsigned ah[2][4], al[2][4];
            #pragma unroll
            for (int m = 0; m < 2; ++m)
                #pragma unroll
                for (int q = 0; q < 4; ++q) {
                    const float x = As[now][k + t + 4 * (q / 2)][wm + 16 * m + g + 8 * (q % 2)];
                    ah[m][q] = upper(x);
                    al[m][q] = upper(x - __uint_as_float(ah[m][q]));
                }
            #pragma unroll
            for (int half = 0; half < 8; half += 4) {
                unsigned bh[4][2], bl[4][2];
                #pragma unroll
                for (int p = 0; p < 4; ++p)
                    #pragma unroll
                    for (int q = 0; q < 2; ++q) {
                        const float x = Bs[now][k + t + 4 * q][wn + 8 * (half + p) + g];
                        bh[p][q] = upper(x);
                        bl[p][q] = upper(x - __uint_as_float(bh[p][q]));
                    }
                #pragma unroll
                for (int p = 0; p < 4; ++p)
                    #pragma unroll
                    for (int m = 0; m < 2; ++m) product(acc[m][half + p], ah[m], bl[p]);
                #pragma unroll
                for (int p = 0; p < 4; ++p)
                    #pragma unroll
                    for (int m = 0; m < 2; ++m) product(acc[m][half + p], al[m], bh[p]);
                #pragma unroll
                for (int p = 0; p < 4; ++p)
                    #pragma unroll
                    for (int m = 0; m < 2; ++m) product(acc[m][half + p], ah[m], bh[p]);
            }
        }
    }
    float* X = (float*)answers.data;
    #pragma unroll
    for (int m = 0; m < 2; ++m)
        #pragma unroll
        for (int p = 0; p < 8; ++p)
            #pragma unroll
            for (int q = 0; q < 4; ++q) {
                const int j = j0 + wm + 16 * m + g + 8 * (q / 2), column = wn + 8 * p + 2 * t + q % 2;
                const int c = c0 + column / 3;
                if (j < n && column < 3 * BODIES && c < copies)
                    X[3 * ((size_t)c * stride + place[j]) + column % 3] = acc[m][p][q];
            }
#elif defined(__CUDA_ARCH__)
    const int n = (int)rows.shape[0], tiles = (n + 63) / 64;
    for (int e = (int)threadIdx.x; e < 64 * 126; e += 128) {
        const int j = (tile % tiles) * 64 + e % 64, c = (tile / tiles) * 42 + e / 64 / 3, axis = e / 64 % 3;
        if (j >= n || c >= copies) continue;
        const float* B = (const float*)sides.data + 3 * (size_t)c * stride + axis;
        float x = 0.0f;
        for (int k = 0; k < n; ++k) x += inverse.data[(size_t)k * n + j] * B[3 * rows.data[k]];
        ((float*)answers.data)[3 * ((size_t)c * stride + rows.data[j]) + axis] = x;
    }
#endif
"""


@wp.func_native(_MULTIPLY_TILE)
def multiply_tile(
    tile: int, copies: int, stride: int, rows: IntArray, inverse: FloatArray, sides: Points, answers: Points
): ...


@wp.kernel(enable_backward=False, launch_bounds=(THREADS, 2))
def multiply_tiles(
    first: int, copies: int, stride: int, rows: IntArray, inverse: FloatArray, sides: Points, answers: Points
):
    """x = A^-1 b for many bodies, on blocks of `THREADS`."""
    tile = (first + wp.tid()) // THREADS
    multiply_tile(tile, copies, stride, rows, inverse, sides, answers)
