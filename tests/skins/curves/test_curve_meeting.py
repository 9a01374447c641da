"""Curves that touch something, against the textbook, an optimiser of SciPy, and the laws of contact."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from supple.errors import InputError, UnfinishedError
from supple.skins.curves.beam.meeting import meet
from supple.skins.curves.beam.static import StaticBeam


def straight(nodes):
    curve = np.zeros((nodes, 3))
    curve[:, 0] = np.linspace(0.0, 1.0, nodes)
    return curve


def floor(heights):
    """What stands this high under every node."""

    def outside(points):
        return points[:, 1] - heights, np.tile([0.0, 1.0, 0.0], (len(points), 1))

    return outside


def ball(center, radius):
    def outside(points):
        away = points - center
        far = np.linalg.norm(away, axis=1)
        return far - radius, away / far[:, None]

    return outside


@pytest.mark.parametrize("bending", [1.0, 4.0])
def test_a_blade_under_the_middle_bears_what_the_textbook_says(bending):
    """A clamped beam that is pushed by d in its middle pushes back by 192 a1 d, and has its slope there level."""
    heights = np.full(199, -np.inf)
    heights[99] = 0.05
    found = meet(StaticBeam(201, bending), straight(201), floor(heights))
    assert found.offsets[100, 1] == pytest.approx(0.05)
    assert found.pressures[99] / 200.0 == pytest.approx(192.0 * bending * 0.05, rel=1e-3)
    assert np.count_nonzero(found.pressures) == 1
    quarter = 0.05 * (3.0 * 0.5**2 - 2.0 * 0.5**3)  # of a beam between a clamp and a level middle
    assert found.offsets[50, 1] == pytest.approx(quarter, rel=1e-3)


@pytest.mark.parametrize("compression", [0.0, 12.0, -30.0])
@pytest.mark.parametrize("seed", range(4))
def test_an_uneven_floor_is_met_as_an_optimiser_finds(compression, seed):
    nodes, load = 41, -60.0
    heights = 0.05 * np.random.default_rng(seed).standard_normal(nodes - 2)
    beam = StaticBeam(nodes, 1.0, compression)
    found = meet(beam, straight(nodes), floor(heights), load=(0.0, load, 0.0))
    matrix = beam.bands.multiply(np.eye(nodes - 2))
    factor = np.linalg.cholesky(matrix)
    toward = np.linalg.solve(factor, np.full(nodes - 2, load))
    other = lsq_linear(factor.T, toward, bounds=(heights, np.inf), tol=1e-14, method="bvls").x
    np.testing.assert_allclose(found.offsets[1:-1, 1], other, atol=1e-8)


@pytest.mark.parametrize("center", [(0.5, -0.15, 0.02), (0.3, 0.1, -0.12), (0.62, -0.17, 0.0)])
def test_a_ball_is_met_by_the_laws_of_contact(center):
    beam, outside = StaticBeam(61), ball(np.array(center), 0.2)
    found = meet(beam, straight(61), outside, load=(0.0, -2.0, 0.0))
    distances, normals = outside((straight(61) + found.offsets)[1:-1])
    assert distances.min() > -1e-8  # nothing is inside
    assert (found.pressures >= 0.0).all()  # what touches pushes,
    assert (found.pressures * distances).max() < 1e-6 * found.pressures.max()  # and only what touches
    assert (found.pressures > 0.0).sum() >= 1
    pushed = found.pressures[:, None] * normals + (0.0, -2.0, 0.0)
    held = beam.bands.multiply(found.offsets[1:-1])
    np.testing.assert_allclose(held, pushed, atol=1e-5 * np.abs(pushed).max())


def test_what_is_not_in_the_way_changes_nothing():
    found = meet(StaticBeam(30), straight(30), ball(np.array([0.5, 1.0, 0.0]), 0.2))
    assert not found.offsets.any()
    assert not found.pressures.any()


def test_without_a_load_stiffness_changes_the_pressure_and_not_the_shape():
    soft, firm = (meet(StaticBeam(61, a1), straight(61), ball(np.array([0.5, -0.15, 0.0]), 0.2)) for a1 in (1.0, 4.0))
    assert firm.pressures.sum() == pytest.approx(4.0 * soft.pressures.sum(), rel=1e-3)
    np.testing.assert_allclose(firm.offsets, soft.offsets, atol=1e-6)


@pytest.mark.parametrize(
    ("beam", "places", "message"),
    [
        (StaticBeam(30, 1.0, 100.0), straight(30), "buckling"),
        (StaticBeam(30), straight(29), "places"),
        (StaticBeam(30), np.zeros((30, 2)), "one curve in space"),
    ],
)
def test_curves_that_cannot_be_pressed_are_refused(beam, places, message):
    with pytest.raises(InputError, match=message):
        meet(beam, places, ball(np.array([0.5, 0.0, 0.0]), 0.2))


def test_who_never_settles_is_said():
    """A thing whose sides change with every look."""
    looks = iter(range(1000))

    def flickering(points):
        side = 1.0 if next(looks) % 2 else -1.0
        return np.full(len(points), -0.1), np.tile([0.0, side, 0.0], (len(points), 1))

    with pytest.raises(UnfinishedError, match="rounds"):
        meet(StaticBeam(30), straight(30), flickering)
