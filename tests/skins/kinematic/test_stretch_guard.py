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
    wp, constants = devices.warp(), devices.Constants(device)
    before, after = (devices.to_device(x.astype(np.float32), wp.vec3f, device) for x in (incoming, skin))
    for stage in StretchGuard.from_character(character).record(before, after, constants):
        stage()
    return np.array(devices.to_host(after), dtype=float)


def stretch(character, points):
    i, j = topology.unique_edges(character.triangles).T
    return np.linalg.norm(points[i] - points[j], axis=1) / np.linalg.norm(
        character.points[i] - character.points[j], axis=1
    )


def test_edges_that_are_drawn_out_come_back(tube):
    rng = np.random.default_rng(2)
    wild = np.where(rng.random(len(tube.points)) < 0.05, 1.0, 0.0)[:, None] * rng.normal(size=(len(tube.points), 3))
    torn = tube.points + 0.15 * wild
    assert (stretch(tube, torn) > 3.0).sum() > 20
    found = guarded(tube, tube.points, torn)
    assert stretch(tube, found).max() < 3.0
    assert np.abs(found - tube.points).max() > 0.01


def test_what_the_bones_draw_out_is_left_to_them(tube):
    long = tube.points * np.array([1.0, 4.0, 1.0])
    np.testing.assert_array_equal(guarded(tube, long, long), long.astype(np.float32))


def test_nothing_changes_where_no_edge_is_too_long(tube):
    soft = tube.points * np.array([1.0, 0.9 * _LIMIT, 1.0])
    np.testing.assert_array_equal(guarded(tube, tube.points, soft), soft.astype(np.float32))


@pytest.mark.cuda
def test_a_device_draws_edges_together_too(tube):
    torn = tube.points.copy()
    torn[::40] += 0.1
    assert stretch(tube, torn).max() > 3.0
    assert stretch(tube, guarded(tube, tube.points, torn, "cuda:0")).max() < 3.0
