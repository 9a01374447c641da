"""Elastic flesh: nothing resists rigid motions, uniform strain is exact, energies and forces agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.inside_tets import lattice
from supple.errors import InputError
from supple.geometry.tetrahedra import Tetrahedra, volumes
from supple.skins.contact.model.elasticity import (
    TISSUES,
    Tissue,
    consistent_mass,
    element_stiffness,
    lumped_masses,
    named_tissue,
    stiffness,
)


def block(seed=0, cubes=(3, 2, 2), rough=0.02):
    points, corners = lattice(cubes, side=0.1)
    return Tetrahedra(points + np.random.default_rng(seed).uniform(-rough, rough, points.shape), corners)


def energy_density(gradient, youngs_modulus, poissons_ratio):
    """Energy per volume of a uniform displacement gradient, from the law of the material."""
    strain = 0.5 * (gradient + gradient.T)
    first = youngs_modulus * poissons_ratio / ((1 + poissons_ratio) * (1 - 2 * poissons_ratio))
    return 0.5 * first * np.trace(strain) ** 2 + youngs_modulus / (2 * (1 + poissons_ratio)) * np.sum(strain**2)


@given(st.integers(0, 10_000), st.floats(0.0, 0.49), st.floats(10.0, 1e7))
def test_uniform_strain_costs_what_the_material_says_and_pushes_only_at_the_border(
    seed, poissons_ratio, youngs_modulus
):
    solid = block(seed)
    gradient = np.random.default_rng(seed + 1).normal(size=(3, 3))
    moved = solid.points @ gradient.T
    matrix = stiffness(solid, youngs_modulus, poissons_ratio)
    energy = 0.5 * moved.ravel() @ (matrix @ moved.ravel())
    wanted = volumes(solid).sum() * energy_density(gradient, youngs_modulus, poissons_ratio)
    assert energy == pytest.approx(wanted, rel=1e-9)
    force = (matrix @ moved.ravel()).reshape(-1, 3)
    inner = ((solid.points > 0.03) & (solid.points < np.array([0.3, 0.2, 0.2]) - 0.03)).all(axis=1)
    assert inner.sum() == 2
    assert np.abs(force[inner]).max() < 1e-9 * np.abs(force).max()


def test_the_stiffness_is_symmetric_and_only_rigid_motions_cost_nothing():
    solid = block()
    matrix = stiffness(solid, 1.0, 0.3).toarray()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12 * np.abs(matrix).max())
    values = np.linalg.eigvalsh(matrix)
    assert values[:6] == pytest.approx(np.zeros(6), abs=1e-12 * values[-1])
    assert values[6] > 1e-6 * values[-1]
    shifts = np.tile(np.eye(3), (len(solid.points), 1))
    rotations = np.concatenate([np.cross(np.eye(3), p).T for p in solid.points])
    assert np.abs(matrix @ np.c_[shifts, rotations]).max() < 1e-12 * np.abs(matrix).max()


def test_the_force_is_the_slope_of_the_energy_of_every_element():
    """The energy is measured on moved corners by the strain itself, not by the matrix."""
    solid = block(3, cubes=(1, 1, 1))
    rng = np.random.default_rng(4)
    youngs_modulus, poissons_ratio = (
        rng.uniform(1.0, 9.0, len(solid.corners)),
        rng.uniform(0.0, 0.45, len(solid.corners)),
    )

    def energy(u):
        total = 0.0
        for corners, y, v in zip(solid.corners, youngs_modulus, poissons_ratio, strict=True):
            rest = (solid.points[corners[1:]] - solid.points[corners[0]]).T
            gradient = (u[corners[1:]] - u[corners[0]]).T @ np.linalg.inv(rest)
            total += np.linalg.det(rest) / 6.0 * energy_density(gradient, y, v)
        return total

    u = rng.normal(size=solid.points.shape)
    slope = np.zeros_like(u)
    step = 1e-4
    for position in np.ndindex(u.shape):
        away = np.zeros_like(u)
        away[position] = step
        slope[position] = (energy(u + away) - energy(u - away)) / (2 * step)
    wanted = (stiffness(solid, youngs_modulus, poissons_ratio) @ u.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(slope, wanted, atol=1e-8 * np.abs(wanted).max())


def test_a_pulled_bar_grows_longer_and_thinner_as_young_and_poisson_say():
    """Ends pulled apart by sigma, sides free: strain sigma / Y along, -v sigma / Y across."""
    youngs_modulus, poissons_ratio, pull = 2e4, 0.3, 150.0
    points, corners = lattice((4, 2, 2), side=0.1)
    solid = Tetrahedra(points, corners)
    matrix = stiffness(solid, youngs_modulus, poissons_ratio).toarray()
    strain = np.diag(
        [pull / youngs_modulus, -poissons_ratio * pull / youngs_modulus, -poissons_ratio * pull / youngs_modulus]
    )
    force = (matrix @ (points @ strain).ravel()).reshape(-1, 3)
    right = points[:, 0] > 0.4 - 1e-9
    assert force[right].sum(axis=0) == pytest.approx([pull * 0.04, 0.0, 0.0], abs=1e-9)
    assert np.abs(force[~right & (points[:, 0] > 1e-9)]).max() < 1e-9


def test_masses_add_up_and_both_kinds_agree_on_moving_as_a_whole():
    solid = block(5)
    density = np.random.default_rng(6).uniform(500.0, 1500.0, len(solid.corners))
    masses = lumped_masses(solid, density)
    total = float(volumes(solid) @ density)
    assert masses.sum() == pytest.approx(total, rel=1e-12)
    along = np.tile([1.0, 0.0, 0.0], len(solid.points))
    full = consistent_mass(solid, density)
    assert along @ (full @ along) == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(full @ along, (masses[:, None] * [1.0, 0.0, 0.0]).ravel(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("poissons_ratio", [0.5, 0.7, -1.0, np.nan])
def test_flesh_that_cannot_be_pressed_is_refused(poissons_ratio):
    with pytest.raises(InputError, match="poissons_ratio"):
        element_stiffness(block(), 1e4, poissons_ratio)
    with pytest.raises(InputError, match="poissons_ratio"):
        Tissue(poissons_ratio=poissons_ratio)
    assert np.isfinite(element_stiffness(block(), 1e4, 0.499)).all()


@pytest.mark.parametrize("density", [0.0, -1.0])
def test_flesh_without_mass_is_refused(density):
    with pytest.raises(InputError, match="density"):
        lumped_masses(block(), density)
    with pytest.raises(InputError, match="density"):
        Tissue(density=density)
    with pytest.raises(InputError, match="youngs_modulus"):
        stiffness(block(), density, 0.3)
    with pytest.raises(InputError, match=r"density has shape \(3,\)"):
        lumped_masses(block(), np.ones(3))


def test_tissues_have_names():
    assert named_tissue("fat", "here") is TISSUES["fat"]
    own = Tissue(youngs_modulus=123.0)
    assert named_tissue(own, "here") is own
    with pytest.raises(InputError, match="fat, muscle, rubber"):
        named_tissue("bone", "here")
    assert TISSUES["fat"].youngs_modulus < TISSUES["muscle"].youngs_modulus < TISSUES["rubber"].youngs_modulus
