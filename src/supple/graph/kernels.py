# mypy: ignore-errors
"""Blending whole shapes on the device, item `first + tid`."""

import warp as wp

Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def blend(first: int, one: Points, other: Points, weights: wp.array(dtype=wp.float32), result: Points):
    """one + share (other - one), a share per vertex."""
    i = first + wp.tid()
    result[i] = one[i] + weights[i] * (other[i] - one[i])


@wp.kernel(enable_backward=False)
def interpolate(first: int, one: Points, other: Points, alpha: wp.array(dtype=wp.float32), result: Points):
    """one + share (other - one), the same share for all."""
    i = first + wp.tid()
    result[i] = one[i] + alpha[0] * (other[i] - one[i])
