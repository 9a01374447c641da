"""The oracle of dropped and pressed flesh (`oracles.implicit_fem`) is held to what is known.

Its stiffness is that of the skin, its barrier has the slope of its value, it falls freely, a floor bears its weight,
and a finger that presses it meets about the force of Hertz. `scenes.contact_reference` compares the skin with it.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles import implicit_fem
from oracles.implicit_fem import Barriers, SoftBall, make_shell, unit_sphere
from scenes import contact_reference as scene
from supple.geometry.tetrahedra import Tetrahedra
from supple.skins.contact.model.elasticity import stiffness

LAYERS = scene.RADIUS * np.array([0.4, 0.6, 0.8, 1.0])
MUSCLE = {"young": scene.YOUNG, "poisson": scene.POISSON, "density": scene.DENSITY, "damping": scene.DAMPING}


def test_the_barrier_is_the_slope_of_its_value():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(6, 3)) * 1e-4 + [0.0, 3e-4, 0.0]
    points[:, 1] = np.abs(points[:, 1]) + 1e-5
    barrier = Barriers(floor=0.0, radius=0.01, center=np.array([0.0, -0.0098, 0.0]))
    points += [0.0, 2e-4, 0.0]
    _, gradient, _ = barrier(points)
    step = 1e-10
    for index in np.ndindex(points.shape):
        ahead, behind = points.copy(), points.copy()
        ahead[index] += step
        behind[index] -= step
        slope = (barrier(ahead)[0] - barrier(behind)[0]) / (2.0 * step)
        assert slope == pytest.approx(gradient[index], abs=1e-3 * np.abs(gradient).max())


def test_the_oracle_falls_freely_and_its_floor_bears_its_weight():
    dt = 1.0 / 60.0
    ball = SoftBall(make_shell(unit_sphere(1), LAYERS), dt=dt, gravity=9.81, **MUSCLE)
    far, near = Barriers(floor=-9.0), Barriers(floor=-scene.RADIUS - 0.03, stiffness=2e4)
    for _ in range(4):
        ball.step(far)
    assert_allclose(ball.core, [0.0, -9.81 * dt**2 * 10.0, 0.0], atol=1e-9)  # 1 + 2 + 3 + 4 steps of implicit Euler
    for _ in range(60):
        ball.step(near)
    assert ball.force[1] == pytest.approx(9.81 * ball.mass, rel=0.02)
    assert ball.points[:, 1].min() > near.floor


def test_its_elasticity_is_that_of_the_skin():
    shell = make_shell(unit_sphere(1, pole=1.5), LAYERS)
    volumes, gradients = implicit_fem._shape_gradients(shell)
    found = implicit_fem._stiffness(shell, volumes, gradients, scene.YOUNG, scene.POISSON)
    skin = stiffness(Tetrahedra(shell.points, shell.elements), scene.YOUNG, scene.POISSON)
    assert abs(found - skin).max() < 1e-12 * abs(found).max()


def test_a_finger_on_it_meets_about_the_force_of_hertz(monkeypatch):
    """4/3 E* sqrt(R) d^1.5 is that of a half-space, which a ball on a core is not."""
    monkeypatch.setattr(scene, "LAYERS", np.array([0.4, 0.6, 0.8, 1.0]))
    monkeypatch.setattr(scene, "DEEP", 0.01)
    found = scene.reference_press(1.0 / 60.0, level=2, ipc=False)
    both = 1.0 / (1.0 / scene.FINGER + 1.0 / scene.RADIUS)
    hertz = 4.0 / 3.0 * scene.YOUNG / (1.0 - scene.POISSON**2) * np.sqrt(both) * scene.DEEP**1.5
    assert 0.5 * hertz < found["forces"][-1] < 2.0 * hertz
    assert found["profile"][0] == pytest.approx(scene.RADIUS - scene.DEEP, abs=1e-3)
