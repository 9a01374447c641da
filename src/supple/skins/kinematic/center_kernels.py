# mypy: ignore-errors
"""The sum behind the centres of rotation, in a module of its own because only binding needs it."""

import warp as wp


@wp.kernel(enable_backward=False)
def similar_skin(
    first: int,
    starts: wp.array(dtype=wp.int32),
    stops: wp.array(dtype=wp.int32),
    row_j: wp.array(dtype=wp.float64),
    row_k: wp.array(dtype=wp.float64),
    mean_j: wp.array(dtype=wp.float64),
    mean_k: wp.array(dtype=wp.float64),
    amount: wp.array(dtype=wp.vec4d),
    width: wp.float64,
    sums: wp.array(dtype=wp.vec4d),
):
    """w_j w_k sum_bins exp(-((w_j u_k - w_k u_j) / width)^2) [mass c, mass]."""
    i = first + wp.tid()
    w_j = row_j[i]
    w_k = row_k[i]
    total = wp.vec4d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    for b in range(starts[i], stops[i]):
        e = (w_j * mean_k[b] - w_k * mean_j[b]) / width
        if e * e < wp.float64(30.0):
            total += wp.exp(-e * e) * amount[b]
    sums[i] = w_j * w_k * total
