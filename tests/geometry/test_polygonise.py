"""Implicit bodies, their polygonisation and the evening of meshes, against shapes whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.arrays import FloatArray
from supple.errors import UnfinishedError
from supple.geometry import remeshing, topology
from supple.geometry.implicit import Blob, Body, Part, ellipsoid, loft, smooth_minimum
from supple.geometry.surface_nets import polygonize

LOW, HIGH = np.full(3, -1.53), np.full(3, 1.51)


def sphere(points: FloatArray) -> FloatArray:
    return np.linalg.norm(points, axis=1) - 1.0


def torus(points: FloatArray) -> FloatArray:
    return np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2]) - 0.35


def meshed(distance: remeshing.Distance, cell: float) -> tuple[FloatArray, np.ndarray]:
    points, quads = polygonize(distance, LOW, HIGH, cell=cell)
    return points, topology.triangulate(quads)


@pytest.mark.parametrize(("distance", "euler"), [(sphere, 2), (torus, 0)])
def test_the_surface_is_closed_and_has_the_right_number_of_handles(distance: remeshing.Distance, euler: int) -> None:
    points, triangles = meshed(distance, 0.1)
    census = topology.census(triangles)
    assert census.is_closed
    assert (census.shells, census.euler) == (1, euler)
    assert topology.signed_volume(points, triangles) > 0.0


def test_the_volume_converges_with_the_square_of_the_cell() -> None:
    errors = []
    for cell in (0.2, 0.1, 0.05):
        points, triangles = meshed(torus, cell)
        errors.append(abs(topology.signed_volume(points, triangles) - 2.0 * np.pi**2 * 0.35**2))
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (rates > 1.7).all()


def test_looking_only_near_the_surface_loses_nothing() -> None:
    """The oracle looks everywhere: a distance that never exceeds the cell keeps every block."""
    points, triangles = meshed(torus, 0.07)
    everywhere, same = meshed(lambda p: np.clip(torus(p), -0.07, 0.07), 0.07)
    order, other = np.lexsort(points.T), np.lexsort(everywhere.T)
    assert len(points) == len(everywhere)
    assert len(triangles) == len(same)
    # Values are clipped only off the surface, where they are used in no crossing farther than one cell.
    assert np.abs(points[order] - everywhere[other]).max() < 0.07


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31))
def test_random_noise_still_gives_closed_sheets(seed: int) -> None:
    """Every pattern of corner signs comes up; only edges shared by two sheets may crowd, and none may be open."""
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (8, 8, 8))
    noise[[0, -1]], noise[:, [0, -1]], noise[:, :, [0, -1]] = 1.0, 1.0, 1.0

    def distance(points: FloatArray) -> FloatArray:
        index = np.rint(points).astype(int)
        on_lattice = np.abs(points - index).max(axis=1) < 1e-9  # elsewhere 0: look everywhere
        inside = ((index >= 0) & (index < 8)).all(axis=1)
        clipped = np.clip(index, 0, 7)
        values = np.where(inside, noise[clipped[:, 0], clipped[:, 1], clipped[:, 2]], 1.0)
        return np.where(on_lattice, values, 0.0)

    _, quads = polygonize(distance, np.zeros(3), np.full(3, 8.0), cell=1.0)
    sides = topology.directed_edges(quads).astype(np.int64)
    forward = np.sort(sides[:, 0] * 100_000 + sides[:, 1])
    backward = np.sort(sides[:, 1] * 100_000 + sides[:, 0])
    np.testing.assert_array_equal(forward, backward)  # every side is met by one that runs the other way
    triangles = topology.triangulate(quads)
    assert topology.census(triangles).pinched_vertices == 0 or topology.census(triangles).crowded_edges > 0


def test_sheets_closer_than_a_cell_apart_do_not_share_vertices() -> None:
    """Two spheres whose gap passes through single cells stay two shells."""

    def pair(points: FloatArray) -> FloatArray:
        offset = np.array([0.53, 0.0, 0.0])
        left, right = points + offset, points - offset
        return np.minimum(np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1)) - 0.5

    _, triangles = meshed(pair, 0.1)
    census = topology.census(triangles)
    assert census.is_closed
    assert (census.shells, census.euler) == (2, 4)


def test_a_function_without_a_surface_and_a_box_that_cuts_one_are_refused() -> None:
    with pytest.raises(UnfinishedError, match="no surface"):
        polygonize(lambda p: np.ones(len(p)), LOW, HIGH, cell=0.2)
    with pytest.raises(UnfinishedError, match="widen the box"):
        polygonize(sphere, np.zeros(3), HIGH, cell=0.1)


def test_decimation_meets_the_count_exactly_and_stays_closed() -> None:
    points, triangles = meshed(sphere, 0.1)
    for wanted in (300, 301, len(points) - 1):
        fewer, faces = remeshing.decimate(points, triangles, wanted)
        assert len(fewer) == wanted
        assert topology.census(faces).is_closed


def test_evening_improves_the_worst_triangles_and_stays_on_the_surface() -> None:
    points, triangles = meshed(torus, 0.1)
    better, faces = remeshing.even_out(points, triangles, torus, rounds=12)
    before = topology.corner_angles(points, triangles).min()
    after = topology.corner_angles(better, faces).min()
    assert after > before
    assert np.degrees(after) > 20.0
    assert np.abs(torus(better)).max() < 1e-6
    assert topology.census(faces) == topology.census(triangles)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31))
def test_flips_never_break_the_mesh(seed: int) -> None:
    points, triangles = meshed(sphere, 0.25)
    shaken = points + np.random.default_rng(seed).normal(0.0, 0.03, points.shape)
    census = topology.census(triangles)
    for _ in range(12):
        triangles = remeshing.flip_edges(shaken, triangles)
        assert topology.census(triangles) == census
    assert np.bincount(triangles.ravel()).min() >= 3


def test_relaxing_moves_within_the_tangent_plane_only() -> None:
    flat = np.array([[x, y, 0.0] for x in range(4) for y in range(4)], dtype=float)
    flat += np.random.default_rng(1).normal(0.0, 0.1, flat.shape) * [1.0, 1.0, 0.0]
    quads = np.array([[4 * x + y, 4 * x + y + 4, 4 * x + y + 5, 4 * x + y + 1] for x in range(3) for y in range(3)])
    moved = remeshing.relax(flat, topology.triangulate(quads))
    np.testing.assert_array_equal(moved[:, 2], 0.0)
    assert np.abs(moved - flat).max() > 0.01


def test_an_ellipsoid_is_zero_on_its_surface_and_right_to_first_order() -> None:
    shape = ellipsoid((0.1, 0.2, 0.3), (0.3, 0.5, 0.2))
    rng = np.random.default_rng(2)
    unit = rng.normal(size=(200, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    radii = np.array([0.3, 0.5, 0.2])
    on = np.array([0.1, 0.2, 0.3]) + unit * radii
    np.testing.assert_allclose(shape.distance(on), 0.0, atol=1e-8)
    normal = unit / radii
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    for step in (1e-4, -1e-4):
        np.testing.assert_allclose(shape.distance(on + step * normal) / step, 1.0, rtol=0.01)
    assert shape.distance(np.array([[0.1, 0.2, 0.3]]))[0] < -0.15


@pytest.mark.parametrize("power", [2.0, 3.0])
def test_a_loft_passes_through_its_stations(power: float) -> None:
    shape = loft(
        (0.0, 0.0, 0.0),
        (0.0, 2.0, 0.0),
        [(0.1, 0.2, 0.3, 0.1), (0.5, 0.0, 0.1, 0.3, 0.4, 0.2), (0.9, 0.25)],
        caps=(0.1, 0.3),
        power=power,
    )
    # Upwards with the front to +z, the side of a loft is -x.
    rim = [(0.2, 0.2, 0.0), (0.0, 0.2, 0.3), (0.0, 0.2, -0.1), (0.3, 1.0, 0.1), (0.0, 1.0, 0.5), (0.0, 1.0, -0.1)]
    ends = [(0.0, 0.1, 0.0), (0.0, 2.1, 0.0), (0.25, 1.8, 0.0)]
    np.testing.assert_allclose(shape.distance(np.array([*rim, *ends])), 0.0, atol=1e-6)


@settings(max_examples=50)
@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.01, 0.5))
def test_the_smooth_minimum_lies_below_the_minimum_by_at_most_a_sixth(a: float, b: float, blend: float) -> None:
    found = float(smooth_minimum(np.array([a]), np.array([b]), blend)[0])
    assert min(a, b) - blend / 6.0 - 1e-12 <= found <= min(a, b)
    if abs(a - b) >= blend:
        assert found == min(a, b)


def two_legs(blend: float, reach: float) -> Body:
    """A hip with a leg on each side, 6 cm apart at the floor."""
    hip = Part((Blob(ellipsoid((0.0, 1.0, 0.0), (0.25, 0.15, 0.15))),))
    leg = loft((0.13, 1.0, 0.0), (0.13, 0.0, 0.0), [(0.0, 0.1), (1.0, 0.1)])
    return Body((hip, Part((Blob(leg),), blend, (0.13, 1.0, 0.0), reach)), mirrored=True)


def test_parts_melt_near_their_joint_and_nowhere_else() -> None:
    plain, melted = two_legs(0.0, 0.3), two_legs(0.1, 0.3)
    rng = np.random.default_rng(3)
    points = rng.uniform([-0.4, -0.2, -0.3], [0.4, 1.3, 0.3], (4000, 3))
    points = points[np.abs(plain.distance(points)) < plain.beyond]  # farther off it only estimates
    joint = np.linalg.norm(points * [0, 1, 1] + np.abs(points) * [1, 0, 0] - [0.13, 1.0, 0.0], axis=1)
    added = plain.distance(points) - melted.distance(points)
    assert added.min() >= -1e-12
    assert added[joint < 0.15].max() > 0.005
    np.testing.assert_allclose(added[joint > 0.31], 0.0, atol=1e-12)


def test_legs_do_not_grow_together() -> None:
    body = two_legs(0.1, 0.3)
    points, quads = polygonize(body.distance, body.box[0] - 0.1, body.box[1] + 0.1, cell=0.02)
    census = topology.census(topology.triangulate(quads))
    assert census.is_closed
    assert (census.shells, census.euler) == (1, 2)
    assert np.abs(points[(points[:, 1] < 0.7), 0]).min() > 0.02


def test_a_mirrored_body_is_the_same_on_both_sides() -> None:
    body = two_legs(0.1, 0.3)
    points = np.random.default_rng(4).uniform(-1.0, 1.5, (500, 3))
    np.testing.assert_array_equal(body.distance(points), body.distance(points * [-1.0, 1.0, 1.0]))


def test_far_away_the_distance_is_a_lower_bound() -> None:
    body = Body((Part((Blob(ellipsoid((0.0, 0.0, 0.0), (0.5, 0.5, 0.5))),)),))
    points = np.random.default_rng(6).uniform(-4.0, 4.0, (2000, 3))
    true = np.linalg.norm(points, axis=1) - 0.5
    far = true > body.beyond
    assert (body.distance(points)[far] <= true[far] + 1e-9).all()
    assert (body.distance(points)[far] >= body.beyond - 1e-12).all()


def test_carving_takes_flesh_away() -> None:
    whole = Part((Blob(ellipsoid((0.0, 0.0, 0.0), (0.5, 0.5, 0.5))),))
    hollow = Part((*whole.blobs, Blob(ellipsoid((0.5, 0.0, 0.0), (0.2, 0.2, 0.2)), 0.02, carve=True)))
    inside = np.array([[0.45, 0.0, 0.0], [-0.45, 0.0, 0.0]])
    np.testing.assert_array_equal(Body((whole,)).distance(inside) < 0.0, [True, True])
    np.testing.assert_array_equal(Body((hollow,)).distance(inside) < 0.0, [False, True])
