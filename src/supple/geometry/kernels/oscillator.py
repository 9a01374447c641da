# mypy: ignore-errors
"""Arithmetic of one thing that swings on a spring, solved exactly over a step, so that no step is too long for it."""

import warp as wp

OscillatorState = wp.types.matrix(shape=(2, 3), dtype=wp.float32)


@wp.func
def oscillator_coefficients(frequency: float, damping: float, dt: float) -> wp.vec4f:
    """What `dt` [s] does to anything that swings by u'' + 2 n w u' + w^2 u = 0, for `swung_on`.

    w is the `pace` [rad/s], n the `damping`, below one, so that it swings: fading cosine, fading sine over its own
    pace, n w and w^2.
    """
    own = frequency * wp.sqrt(1.0 - damping * damping)
    fade = wp.exp(-damping * frequency * dt)
    return wp.vec4f(fade * wp.cos(own * dt), fade * wp.sin(own * dt) / own, damping * frequency, frequency * frequency)


@wp.func
def advance_oscillator(u: wp.vec3f, du: wp.vec3f, coefficients: wp.vec4f) -> OscillatorState:
    """Offset u and velocity u' at the end of the step, in two rows."""
    later = coefficients[0] * u + coefficients[1] * (du + coefficients[2] * u)
    speed = coefficients[0] * du - coefficients[1] * (coefficients[3] * u + coefficients[2] * du)
    return wp.matrix_from_rows(later, speed)


@wp.func
def relax_critically(u: wp.vec3f, du: wp.vec3f, rate: float, dt: float) -> OscillatorState:
    """Offset and velocity `dt` [s] later by a critically damped spring, which never overshoots.

    u'' = -2 k u' - k^2 u with k = `rate` [1/s]: u(t) = (u + (u' + k u) t) exp(-k t).
    """
    fade = wp.exp(-rate * dt)
    pull = du + rate * u
    return wp.matrix_from_rows((u + dt * pull) * fade, (du - rate * dt * pull) * fade)


@wp.func
def clamp_offset(u: wp.vec3f, du: wp.vec3f, limit: float) -> OscillatorState:
    """Offset and velocity no farther than `limit` from zero: at the end of its reach it loses the speed outwards."""
    away = wp.length(u)
    if away <= limit:
        return wp.matrix_from_rows(u, du)
    out = u / away
    return wp.matrix_from_rows(limit * out, du - wp.max(wp.dot(du, out), 0.0) * out)
