# mypy: ignore-errors
"""Blending whole shapes on the device, item `first + tid`."""

import warp as wp

Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def blend(first: int, one: Points, other: Points, shares: wp.array(dtype=wp.float32), result: Points):
    """one + share (other - one), a share per vertex."""
    i = first + wp.tid()
    result[i] = one[i] + shares[i] * (other[i] - one[i])


@wp.kernel(enable_backward=False)
def between(first: int, one: Points, other: Points, share: wp.array(dtype=wp.float32), result: Points):
    """one + share (other - one), the same share for all."""
    i = first + wp.tid()
    result[i] = one[i] + share[0] * (other[i] - one[i])
