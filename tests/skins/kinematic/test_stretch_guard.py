"""No edge is drawn out by flesh that the bones leave alone."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.geometry import topology
from supple.skins.kinematic.stretch_guard import _LIMIT, StretchGuard


@pytest.fixture(scope="module")
def tube():
    return supple.character("hero", vertices=800)


def guarded(character, incoming, skin, device="cpu"):
    return played(StretchGuard.from_character(character).record, incoming, skin, device)


def played(record, incoming, skin, device="cpu"):
    wp, constants = devices.warp(), devices.Constants(device)
    before, after = (devices.to_device(x.astype(np.float32), wp.vec3f, device) for x in (incoming, skin))
    stages = record(before, after, constants)
    for _ in range(2):  # the second time in arrays that were used before
        after.assign(skin.astype(np.float32))
        for stage in stages:
            stage()
    return np.array(devices.to_host(after), dtype=float)


def rounds_of_all(character, incoming, skin, rounds=8):
    """Every edge in every round, in plain words: its two ends share what it is too long, which is its weight."""
    i, j = topology.unique_edges(character.triangles).T
    rest = np.linalg.norm(character.points[i] - character.points[j], axis=1)
    longest = np.maximum(_LIMIT * rest, np.linalg.norm(incoming[i] - incoming[j], axis=1))
    for _ in range(rounds):
        edge = skin[i] - skin[j]
        now = np.linalg.norm(edge, axis=1)
        excess = np.maximum(1.0 - longest / now, 0.0)
        move = 0.5 * (excess**2)[:, None] * edge
        total = np.zeros_like(skin)
        np.add.at(total, i, -move)
        np.add.at(total, j, move)
        weights = sum(np.bincount(end, excess, len(skin)) for end in (i, j))
        skin = skin + total / np.maximum(weights, 1e-300)[:, None]
    return skin


def torn(character):
    rng = np.random.default_rng(2)
    wild = np.where(rng.random(len(character.points)) < 0.05, 1.0, 0.0)[:, None]
    return character.points + 0.15 * wild * rng.normal(size=(len(character.points), 3))


def stretch(character, points):
    i, j = topology.unique_edges(character.triangles).T
    return np.linalg.norm(points[i] - points[j], axis=1) / np.linalg.norm(
        character.points[i] - character.points[j], axis=1
    )


def test_edges_that_are_drawn_out_come_back(tube):
    assert (stretch(tube, torn(tube)) > 3.0).sum() > 20
    found = guarded(tube, tube.points, torn(tube))
    assert stretch(tube, found).max() < 3.0
    assert np.abs(found - tube.points).max() > 0.01


def test_what_the_bones_draw_out_is_left_to_them(tube):
    long = tube.points * np.array([1.0, 4.0, 1.0])
    np.testing.assert_array_equal(guarded(tube, long, long), long.astype(np.float32))


def test_nothing_changes_where_no_edge_is_too_long(tube):
    soft = tube.points * np.array([1.0, 0.9 * _LIMIT, 1.0])
    np.testing.assert_array_equal(guarded(tube, tube.points, soft), soft.astype(np.float32))


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_rounds_look_only_where_something_moved_and_find_what_rounds_of_all_find(tube, device):
    """As a GPU goes through them, for two copies of which one is whole; a processor can run them too."""
    skin = np.concatenate([tube.points, torn(tube)])
    record = StretchGuard.from_character(tube).stack(2).record_rounds
    found = played(record, np.concatenate([tube.points] * 2), skin, device)
    np.testing.assert_array_equal(found[: len(tube.points)], tube.points.astype(np.float32))
    np.testing.assert_allclose(found[len(tube.points) :], rounds_of_all(tube, tube.points, torn(tube)), atol=1e-5)


def test_copies_are_guarded_as_if_each_were_alone(tube):
    skin = np.concatenate([tube.points, torn(tube)])
    found = played(StretchGuard.from_character(tube).stack(2).record, np.concatenate([tube.points] * 2), skin)
    np.testing.assert_array_equal(found[: len(tube.points)], tube.points.astype(np.float32))
    np.testing.assert_allclose(found[len(tube.points) :], guarded(tube, tube.points, torn(tube)), atol=1e-6)


def test_what_is_only_just_too_long_hardly_moves(tube):
    """The bones draw edges out past the limit already, and flesh aside: what trembles by a hair moves by hairs."""
    rng = np.random.default_rng(3)
    carried = tube.points * np.array([1.0, 3.0, 1.0])
    skin = carried + rng.normal(size=carried.shape) * 0.02 * np.array([1.0, 0.0, 1.0])
    found = guarded(tube, carried, skin)
    assert np.abs(found - skin).max() > 1e-4
    shaken = guarded(tube, carried, skin + rng.uniform(-1e-6, 1e-6, size=skin.shape))
    assert np.abs(shaken - found).max() < 1e-4


@pytest.mark.cuda
def test_a_device_draws_edges_together_too(tube):
    skin = tube.points.copy()
    skin[::40] += 0.1
    assert stretch(tube, skin).max() > 3.0
    assert stretch(tube, guarded(tube, tube.points, skin, "cuda:0")).max() < 3.0
