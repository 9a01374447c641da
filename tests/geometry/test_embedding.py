"""A fine surface follows a coarse body."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple.errors import InputError
from supple.geometry.embedding import Embedding, embed, embed_smoothly
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces, edges_of, fill

METHODS = [embed, embed_smoothly]


@pytest.fixture(scope="module")
def tube():
    character = supple.character("tube")
    return np.asarray(character.points, dtype=float), fill(character.points, character.triangles, count=1500)


def places_inside(body, count, seed):
    rng = np.random.default_rng(seed)
    element = rng.integers(len(body.corners), size=count)
    return np.einsum("nk,nki->ni", rng.dirichlet(np.ones(4), count), body.points[body.corners[element]])


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 2**32 - 1))
def test_affine_motion_is_carried_exactly(method, tube, seed):
    rng = np.random.default_rng(seed)
    _, body = tube
    positions = places_inside(body, 40, seed)
    matrix, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    found = method(positions, body)
    assert found.carry(body.points @ matrix + shift) == pytest.approx(positions @ matrix + shift, abs=1e-9)
    assert found.carry(body.points) == pytest.approx(positions, abs=1e-9)
    assert found.distance.max() == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_the_skin_is_carried_at_rest(method, tube):
    skin, body = tube
    found = method(skin, body)
    assert found.barycentric.sum(axis=1) == pytest.approx(np.ones(len(skin)))
    near = found.distance < 0.5 * np.linalg.norm(np.diff(body.points[edges_of(body)], axis=1)[:, 0], axis=1).mean()
    assert near.mean() > 0.9
    assert found.carry(body.points)[near] == pytest.approx(skin[near], abs=1e-9)


def test_the_element_is_one_that_holds_the_point(tube):
    """Against all elements, one by one."""
    _, body = tube
    rng = np.random.default_rng(1)
    low, high = body.points.min(axis=0), body.points.max(axis=0)
    positions = np.concatenate([rng.uniform(low, high, (400, 3)), body.points[:50]])
    found = embed(positions, body)
    solid = body.points[body.corners]
    ways = np.swapaxes(solid[:, 1:] - solid[:, :1], 1, 2)
    for position, corners, barycentric, distance in zip(
        positions, found.corners, found.barycentric, found.distance, strict=True
    ):
        inner = np.linalg.solve(ways, (position - solid[:, 0])[:, :, None])[:, :, 0]
        depth = np.minimum(inner.min(axis=1), 1.0 - inner.sum(axis=1))
        assert (depth.max() >= -1e-9) == (distance <= 1e-9)
        if distance == 0.0:
            held = np.flatnonzero(depth >= -1e-9)
            assert any((np.sort(corners) == np.sort(body.corners[element])).all() for element in held)
            assert barycentric.min() >= -1e-9


def test_distance_is_that_to_the_boundary(tube):
    _, body = tube
    skin = body.points[boundary_faces(body)]
    rng = np.random.default_rng(2)
    outward = rng.normal(size=(30, 3))
    positions = body.points.mean(axis=0) + 5.0 * outward / np.linalg.norm(outward, axis=1, keepdims=True)
    found = embed(positions, body)
    dense = np.einsum("sk,tki->sti", rng.dirichlet(np.ones(3), 60), skin).reshape(-1, 3)
    corners = np.concatenate([dense, body.points])
    sampled = np.linalg.norm(positions[:, None] - corners, axis=2).min(axis=1)
    assert (found.distance <= sampled + 1e-12).all()
    assert found.distance == pytest.approx(sampled, rel=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_far_points_do_not_explode(method, tube):
    _, body = tube
    rng = np.random.default_rng(3)
    positions = rng.normal(size=(200, 3)) * 10.0
    found = method(positions, body)
    assert np.abs(found.barycentric).max() < 6.0
    # Beyond two elements, the point rides with the closest point of the boundary.
    far = found.distance > 1.0
    assert far.any()
    assert found.barycentric[far].min() >= -0.5
    moved = found.carry(body.points + 0.01 * rng.normal(size=body.points.shape))
    assert np.linalg.norm(moved - found.carry(body.points), axis=1).max() < 0.5


def test_smooth_shares_change_little_where_elements_meet(tube):
    """Along a line through many elements, the slope of a bent field jumps with barycentric shares only."""
    _, body = tube
    middle = body.points.mean(axis=0)
    along = np.linspace(-0.35, 0.35, 2000)[:, None] * np.array([1.0, 0.02, 0.03]) + middle + [0.0, 0.013, 0.021]
    bent = np.sin(9.0 * body.points[:, 0])

    def kinks(found):
        return np.abs(np.diff(found.carry(bent), 2)).max()

    assert embed(along, body).distance.max() == 0.0
    assert kinks(embed_smoothly(along, body)) < 0.2 * kinks(embed(along, body))


def test_smooth_shares_stay_within_their_piece():
    """Two bodies side by side, with less than an element between them: no share crosses."""
    tube = supple.character("tube")
    width = float(np.ptp(tube.points[:, 1]))
    one = fill(tube.points, tube.triangles, count=800)
    two = one.points + np.array([0.0, width * 1.01, 0.0])
    pair = Tetrahedra(np.concatenate([one.points, two]), np.concatenate([one.corners, one.corners + len(one.points)]))
    found = embed_smoothly(one.points[: len(one.points) // 2], pair)
    assert found.corners[found.barycentric != 0.0].max() < len(one.points)


def test_normals_choose_the_side_of_a_gap():
    """A vertex of the left body, pushed into the gap past its middle, still belongs to the left one."""
    left = np.array([[-1.0, 0, 0], [0, -1, -1], [0, 1, -1], [0, 0, 1.5]])
    right = left * [-1, 1, 1] + [0.1, 0, 0]
    body = Tetrahedra(np.concatenate([left, right]), np.array([[0, 1, 2, 3], [4, 6, 5, 7]]))
    position = np.array([[0.06, 0.0, 0.0]])
    assert embed(position, body).corners.min() >= 4
    assert embed(position, body, normals=np.array([[1.0, 0.0, 0.0]])).corners.max() < 4


def test_poor_neighbourhoods_fall_back_to_the_element():
    body = Tetrahedra(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]]))
    position = np.array([[0.2, 0.3, 0.1], [0.9, 0.9, 0.9]])
    found = embed_smoothly(position, body, neighbors=6)
    assert found.barycentric.shape == (2, 6)
    assert found.carry(body.points)[0] == pytest.approx(position[0])


def test_no_points_are_no_trouble(tube):
    assert len(embed(np.empty((0, 3)), tube[1]).corners) == 0
    assert len(embed_smoothly(np.empty((0, 3)), tube[1]).corners) == 0


def test_what_does_not_fit_is_refused(tube):
    skin, body = tube
    with pytest.raises(InputError, match="no elements"):
        embed(skin, Tetrahedra(np.zeros((0, 3)), np.zeros((0, 4), dtype=int)))
    with pytest.raises(InputError, match="finite"):
        embed(np.full((1, 3), np.nan), body)
    with pytest.raises(InputError, match="normals"):
        embed(skin, body, normals=np.zeros((1, 3)))
    with pytest.raises(InputError, match="neighbors"):
        embed_smoothly(skin, body, neighbors=4)
    with pytest.raises(InputError, match="sum to"):
        Embedding(np.zeros((1, 4), dtype=int), np.full((1, 4), 0.3), np.zeros(1))
    assert Embedding(np.zeros((1, 4), dtype=int), np.full((1, 4), 0.25), np.zeros(1)).carry([2.0]) == pytest.approx([2])
