"""The spatial hash against a test of all pairs, on moved, torn, folded and stacked meshes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.inside_tets import joined, lattice, least_barycentric, near_at_rest
from supple import device as devices
from supple.errors import InputError
from supple.geometry.collision.spatial_hash import Boxes, spatial_hash

ROUNDING = 1e-4  # shares this near zero may fall either way in single precision

BAR = lattice((6, 2, 2))
SHELLS = joined(lattice((3, 3, 3)), lattice((3, 2, 2), origin=(0.43, 0.02, 0.03)))
OVERLAPPING = joined(lattice((3, 3, 3)), lattice((3, 3, 3), origin=(0.13, 0.07, 0.05)))


def on_device(points, device="cpu", dtype=None):
    wp = devices.warp()
    return devices.to_device(np.asarray(points), dtype or wp.vec3f, device)


def found_by(search, points, **options):
    return set(map(tuple, search.find(on_device(points, search.device), **options).to_host().tolist()))


def sure_and_possible(points, corners, forbidden):
    least = np.where(forbidden, -np.inf, least_barycentric(points, corners))
    return tuple(set(map(tuple, np.argwhere(least > edge).tolist())) for edge in (ROUNDING, -ROUNDING))


def folded(points, angle):
    """A bar along x, bent about its middle so that one half passes through the other."""
    middle = points[:, 0].mean()
    turned = points.copy()
    beyond = points[:, 0] > middle
    x, y = points[beyond, 0] - middle, points[beyond, 1]
    turned[beyond, 0] = middle + np.cos(angle) * x - np.sin(angle) * y
    turned[beyond, 1] = np.sin(angle) * x + np.cos(angle) * y
    return turned


@pytest.mark.parametrize("body", [BAR, SHELLS, OVERLAPPING], ids=["bar", "shells", "overlapping"])
def test_it_finds_what_a_test_of_all_pairs_finds(body):
    rest, corners = body
    search, forbidden = spatial_hash(rest, corners), near_at_rest(rest, corners)

    @given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.02, 0.1, 0.3]))
    def check(seed, spread):
        points = rest + np.random.default_rng(seed).normal(0.0, spread, rest.shape)
        sure, possible = sure_and_possible(points, corners, forbidden)
        assert sure <= found_by(search, points) <= possible

    check()


@pytest.mark.parametrize("rings", [1, 2, 3])
def test_rings_leave_neighbours_out(rings):
    rest, corners = lattice((4, 2, 1))
    points = folded(rest, np.radians(140.0)) + np.random.default_rng(1).normal(0.0, 0.02, rest.shape)
    sure, possible = sure_and_possible(points, corners, near_at_rest(rest, corners, rings))
    found = found_by(spatial_hash(rest, corners, rings=rings), points)
    assert sure <= found <= possible
    assert len(found) > 0


def test_nothing_is_found_at_rest_not_even_where_the_rest_shape_overlaps_itself():
    rest, corners = OVERLAPPING
    assert found_by(spatial_hash(rest, corners), rest) == set()
    assert len(found_by(spatial_hash(rest, corners, keep_rest_overlaps=True), rest)) > 20
    # Neighbours of the elements that held a particle at rest are forgiven too: a small move lets none of them touch.
    held = {particle for particle, _ in found_by(spatial_hash(rest, corners, keep_rest_overlaps=True), rest)}
    moved = rest.copy()
    moved[64:, 1] += 0.02
    assert not {particle for particle, _ in found_by(spatial_hash(rest, corners), moved)} & held
    assert {particle for particle, _ in found_by(spatial_hash(rest, corners, keep_rest_overlaps=True), moved)} & held


@given(seed=st.integers(0, 10**6))
def test_no_step_leaks_into_the_next(seed):
    """The table is never cleared; only stamps tell old entries from new ones."""
    rest, corners = SHELLS
    random = np.random.default_rng(seed)
    search = spatial_hash(rest, corners)
    for _ in range(3):
        points = rest + random.normal(0.0, 0.1, rest.shape) + random.normal(0.0, 1.0, 3)
        assert found_by(search, points) == found_by(spatial_hash(rest, corners), points)
    assert found_by(search, rest) == set()


def test_room_for_too_few_pairs_grows_and_nothing_is_written_beyond():
    rest, corners = SHELLS
    points = rest + np.random.default_rng(5).normal(0.0, 0.15, rest.shape)
    everything = found_by(spatial_hash(rest, corners), points)
    search = spatial_hash(rest, corners, capacity=3)
    search._search(on_device(points), None)  # one search alone, as CUDA does it
    assert search.pairs.overflow == len(everything) - 3
    assert len(search.pairs.to_host()) == 3
    assert search.overflowed
    assert found_by(search, points) == everything
    assert search.pairs.overflow == 0
    assert not search.overflowed
    tight = spatial_hash(rest, corners, capacity=3)
    assert found_by(tight, points) == everything


def test_copies_are_never_held_against_each_other():
    rest, corners = BAR
    random = np.random.default_rng(7)
    shapes = [rest + random.normal(0.0, spread, rest.shape) for spread in (0.0, 0.1, 0.15, 0.05)]
    crowd = spatial_hash(rest, corners, copies=len(shapes))
    together = found_by(crowd, np.concatenate(shapes))  # all in one place
    alone = set()
    for copy, points in enumerate(shapes):
        alone |= {
            (particle + copy * len(rest), element + copy * len(corners))
            for particle, element in found_by(spatial_hash(rest, corners), points)
        }
    assert together == alone
    assert len(alone) > 0


def test_points_may_carry_another_number():
    wp = devices.warp()
    rest, corners = SHELLS
    points = rest + np.random.default_rng(11).normal(0.0, 0.1, rest.shape)
    weighed = np.concatenate([points, np.full((len(points), 1), 7.0)], axis=1)
    search = spatial_hash(rest, corners)
    pairs = search.find(on_device(weighed, dtype=wp.vec4f)).to_host()
    assert set(map(tuple, pairs.tolist())) == found_by(search, points) != set()


def test_searching_in_boxes_finds_what_lies_in_them():
    wp = devices.warp()
    rest, corners = SHELLS
    labels = (np.arange(len(rest)) >= 64).astype(np.int32)  # the two shells
    points = rest + np.random.default_rng(13).normal(0.0, 0.12, rest.shape)
    lows, highs = np.array([[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]]), np.array([[[0.5, 0.2, 0.5], [0.6, 0.3, 0.2]]])
    boxes = Boxes(*(devices.to_device(ends, wp.vec3f, "cpu") for ends in (lows, highs)))
    search = spatial_hash(rest, corners, labels=labels)
    everything, boxed = found_by(search, points), found_by(search, points, within=boxes)
    single = points.astype(np.float32)

    def is_in(low, high, label):
        return (low <= highs[0, label]).all() and (high >= lows[0, label]).all()

    wanted = {
        (p, e)
        for p, e in everything
        if is_in(single[p], single[p], labels[p])
        and any(is_in(single[corners[e]].min(axis=0), single[corners[e]].max(axis=0), labels[v]) for v in corners[e])
    }
    assert boxed == wanted
    assert set() != boxed != everything


@pytest.mark.parametrize("kind", ["one place", "one line", "one plane", "random", "huge", "far", "not numbers"])
def test_strange_places_give_an_answer(kind):
    rest, corners = SHELLS
    random = np.random.default_rng(17)
    positions = {
        "one place": np.zeros_like(rest),
        "one line": rest * [1.0, 0.0, 0.0],
        "one plane": rest * [1.0, 0.0, 1.0],
        "random": random.uniform(0.0, 0.6, rest.shape),
        "huge": random.uniform(-1e30, 1e30, rest.shape),
        "far": rest + 1e4,
        "not numbers": np.where(random.uniform(size=rest.shape) < 0.1, np.nan, rest),
    }[kind]
    found = found_by(spatial_hash(rest, corners), positions)
    if kind == "random":
        sure, possible = sure_and_possible(positions, corners, near_at_rest(rest, corners))
        assert sure <= found <= possible
        assert len(found) > 50
    else:
        assert found == set()


def test_a_mesh_without_size_is_searched():
    rest = np.zeros((4, 3))
    assert found_by(spatial_hash(rest, [[0, 1, 2, 3]]), rest) == set()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"corners": np.zeros((0, 4), dtype=np.int32)}, "0 elements"),
        ({"corners": [[0, 1, 2, 999]]}, "up to 999"),
        ({"corners": [[0, 1, 2, -1]]}, "there are"),
        ({"copies": 0}, "copies is 0"),
        ({"rings": 0}, "rings is 0"),
        ({"labels": [0, 1]}, "labels has shape"),
        ({"rest_points": np.zeros((3, 2))}, "rest_points has shape"),
    ],
)
def test_wrong_input_is_refused_in_words(changes, words):
    rest, corners = BAR
    with pytest.raises(InputError, match=words):
        spatial_hash(**({"rest_points": rest, "corners": corners} | changes))


def test_points_of_another_mesh_are_refused():
    with pytest.raises(InputError, match="stack the points of all copies"):
        spatial_hash(*BAR, copies=2).find(on_device(BAR[0]))


@pytest.mark.cuda
def test_cuda_finds_what_the_cpu_finds():
    rest, corners = SHELLS
    random = np.random.default_rng(19)
    shapes = np.concatenate([rest + random.normal(0.0, spread, rest.shape) for spread in (0.05, 0.1, 0.2)])
    on_cpu = found_by(spatial_hash(rest, corners, copies=3), shapes)
    search = spatial_hash(rest, corners, copies=3, device="cuda:0", capacity=4)
    found_by(search, shapes)
    assert search.overflowed
    found, possible = found_by(search, shapes), found_by(search, shapes)
    assert found == possible
    wrong = found ^ on_cpu  # only what lies on a side to within rounding
    for particle, element in wrong:
        copy = particle // len(rest)
        own = shapes[copy * len(rest) : (copy + 1) * len(rest)]
        least = least_barycentric(own, corners)[particle - copy * len(rest), element - copy * len(corners)]
        assert abs(least) < ROUNDING
