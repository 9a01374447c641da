"""The kinematic skin below a soft articulated character: what it keeps, and how joints move what collides."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import ArticulatedContact, Pose
from supple.errors import InputError
from supple.geometry import quaternions
from supple.graph.binding_codec import pack, unpack
from supple.obstacles import Capsule
from supple.skins.contact.kinematic_base import BASES
from supple.skins.contact.model.joints import rotation_vectors
from supple.skins.examples import HostSkin

TUBE = make_tube(17, 10, 3)
HERO = supple.character("hero", vertices=3000)
FEW = {"elements": 600, "self_contact": False, "gravity": 0.0}
LED = {"strength": 1.0, "root_strength": 1.0}
AXIS = np.array([0.0, 0.0, 1.0])
JOINTS = {"LeftForeArm": np.array([0.0, -1.0, 0.0]), "LeftLeg": np.array([1.0, 0.0, 0.0])}  # elbow, knee


def bent(character, joint, axis, *angles) -> Pose:
    rotation = quaternions.quat_from_axis_angle(axis, np.array(angles[0]))
    for further in angles[1:]:
        rotation = quaternions.quat_multiply(quaternions.quat_from_axis_angle(axis, np.array(further)), rotation)
    return Pose.from_rotations(character.skeleton, {joint: rotation})


def played(character, skin, poses):
    binding = skin.bind(character, "cpu")
    state = skin.start(binding, poses[0], None)
    for pose in poses[1:]:
        skin.advance(binding, state, pose, skin.step, incoming=None)
    return binding, state


@cache
def folded(base: str, joint: str):
    """The hero with a joint bent by 130 degrees within half a second, and held so."""
    angles = np.radians(130.0) * np.minimum(np.arange(40) / 30.0, 1.0)
    poses = [bent(HERO, joint, JOINTS[joint], angle) for angle in angles]
    skin = ArticulatedContact(base=base, elements=1500, gravity=0.0, **LED)
    _, state = played(HERO, skin, poses)
    return state.points.numpy().astype(float), poses[-1]


@pytest.mark.parametrize("base", BASES)
def test_firm_flesh_on_rigid_muscles_is_the_skin_below(base):
    poses = [bent(TUBE, "bone1", AXIS, 0.8 * np.sin(0.05 * frame)) for frame in range(60)]
    _, state = played(TUBE, ArticulatedContact(base=base, flesh="rubber", **LED, **FEW), poses)
    below = HostSkin(BASES[base](), TUBE)(poses[-1])
    np.testing.assert_allclose(state.points.numpy(), below, atol=2e-3)


def test_no_other_skin_can_be_below():
    with pytest.raises(InputError, match="base is 'springs'"):
        ArticulatedContact(base="springs")


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("base", ["dual-quaternion", "rotation-centers"])
def test_a_deep_bend_keeps_more_volume_than_on_linear_blend(base, joint):
    def lost(name):
        return enclosed(HERO.points) - enclosed(folded(name, joint)[0])

    def enclosed(points):
        a, b, c = np.moveaxis(points[HERO.triangles], 1, 0)
        return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0

    assert lost("linear") > 1e-4  # [m³], a tenth of a litre
    assert lost(base) < 0.8 * lost("linear")


# How fast the skin goes as joints turn, against how far it gets: the most that any vertex may be off, of the fastest.
FARTHEST = {"linear": 0.02, "dual-quaternion": 0.08, "rotation-centers": 0.08, "delta-mush": 0.16}


@pytest.mark.parametrize("turned", [0.0, 1.0])
@pytest.mark.parametrize("base", BASES)
def test_how_joints_move_the_skin_is_the_difference_quotient(base, turned):
    skin = ArticulatedContact(base=base, **FEW)
    pose = bent(TUBE, "bone1", AXIS, turned)
    binding, state = played(TUBE, skin, [pose])
    body, step, points = state.memory.body, 1e-2, state.solver.skin_points
    ends = [binding.links.pose(TUBE.skeleton, bent(TUBE, "bone1", AXIS, turned, by)) for by in (-step, step)]
    (one, turn), (other, turned_on) = ends
    body.velocities[...] = (other - one) / (2.0 * step)
    body.angular_velocities[...] = rotation_vectors(turned_on @ np.swapaxes(turn, 1, 2)) / (2.0 * step)
    state.solver.load(body)
    points.predict()
    found = points.struct.skin_velocities.numpy()
    arms, weights = points.struct.skin_arms.numpy().reshape(len(found), -1, 3), binding.skin_embedding.weights
    carried = body.positions[binding.skin_embedding.links] + arms
    np.testing.assert_allclose(  # a force on the skin has the moment that it has in the world
        np.einsum("vk,vki->vi", weights, carried), state.points.numpy(), atol=1e-6
    )
    skins = []
    for positions, rotations in ends:
        body.positions[...], body.rotations[...] = positions, rotations
        state.solver.load(body)
        skins.append(state.surface.update({}).numpy().astype(float))
    wanted = (skins[1] - skins[0]) / (2.0 * step)
    between = np.linalg.norm(wanted[np.abs(TUBE.points[:, 1] - TUBE.skeleton.heads[1, 1]) < 0.3], axis=1).max()
    off = np.linalg.norm(found - wanted, axis=1).max()
    assert off < FARTHEST[base] * between


def places(points, cuts=5):
    """Places all over the triangles of the hero."""
    a, b, c = np.moveaxis(points[HERO.triangles], 1, 0)
    shares = [(i / cuts, j / cuts) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    return np.concatenate([s * a + t * b + (1.0 - s - t) * c for s, t in shares])


@pytest.mark.parametrize("base", BASES)
def test_a_forearm_that_folds_on_a_rod_is_not_in_it(base):
    elbow = HERO.skeleton.heads[HERO.skeleton.index("LeftForeArm")]
    rod = Capsule(radius=0.02, length=0.6, at=elbow + np.array([0.08, 0.0, 0.1]))
    skin = ArticulatedContact(base=base, elements=2500, obstacles=(rod,))
    binding, below = skin.bind(HERO, "cpu"), HostSkin(BASES[base](), HERO)
    poses = [bent(HERO, "LeftForeArm", JOINTS["LeftForeArm"], 0.04 * frame) for frame in range(40)]
    state = skin.start(binding, poses[0], None)
    depths = []
    for pose in poses:
        points = skin.advance(binding, state, pose, skin.step, incoming=None).numpy()
        local = places(points) - rod.at
        local[:, 1] -= np.clip(local[:, 1], -0.3, 0.3)
        depths.append(rod.radius - np.linalg.norm(local, axis=1).min())
    assert np.linalg.norm(below(poses[-1]) - points, axis=1).max() > 0.1  # it held the forearm up
    assert np.count_nonzero(np.array(depths) > -1e-3) > 10  # and lay on it
    assert max(depths) < 2e-3


@pytest.mark.parametrize("base", BASES)
def test_shapes_and_other_shapes_reach_the_skin_below(base):
    up = np.tile([0.0, 0.1, 0.0], (len(TUBE.points), 1))
    lifted, higher = (TUBE.replace(shapes={"up": much * up}) for much in (1.0, 2.0))
    pose = Pose(TUBE.skeleton.world_from_joint, shapes={"up": 1.0})
    skin = ArticulatedContact(base=base, **FEW)
    binding, state = played(lifted, skin, [pose] * 3)
    np.testing.assert_allclose(state.points.numpy(), TUBE.points + up, atol=1e-5)
    other = skin.rebind(binding, higher, "cpu")
    state = skin.reshape(other, state)
    skin.advance(other, state, pose, skin.step, incoming=None)
    np.testing.assert_allclose(state.points.numpy(), TUBE.points + 2.0 * up, atol=1e-5)


def test_a_binding_that_was_kept_has_its_base():
    skin = ArticulatedContact(base="delta-mush", **FEW)
    binding, pose = skin.bind(TUBE, "cpu"), bent(TUBE, "bone1", AXIS, 0.8)
    known = {"character": TUBE, "skeleton": TUBE.skeleton, "weights": TUBE.weights}
    again = unpack(pack(binding, known), known, device="cpu")
    one, other = (skin.start(each, pose, None).points.numpy() for each in (binding, again))
    assert np.array_equal(one, other)
