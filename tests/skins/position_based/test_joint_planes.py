"""Planes and angles of joints: axes known beforehand, planes that halve, limbs that close on the body."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple import Motion, Pose, Skeleton
from supple import device as devices
from supple.geometry import quaternions
from supple.skins.position_based.contact.collision import BELOW, build_collision
from supple.skins.position_based.contact.joint_analysis import find_joint_planes


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero")


def swinging(skeleton, rotations, seconds=1.0):
    """A motion in which joints turn about axes: name to a function of time that gives a quaternion."""

    def pose(time):
        return Pose.from_rotations(skeleton, {name: rotation(time) for name, rotation in rotations.items()})

    return Motion.from_poses(skeleton, pose, seconds=seconds, fps=30.0)


def hinge(axis, most):
    return lambda time: quaternions.quat_from_axis_angle(axis, most * time)


def arm(*, bend=0.0):
    """Three bones along x; the second turns up out of line by `bend` [rad] at rest."""
    direction = np.array([np.cos(bend), np.sin(bend), 0.0])
    heads = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0] + 0.8 * direction])
    tails = np.array([heads[1], heads[2], heads[2] + 0.2 * direction])
    return Skeleton.from_heads(["upper", "fore", "hand"], [-1, 0, 1], heads, tails=tails)


def plane_of(planes, name):
    return planes.joints.tolist().index(planes.skeleton.index(name))


def axis_in_world(planes, name, world):
    plane = plane_of(planes, name)
    return world[planes.parents[plane], :3, :3] @ planes.axes[plane]


@pytest.mark.parametrize(
    ("name", "axis"), [("LeftForeArm", (0.7, 0.7, 0.0)), ("LeftLeg", (1.0, 0.1, 0.0)), ("LeftUpLeg", (1.0, 0.0, 0.0))]
)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_the_heros_joints_have_the_axis_they_walk_about(hero, name, axis, side):
    """Elbows turn across the arm, knees and hips about the line from left to right."""
    planes = find_joint_planes(hero.skeleton, motion=supple.motion("walk", hero))
    mirror = np.array([1.0, 1.0 if side == "Left" else -1.0, 1.0])
    found = axis_in_world(planes, name.replace("Left", side), hero.skeleton.world_from_joint)
    wanted = quaternions.normalize(np.array(axis) * mirror)
    assert abs(found @ wanted) > np.cos(np.radians(8.0))
    assert planes.freedoms[plane_of(planes, name.replace("Left", side))] == 1


def test_a_shoulder_is_no_hinge_even_where_a_clip_swings_it_one_way(hero):
    planes = find_joint_planes(hero.skeleton, motion=supple.motion("walk", hero))
    assert planes.freedoms[plane_of(planes, "LeftArm")] > 1


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)])
def test_the_axis_of_a_hinge_is_found_from_its_motion(axis):
    skeleton = arm()
    planes = find_joint_planes(skeleton, motion=swinging(skeleton, {"fore": hinge(axis, 2.0)}))
    assert abs(axis_in_world(planes, "fore", skeleton.world_from_joint) @ np.array(axis)) > 1.0 - 1e-6
    assert planes.freedoms[plane_of(planes, "fore")] == 1


def test_axes_are_counted():
    skeleton = arm()

    def both(time):
        flex = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 1.2 * np.sin(9.0 * time))
        return quaternions.quat_multiply(
            quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.9 * np.cos(4.0 * time)), flex
        )

    def all_three(time):
        return quaternions.quat_multiply(
            both(time), quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.sin(13.0 * time))
        )

    for rotation, wanted in ((both, 2), (all_three, 3)):
        planes = find_joint_planes(skeleton, motion=swinging(skeleton, {"fore": rotation}, seconds=3.0))
        assert planes.freedoms[plane_of(planes, "fore")] == wanted


def test_without_a_motion_a_bend_at_rest_shows_the_axis():
    bent, straight = find_joint_planes(arm(bend=0.4)), find_joint_planes(arm())
    assert np.allclose(np.abs(bent.axes[plane_of(bent, "fore")]), [0.0, 0.0, 1.0], atol=1e-9)
    assert bent.freedoms[plane_of(bent, "fore")] == 1
    assert straight.freedoms[plane_of(straight, "fore")] == 3


@given(seed=st.integers(0, 10**6), with_motion=st.booleans())
def test_planes_halve_the_angle_of_any_pose(seed, with_motion):
    """Unit vectors along both bones are equally far from the plane, on either side; a hinge's plane holds its axis."""
    random = np.random.default_rng(seed)
    skeleton = arm()
    axis = np.array([0.0, 0.0, 1.0])
    motion = swinging(skeleton, {"fore": hinge(axis, 2.0)}) if with_motion else None
    planes = find_joint_planes(skeleton, motion=motion)
    rotation = (
        quaternions.quat_from_axis_angle(axis, random.uniform(-3.0, 3.0))
        if with_motion
        else quaternions.normalize(random.normal(size=4))
    )
    pose = Pose.from_rotations(skeleton, {"upper": quaternions.normalize(random.normal(size=4)), "fore": rotation})
    world = pose.moved(quaternions.compose(random.normal(size=3), quaternions.normalize(random.normal(size=4))))
    posed = planes.pose(world.world_from_joint)
    points, normals, flexion = posed.points, posed.normals, posed.flexion
    plane = plane_of(planes, "fore")
    back, own = (bones[plane] for bones in planes.bones(world.world_from_joint))
    normal = normals[plane]
    assert np.allclose(points[plane], world.world_from_joint[1, :3, 3])
    assert np.isclose(np.linalg.norm(normal), 1.0)
    assert np.isclose(own @ normal, -(back @ normal))
    assert own @ normal > 0.0  # normals point to the child's side
    assert np.isclose(np.cos(flexion[plane]), back @ own)
    if with_motion:
        assert abs(axis_in_world(planes, "fore", world.world_from_joint) @ normal) < 1e-6


def test_flexion_is_the_angle_between_the_bones():
    skeleton = arm()
    planes = find_joint_planes(skeleton)
    for angle in (0.0, 0.3, 1.5, 3.0, np.pi):
        pose = Pose.from_rotations(skeleton, {"fore": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle)})
        assert np.isclose(planes.pose(pose.world_from_joint).flexion[plane_of(planes, "fore")], np.pi - angle)


def test_bones_folded_on_each_other_still_have_a_plane():
    skeleton = arm()
    motion = swinging(skeleton, {"fore": hinge((0.0, 0.0, 1.0), 2.0)})
    for planes in (find_joint_planes(skeleton), find_joint_planes(skeleton, motion=motion)):
        pose = Pose.from_rotations(skeleton, {"fore": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi)})
        posed = planes.pose(pose.world_from_joint)
        plane = plane_of(planes, "fore")
        assert posed.flexion[plane] < 1e-6
        assert np.isclose(np.linalg.norm(posed.normals[plane]), 1.0)


def test_limbs_are_found_and_close_on_the_midline(hero):
    skeleton = hero.skeleton
    planes = find_joint_planes(skeleton)
    names = [skeleton.names[joint] for joint in planes.limb_joints]
    assert names == ["LeftShoulder", "LeftUpLeg", "RightShoulder", "RightUpLeg"]
    assert skeleton.names[planes.limb_carriers[0]] == "LeftArm"  # the collar bone is short
    rest = planes.pose(skeleton.world_from_joint).adduction
    assert np.isclose(rest[0], rest[2])
    assert np.isclose(rest[1], rest[3])
    assert rest[0] > np.radians(30.0) > rest[1]  # arms stand off at rest, legs hang down
    closer = Pose.from_rotations(skeleton, {"LeftArm": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], -0.5)})
    assert np.isclose(planes.pose(closer.world_from_joint).adduction[0], rest[0] - 0.5, atol=0.05)


def test_angles_do_not_depend_on_where_the_character_is(hero):
    planes = find_joint_planes(hero.skeleton)
    pose = supple.motion("walk", hero).sample(0.3)
    away = pose.moved(quaternions.compose([3.0, -1.0, 2.0], quaternions.quat_from_axis_angle([1.0, 2.0, 3.0], 1.1)))
    here, there = planes.pose(pose.world_from_joint), planes.pose(away.world_from_joint)
    assert np.allclose(here.flexion, there.flexion)
    assert np.allclose(here.adduction, there.adduction)


def test_many_poses_at_once_are_the_same_poses(hero):
    planes = find_joint_planes(hero.skeleton)
    walk = supple.motion("walk", hero)
    poses = np.stack([walk.sample(time).world_from_joint for time in (0.0, 0.2, 0.5)])
    together, each = planes.pose(poses), [planes.pose(pose) for pose in poses]
    for what in ("points", "normals", "flexion", "adduction"):
        assert np.allclose(getattr(together, what), np.stack([getattr(one, what) for one in each]))


def test_helpers_belong_to_the_joint_they_help():
    heads = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.8, 0.0, 0.0]])
    names = ["upper", "UpperTwist", "nothing", "fore", "hand"]
    skeleton = Skeleton.from_heads(names, [-1, 0, 1, 2, 3], heads)
    planes = find_joint_planes(skeleton)
    assert planes.part_of_joint.tolist() == [0, 0, 0, 3, 4]
    assert [names[joint] for joint in planes.joints] == ["fore", "hand"]
    assert [names[joint] for joint in planes.parents] == ["UpperTwist", "fore"]  # whose bones lead there
    turning = swinging(skeleton, {"fore": hinge((0.0, 0.0, 1.0), 1.0), "UpperTwist": hinge((1.0, 0.0, 0.0), 1.0)})
    assert find_joint_planes(skeleton, motion=turning).part_of_joint[1] == 0


def test_a_joint_in_line_that_bends_in_a_clip_is_no_helper():
    skeleton = arm()
    moving = find_joint_planes(skeleton, motion=swinging(skeleton, {"fore": hinge((0.0, 0.0, 1.0), 1.0)}))
    still = find_joint_planes(skeleton, motion=swinging(skeleton, {"hand": hinge((0.0, 0.0, 1.0), 1.0)}))
    assert moving.part_of_joint.tolist() == [0, 1, 1]
    assert still.part_of_joint.tolist() == [0, 0, 2]


@pytest.mark.parametrize("joints", [1, 2])
def test_the_smallest_skeletons_have_what_there_is(joints):
    skeleton = Skeleton.from_heads(["a", "b"][:joints], [-1, 0][:joints], np.zeros((joints, 3)))
    planes = find_joint_planes(skeleton)
    posed = planes.pose(skeleton.world_from_joint)
    assert len(planes) == 0
    assert posed.points.shape == posed.normals.shape == (0, 3)
    assert posed.flexion.shape == posed.adduction.shape == (0,)


def test_sides_name_the_plane_between_two_parts():
    planes = find_joint_planes(arm())
    sides = planes.sides()
    elbow, wrist = plane_of(planes, "fore"), plane_of(planes, "hand")
    assert sides[1, 0] == 2 * elbow
    assert sides[0, 1] == 2 * elbow + 1
    assert sides[2, 1] == 2 * wrist
    assert (sides[[0, 2], [2, 0]] == -1).all()
    assert (np.diagonal(sides) == -1).all()


@pytest.mark.parametrize("name", ["arm", "leg", "tube", "snake", "quadruped", "octopus"])
def test_other_bodies_have_planes_too(name):
    character = supple.character(name)
    planes = find_joint_planes(character.skeleton)
    posed = planes.pose(character.skeleton.world_from_joint)
    assert np.allclose(np.linalg.norm(posed.normals, axis=1), 1.0)
    assert len(planes) > 0
    assert (posed.flexion > np.radians(30.0)).all()  # nothing is folded at rest
    if name == "quadruped":
        skeleton = character.skeleton
        assert planes.part_of_joint[skeleton.index("Jaw")] == skeleton.index("Head")  # they lie beside each other
        legs = {"LeftFrontShoulder", "RightFrontShoulder", "LeftHindUpperLeg", "RightHindUpperLeg"}
        assert legs < {skeleton.names[joint] for joint in planes.limb_joints}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_kernels_find_the_planes_that_the_host_finds(hero, device):
    """Points, normals and angles of all copies; what closes is searched, what opens is not."""
    rest, faces = np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    given = {"joints": np.zeros(4), "skeleton": hero.skeleton, "device": device, "copies": 3}
    found = build_collision(rest, [[0, 1, 2, 3]], faces, **given)
    wp = devices.warp()
    particles = wp.zeros(12, dtype=wp.vec4f, device=device)
    state, planes, walk = found.start(), found.planes, supple.motion("walk", hero)
    earlier = None
    for time in (0.1, 0.15):
        world = np.stack([walk.sample(time + delay).world_from_joint for delay in (0.0, 0.4, 0.7)])
        found.detect(particles, world, state)
        posed = planes.pose(world)
        angles = np.concatenate([posed.flexion, posed.adduction], axis=1)
        np.testing.assert_allclose(found.surfaces[1].points.numpy(), posed.points, atol=2e-6)
        np.testing.assert_allclose(found.surfaces[1].normals.numpy(), posed.normals, atol=2e-5)
        np.testing.assert_allclose(state.angles.numpy(), angles, atol=2e-5)
        fires = found._fires.numpy().astype(bool)
        below = np.minimum(found.binding.rest_angles, BELOW)
        if earlier is None:
            sure = np.abs(angles - below) > 1e-4
            assert (fires == (angles < below))[sure].all()
        else:
            sure = (np.abs(angles - below) > 1e-4) & (np.abs(angles - earlier) > 1e-4)
            assert (fires == ((angles < below) & (angles < earlier)))[sure].all()
            assert fires.any()
            assert not fires.all()
        earlier = angles


@pytest.mark.parametrize("file", ["gltf/human_cmu_8clips.glb", "gltf/human-m2m-12clips.glb"])
def test_flesh_takes_elbows_for_hinges_and_hips_for_none_on_real_rigs(data_file, file):
    """By what is known of the joints, which the product passes on: rest poses alone had it upside down."""
    person = supple.load(data_file(file))
    planes = find_joint_planes(person.skeleton, limits=person.joint_limits)
    freedom = {person.skeleton.names[joint]: axes for joint, axes in zip(planes.joints, planes.freedoms, strict=True)}
    parts = {name: limit.part for name, limit in person.joint_limits.items()}
    hinges = [freedom[name] for name in freedom if parts.get(name) in ("elbow", "knee")]
    balls = [freedom[name] for name in freedom if parts.get(name) in ("upper arm", "upper leg")]
    assert len(hinges) == 4
    assert set(hinges) == {1}
    assert len(balls) == 4
    assert min(balls) > 1
    plain = find_joint_planes(person.skeleton)
    assert (plain.freedoms != planes.freedoms).any()


def test_an_axis_along_a_bone_is_no_hinges(hero):
    limits = dict(hero.joint_limits)
    elbow = limits["LeftForeArm"]
    along = (
        hero.skeleton.heads[hero.skeleton.index("LeftHand")] - hero.skeleton.heads[hero.skeleton.index("LeftForeArm")]
    )
    limits["LeftForeArm"] = dataclasses.replace(elbow, axis=along / np.linalg.norm(along))
    wrong, right = (find_joint_planes(hero.skeleton, limits=each) for each in (limits, hero.joint_limits))
    at = right.joints.tolist().index(hero.skeleton.index("LeftForeArm"))
    assert right.freedoms[at] == 1
    assert wrong.freedoms[at] > 1
