"""A finger that is pressed into a belly dents the skin that is seen, also where it comes between its vertices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.geometry import quaternions
from supple.obstacles import Capsule, Keys

HUMAN = Path(__file__).parents[2].parent / "shared" / "data" / "gltf" / "human_cmu_8clips.glb"
STEP, LENGTH, DEEP = 1.0 / 60.0, 0.3, 0.02
POINTED = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.5 * np.pi)
ACROSS = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.5 * np.pi)
# Pressed in or lying across, on a vertex and between vertices, and thin or as thick as a thumb.
CASES = [(0.008, POINTED, 0.0), (0.008, POINTED, 0.008), (0.008, ACROSS, 0.008), (0.02, POINTED, 0.008)]


def everywhere(points, triangles, cuts=5):
    """Places (S, 3) all over the triangles."""
    shares = [(i / cuts, j / cuts) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return np.concatenate([s * a + t * b + (1.0 - s - t) * c for s, t in shares])


def depths(places, rod, time):
    """How deep (S,) [m] places are in the rod."""
    frame = rod.world_from_body(time)
    local = (places - frame[:3, 3]) @ frame[:3, :3]
    along = np.clip(local[:, 1], -0.5 * rod.length, 0.5 * rod.length)
    return rod.radius - np.linalg.norm(local - along[:, None] * [0.0, 1.0, 0.0], axis=1)


def pressed(character, spot, radius, turned):
    """The rod, and the skin at the end: 20 mm in within a third of a second, and held for another."""
    back = np.array([0.0, 0.0, radius + (0.5 * LENGTH if turned is POINTED else 0.0)])
    times = np.array([0.0, 0.35, 1.0])
    places = np.stack([spot + back + [0.0, 0.0, -deep] for deep in (-0.02, DEEP, DEEP)])
    rod = Capsule(radius=radius, length=LENGTH, at=Keys(times, places, np.tile(turned, (3, 1))))
    skin = supple.ArticulatedContact(flesh="fat", obstacles=(rod,), step=STEP)
    binding, pose = skin.bind(character, "cpu"), supple.Pose.rest(character.skeleton)
    state = skin.start(binding, pose, None)
    for _ in range(36):
        skin.advance(binding, state, pose, STEP, incoming=None)
    return rod, 36 * STEP, state.points.numpy().astype(float)


@pytest.mark.skipif(not HUMAN.is_file(), reason="the rig is not there")
@pytest.mark.parametrize(("radius", "turned", "aside"), CASES)
def test_a_finger_dents_the_belly_that_is_seen(radius, turned, aside):
    """All of the surface, not its vertices alone, is less than 5 mm inside the finger, and 99 % of it round the place
    less than 2 mm."""
    character = supple.load(HUMAN)
    points = character.points
    height = points[:, 1].min() + 0.58 * np.ptp(points[:, 1])
    middle = (np.abs(points[:, 1] - height) < 0.05) & (np.abs(points[:, 0] - np.median(points[:, 0])) < 0.04)
    navel = np.flatnonzero(middle)[points[middle, 2].argmax()]
    spot = points[navel] + [aside, 0.75 * aside, 0.0]
    rod, time, skin = pressed(character, spot, radius, turned)
    places = everywhere(skin, character.triangles)
    found = depths(places, rod, time)
    near = np.linalg.norm(places - spot, axis=1) < 0.08
    assert found.max() < 5e-3
    assert np.quantile(np.maximum(found[near], 0.0), 0.99) < 2e-3
    assert np.linalg.norm(skin - points, axis=1).max() > 0.6 * DEEP
