"""Self-penetration: the pairs that brute force finds, and the depth that geometry says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import sphere, together

from oracles.crossings import exact_pairs
from supple.errors import InputError
from supple.geometry.collision.self_intersection import CrossingFinder, crossing_pairs
from supple.geometry.collision.self_intersection.patches import GROUP, PATCH, patches
from supple.measure import penetration


def two_spheres(apart: float, *, rings: int = 8, radius: float = 0.8):
    return together(sphere(rings), sphere(rings, radius=radius, centre=(apart, 0.0, 0.0)))


def as_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in pairs}


@pytest.mark.parametrize("apart", [1.7, 1.2, 0.7])
def test_two_spheres_cross_where_brute_force_says(apart):
    points, triangles = two_spheres(apart)
    wanted = exact_pairs(points.astype(np.float32), triangles)
    assert len(wanted) > 20
    assert as_set(crossing_pairs(points, triangles)) == wanted


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 30))
def test_a_heap_of_triangles_crosses_where_brute_force_says(seed, count):
    points = np.random.default_rng(seed).random((3 * count, 3)).astype(np.float32)
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    assert as_set(crossing_pairs(points, triangles)) == exact_pairs(points, triangles)


@pytest.mark.parametrize("seed", range(6))
def test_triangles_on_a_coarse_grid_cross_where_brute_force_says(seed):
    """Many degenerate cases: corners on planes, sides through sides, flat triangles."""
    points = np.random.default_rng(seed).integers(0, 5, (60, 3)).astype(np.float32)
    triangles = np.random.default_rng(seed + 1).integers(0, 60, (24, 3)).astype(np.int32)
    assert as_set(crossing_pairs(points, triangles)) == exact_pairs(points, triangles)


def test_libigl_finds_the_same_pairs_on_a_bent_tube(tube):
    predicates = pytest.importorskip("igl.predicates")
    points = tube.points.copy()
    points[:, 0] += 0.4 * np.sin(6.0 * points[:, 1])
    points[:, 1] = 0.4 * np.sin(2.5 * points[:, 1])  # folds it onto itself
    points = points.astype(np.float32)
    found = predicates.find_self_intersections(points.astype(np.float64), tube.triangles.astype(np.int64))[1]
    strangers = [pair for pair in found if not set(tube.triangles[pair[0]]) & set(tube.triangles[pair[1]])]
    mine = as_set(crossing_pairs(points, tube.triangles))
    assert len(mine) > 50
    assert mine == as_set(np.sort(np.array(strangers), axis=1))


def test_every_frame_is_counted_on_its_own():
    """More frames than fit into one chunk, and a last chunk that is not full."""
    gaps = np.linspace(0.9, 2.1, 11)
    meshes = [two_spheres(gap) for gap in gaps]
    triangles = meshes[0][1]
    frames = np.stack([points for points, _ in meshes]).astype(np.float32)
    found = penetration(frames, meshes[-1][0], triangles)
    assert found.pairs.tolist() == [len(crossing_pairs(points, triangles)) for points, _ in meshes]
    assert found.at_rest == 0
    assert (found.pairs[gaps > 1.81] == 0).all()
    assert (found.depth[gaps > 1.81] == 0.0).all()
    assert (found.vertices[gaps > 1.81] == 0).all()


@pytest.mark.parametrize("apart", [1.7, 1.4, 1.1])
def test_the_depth_of_two_spheres_is_their_overlap(apart):
    """The poles face each other, so the overlap 1 + 0.8 - apart is met exactly up to the facets."""
    points, triangles = two_spheres(apart, rings=24)
    found = penetration(points[None], points, triangles)
    assert found.depth[0] == pytest.approx(1.8 - apart, rel=5e-3)


@pytest.mark.parametrize("apart", [1.7, 1.3])
def test_the_vertices_inside_are_those_inside_the_other_sphere(apart):
    points, triangles = two_spheres(apart, rings=16)
    half = len(points) // 2
    from_first = np.linalg.norm(points[half:], axis=1)
    from_second = np.linalg.norm(points[:half] - [apart, 0.0, 0.0], axis=1) / 0.8
    far = np.concatenate([from_second, from_first])
    inside, depths = CrossingFinder(points, triangles).vertex_depths(points)
    clear = np.abs(far - 1.0) > 0.02  # the facets lie a little under the spheres
    assert (inside[clear] == (far < 1.0)[clear]).all()
    assert (depths[~inside] == 0.0).all()
    assert (depths[inside] > 0.0).all()
    assert inside.sum() > 20


def test_what_crosses_at_rest_can_be_left_out():
    points, triangles = two_spheres(1.4)
    apart = two_spheres(1.2)[0]
    everything = penetration(np.stack([points, apart]), points, triangles)
    newly = penetration(np.stack([points, apart]), points, triangles, ignore_rest=True)
    before, after = (as_set(crossing_pairs(mesh, triangles)) for mesh in (points, apart))
    assert everything.at_rest == newly.at_rest == len(before) > 0
    assert everything.pairs.tolist() == [len(before), len(after)]
    assert newly.pairs.tolist() == [0, len(after - before)]


def test_an_open_mesh_has_crossings_but_no_depth():
    points, triangles = two_spheres(1.4)
    found = penetration(points[None], points, triangles[1:])
    assert found.pairs[0] > 0
    assert np.isnan(found.depth).all()
    assert np.isnan(found.vertices).all()
    with pytest.raises(InputError, match="open"):
        CrossingFinder(points, triangles[1:]).vertex_depths(points)


def test_more_pairs_than_there_was_room_for():
    """A bundle of long needles: every one of one heap crosses every one of the other."""
    count = 40
    step = np.arange(count) / count
    lying = np.stack([np.array([[-1, y, 0.0], [2, y, 0.0], [2, y + 1e-3, 0.0]]) for y in step])
    standing = np.stack([np.array([[x, 2, -0.1], [x, -1, -0.1], [x, 0.5, 0.1]]) for x in step + 1e-4])
    points = np.concatenate([lying, standing]).reshape(-1, 3)
    triangles = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    found = as_set(crossing_pairs(points, triangles))
    assert found == exact_pairs(points.astype(np.float32), triangles)
    assert len(found) > 1024


def test_patches_hold_every_triangle_once_and_are_small():
    points, triangles = sphere(20)
    found = patches(points, triangles)
    assert sorted(found.order.tolist()) == list(range(len(triangles)))
    assert np.diff(found.starts).max() <= PATCH
    assert np.diff(found.starts).min() >= 1
    assert np.diff(found.group_starts).max() <= GROUP
    assert found.group_starts[-1] == len(found.starts) - 1


@pytest.mark.parametrize(
    ("points", "triangles", "match"),
    [
        (np.zeros((4, 3)), np.zeros((0, 3), dtype=int), "no triangles"),
        (np.zeros((4, 3)), [[0, 1, 4]], "name point 4"),
        (np.zeros((4, 2)), [[0, 1, 2]], "shape"),
    ],
)
def test_meshes_that_do_not_fit_are_refused(points, triangles, match):
    with pytest.raises(InputError, match=match):
        penetration(np.zeros((1, 4, 3)), points, triangles)
    with pytest.raises(InputError):
        CrossingFinder(points, triangles)
