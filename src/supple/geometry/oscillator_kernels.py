"""Arithmetic of one thing that swings on a spring, solved exactly over a step, so that no step is too long for it."""

import warp as wp

Swing = wp.types.matrix(shape=(2, 3), dtype=wp.float32)


@wp.func
def swung_on(u: wp.vec3f, du: wp.vec3f, pace: float, damping: float, dt: float) -> Swing:
    """Offset and velocity, in two rows, after `dt` of u'' + 2 n w u' + w^2 u = 0.

    w is the `pace` [rad/s], n the `damping`, below one, so that it swings.
    """
    wd = pace * wp.sqrt(1.0 - damping * damping)
    fade = wp.exp(-damping * pace * dt)
    co = fade * wp.cos(wd * dt)
    si = fade * wp.sin(wd * dt) / wd
    later = co * u + si * (du + damping * pace * u)
    speed = co * du - si * (pace * pace * u + damping * pace * du)
    return wp.matrix_from_rows(later, speed)


@wp.func
def within_reach(u: wp.vec3f, du: wp.vec3f, limit: float) -> Swing:
    """Offset and velocity no farther than `limit` from zero: at the end of its reach it loses the speed outwards."""
    away = wp.length(u)
    if away <= limit:
        return wp.matrix_from_rows(u, du)
    out = u / away
    return wp.matrix_from_rows(limit * out, du - wp.max(wp.dot(du, out), 0.0) * out)
