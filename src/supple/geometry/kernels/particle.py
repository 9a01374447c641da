# mypy: ignore-errors
"""A particle as (x, y, z, w): where it is, and one over its mass."""

import warp as wp


@wp.func
def position(x: wp.vec3f) -> wp.vec3f:
    """Where a particle is."""
    return x


@wp.func
def position(x: wp.vec4f) -> wp.vec3f:  # noqa: F811 - Warp chooses by type
    """Where a particle is, of which another number is kept beside."""
    return wp.vec3f(x[0], x[1], x[2])


@wp.func
def translate(p: wp.vec4f, by: wp.vec3f) -> wp.vec4f:
    """A particle moved by a vector; its mass stays."""
    return wp.vec4f(p[0] + by[0], p[1] + by[1], p[2] + by[2], p[3])
