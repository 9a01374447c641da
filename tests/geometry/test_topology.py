"""Laws of meshes: counts that must hold for any closed surface, and broken meshes that must be called broken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.geometry import topology
from supple.geometry.collision.winding import Windings
from supple.geometry.rows import stable_order
from supple.geometry.vectors import cross, lengths

CUBE_POINTS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]], dtype=np.int32
)  # quads, anticlockwise from outside
TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32)
TETRAHEDRON_POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def grid(rows: int, columns: int) -> np.ndarray:
    """A torus of quads: rows x columns, both wrapped round."""
    r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    down, right = (r + 1) % rows, (c + 1) % columns
    quads = [r * columns + c, down * columns + c, down * columns + right, r * columns + right]
    return np.stack([q.ravel() for q in quads], axis=1).astype(np.int32)


def test_a_cube_has_twelve_edges_without_its_diagonals_and_eighteen_with_them() -> None:
    assert len(topology.unique_edges(CUBE)) == 12
    assert len(topology.unique_edges(topology.triangulate(CUBE))) == 18


def test_triangulating_keeps_triangles_order_and_winding() -> None:
    mixed = np.array([[0, 1, 2, -1], [2, 1, 3, 4], [4, 3, 5, -1]])
    expected = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]
    np.testing.assert_array_equal(topology.triangulate(mixed), expected)


def test_edges_of_mixed_polygons_are_their_sides() -> None:
    mixed = np.array([[0, 1, 2, -1], [2, 1, 3, 4]])
    expected = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]
    np.testing.assert_array_equal(topology.unique_edges(mixed), expected)


def test_the_volume_of_a_cube_is_one_wherever_it_stands_and_negative_inside_out() -> None:
    triangles = topology.triangulate(CUBE)
    assert topology.signed_volume(CUBE_POINTS, triangles) == pytest.approx(1.0, abs=1e-14)
    assert topology.signed_volume(CUBE_POINTS + 1e6, triangles) == pytest.approx(1.0, abs=1e-9)
    assert topology.signed_volume(CUBE_POINTS, triangles[:, ::-1]) == pytest.approx(-1.0, abs=1e-14)


@given(st.integers(3, 9), st.integers(3, 9))
def test_a_torus_is_closed_has_one_shell_and_euler_zero(rows: int, columns: int) -> None:
    found = topology.census(topology.triangulate(grid(rows, columns)))
    assert found.is_closed
    assert (found.shells, found.euler) == (1, 0)


def test_a_sphere_like_shell_has_euler_two_and_two_of_them_four() -> None:
    one = topology.census(TETRAHEDRON)
    two = topology.census(np.concatenate([TETRAHEDRON, TETRAHEDRON + 4]))
    assert one.is_closed
    assert (one.shells, one.euler) == (1, 2)
    assert (two.shells, two.euler) == (2, 4)


def test_a_hole_is_a_border_that_runs_with_its_triangles() -> None:
    open_mesh = TETRAHEDRON[1:]
    found = topology.census(open_mesh)
    assert found.is_manifold
    assert not found.is_closed
    assert found.border_edges == 3
    missing = {(0, 1), (1, 2), (2, 0)}  # against the triangle 0 2 1 that was taken out
    assert {tuple(edge) for edge in topology.border_edges(open_mesh).tolist()} == missing
    assert len(topology.border_edges(TETRAHEDRON)) == 0


def test_a_flipped_triangle_shows_on_its_three_edges() -> None:
    turned = TETRAHEDRON.copy()
    turned[0] = turned[0, ::-1]
    found = topology.census(turned)
    assert found.flipped_edges == 3
    assert not found.is_closed


def test_a_fin_crowds_its_edge() -> None:
    found = topology.census(np.concatenate([TETRAHEDRON, [[0, 1, 4]]]).astype(np.int32))
    assert found.crowded_edges == 1
    assert not found.is_manifold


def test_two_shells_that_share_one_vertex_are_pinched_there() -> None:
    other = np.where(TETRAHEDRON == 0, 0, TETRAHEDRON + 3).astype(np.int32)
    found = topology.census(np.concatenate([TETRAHEDRON, other]))
    assert found.pinched_vertices == 1
    assert not found.is_manifold


@given(st.integers(3, 8), st.integers(3, 8))
def test_neighbours_are_the_edges_seen_from_both_ends(rows: int, columns: int) -> None:
    faces = topology.triangulate(grid(rows, columns))
    vertices = rows * columns
    found = topology.neighbors(faces, vertices + 1)  # one vertex without faces
    listed = {(v, int(w)) for v in range(vertices + 1) for w in found.of(v)}
    edges = topology.unique_edges(faces).tolist()
    assert listed == {(a, b) for a, b in edges} | {(b, a) for a, b in edges}
    assert len(found.of(vertices)) == 0
    assert found.valences.sum() == 2 * len(edges)


def test_shells_are_numbered_and_a_loose_vertex_is_its_own() -> None:
    labels = topology.shells(np.concatenate([TETRAHEDRON, TETRAHEDRON + 4]), 9)
    assert len(set(labels[:4])) == 1
    assert len(set(labels[4:8])) == 1
    assert len(set(labels)) == 3


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20))
def test_components_are_what_can_be_reached(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    reached = np.eye(12, dtype=bool)
    reached[a, b] = reached[b, a] = True
    for _ in range(4):  # ways of up to 16 steps
        reached = reached @ reached
    labels = topology.components(a, b, 12)
    np.testing.assert_array_equal(labels[:, None] == labels[None, :], reached)
    assert set(labels.tolist()) == set(range(labels.max() + 1))


@given(st.lists(st.floats(-2.0, 2.0), min_size=12, max_size=12))
def test_angles_of_a_triangle_add_up_to_half_a_turn(values: list[float]) -> None:
    points = np.array(values).reshape(4, 3)
    angles = topology.corner_angles(points, TETRAHEDRON)
    lengths = np.linalg.norm(points[TETRAHEDRON] - np.roll(points[TETRAHEDRON], 1, axis=1), axis=2)
    sound = lengths.min(axis=1) > 1e-3
    np.testing.assert_allclose(angles[sound].sum(axis=1), np.pi, atol=1e-6)


def test_angles_of_a_right_triangle() -> None:
    angles = topology.corner_angles(TETRAHEDRON_POINTS, np.array([[0, 1, 2]]))
    np.testing.assert_allclose(np.degrees(angles), [[90.0, 45.0, 45.0]])


@given(st.integers(1, 60), st.integers(0, 90), st.integers(0, 1000))
def test_components_are_numbered_as_scipy_numbers_them(count: int, pairs: int, seed: int) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.random.default_rng(seed).integers(0, count, (2, pairs))
    graph = coo_array((np.ones(pairs), (a, b)), shape=(count, count))
    assert np.array_equal(topology.components(a, b, count), connected_components(graph, directed=False)[1])


@pytest.mark.parametrize("rotation", [1, -1])
def test_a_long_chain_in_any_order_is_one_component(rotation: int) -> None:
    chain = np.random.default_rng(0).permutation(5000)[::rotation]
    assert (topology.components(chain[1:], chain[:-1], 5000) == 0).all()


@given(st.lists(st.integers(0, 30), max_size=200), st.sampled_from([1, 2**40, 2**58]))
def test_keys_that_are_alike_stay_in_order(keys: list[int], factor: int) -> None:
    """The last factor is too large for a key and its place in one number."""
    given_keys = np.array(keys, dtype=np.int64) * factor
    assert np.array_equal(stable_order(given_keys), np.argsort(given_keys, kind="stable"))


def test_columns_of_vectors_give_what_rows_give() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 500, 3))
    assert np.array_equal(cross(a, b), np.cross(a, b))
    assert np.allclose(lengths(a), np.linalg.norm(a, axis=1), rtol=1e-15)


@pytest.mark.parametrize("kept", [True, False])
def test_winding_numbers_are_asked_of_a_tree_that_is_kept_where_there_is_one(kept, monkeypatch) -> None:
    """Two balls, one inside the other, and a hole: the numbers of libigl's own function, whoever keeps the tree."""
    import igl
    from solids import sphere, together

    if not kept:
        monkeypatch.delattr(igl, "FastWindingNumberBVH", raising=False)
    points, triangles = together(sphere(6, radius=0.5), sphere(5, radius=0.2))
    triangles = np.asarray(triangles)[3:]
    windings = Windings(points, triangles)
    positions = np.random.default_rng(0).uniform(-0.7, 0.7, (500, 3))
    wanted = igl.fast_winding_number(np.ascontiguousarray(points), triangles.astype(np.int64), positions)
    np.testing.assert_array_equal(np.concatenate([windings(some) for some in np.array_split(positions, 7)]), wanted)
    assert {0.0, 1.0, 2.0} <= set(np.round(wanted))
    assert len(windings(np.empty((0, 3)))) == 0
