"""Limp bodies from files fall: what the visible skin of each does on the floor, and what becomes of their energy.

The rigs stand beside the project and are not part of it; without them nothing is tried here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import supple
from oracles import soft_body
from supple import ArticulatedContact, Pose
from supple.obstacles import Box

FILES = Path(__file__).parents[2].parent / "shared" / "data" / "gltf"
RIGS = {
    "human": "human_cmu_8clips.glb",
    "mannequin": "human-m2m-12clips.glb",
    "horse": "horse-animations.glb",
    "fox": "fox-animations.glb",
    "snake": "snake-animations.glb",
}
SECONDS = 6.0
pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason="the rigs are not there")


class Fall:
    """A body that fell: how deep its vertices stood in the floor [m], their speeds [m/s], energies [J], limits."""

    def __init__(self, name: str) -> None:
        character = supple.load(FILES / RIGS[name])
        skin = ArticulatedContact.preset("fall")
        floor = float(skin.scene_for(character)[0].at[1])
        binding, pose = skin.bind(character, "cpu"), Pose.rest(character.skeleton)
        state = skin.start(binding, pose, None)
        points, energies, gaps, beyond = [], [], [], []
        for _ in range(round(SECONDS / skin.step)):
            skin.advance(binding, state, pose, skin.step, incoming=None)
            points.append(state.points.numpy().copy())
            body = state.memory.body
            energies.append(soft_body.energy(state.mechanism, body, gravity=state.solver.gravity).total)
            gaps.append(np.linalg.norm(soft_body.joint_gaps(state.mechanism, body), axis=1).max())
            beyond.append(soft_body.beyond_limits(state.mechanism.joints, body.rotations).max())
        skins = np.array(points)
        self.size = float(np.ptp(character.points, axis=0).max())
        self.depths = floor - skins[:, :, 1]
        self.speeds = np.linalg.norm(np.diff(skins, axis=0), axis=2) / skin.step
        self.energies, self.joint_gaps, self.beyond = np.array(energies), np.array(gaps), np.array(beyond)
        landed = int(np.argmax((self.depths > -1e-3).any(axis=1)))
        heights = -self.depths.mean(axis=1)
        lies = 1 + int(np.flatnonzero(np.abs(heights - heights[-1]) > 0.02 * self.size).max(initial=-1))
        self.rested, self.lying = (self.speeds[at + round(3.0 / skin.step)] for at in (landed, lies))


@cache
def fallen(name: str) -> Fall:
    return Fall(name)


@pytest.mark.parametrize("name", RIGS)
def test_energy_never_rises(name):
    energies = fallen(name).energies
    rise = (energies - np.minimum.accumulate(energies)).max()
    assert rise <= 0.01 * (energies[0] - energies.min())


@pytest.mark.parametrize("name", RIGS)
def test_joints_hold(name):
    assert fallen(name).joint_gaps.max() < 0.02 * fallen(name).size


@pytest.mark.parametrize("name", RIGS)
def test_no_joint_turns_beyond_its_limit(name):
    assert fallen(name).beyond.max() < 0.1


@pytest.mark.parametrize("name", RIGS)
def test_the_skin_that_lies_is_not_in_the_floor(name):
    """At the end all of it within a share of the size, and 99 % of the vertices within 2 mm."""
    depths = fallen(name).depths[-1]
    assert np.quantile(depths, 0.99) < 2e-3
    assert depths.max() < 5e-3 * fallen(name).size


@pytest.mark.parametrize("name", RIGS)
def test_no_part_goes_through_the_floor(name):
    assert fallen(name).depths.max() < 0.02 * fallen(name).size


def known(reason: str, *names: str) -> list[object]:
    """All rigs; those named are known not to do always what is asked. On another processor a fall goes otherwise."""
    mark = pytest.mark.xfail(reason=reason, strict=False)
    return [pytest.param(name, marks=[mark] * (name in names)) for name in RIGS]


@pytest.mark.parametrize("name", known("stands on folded legs for a second before it falls over", "fox"))
def test_it_comes_to_rest_within_three_seconds_of_landing(name):
    assert fallen(name).rested.mean() < 5e-3


@pytest.mark.parametrize("name", RIGS)
def test_what_has_come_down_lies_still(name):
    """Three seconds after its skin is as low as it will be, wherever it stood before."""
    assert fallen(name).lying.mean() < 5e-3


@pytest.mark.parametrize("name", known("goes in by up to 7, 9 and 25 mm for some frames", "mannequin", "horse", "fox"))
def test_no_vertex_is_ever_deep_in_the_floor(name):
    assert fallen(name).depths.max() < 5e-3


def far_away(character: supple.Character, floor: float) -> tuple[np.ndarray, np.ndarray]:
    """Two of them fall, the first onto a floor at this height [m], the other one far from it: how that one moves."""
    side = float(np.ptp(character.points, axis=0).max())
    moves = [np.zeros(3), np.array([50.0 * side, 0.0, 0.0])]
    both = supple.combine([character] * 2, names=["near", "far"], moves=moves)
    ground = Box(name="floor", sides=(20.0 * side, side, 20.0 * side), at=(0.0, floor - 0.5 * side, 0.0), friction=0.6)
    skin = replace(ArticulatedContact.preset("limp"), elements=6000, obstacles=(ground,))
    binding, pose = skin.bind(both, "cpu"), Pose.rest(both.skeleton)
    state = skin.start(binding, pose, None)
    links = [both.skeleton.names[joint].startswith("far.") for joint in binding.links.joints]
    points, velocities = [], []
    for _ in range(60):
        skin.advance(binding, state, pose, skin.step, incoming=None)
        points.append(state.points.numpy()[both.parts["far"]].copy())
        velocities.append(state.memory.body.velocities[links].copy())
    return np.array(points), np.array(velocities)


@pytest.mark.parametrize("name", ["human", "mannequin"])
def test_a_body_far_away_feels_nothing_of_a_heap(name):
    """To the bit: whether the other one lies on a floor, or falls on and on."""
    character = supple.load(FILES / RIGS[name])
    size, low = float(np.ptp(character.points, axis=0).max()), float(character.points[:, 1].min())
    for heap, none in zip(far_away(character, low), far_away(character, low - 500.0 * size), strict=True):
        assert np.abs(np.diff(heap, axis=0)).max() > 0.0
        np.testing.assert_array_equal(heap, none)
