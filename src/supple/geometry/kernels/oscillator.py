# mypy: ignore-errors
"""Arithmetic of one thing that swings on a spring, solved exactly over a step, so that no step is too long for it."""

import warp as wp

Swing = wp.types.matrix(shape=(2, 3), dtype=wp.float32)


@wp.func
def swing_over(pace: float, damping: float, dt: float) -> wp.vec4f:
    """What `dt` [s] does to anything that swings by u'' + 2 n w u' + w^2 u = 0, for `swung_on`.

    w is the `pace` [rad/s], n the `damping`, below one, so that it swings: fading cosine, fading sine over its own
    pace, n w and w^2.
    """
    own = pace * wp.sqrt(1.0 - damping * damping)
    fade = wp.exp(-damping * pace * dt)
    return wp.vec4f(fade * wp.cos(own * dt), fade * wp.sin(own * dt) / own, damping * pace, pace * pace)


@wp.func
def swung_on(u: wp.vec3f, du: wp.vec3f, swing: wp.vec4f) -> Swing:
    """Offset u and velocity u' at the end of the step, in two rows."""
    later = swing[0] * u + swing[1] * (du + swing[2] * u)
    speed = swing[0] * du - swing[1] * (swing[3] * u + swing[2] * du)
    return wp.matrix_from_rows(later, speed)


@wp.func
def within_reach(u: wp.vec3f, du: wp.vec3f, limit: float) -> Swing:
    """Offset and velocity no farther than `limit` from zero: at the end of its reach it loses the speed outwards."""
    away = wp.length(u)
    if away <= limit:
        return wp.matrix_from_rows(u, du)
    out = u / away
    return wp.matrix_from_rows(limit * out, du - wp.max(wp.dot(du, out), 0.0) * out)
