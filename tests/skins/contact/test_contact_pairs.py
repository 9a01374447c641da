"""Two characters in one simulation: they meet both ways, neither goes through the other, and momentum is kept."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from oracles import soft_body
from supple import ArticulatedContact, Motion, Pose
from supple.geometry import quaternions
from supple.motion import combine_motions

RADIUS = 0.08
STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0])
LIMP = {"strength": "0", "root_strength": 0.0, "gravity": 0.0}


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube", vertices=600, bones=4, radius=RADIUS)


@pytest.fixture(scope="module")
def crossed(tube):
    """One tube along x, and another one above it, across."""
    across = quaternions.compose([0.0, 0.25, 0.0], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.pi / 2.0))
    return supple.combine([tube, tube], names=["low", "high"], moves=[np.zeros(3), across])


def going(tube, way, *, stops=np.inf, seconds=1.0) -> Motion:
    """The whole tube goes straight, `way` [m/s], until it `stops` [s]."""
    rest = Pose.rest(tube.skeleton)
    return Motion.from_poses(
        tube.skeleton,
        lambda time: rest.moved(quaternions.compose(min(time, stops) * np.asarray(way), STRAIGHT)),
        seconds=seconds,
        fps=120.0,
    )


class Played:
    """A pair in its motion, step by step; what is looked at is kept of every step."""

    def __init__(self, pair, skin, motion, seconds):
        self.pair, self.binding = pair, skin.bind(pair, "cpu")
        state = self.state = skin.start(self.binding, motion.sample(0.0), None)
        self.momenta, self.depths, self.dents, self.steps = [], [], [], []
        before = state.points.numpy().copy()
        for step in range(1, round(seconds / skin.step) + 1):
            skin.advance(self.binding, state, motion.sample(step * skin.step), skin.step, incoming=None)
            points = state.points.numpy()
            self.momenta.append(np.concatenate(soft_body.momentum(self.state.mechanism, state.memory.body)))
            self.depths.append(self.depth(points))
            self.dents.append([self.dent(name) for name in ("low", "high")])
            self.steps.append(np.abs(points - before).max())
            before = points.copy()
        self.momenta, self.depths, self.dents = map(np.array, (self.momenta, self.depths, self.dents))
        self.bones = state.memory.bones

    def depth(self, points) -> float:
        """How deep [m] the skin of either is inside the other at most."""
        import igl

        deepest = 0.0
        for mine, other in (("low", "high"), ("high", "low")):
            theirs = self.pair.parts[other]
            faces = self.pair.triangles[np.isin(self.pair.triangles[:, 0], theirs)] - theirs[0]
            kind = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
            mesh = points[theirs].astype(np.float64), np.ascontiguousarray(faces, dtype=np.int64)
            deepest = max(
                deepest, -igl.signed_distance(points[self.pair.parts[mine]].astype(float), *mesh, kind)[0].min()
            )
        return deepest

    def dent(self, name) -> float:
        """How far [m] flesh of one has left its bones at most."""
        links = [self.pair.skeleton.names[joint].startswith(name) for joint in self.binding.links.joints]
        mechanism = self.state.mechanism
        own = np.array(links)[mechanism.free_links[:, 0]]
        return float(np.linalg.norm(self.state.memory.body.displacements - self.state.rest_sag, axis=1)[own].max())

    def bend(self, name) -> float:
        """How far [rad] neighbouring bones of one have turned against each other at most."""
        skeleton = self.pair.skeleton
        rotations = self.bones[:, :3, :3] @ np.swapaxes(skeleton.world_from_joint[:, :3, :3], 1, 2)
        own = [j for j, full in enumerate(skeleton.names) if full.startswith(name) and skeleton.parents[j] >= 0]
        between = np.swapaxes(rotations[skeleton.parents[own]], 1, 2) @ rotations[own]
        return float(np.arccos(np.clip((np.trace(between, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)).max())


@pytest.fixture(scope="module")
def thrown(tube, crossed):
    """Limp and free; the upper one comes down, and nothing else moves."""
    motion = combine_motions([None, going(tube, [0.0, -1.0, 0.0])], crossed)
    skin = ArticulatedContact(flesh="fat", elements=1500, step=1.0 / 120.0, **LIMP)
    return Played(crossed, skin, motion, 0.7)


def test_each_is_a_mechanism_of_its_own_and_flesh_hangs_on_its_own_bones(thrown):
    links = thrown.binding.links
    owner = np.array([full.partition(".")[0] for full in thrown.pair.skeleton.names])[links.joints]
    assert sorted(owner[links.parents < 0]) == ["high", "low"]
    hanging = links.parents >= 0
    assert (owner[hanging] == owner[links.parents[hanging]]).all()
    mechanism = thrown.state.mechanism
    carried = np.where(mechanism.weights > 0.0, owner[mechanism.links], owner[mechanism.links[:, :1]])
    assert (carried == carried[:, :1]).all()
    assert (owner[mechanism.links[mechanism.elements, 0]] == owner[mechanism.links[mechanism.elements[:, :1], 0]]).all()
    assert mechanism.link_masses[owner == "low"].sum() == pytest.approx(
        mechanism.link_masses[owner == "high"].sum(), rel=0.05
    )


def test_both_dent_and_both_bend(thrown):
    assert (thrown.dents.max(axis=0) > 0.1 * RADIUS).all()
    assert thrown.dents[0].max() < 0.01 * RADIUS  # not before they meet
    assert thrown.bend("low") > 0.5
    assert thrown.bend("high") > 0.5


def test_momentum_of_a_free_pair_is_kept(thrown):
    pushed = np.linalg.norm(thrown.momenta[0, :3])  # [kg m/s]: what the upper one brings
    half = 0.5 * thrown.state.mechanism.link_masses.sum()
    assert pushed == pytest.approx(half * 1.0, rel=0.05)
    linear, angular = np.hsplit(thrown.momenta - thrown.momenta[0], 2)
    np.testing.assert_allclose(linear, 0.0, atol=1e-7 * pushed)
    np.testing.assert_allclose(angular, 0.0, atol=2e-3 * pushed * 0.5)  # of what it would be at the tube's end


def test_limp_tubes_do_not_pass_through_each_other(thrown):
    """No step goes as far as they are thick, so that who is never deep inside has not gone through."""
    assert max(thrown.steps) < RADIUS
    assert thrown.depths.max() < 0.35 * RADIUS


def test_without_self_contact_they_do(tube, crossed):
    motion = combine_motions([None, going(tube, [0.0, -1.0, 0.0])], crossed)
    skin = ArticulatedContact(flesh="fat", elements=800, step=1.0 / 60.0, self_contact=False, **LIMP)
    played = Played(crossed, skin, motion, 0.5)
    assert played.depths.max() > 0.9 * RADIUS
    assert max(played.bend("low"), played.bend("high")) < 1e-6


def test_two_that_are_thrown_at_each_other_alike_stop_each_other(tube, crossed):
    motion = combine_motions([going(tube, [0.0, 0.5, 0.0]), going(tube, [0.0, -0.5, 0.0])], crossed)
    skin = ArticulatedContact(flesh="fat", elements=1500, step=1.0 / 120.0, **LIMP)
    played = Played(crossed, skin, motion, 0.5)
    thrown = 0.5 * 0.5 * played.state.mechanism.link_masses.sum()
    np.testing.assert_allclose(
        played.momenta[:, :3], played.momenta[:1, :3].repeat(len(played.momenta), 0), atol=1e-7 * thrown
    )
    assert np.abs(played.momenta[:, :3]).max() < 0.05 * thrown  # as even as their flesh is
    assert played.depths.max() < 0.35 * RADIUS
    assert min(played.bend("low"), played.bend("high")) > 0.2


def test_one_that_is_led_presses_the_other_down_and_is_held_up_by_it(tube, crossed):
    """Both are led by muscles; the upper one is told to go to where the lower one is."""
    down = going(tube, [0.0, -0.4, 0.0], stops=0.35)
    motion = combine_motions([None, down], crossed)
    skin = ArticulatedContact(
        flesh="fat", strength="0.3", root_strength=0.5, gravity=0.0, elements=1500, step=1.0 / 120.0
    )
    played = Played(crossed, skin, motion, 1.0)
    wanted = motion.sample(1.0).world_from_joint[:, 1, 3]
    names = crossed.skeleton.names
    low, high = (np.array([full.startswith(name) for full in names]) for name in ("low", "high"))
    off = played.bones[:, 1, 3] - wanted
    assert off[low].min() < -0.15 * RADIUS
    assert off[high].max() > 0.15 * RADIUS
    assert (played.dents[-10:].min(axis=0) > 0.05 * RADIUS).all()
    assert played.depths.max() < 0.35 * RADIUS


@pytest.mark.parametrize("rotation", [0.0, np.pi / 2.0])
def test_who_nearly_touches_at_rest_is_neither_grown_together_nor_pushed(tube, rotation):
    near = quaternions.compose(
        [0.0, 2.0 * RADIUS + 5e-4, 0.0], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], rotation)
    )
    pair = supple.combine([tube, tube], names=["low", "high"], moves=[np.zeros(3), near])
    skin = ArticulatedContact(flesh="fat", elements=1000, gravity=0.0)
    played = Played(pair, skin, combine_motions([None, None], pair), 0.2)
    upper = played.state.mechanism.rest[:, 1] > RADIUS
    assert (upper[played.state.mechanism.elements] == upper[played.state.mechanism.elements[:, :1]]).all()
    np.testing.assert_allclose(played.bones, pair.skeleton.world_from_joint, atol=1e-9)
    np.testing.assert_allclose(played.dents, 0.0, atol=1e-9)


def test_far_apart_each_does_what_it_does_alone(tube):
    """A pair that never meets is two characters; only the elements of their flesh lie differently."""
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(0.6))
    bent = Motion.from_poses(
        tube.skeleton,
        lambda time: Pose.from_rotations(
            tube.skeleton, {"Bone3": quaternions.slerp(STRAIGHT, rotation, np.array(min(time, 0.3) / 0.3))}
        ),
        seconds=0.5,
    )
    settings = {"flesh": "rubber", "strength": "0.5", "gravity": 0.0, "depth": 0.5}
    alone = supple.bake(tube, bent, ArticulatedContact(elements=1500, **settings), end=0.5)
    pair = supple.combine([tube, tube])
    both = supple.bake(pair, combine_motions([bent, None], pair), ArticulatedContact(elements=3000, **settings))
    np.testing.assert_allclose(both.bones[:, :4], alone.bones, atol=0.02 * RADIUS)
    assert np.abs(alone.bones - alone.poses).max() > 0.02 * RADIUS  # and that is more than nothing
    np.testing.assert_allclose(both.bones[:, 4:], both.poses[:, 4:], atol=1e-6)


def test_settings_by_name_are_for_one_of_them(tube, crossed):
    """The lower one is of rubber, and of the upper one the far end alone is held straight."""
    motion = combine_motions([None, going(tube, [0.0, -1.0, 0.0])], crossed)
    named = {**LIMP, "strength": "0, high.Bone4=1"}
    skin = ArticulatedContact(flesh="fat, low=rubber", elements=1500, step=1.0 / 120.0, **named)
    played = Played(crossed, skin, motion, 0.5)
    firm, soft = played.dents.max(axis=0)
    assert soft > 0.1 * RADIUS > 5.0 * firm
    rotations = played.bones[:, :3, :3] @ np.swapaxes(crossed.skeleton.world_from_joint[:, :3, :3], 1, 2)
    held, limp = (
        np.abs(rotations[j] - rotations[j - 1]).max() for j in map(crossed.skeleton.index, ("high.Bone4", "high.Bone3"))
    )
    assert held < 0.02 < 0.2 < limp
