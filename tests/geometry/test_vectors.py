"""Ramps rise once, smoothly, and alike from both ends."""

import numpy as np
import pytest

from supple.geometry.vectors import smoothstep


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-2.0, 5.0), (0.035, 0.075)])
def test_a_ramp_rises_from_low_to_high_and_is_flat_at_both(low, high):
    span = high - low
    assert smoothstep(np.array([low - span, low, 0.5 * (low + high), high, high + span]), low, high) == pytest.approx(
        [0.0, 0.0, 0.5, 1.0, 1.0], abs=1e-12
    )
    inside = np.linspace(low, high, 101)
    values = smoothstep(inside, low, high)
    assert (np.diff(values) > 0.0).all()
    np.testing.assert_allclose(values + smoothstep(low + high - inside, low, high), 1.0, atol=1e-12)
    slopes = np.gradient(smoothstep(np.linspace(low - span, high + span, 3001), low, high), 3.0 * span / 3000)
    assert np.abs(np.diff(slopes)).max() < 0.01 / span  # no corner anywhere
    assert slopes.max() == pytest.approx(1.5 / span, rel=1e-3)


def test_ramps_of_many_widths_are_those_of_each():
    values, widths = np.linspace(-1.0, 1.0, 7), np.linspace(0.2, 1.4, 7)
    each = [float(smoothstep(values[k : k + 1], -widths[k], widths[k])[0]) for k in range(7)]
    np.testing.assert_array_equal(smoothstep(values, -widths, widths), each)
