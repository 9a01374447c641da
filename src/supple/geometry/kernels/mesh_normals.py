# mypy: ignore-errors
"""Area vectors of a mesh that a block of threads of a GPU holds in the memory that they share; see `AreaSums`."""

import warp as wp

THREADS = 1024  # of a block
MOST_VERTICES = 18000  # of a mesh
SHARED = 3 * MOST_VERTICES  # numbers
IntArray = wp.array(dtype=wp.int32)
Points = wp.array(dtype=wp.vec3f)


# Three numbers of a vertex follow one another: the first ones of vertices anywhere are in any of the banks.
@wp.func_native("""
#if defined(__CUDA_ARCH__)
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
#else
    const int thread = 0, threads = 1;
#endif
    struct Vec { float x, y, z; };
    const float* from = (const float*)points.data + 3 * (size_t)mesh * each;
    float* shared = (float*)&memory.data(0);
    for (int k = thread; k < 3 * each; k += threads) shared[k] = from[k];
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
    const Vec* at = (const Vec*)shared;
    for (int v = thread; v < each; v += threads) {
        const Vec x = at[v];
        Vec before = {0.0f, 0.0f, 0.0f}, sum = before;
        const int stop = starts.data[v / 32 + 1];
        for (int s = starts.data[v / 32] + v % 32; s < stop; s += 32) {
            const int code = corners.data[s];
            const Vec corner = at[code & 0x7fffffff];
            const Vec now = {corner.x - x.x, corner.y - x.y, corner.z - x.z};
            const float counts = code < 0 ? 0.0f : 1.0f;
            sum.x += counts * (before.y * now.z - before.z * now.y);
            sum.y += counts * (before.z * now.x - before.x * now.z);
            sum.z += counts * (before.x * now.y - before.y * now.x);
            before = now;
        }
        ((Vec*)sums.data)[(size_t)mesh * each + v] = sum;
    }
""")
def sum_areas(
    mesh: int,
    each: int,
    starts: IntArray,
    corners: IntArray,
    points: Points,
    memory: wp.tile(dtype=float, shape=(SHARED,), storage="shared"),
    sums: Points,
): ...


@wp.kernel(enable_backward=False, launch_bounds=THREADS)
def area_sums_of_mesh(first: int, each: int, starts: IntArray, corners: IntArray, points: Points, sums: Points):
    """The sum of the area vectors around every vertex, one mesh a block."""
    memory = wp.tile_empty(shape=(SHARED,), dtype=float, storage="shared")
    sum_areas((first + wp.tid()) / wp.block_dim(), each, starts, corners, points, memory, sums)
