# mypy: ignore-errors
"""How much a surface is stretched where it is, on the device."""

import warp as wp


@wp.kernel(enable_backward=False)
def mean_edge_stretch(
    first: int,
    starts: wp.array(dtype=wp.int32),
    neighbors: wp.array(dtype=wp.int32),
    rest: wp.array(dtype=wp.vec3f),
    points: wp.array(dtype=wp.vec3f),
    stretch: wp.array(dtype=wp.float32),
):
    """The mean of l / l0 - 1 over the edges of a vertex; zero where it has none of any length."""
    v = first + wp.tid()
    total = float(0.0)
    count = float(0.0)
    for slot in range(starts[v], starts[v + 1]):
        other = neighbors[slot]
        before = wp.length(rest[other] - rest[v])
        if before > 0.0:
            total += wp.length(points[other] - points[v]) / before - 1.0
            count += 1.0
    stretch[v] = total / wp.max(count, 1.0)
