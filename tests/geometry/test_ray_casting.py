"""Rays against a surface that moves: what asking all triangles says, wherever each ray starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from oracles.rays import first_triangles
from supple.errors import InputError
from supple.geometry.collision.ray_casting import RayCaster
from supple.geometry.quaternions import quat_from_axis_angle

TUBE = supple.character("tube", vertices=500, bones=2)
BENT = supple.player(TUBE, supple.LinearBlend()).advance(
    supple.Pose.from_rotations(TUBE.skeleton, {TUBE.skeleton.names[1]: quat_from_axis_angle([1, 0, 0.5], 1.2)})
)


def rays(count, seed, size=1.0):
    """From all around and from inside, each from elsewhere, most of them at the tube."""
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(count, 3)) * size
    ends = TUBE.points[rng.integers(len(TUBE.points), size=count)] + rng.normal(size=(count, 3)) * 0.02
    return starts, ends - starts


def positions(points, triangles, barycentric, hit):
    return np.einsum("nc,nci->ni", barycentric[hit], points[TUBE.triangles[triangles[hit]]])


@given(st.integers(0, 10_000))
def test_every_ray_meets_what_all_triangles_say(seed):
    starts, ways = rays(40, seed)
    found = RayCaster(TUBE.points, TUBE.triangles).cast(starts, ways)
    wanted, barycentric = first_triangles(TUBE.points, TUBE.triangles, starts, ways)
    clear = barycentric.min(axis=1) > 1e-4  # rays through an edge may meet either side, or pass by a border
    clear |= wanted < 0
    assert np.mean(found.hit[clear] == (wanted >= 0)[clear]) == 1.0
    both = found.hit & (wanted >= 0) & clear
    np.testing.assert_array_equal(found.triangles[both], wanted[both])
    np.testing.assert_allclose(found.barycentric[both], barycentric[both], atol=1e-9)


def test_a_refitted_one_is_a_new_one():
    caster = RayCaster(TUBE.points, TUBE.triangles)
    caster.refit(BENT)
    starts, ways = rays(500, 3)
    new = RayCaster(BENT, TUBE.triangles).cast(starts, ways)
    old = caster.cast(starts, ways)
    np.testing.assert_array_equal(old.hit, new.hit)
    assert new.hit.sum() > 100
    here, there = (positions(BENT.astype(float), one.triangles, one.barycentric, new.hit) for one in (old, new))
    np.testing.assert_allclose(here, there, atol=1e-6)


def test_places_lie_on_the_ray():
    starts, ways = rays(300, 5)
    found = RayCaster(TUBE.points, TUBE.triangles).cast(starts, ways)
    at = positions(TUBE.points, found.triangles, found.barycentric, found.hit)
    away = at - starts[found.hit]
    unit = ways[found.hit] / np.linalg.norm(ways[found.hit], axis=1, keepdims=True)
    assert np.abs(np.cross(away, unit)).max() < 1e-6
    assert (np.einsum("ni,ni->n", away, unit) > 0.0).all()


def test_far_from_the_origin_it_is_the_same():
    move = np.array([1e5, -2e5, 3e5])
    starts, ways = rays(200, 9)
    near = RayCaster(TUBE.points, TUBE.triangles).cast(starts, ways)
    far = RayCaster(TUBE.points + move, TUBE.triangles).cast(starts + move, ways)
    assert np.mean(near.triangles == far.triangles) > 0.99


def test_one_origin_serves_all_and_nothing_is_met_by_no_ray():
    caster = RayCaster(TUBE.points, TUBE.triangles)
    starts, ways = rays(20, 1)
    one = caster.cast(starts[0], ways)
    np.testing.assert_array_equal(one.triangles, caster.cast(np.tile(starts[0], (20, 1)), ways).triangles)
    assert len(caster.cast(np.zeros(3), np.zeros((0, 3))).triangles) == 0
    assert not caster.cast(starts, np.zeros((20, 3))).hit.any()  # no direction
    assert not RayCaster(np.zeros((0, 3)), np.zeros((0, 3), int)).cast(starts, ways).hit.any()


def test_strange_rays_and_other_meshes_are_refused():
    caster = RayCaster(TUBE.points, TUBE.triangles)
    starts, ways = rays(4, 1)
    with pytest.raises(InputError, match="directions"):
        caster.cast(starts, ways * np.nan)
    with pytest.raises(InputError, match="origins"):
        caster.cast(starts * np.inf, ways)
    with pytest.raises(InputError, match="there are 3 points"):
        caster.refit(TUBE.points[:3])
    with pytest.raises(InputError, match="points"):
        RayCaster(TUBE.points * np.nan, TUBE.triangles)


@pytest.mark.cuda
def test_cuda_meets_the_same():
    starts, ways = rays(500, 2)
    there = RayCaster(TUBE.points, TUBE.triangles, device="cuda").cast(starts, ways)
    here = RayCaster(TUBE.points, TUBE.triangles).cast(starts, ways)
    assert np.mean(there.triangles == here.triangles) > 0.99
