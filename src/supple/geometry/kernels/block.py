# mypy: ignore-errors
"""Threads of a GPU that work together; on a processor each is alone.

Kernels with Warp's tiles are for a GPU: on a processor all threads have one memory for tiles, and would write over each
other's. One thread may run them, as tests do.
"""

import warp as wp

BLOCK = 512  # threads that hold a body together
SHARED_ROWS = 3000  # particles of it in memory that they share; eight numbers of each fit into what small GPUs have


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
""")
def wait_for_block():
    """Wait until all threads of a block are here, and see what they have written."""


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    const unsigned beside = 0xffu << (threadIdx.x & 24u);
    for (int apart = 4; apart > 0; apart /= 2) x += __shfl_xor_sync(beside, x, apart);
#endif
    return x;
""")
def sum_of_eight(x: float) -> float:
    """The sum over eight threads beside one another, the first of which has a number that eight divides."""
