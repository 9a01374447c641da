"""Layers, weights and regions of the lattice: bone inside, skin outside, and only bones that flesh leads to."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import sphere, together

import supple
from conftest import make_tube
from layers_diagram import layers_picture
from oracles.lattice_cells import horseshoe, walks
from supple import LayeredLattice
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weight_transfer import transfer_weights
from supple.errors import InputError
from supple.settings import ByName, Number, SettingInfo
from supple.skins.lattice.voxelize.embedding import embed
from supple.skins.lattice.voxelize.layers import BONE, assign_layers, check_layers
from supple.skins.lattice.voxelize.path_weights import find_bone_paths, path_weights, weights_from_skin
from supple.skins.lattice.voxelize.voxel_components import voxelize


def regional(name, text):
    """Numbers by region, as people write them."""
    return getattr(LayeredLattice(**{name: text}).anatomy, name)


def layered(*args, **given):
    """The layers, with width and fatness as people write them."""
    return assign_layers(
        *args, **{name: regional(name, value) if isinstance(value, str) else value for name, value in given.items()}
    )


def skeleton_of(*chains, parents=None):
    """Joints at the given places, one chain after another, each joint below the one before it."""
    heads = np.concatenate([np.asarray(chain, dtype=float) for chain in chains])
    above, first = [], 0
    for chain in chains:
        above += [-1, *range(first, first + len(chain) - 1)]
        first += len(chain)
    world = np.tile(np.eye(4), (len(heads), 1, 1))
    world[:, :3, 3] = heads
    return Skeleton(tuple(f"joint{i}" for i in range(len(heads))), np.array(above, dtype=np.int32), world)


def prepared(character, resolution):
    pieces = voxelize(character.points, character.triangles, resolution)
    return pieces, find_bone_paths(pieces, character.skeleton)


@pytest.fixture(scope="module")
def tube():
    """A thick tube of two bones."""
    character = make_tube()
    return character, *prepared(character, 32)


@pytest.fixture(scope="module")
def legs():
    """Two legs side by side, a fifth of a voxel apart, each with bones of its own."""
    points, triangles, leg = horseshoe(0.05)
    left, right = 0.137 - 0.55, 0.137 + 0.55
    down = [0.0, -2.0, -4.0, -5.8]
    skeleton = skeleton_of([(left, y, 0.11) for y in down], [(right, y, 0.11) for y in down])
    character = Character(points, triangles, skeleton, None)
    return character, leg, *prepared(character, 24)


# Ways


def test_ways_are_the_shortest_over_links(legs):
    _, _, pieces, paths = legs
    lattice = pieces.lattice
    wanted = walks(lattice.cells, lattice.links, np.flatnonzero(paths.steps == 0.0).tolist())
    np.testing.assert_allclose(paths.steps, wanted, atol=1e-9)
    assert paths.steps.max() > 1.0
    graph = lattice.graph
    assert abs(graph - graph.T).max() == 0.0
    assert graph.nnz == 2 * len(lattice.links)


def test_bones_begin_in_the_cells_they_pass(tube):
    character, pieces, paths = tube
    bones = character.skeleton.bones
    seeds = pieces.lattice.points[paths.steps == 0.0]
    assert np.linalg.norm(seeds[:, [0, 2]], axis=1).max() <= pieces.lattice.side  # the bones run along y
    assert set(paths.joints.tolist()) <= set(bones.joints.tolist())
    assert paths.reached.all()


def test_distances_are_straight_where_nothing_is_in_the_way(tube):
    _, pieces, paths = tube
    side = pieces.lattice.side
    middle = np.abs(pieces.lattice.points[:, 1] - 0.5) < 0.4
    radius = np.linalg.norm(pieces.lattice.points[middle][:, [0, 2]], axis=1) / side
    np.testing.assert_allclose(paths.distances[middle].min(axis=1), radius, atol=1e-9)


def test_bones_of_one_leg_are_far_from_the_other(legs):
    """In space they are a step away; through flesh they are not, and their weight is nothing."""
    character, leg, pieces, paths = legs
    own = np.isin(paths.joints, range(4))
    feet = character.points[:, 1] < -4.5
    for side, mine in ((-1, own), (1, ~own)):
        nodes = np.unique(pieces.lattice.vertex_nodes[feet & (leg == side)])
        assert paths.distances[nodes][:, mine].min(axis=1).max() < 4.0
        assert paths.distances[nodes][:, ~mine].min() > 10.0
        dense = path_weights(pieces, paths, len(character.skeleton)).dense(len(character.skeleton))
        strange = np.isin(np.arange(8), paths.joints[~mine])
        assert dense[nodes][:, strange].sum(axis=1).max() < 2e-3


# Weights


def test_weights_follow_the_published_equation(tube):
    character, pieces, paths = tube
    weights = path_weights(pieces, paths, len(character.skeleton))
    dense = weights.dense(len(character.skeleton))
    assert weights.joints.shape[1] <= 8
    np.testing.assert_allclose(dense.sum(axis=1), 1.0, atol=1e-12)
    for node in range(0, len(pieces.lattice), 97):
        raw = [(1.0 / (0.5 * (d + 0.5) + 0.5 * (d + 0.5) ** 2)) ** 2 for d in paths.distances[node]]
        np.testing.assert_allclose(dense[node, paths.joints], np.array(raw) / sum(raw), atol=1e-12)


def test_carried_weights_move_the_skin_as_its_own_do(tube):
    character, pieces, paths = tube
    own = character.weights.dense(len(character.skeleton))
    embedding = embed(pieces.lattice, character.points)
    dense = weights_from_skin(pieces, paths, embedding, own).dense(len(character.skeleton))
    np.testing.assert_allclose(dense.sum(axis=1), 1.0, atol=1e-12)
    assert dense.min() >= 0.0
    assert np.abs(embedding.matrix(len(pieces.lattice)) @ dense - own).max() < 0.1
    # Along the tube the skin's weights change with height alone, and so do those inside it.
    height, radius = pieces.lattice.points[:, 1], np.linalg.norm(pieces.lattice.points[:, [0, 2]], axis=1)
    for level in np.unique(height):
        row = dense[height == level]
        assert np.ptp(row[radius[height == level] < 0.2], axis=0).max() < 0.1


def test_carried_weights_are_the_least_of_their_energy():
    """Against a dense solve of (B^T B + s L) W = B^T W_s on a chain of particles."""
    from scipy.sparse import csr_array

    random = np.random.default_rng(4)
    links = np.stack([np.arange(9), np.arange(1, 10)], axis=1).astype(np.int32)
    links = links[links[:, 0] != 7]  # the last two hang on nothing
    onto = np.zeros((6, 10))
    onto[np.arange(6), [0, 1, 3, 4, 6, 7]] = 1.0
    skin = random.random((6, 3))
    skin /= skin.sum(axis=1, keepdims=True)
    laplacian = np.zeros((10, 10))
    for a, b in links:
        laplacian[[a, b], [a, b]] += 1.0
        laplacian[[a, b], [b, a]] -= 1.0
    system = onto.T @ onto + 0.02 * 6 / 10 * laplacian
    wanted = np.linalg.solve(system[:8, :8], (onto.T @ skin)[:8])
    lost = np.full(10, 2, dtype=np.int32)
    found = transfer_weights(skin, csr_array(onto), links, lost=lost, influences=3).dense(3)
    np.testing.assert_allclose(found[:8], wanted / wanted.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(found[8:], [[0.0, 0.0, 1.0]] * 2)


def test_what_no_bone_reaches_is_carried_like_the_nearest_flesh():
    """A ball far from the one with the bone: it is bone, with the weights of the nearest node of the other."""
    points, triangles = together(sphere(8), sphere(8, centre=(5.0, 0.0, 0.0)))
    skeleton = skeleton_of([(-0.5, 0, 0), (0.3, 0, 0)], [(-0.2, 0.3, 0), (0.1, 0.6, 0)])
    character = Character(points, triangles, skeleton, None)
    pieces, paths = prepared(character, 40)
    far = pieces.lattice.points[:, 0] > 2.0
    np.testing.assert_array_equal(paths.reached, ~far)
    weights = path_weights(pieces, paths, len(skeleton)).dense(len(skeleton))
    near = np.flatnonzero(~far)
    position = np.flatnonzero(far)[0]
    gaps = np.linalg.norm(pieces.lattice.points[near] - pieces.lattice.points[position], axis=1)
    assert gaps[np.abs(weights[near] - weights[position]).max(axis=1) < 1e-12].min() == gaps.min()
    numbers = layered(character, pieces.lattice, paths).numbers
    assert (numbers[far] == BONE).all()
    assert (numbers[~far] != BONE).any()


# Layers


def test_layers_follow_each_other_from_bone_to_skin(tube):
    character, pieces, paths = tube
    lattice = pieces.lattice
    layers = layered(character, lattice, paths, bone_width="0", fatness="0.5")
    assert set(np.unique(layers.numbers)) == {0, 1, 2, 3}
    np.testing.assert_array_equal(layers.bone, paths.steps == 0.0)
    np.testing.assert_array_equal(layers.numbers == 3, lattice.on_surface & (paths.steps > 0.0))
    # Across the middle of the tube each layer lies outside the one before.
    middle = np.abs(lattice.points[:, 1] - 1.0) < 0.3
    radius = np.linalg.norm(lattice.points[middle][:, [0, 2]], axis=1)
    radii = [radius[layers.numbers[middle] == k] for k in range(4)]
    for inner, outer in itertools.pairwise(radii):
        assert inner.max() < outer.max()
        assert inner.mean() < outer.mean()


@pytest.mark.parametrize("width", [0.0, 1.0, 1.5, 3.0])
def test_bone_is_what_is_within_its_width(tube, width):
    character, pieces, paths = tube
    layers = layered(character, pieces.lattice, paths, bone_width=str(width))
    np.testing.assert_array_equal(layers.bone, paths.steps <= width)


def test_fatness_is_the_share_of_the_outermost_inner_layer(tube):
    character, pieces, paths = tube
    lean, half, fat = (
        layered(character, pieces.lattice, paths, bone_width="1", fatness=text).numbers for text in ("0", "0.5", "1")
    )
    inner = ~pieces.lattice.on_surface & (paths.steps > 1.0)
    assert (lean[inner] == 1).all()
    assert (fat[inner] == 2).all()
    assert {1, 2} == set(np.unique(half[inner]))
    three = layered(character, pieces.lattice, paths, fractions=(1.0, 3.0, 1.0), bone_width="0", fatness="0").numbers
    assert set(np.unique(three)) <= {0, 1, 2, 4}
    one = layered(character, pieces.lattice, paths, fractions=(1.0,), bone_width="1", fatness="0.3")
    assert (one.numbers[inner] == 1).all()


def test_the_skin_layer_can_be_left_out(tube):
    character, pieces, paths = tube
    without = layered(character, pieces.lattice, paths, skin=False, bone_width="0")
    assert (without.numbers[pieces.lattice.on_surface & (paths.steps > 0.0)] == 2).all()
    np.testing.assert_array_equal(without.skin_depths == 0.0, pieces.lattice.on_surface)


def test_regions_change_what_lies_below_them(tube):
    """The upper half fat, a quarter with wide bones; the rest is as it was."""
    character, pieces, paths = tube
    upper = np.flatnonzero(character.points[:, 1] > 1.0)
    lower = (character.points[:, 1] < 0.4).astype(float)
    marked = replace(character, parts={"upper": upper}, maps={"low": lower})
    lattice = pieces.lattice
    plain = layered(character, lattice, paths, bone_width="0", fatness="0")
    ours = layered(marked, lattice, paths, bone_width="0, low=3", fatness="0, upper=1")
    height = lattice.points[:, 1]
    inner = ~lattice.on_surface & (paths.steps > 0.0)
    assert (ours.numbers[inner & (height > 1.1)] == 2).all()
    assert (ours.numbers[inner & (height < 0.9) & (height > 0.5)] == 1).all()
    beyond = height > 0.5
    np.testing.assert_array_equal((ours.numbers == BONE)[beyond], (plain.numbers == BONE)[beyond])
    np.testing.assert_array_equal(ours.bone[height < 0.3], paths.steps[height < 0.3] <= 3.0)
    listed = layered(character, lattice, paths, bone_width="0", fatness=f"0, {'+'.join(map(str, upper))}=1")
    np.testing.assert_array_equal(listed.numbers[height > 0.5], ours.numbers[height > 0.5])


def test_thin_parts_are_bone_and_deep_parts_are_fat():
    """Automatic layers of a ball with a thin rod on it, a bone through both."""
    rod = make_tube()
    thin = rod.points * np.array([0.2, 1.0, 0.2]) + np.array([0.0, 0.8, 0.0])
    points, triangles = together(sphere(14), (thin, rod.triangles))
    skeleton = skeleton_of([(0.0, -0.1, 0.0), (0.0, 0.9, 0.0), (0.0, 2.7, 0.0)])
    character = Character(points, triangles, skeleton, None)
    pieces, paths = prepared(character, 60)
    numbers = layered(character, pieces.lattice, paths).numbers
    height = pieces.lattice.points[:, 1]
    assert (numbers[height > 1.3] == BONE).all()
    ball = numbers[height < 0.8]
    assert set(np.unique(ball)) == {0, 1, 2, 3}
    assert (ball == 2).sum() > (ball == 1).sum() > 0


def test_fingers_of_the_hero_have_bone_and_bellies_have_fat():
    character = supple.character("hero")
    pieces, paths = prepared(character, 40)
    numbers = layered(character, pieces.lattice, paths).numbers
    count = len(character.skeleton)
    strongest = path_weights(pieces, paths, count).joints[:, 0]
    for joint in paths.joints:
        assert (numbers[strongest == joint] == BONE).any() or not (strongest == joint).any()
    assert all((numbers == layer).sum() > 0.03 * len(numbers) for layer in range(4))


@pytest.mark.parametrize(
    ("settings_", "given"),
    [
        ({"bone_width": "wide"}, "bone_width has 'wide'"),
        ({"bone_width": "-1"}, "bone_width has '-1'"),
        ({"fatness": "1.2"}, "fatness has '1.2'"),
        ({"fatness": "auto, belly"}, "fatness has 'belly'"),
        ({"fatness": "auto, =0.3"}, "fatness has '=0.3'"),
        ({"fatness": "auto, belly=0.3"}, "fatness names 'belly'"),
        ({"fatness": "auto, 5-3=0.3"}, "fatness names vertices 5-3"),
        ({"fatness": "auto, 0-99999=0.3"}, "fatness names vertices 0-99999"),
        ({"fractions": ()}, "the shares of inner layers are []"),
        ({"fractions": (0.0, 0.0)}, "the shares of inner layers are [0.0, 0.0]"),
        ({"fractions": (1.0, -0.5)}, "the shares of inner layers are [1.0, -0.5]"),
    ],
)
def test_layers_that_cannot_be_are_refused(tube, settings_, given):
    character, pieces, paths = tube
    with pytest.raises(InputError) as caught:
        layered(character, pieces.lattice, paths, **settings_)
    assert caught.value.given == given


def test_widths_and_fatness_are_checked_before_anything_is_made(tube):
    character = tube[0]
    auto, some = regional("bone_width", "auto"), regional("fatness", "0.3, 0-5=0.5")
    check_layers(character, auto, some)
    with pytest.raises(InputError, match="bone_width"):
        check_layers(character, regional("bone_width", "nose=1"), some)
    with pytest.raises(InputError, match="fatness"):
        check_layers(character, auto, regional("fatness", "nose=1"))


def test_a_region_may_be_automatic(tube):
    character, pieces, paths = tube
    part = character.replace(parts={"low": np.flatnonzero(character.points[:, 1] < 0.5)})
    plain = layered(part, pieces.lattice, paths, fatness="auto")
    np.testing.assert_array_equal(layered(part, pieces.lattice, paths, fatness="auto, low=auto").numbers, plain.numbers)
    np.testing.assert_array_equal(layered(part, pieces.lattice, paths, fatness="low=auto").numbers, plain.numbers)


# Regions as they are written

names = st.text(st.characters(exclude_characters=",=", exclude_categories=("Z", "C")), min_size=1, max_size=8)
numbers = st.floats(0.0, 1.0).map(lambda value: round(value, 6))


def read_regions(text):
    """The value for all, None for an automatic one, and the regions, as the one parser of settings reads them."""
    info = SettingInfo("soft", ByName, "", "Softness", "", values=Number(0.0, 1.0, words=("auto",)), names="region")
    found = info.check(text, "test")
    return None if found.default == "auto" else found.default, list(found.named.items())


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.none(), numbers), st.lists(st.tuples(names, numbers), max_size=4), st.sampled_from(["", " ", "  "]))
def test_what_is_written_is_read(default, regions, space):
    pieces = [
        "auto" if default is None else repr(default),
        *(f"{name}{space}={space}{value}" for name, value in regions),
    ]
    wanted = list(dict(regions).items())  # of a name that stands twice the last value counts
    assert read_regions(f",{space}".join(pieces)) == (default, wanted)
    assert read_regions(",".join(pieces[1:]))[1] == wanted


def test_without_a_default_it_is_automatic():
    assert read_regions("") == (None, [])
    assert read_regions("Auto") == (None, [])
    assert read_regions("a=0.5") == (None, [("a", 0.5)])


# The picture


def test_the_picture_shows_every_layer_that_the_cut_meets(tube, tmp_path):
    character, pieces, paths = tube
    layers = layered(character, pieces.lattice, paths, bone_width="1", fatness="0.5")
    path = tmp_path / "layers.png"
    image = layers_picture(character, pieces.lattice, layers.numbers, path=path, size=(200, 240))
    assert image.shape == (240, 200, 3)
    assert path.read_bytes().startswith(b"\x89PNG")
    uncut = layers_picture(character, pieces.lattice, layers.numbers, at=1.0, size=(200, 240))
    reds = [(picture[..., 0].astype(int) - picture[..., 1] > 90).sum() for picture in (image, uncut)]
    assert reds[0] > 3 * reds[1] + 50  # muscle is seen where the body is cut, and not from outside
    with pytest.raises(InputError, match="cut is 'w'"):
        layers_picture(character, pieces.lattice, layers.numbers, cut="w")
    with pytest.raises(InputError, match="names has 2 layers"):
        layers_picture(character, pieces.lattice, layers.numbers, names=("bone", "skin"))
    with pytest.raises(InputError, match="at is -9"):
        layers_picture(character, pieces.lattice, layers.numbers, at=-9.0)
