"""Cubics through keys of the built-in motions, against SciPy's."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

from supple.motion.builtin import splines


@pytest.fixture(params=range(5))
def keys(request):
    numbers = np.random.default_rng(request.param)
    count = int(numbers.integers(3, 9))
    return np.cumsum(numbers.uniform(0.1, 1.0, count)), numbers.normal(size=count), numbers


def sampled(curve, times):
    return np.array([curve(time) for time in np.linspace(times[0], times[-1], 101)])


def test_clamped_ones_are_those_of_scipy(keys):
    times, _, numbers = keys
    values, ends = numbers.normal(size=(len(times), 6)), numbers.normal(size=(2, 6))
    wanted = CubicSpline(times, values, bc_type=((1, ends[0]), (1, ends[1])))
    np.testing.assert_allclose(
        sampled(splines.clamped(times, values, *ends), times), sampled(wanted, times), atol=1e-12
    )


def test_two_keys_alone_make_one_cubic():
    values, ends = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[1.0, -1.0], [0.5, 4.0]])
    wanted = CubicSpline([1.0, 1.5], values, bc_type=((1, ends[0]), (1, ends[1])))
    curve = splines.clamped([1.0, 1.5], values, *ends)
    np.testing.assert_allclose(sampled(curve, [1.0, 1.5]), sampled(wanted, [1.0, 1.5]), atol=1e-12)


def test_periodic_ones_are_those_of_scipy(keys):
    times, values, _ = keys
    values = [*values[:-1], values[0]]
    wanted = CubicSpline(times, values, bc_type="periodic")
    np.testing.assert_allclose(sampled(splines.periodic(times, values), times), sampled(wanted, times), atol=1e-12)


def test_level_ones_are_those_of_scipy_between_holds(keys):
    times, values, _ = keys
    around = [times[0] - 1.0, *times, times[-1] + 1.0]
    wanted = PchipInterpolator(around, [values[0], *values, values[-1]])
    np.testing.assert_allclose(sampled(splines.level(times, values), times), sampled(wanted, times), atol=1e-12)
