"""The skin of a soft articulated character: where it stands, what it meets, what its bones do, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from oracles import soft_body
from supple import ArticulatedContact, Character, LinearBlend, Motion, Pose, Skeleton, Weights
from supple.character import Crowd
from supple.errors import InputError, UnfinishedError
from supple.geometry import quaternions
from supple.graph.bake import bake
from supple.obstacles import Box, Free, Plane, Sphere
from supple.settings import settings_of
from supple.skins.contact.model.elasticity import TISSUES, Tissue
from supple.skins.contact.model.flesh import flesh_from_character
from supple.skins.contact.model.mechanism import blended_rotations
from supple.skins.contact.settings import JointBounds, Muscles, joint_limits, joint_strengths, with_regions
from supple.skins.contact.step import solve_contacts

TUBE = make_tube(17, 10, 3)
SKELETON = TUBE.skeleton
REST = Pose.rest(SKELETON)
LIMP = {"strength": "0", "root_strength": 0.0}
FEW = {"elements": 600, "self_contact": False}


def bent(angle: float, *, move=(0.0, 0.0, 0.0)) -> Pose:
    return Pose.from_rotations(
        SKELETON, {"bone1": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(angle))}, move=move
    )


def played(skin, poses, character=TUBE):
    """Bind, start in the first pose, go through the others; the binding and the state at the end."""
    binding = skin.bind(character, "cpu")
    state = skin.start(binding, poses[0], None)
    for pose in poses[1:]:
        skin.advance(binding, state, pose, skin.step, incoming=None)
    return binding, state


def momentum(binding, state):
    """Of the body and of what flies, linear and angular [kg m/s, kg m²/s]."""
    linear, angular = soft_body.momentum(state.mechanism, state.memory.body)
    free = state.pipeline.dynamic_bodies
    flying = free.masses[:, None] * state.memory.dynamic_bodies.velocities
    angular = angular + np.cross(free.centers, flying).sum(axis=0) + state.memory.dynamic_bodies.angular.sum(axis=0)
    return linear + flying.sum(axis=0), angular


# Where it stands


def test_it_stands_still_where_it_was_bound_although_it_is_heavy():
    _, state = played(ArticulatedContact(flesh="fat", strength="0.3", **FEW), [REST] * 60)
    assert np.abs(state.points.numpy() - TUBE.points).max() < 1e-3
    assert np.abs(state.memory.bones - REST.world_from_joint).max() < 1e-3


def test_without_muscles_that_bear_its_weight_it_sinks():
    _, state = played(ArticulatedContact(strength="0.3", gravity_compensation=False, **FEW), [bent(1.2)] * 30)
    assert state.points.numpy()[:, 1].mean() < LinearBlend_of(bent(1.2))[:, 1].mean() - 1e-3


def LinearBlend_of(pose):  # noqa: N802
    return supple.player(TUBE, LinearBlend()).advance(pose)


def test_a_first_pose_elsewhere_is_the_skin_carried_there():
    carry = quaternions.compose([3.0, 1.0, -2.0], quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 2.0))
    skin = ArticulatedContact(flesh="fat", **FEW)  # turned about y: gravity stays where it was
    binding = skin.bind(TUBE, "cpu")
    here = skin.start(binding, bent(0.8), None).points.numpy().copy()
    there = skin.start(binding, bent(0.8).moved(carry), None).points.numpy().copy()
    np.testing.assert_allclose(there, here @ carry[:3, :3].T + carry[:3, 3], atol=1e-5)


def test_rigid_muscles_and_firm_flesh_are_linear_blend():
    poses = [bent(0.4 * np.sin(0.05 * frame)) for frame in range(60)]
    skin = ArticulatedContact(flesh="rubber", strength="1", root_strength=1.0, gravity=0.0, **FEW)
    _, state = played(skin, poses)
    np.testing.assert_allclose(state.points.numpy(), LinearBlend_of(poses[-1]), atol=2e-3)
    np.testing.assert_allclose(state.memory.bones, poses[-1].world_from_joint, atol=2e-3)


def test_weaker_muscles_lag_more():
    poses = [REST, REST, *[bent(0.8)] * 6]  # the motion jumps
    lags = []
    for strength in ("0.2", "0.5", "0.9"):
        _, state = played(ArticulatedContact(strength=strength, gravity=0.0, **FEW), poses)
        lags.append(np.abs(state.memory.bones - poses[-1].world_from_joint).max())
    assert lags[0] > 1.2 * lags[1] > 1.44 * lags[2]


def test_a_limb_by_name_is_limp_with_all_that_hangs_on_it():
    assert joint_strengths(Muscles(strength="0.7, bone1=0.2").strength, SKELETON) == {"bone1": 0.2, "bone2": 0.2}
    poses = [bent(0.05 * frame) for frame in range(16)]
    stiff, limp = (
        played(ArticulatedContact(strength=text, gravity=0.0, **FEW), poses)[1].memory.bones[1, :3, :3]
        for text in ("0.9", "0.9, bone1=0")
    )
    wanted = poses[-1].world_from_joint[1, :3, :3]
    assert np.abs(limp - wanted).max() > 10.0 * np.abs(stiff - wanted).max()


def test_skin_is_the_blend_of_simulated_bones_and_the_flesh_that_left_them():
    ball = Sphere(radius=0.3, at=(0.45, 1.0, 0.0))  # starts a little inside, so that it dents
    skin = ArticulatedContact(flesh="fat", obstacles=(ball,), **FEW)
    _, state = played(skin, [REST] * 8)
    flesh = flesh_from_character(TUBE, count=600, core=skin.layer.core, depth=skin.layer.depth, tissue="fat")
    carried = supple.linear_blend(TUBE.points, TUBE.weights, Pose(state.memory.bones).skinning(SKELETON))
    rotations = blended_rotations(state.mechanism, state.memory.body)
    offsets = np.zeros((len(flesh.masses), 3))
    offsets[: len(rotations)] = np.einsum("nab,nb->na", rotations, state.memory.body.displacements - state.rest_sag)
    inside = flesh.embedding(TUBE.points)
    moved = state.points.numpy() - carried
    assert np.abs(moved).max() > 0.01
    plain = inside.carry(offsets)  # the skin follows flesh more evenly than element by element
    dented = np.linalg.norm(plain, axis=1) > 0.3 * np.linalg.norm(plain, axis=1).max()
    np.testing.assert_allclose(moved[dented].mean(axis=0), plain[dented].mean(axis=0), rtol=0.25, atol=1e-3)


def test_what_has_no_flesh_goes_with_its_link_as_the_motion_has_it():
    names = ("bone0", "bone1", "bone2", "prop")
    heads = [*SKELETON.heads, [0.0, 1.9, 0.0]]
    skeleton = Skeleton.from_heads(names, [-1, 0, 1, 2], heads)
    dense = np.zeros((len(TUBE.points), 4))
    dense[:, :3] = TUBE.weights.dense(3)
    character = Character(TUBE.points, TUBE.triangles, skeleton, Weights.from_dense(dense))
    rotation = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.array(0.9))
    pose = Pose.from_rotations(skeleton, {"prop": rotation})
    ball = Sphere(radius=0.3, at=(0.5, 1.8, 0.0))
    skin = ArticulatedContact(strength="0.1", obstacles=(ball,), **FEW)
    binding, state = played(skin, [pose] * 10, character)
    assert len(binding.links) == 3
    assert np.abs(state.memory.bones[2] - pose.world_from_joint[2]).max() > 1e-3  # its link was pushed
    one, two = (np.linalg.inv(bones[2]) @ bones[3] for bones in (state.memory.bones, pose.world_from_joint))
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_shapes_of_a_motion_are_kept():
    lifted = TUBE.replace(shapes={"up": np.tile([0.0, 0.1, 0.0], (len(TUBE.points), 1))})
    pose = Pose(REST.world_from_joint, shapes={"up": 1.0})
    _, state = played(ArticulatedContact(gravity=0.0, **FEW), [pose] * 3, lifted)
    np.testing.assert_allclose(state.points.numpy(), lifted.points + np.array([0.0, 0.1, 0.0]), atol=1e-5)


# What it meets


def lying_limb(**settings):
    """A tube that lies above a floor, led at its root, and a ball above its far end."""
    down = quaternions.compose([0.0, 0.0, 0.0], quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], -np.pi / 2.0))
    pose = REST.moved(down)
    ball = Sphere(name="ball", radius=0.2, at=(1.7, 0.75, 0.1), free=Free(mass=30.0, velocity=(0.0, -1.0, 0.0)))
    skin = ArticulatedContact(strength="0.4", step=1.0 / 120.0, obstacles=(ball,), **settings, **FEW)
    binding = skin.bind(TUBE, "cpu")
    state = skin.start(binding, pose, None)
    first, hanging = state.points.numpy().copy(), state.memory.body.displacements.copy()
    dents, sinks, ways = [], [], []
    for _ in range(240):
        skin.advance(binding, state, pose, skin.step, incoming=None)
        dents.append(np.linalg.norm(state.memory.body.displacements - hanging, axis=1).max())
        sinks.append((pose.world_from_joint - state.memory.bones)[2, 1, 3])
        ways.append(
            np.linalg.norm(state.memory.dynamic_bodies.positions[0, 1:3, 3])
        )  # from the axis of the limb to the ball
    return np.array(dents), np.array(sinks), np.array(ways), first, state.points.numpy()


def test_a_ball_on_a_lying_limb_dents_it_and_moves_it_and_both_come_back():
    dents, sinks, ways, first, last = lying_limb(flesh="fat")
    assert dents.max() > 0.02
    assert sinks.max() > 0.01
    assert ways.min() > 0.15  # it goes down beside the limb, not through it
    assert dents[-1] < 0.1 * dents.max()
    assert abs(sinks[-1]) < 0.1 * sinks.max()
    assert np.abs(last - first).max() < 0.1 * dents.max()


def test_a_limb_of_flesh_that_does_not_give_way_moves_all_the_same():
    soft, firm = lying_limb(flesh="fat"), lying_limb(flesh="own", youngs_modulus=1e9)
    assert firm[0].max() < 0.1 * soft[0].max()
    assert firm[1].max() > 0.005


@pytest.mark.parametrize("flesh", ["fat", "rubber"])
def test_a_thrown_ball_gives_the_momentum_that_it_loses(flesh):
    ball = Sphere(radius=0.3, at=(1.0, 1.2, 0.05), free=Free(mass=40.0, velocity=(-3.0, 0.0, 0.0)))
    skin = ArticulatedContact(flesh=flesh, gravity=0.0, obstacles=(ball,), step=1.0 / 120.0, **LIMP, **FEW)
    binding, state = played(skin, [REST])
    before = momentum(binding, state)
    for _ in range(60):
        skin.advance(binding, state, REST, skin.step, incoming=None)
    after = momentum(binding, state)
    assert state.memory.dynamic_bodies.velocities[0, 0] > -2.5  # it has hit
    np.testing.assert_allclose(after[0], before[0], atol=0.02 * 120.0)
    np.testing.assert_allclose(after[1], before[1], atol=0.05 * 120.0)


def test_a_wall_that_comes_carries_it_along_and_a_floor_holds_it():
    wall = Box(sides=(0.2, 4.0, 4.0), at=lambda time: np.array([-0.6 + 0.8 * time, 1.0, 0.0]))
    skin = ArticulatedContact(gravity=0.0, obstacles=(wall,), **LIMP, **FEW)
    _, state = played(skin, [REST] * 61)
    assert state.points.numpy()[:, 0].min() > -0.6 + 0.8 + 0.1 - 0.02
    floor = Plane(at=(0.0, -0.1, 0.0), friction=0.5)
    _, state = played(ArticulatedContact(obstacles=(floor,), **LIMP, **FEW), [REST] * 61)
    assert -0.13 < state.points.numpy()[:, 1].min() < -0.07


def test_an_obstacle_that_starts_inside_is_left_without_harm():
    ball = Sphere(radius=0.2, at=(0.1, 1.0, 0.0))
    skin = ArticulatedContact(flesh="fat", obstacles=(ball,), **FEW)
    _, state = played(skin, [REST] * 240)
    assert np.isfinite(state.points.numpy()).all()
    assert np.abs(state.points.numpy() - TUBE.points).max() < 1.5  # it is pushed off, slowly
    assert np.abs(state.memory.body.velocities).max() < 0.1


# Skin that meets skin


def folded():
    """A tube that is folded until its ends are in each other, and moves on."""
    tube = make_tube(25, 12, 3)
    skin = ArticulatedContact(flesh="fat", elements=2500, **LIMP)
    binding = skin.bind(tube, "cpu")
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(1.9))
    pose = Pose.from_rotations(tube.skeleton, {"bone1": rotation, "bone2": rotation})
    state = skin.start(binding, pose, None)
    state.memory.body.angular_velocities[:] = np.random.default_rng(1).normal(
        size=state.memory.body.angular_velocities.shape
    )
    state.memory.body.angular_velocities[2] += [0.0, 0.0, 5.0]
    return binding, state


def test_skin_that_meets_skin_takes_no_momentum_and_gives_no_energy_of_motion():
    _, state = folded()
    solver, mechanism = state.solver, state.mechanism
    solver.set_gravity((0.0, 0.0, 0.0))
    solver.load(state.memory.body)
    start = soft_body.momentum(mechanism, solver.state())
    solver.predict()
    before = solver.state()
    state.memory.time = 0.02 - solver.dt
    answer = solve_contacts(state, solver.dt)
    after = solver.state()
    assert (answer.normal_impulses > 0.0).sum() > 1
    assert np.abs(after.angular_velocities - before.angular_velocities).max() > 0.02  # the bones feel it
    kinetic = [soft_body.energy(mechanism, body).kinetic for body in (before, after)]
    assert kinetic[1] < kinetic[0]
    solver.integrate()
    end = soft_body.momentum(mechanism, solver.state())
    np.testing.assert_allclose(end[0], start[0], atol=1e-9 * mechanism.link_masses.sum())
    np.testing.assert_allclose(end[1], start[1], atol=1e-9 * np.linalg.norm(start[1]))


def test_a_limp_loop_that_closes_on_itself_is_stopped():
    tube = supple.character("tube", vertices=1200, bones=6, length=1.2, radius=0.06)
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(1.0))
    pose = Pose.from_rotations(tube.skeleton, dict.fromkeys(tube.skeleton.names[1:], rotation))
    gaps = []
    for self_contact in (True, False):
        skin = ArticulatedContact(elements=2500, gravity=0.0, self_contact=self_contact, **LIMP)
        binding = skin.bind(tube, "cpu")
        state = skin.start(binding, pose, None)
        state.memory.time = skin.step  # it does not start as the motion moves, but like this:
        state.memory.body.angular_velocities[:, 2] = np.linspace(0.0, 6.0, len(binding.links))
        for _ in range(40):
            skin.advance(binding, state, pose, skin.step, incoming=None)
        gaps.append(np.linalg.norm(state.memory.bones[5, :3, 3] - state.memory.bones[0, :3, 3]))
    before = np.linalg.norm(pose.world_from_joint[5, :3, 3] - pose.world_from_joint[0, :3, 3])
    assert gaps[1] < before - 0.02  # its ends went into each other
    assert gaps[0] > before - 0.002


# The changed motion


def swinging(seconds=1.2):
    return Motion.from_poses(SKELETON, lambda time: bent(0.6 * np.sin(4.0 * time)), seconds=seconds, name="swinging")


def hit(**settings):
    ball = Sphere(radius=0.3, at=(1.0, 1.5, 0.0), free=Free(mass=60.0, velocity=(-4.0, 1.0, 0.0)))
    return ArticulatedContact(strength="0.3", gravity=0.0, obstacles=(ball,), **settings, **FEW)


def test_a_bake_keeps_the_motion_that_it_changed(tmp_path):
    motion, skin = swinging(), hit()
    cache = bake(TUBE, motion, skin, path=tmp_path / "a.supple", fps=40.0)
    player = supple.player(TUBE, skin)
    changed = cache.motion
    assert changed.frames == len(cache) == len(cache.bones)
    for time, points, bones, key in zip(cache.times, cache.points, cache.bones, changed.times, strict=True):
        assert np.array_equal(player.play(motion, time), points)
        np.testing.assert_array_equal(player.simulated_pose.world_from_joint, bones)
        np.testing.assert_allclose(changed.sample(key).world_from_joint, bones, atol=1e-9)
    assert np.abs(cache.bones - cache.poses).max() > 0.1
    np.testing.assert_allclose(cache.poses[20], motion.sample(0.5).world_from_joint, atol=1e-12)
    supple.save(changed, tmp_path / "changed.bvh")
    again = supple.Cache(tmp_path / "a.supple")
    np.testing.assert_array_equal(again.bones, cache.bones)
    assert again.graph.stages[-1].work.scene == skin.scene
    cache.save(tmp_path / "a.glb")


def test_a_bake_that_was_stopped_goes_on_to_the_same_bytes(tmp_path):
    class StoppedError(Exception):
        pass

    def stop(progress):
        if progress.frame == 40:
            raise StoppedError

    motion, skin = swinging(), hit()
    bake(TUBE, motion, skin, path=tmp_path / "whole.supple", fps=50.0)
    with pytest.raises(StoppedError):
        bake(TUBE, motion, skin, path=tmp_path / "parts.supple", fps=50.0, watch=stop)
    bake(TUBE, motion, skin, path=tmp_path / "parts.supple", fps=50.0)
    assert (tmp_path / "whole.supple").read_bytes() == (tmp_path / "parts.supple").read_bytes()


def test_other_skins_have_the_motion_itself(tmp_path):
    motion = swinging(0.3)
    cache = bake(TUBE, motion, LinearBlend(), path=tmp_path / "a.supple")
    np.testing.assert_array_equal(cache.bones, cache.poses)
    np.testing.assert_allclose(
        cache.motion.sample(0.2).world_from_joint, motion.sample(0.2).world_from_joint, atol=1e-9
    )
    player = supple.player(TUBE, LinearBlend())
    with pytest.raises(InputError, match="no frame was made yet"):
        _ = player.simulated_pose
    player.play(motion, 0.1)
    np.testing.assert_array_equal(player.simulated_pose.world_from_joint, motion.sample(0.1).world_from_joint)


def test_a_frame_that_fails_has_the_pose_of_the_motion(tmp_path, monkeypatch):
    from supple.skins.contact import step

    advance = step.advance

    def failing(state, pose, dt):
        if state.memory.time > 0.25:
            raise UnfinishedError("here", "it failed", "it must not", "try again")
        return advance(state, pose, dt)

    monkeypatch.setattr(step, "advance", failing)
    cache = bake(TUBE, swinging(0.4), hit(), path=tmp_path / "a.supple", fps=50.0)
    first = cache.fell_back[0]
    np.testing.assert_array_equal(cache.bones[first], cache.poses[first])
    assert not np.array_equal(cache.bones[first - 1], cache.poses[first - 1])


def test_two_scenes_are_two_recipes():
    assert hit().scene == hit().scene
    assert hit().scene != ArticulatedContact(obstacles=(Sphere(radius=0.3, at=(1.0, 1.5, 0.0)),)).scene
    assert hit(flesh="fat").scene == hit().scene
    again = supple.Graph.from_dict(supple.Graph.of(hit()).to_dict())
    with pytest.raises(InputError, match="scene is"):
        supple.player(TUBE, again)


# What people write


def test_tissues_by_region():
    own = Tissue(youngs_modulus=7.0)
    muscle, fat, rubber = (TISSUES[name] for name in ("muscle", "fat", "rubber"))
    assert ArticulatedContact(flesh="").tissues() == (muscle, {})
    written = ArticulatedContact(flesh="fat, head=rubber, 3+5-9=own", own=own)
    assert written.tissues() == (fat, {"head": rubber, "3+5-9": own})
    assert written == ArticulatedContact(flesh={"default": "fat", "head": "rubber", "3+5-9": "own"}, youngs_modulus=7.0)
    assert ArticulatedContact(flesh={"default": fat, "3+5-9": own}).tissues() == (fat, {"3+5-9": own})
    assert ArticulatedContact(flesh="head=fat").tissues() == (muscle, {"head": fat})
    for wrong in ("jelly", "fat, rubber", "=fat", "head=jelly", "head="):
        with pytest.raises(InputError, match="flesh"):
            ArticulatedContact(flesh=wrong)
    painted = TUBE.replace(maps={"soft": (TUBE.points[:, 1] > 1.0).astype(float), "none": np.zeros(len(TUBE.points))})
    marked = with_regions(painted, ["soft", "0-3"])
    assert (TUBE.points[marked.parts["soft"], 1] > 1.0).all()
    assert marked.parts["0-3"].tolist() == [0, 1, 2, 3]
    with pytest.raises(InputError, match="there is none of it"):
        with_regions(painted, ["none"])
    with pytest.raises(InputError, match="flesh names 'tail'"):
        supple.player(TUBE, ArticulatedContact(flesh="tail=fat"))
    firm = ArticulatedContact(flesh="fat, soft=rubber", **FEW).bind(painted, "cpu").mechanism
    soft = ArticulatedContact(flesh="fat", **FEW).bind(painted, "cpu").mechanism
    assert abs(firm.stiffness).max() > 20.0 * abs(soft.stiffness).max()


def test_limits_by_joint():
    assert ArticulatedContact().joints.limits == {}
    written = JointBounds(limits="1.2, bone1=-0.1:2.4, bone2=0.3").limits
    assert written == {"default": (-1.2, 1.2), "bone1": (-0.1, 2.4), "bone2": (-0.3, 0.3)}
    for wrong in ("x", "bone1=2:1", "bone1=0.1:0.5", "=1", "bone1=", "1, 2", "-1", "bone1=nan"):
        with pytest.raises(InputError, match="limits"):
            ArticulatedContact(limits=wrong)
    limits = JointBounds(limits="auto, bone2=0.4").limits
    spans, cones = joint_limits(limits, TUBE, {"bone1": np.array([1.0, 0.0, 0.0])})
    anatomy = TUBE.joint_limits["bone1"]
    assert spans["bone1"] == (anatomy.low, anatomy.high)
    assert spans["bone2"] == (-0.4, 0.4)
    assert "bone2" not in cones
    assert set(cones) | set(spans) == set(SKELETON.names[1:])
    with pytest.raises(InputError, match="joint 'x'"):
        supple.player(TUBE, ArticulatedContact(limits="x=1"))
    with pytest.raises(InputError, match="joint 'x'"):
        supple.player(TUBE, ArticulatedContact(strength="0.5, x=1"))
    for wrong in ("auto", "2", "0.5, bone1=-1"):
        with pytest.raises(InputError, match="strength"):
            ArticulatedContact(strength=wrong)


OLD = {"young": 7.0, "poisson": 0.3, "fading": 0.1, "lag": 0.02, "root": 0.4, "bears_weight": False}
NESTED = {
    "own": {"youngs_modulus": 7.0, "poissons_ratio": 0.3, "mass_damping": 0.1, "stiffness_damping": 0.02},
    "muscles": {"root_strength": 0.4, "gravity_compensation": False},
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_names_give_the_same_skin():
    assert ArticulatedContact(**OLD) == ArticulatedContact(**NESTED)
    assert set(ArticulatedContact.renamed) == set(OLD)
    assert Tissue(young=7.0, poisson=0.3, fading=0.1, lag=0.02) == Tissue(**NESTED["own"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_graph_of_the_first_version_is_the_same_graph():
    flat = {"strength": "0.7, bone1=0.2", "limits": "auto", "hinges": "names", "joint_damping": 1.0, "density": 900.0}
    graph = supple.Graph.of(ArticulatedContact(**NESTED, **flat, flesh="muscle, bone=own"))
    data = json.loads(json.dumps(graph.to_dict()))
    data["version"] = 1
    settings = data["stages"][-1]["settings"]
    for group in ("own", "muscles", "joints"):
        settings.pop(group)
    settings |= {**OLD, **flat, "flesh": "muscle, bone=own"}
    assert supple.Graph.from_dict(data) == graph


def test_defaults_are_those_that_were_measured_and_no_level_is_crowded():
    skin = ArticulatedContact()
    assert skin.own == TISSUES["muscle"] == Tissue()
    own = (25e3, 0.45, 1060.0, 0.5, 0.008)
    assert tuple(getattr(skin.own, info.name) for info in settings_of(Tissue)) == own
    assert (str(skin.flesh), str(skin.muscles.strength), skin.muscles.root_strength) == ("muscle", "0.7", 0.9)
    assert (skin.muscles.gravity_compensation, skin.joints) == (True, JointBounds(hinges="none", joint_damping=2.0))
    levels = [info.name.rpartition(".")[0] for info in settings_of(ArticulatedContact)]
    assert max(levels.count(level) for level in levels) <= 9


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="density is 0"):
        ArticulatedContact(density=0.0)
    with pytest.raises(InputError, match="obstacles has a str"):
        ArticulatedContact(obstacles=("ball",))
    with pytest.raises(InputError, match="obstacles and the scene 'fall'"):
        ArticulatedContact(scene="fall", obstacles=(Plane(),))
    with pytest.raises(InputError, match="scene is 'nowhere'"):
        supple.player(TUBE, ArticulatedContact(scene="nowhere"))
    with pytest.raises(InputError, match="no skin weights"):
        ArticulatedContact(**FEW).bind(Character(TUBE.points, TUBE.triangles, SKELETON), "cpu")
    with pytest.raises(InputError, match="a crowd of 2"):
        ArticulatedContact(**FEW).bind(Crowd.of(TUBE, 2), "cpu")
    with pytest.raises(InputError, match="preset 'jelly'"):
        ArticulatedContact.preset("jelly")
    assert ArticulatedContact.preset("fat").flesh == {"default": "fat"}


def test_flesh_without_a_bone_near_it_goes_with_the_bone_that_carries_it():
    lump = make_tube(5, 8, 2)
    points = np.concatenate([TUBE.points, 0.3 * lump.points + [2.0, 1.0, 0.0]])
    triangles = np.concatenate([TUBE.triangles, lump.triangles + len(TUBE.points)])
    dense = np.zeros((len(points), 3))
    dense[: len(TUBE.points)] = TUBE.weights.dense(3)
    dense[len(TUBE.points) :, 2] = 1.0
    both = Character(points, triangles, SKELETON, Weights.from_dense(dense))
    _, state = played(ArticulatedContact(elements=1500, self_contact=False), [bent(0.0)] * 20, both)
    assert np.abs(state.points.numpy() - points).max() < 0.02
