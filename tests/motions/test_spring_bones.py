"""Joints that swing: as a VRM says, or as their names tell."""

import numpy as np
import pytest
from tests.files.test_vrm_files import newer, older

import supple
from supple.character.skeleton import Skeleton
from supple.cli.main import main
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.motion.spring_bones import (
    Collider,
    Spring,
    SpringBones,
    SpringJoint,
    file_springs,
    usual_springs,
    with_spring_bones,
)

STEP = 1.0 / 60.0


def haired(links=3):
    """A head with a strand of hair that hangs down behind it."""
    names = ["Hips", "Head", *(f"Hair_{k}" for k in range(links))]
    heads = [[0.0, 1.0, 0.0], [0.0, 1.6, 0.0], *([0.0, 1.6 - 0.2 * k, -0.2] for k in range(links))]
    skeleton = Skeleton.from_heads(names, [-1, 0, 1, *range(2, links + 1)], heads)
    return supple.character("hero", vertices=800).replace(
        skeleton=skeleton, weights=None, motions={}, parts={}, maps={}
    )


def at(character, move):
    world = np.array(character.skeleton.world_from_joint)
    world[:, :3, 3] += move
    return Pose(world)


def hinge(character, **changes):
    joint = character.skeleton.names.index("Hair_0")
    usual = {"stiffness": 1.0, "drag": 0.4, "gravity": np.zeros(3)}
    return SpringJoint(joint, np.array([0.0, -0.2, 0.0]), **{**usual, **changes})


def reference(character, spring, moves):
    """The tail of one joint by the published steps, written plainly."""
    head = character.skeleton.world_from_joint[spring.joint, :3, 3]
    tails = [head + moves[0] + spring.tail] * 2
    for move in moves[1:]:
        free = tails[-1] + (1.0 - spring.drag) * (tails[-1] - tails[-2])
        free = free + STEP * (spring.stiffness * spring.tail / 0.2 + spring.gravity)
        way = free - (head + move)
        tails.append(head + move + 0.2 * way / np.linalg.norm(way))
    return tails[-1]


@pytest.mark.parametrize("gravity", [np.zeros(3), np.array([0.0, 0.0, 0.3])])
def test_a_joint_swings_by_the_published_steps(gravity):
    character = haired(1)
    spring = hinge(character, gravity=gravity)
    bones = SpringBones(character, [Spring((spring,))])
    moves = [np.array([0.02 * k, 0.0, 0.01 * np.sin(k)]) for k in range(12)]
    bones.advance(at(character, moves[0]), 0.0)
    first = reference(character, spring, [moves[0], *moves])
    for move in moves:
        pose = bones.advance(at(character, move), STEP)
    joint = pose.world_from_joint[spring.joint]
    np.testing.assert_allclose(joint[:3, :3] @ spring.tail + joint[:3, 3], first, atol=1e-9)
    np.testing.assert_allclose(joint[:3, :3] @ joint[:3, :3].T, np.eye(3), atol=1e-9)


@pytest.mark.parametrize(("frequency", "damping"), [(1.5, 0.1), (2.5, 0.25)])
def test_a_strand_swings_at_its_own_frequency(frequency, damping):
    """However long it is: it is let go, and its zeros are counted."""
    character = haired(1)
    (spring,) = usual_springs(character.skeleton, frequency=frequency, damping=damping)
    bones = SpringBones(character, [spring])
    bones.advance(at(character, np.zeros(3)), 0.0)
    ways = []
    for frame in range(120):
        pose = bones.advance(at(character, np.array([0.02, 0.0, 0.0])), STEP).world_from_joint
        joint = pose[spring.joints[0].joint]
        ways.append((joint[:3, :3] @ spring.joints[0].tail)[0] if frame >= 0 else 0.0)
    ways = np.array(ways)
    turns = np.flatnonzero(np.diff(np.sign(ways)))[:4]
    zeros = turns + ways[turns] / (ways[turns] - ways[turns + 1])
    assert np.diff(zeros).mean() * STEP == pytest.approx(0.5 / (frequency * np.sqrt(1.0 - damping**2)), rel=0.06)


def test_a_still_pose_stays_as_it_is_and_a_swing_comes_to_rest():
    character = haired()
    bones = SpringBones(character)
    rest = Pose.rest(character.skeleton)
    for _ in range(5):
        np.testing.assert_allclose(bones.advance(rest, STEP).world_from_joint, rest.world_from_joint, atol=1e-12)
    for _ in range(360):
        moved = bones.advance(at(character, np.array([0.3, 0.0, 0.0])), STEP)
    np.testing.assert_allclose(moved.world_from_joint, at(character, [0.3, 0.0, 0.0]).world_from_joint, atol=1e-4)


def test_only_strands_move_and_keep_their_length():
    character = haired()
    bones = SpringBones(character)
    bones.advance(at(character, np.zeros(3)), 0.0)
    carried = at(character, np.array([0.2, 0.0, 0.0]))
    found = bones.advance(carried, STEP).world_from_joint
    np.testing.assert_array_equal(found[:2], carried.world_from_joint[:2])
    assert np.abs(found[3:, :3, 3] - carried.world_from_joint[3:, :3, 3]).max() > 0.01
    spans = [np.linalg.norm(np.diff(w[2:, :3, 3], axis=0), axis=1) for w in (found, carried.world_from_joint)]
    np.testing.assert_allclose(spans[0], spans[1], atol=1e-9)


def test_what_moves_with_the_center_does_not_swing():
    character = haired(1)
    free, held = (
        SpringBones(character, [Spring((hinge(character),), center=center)])
        for center in (-1, character.skeleton.names.index("Head"))
    )
    ends = []
    for bones in (free, held):
        bones.advance(at(character, np.zeros(3)), 0.0)
        ends.append(bones.advance(at(character, np.array([0.1, 0.0, 0.0])), STEP).world_from_joint[2, :3, :3])
    np.testing.assert_allclose(ends[1], np.eye(3), atol=1e-9)
    assert np.abs(ends[0] - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("capsule", [False, True])
def test_a_tail_stays_out_of_colliders(capsule):
    character = haired(1)
    head = character.skeleton.names.index("Head")
    offset = np.array([0.0, -0.2, -0.15])
    tail = offset + np.array([0.3, 0.0, 0.0]) * capsule
    ball = Collider(head, offset, tail, 0.1)
    bones = SpringBones(character, [Spring((hinge(character, radius=0.02),), (ball,))])
    for _ in range(60):
        pose = bones.advance(Pose.rest(character.skeleton), STEP).world_from_joint
    end = pose[2, :3, 3] + pose[2, :3, :3] @ [0.0, -0.2, 0.0]
    assert np.linalg.norm(end - (pose[head, :3, 3] + offset)) == pytest.approx(0.12, abs=5e-3)


def test_springs_of_a_file_are_read(tmp_path):
    character = supple.load(newer().save(tmp_path, "doll.vrm"))
    (spring,) = file_springs(character)
    names = character.skeleton.names
    assert [names[one.joint] for one in spring.joints] == ["Hair"]
    assert names[spring.center] == "Hips"
    assert spring.joints[0].stiffness == 2.0
    assert spring.joints[0].drag == 0.5
    np.testing.assert_allclose(spring.joints[0].tail, [0.0, 0.2, 0.0], atol=1e-9)
    assert [names[ball.joint] for ball in spring.colliders] == ["Head"]
    assert spring.colliders[0].radius == 0.1


def test_springs_of_an_old_file_are_read(tmp_path):
    character = supple.load(older().save(tmp_path, "doll.vrm"))
    (spring,) = file_springs(character)
    assert [character.skeleton.names[one.joint] for one in spring.joints] == ["Hair"]
    assert spring.joints[0].stiffness == 1.0
    assert np.linalg.norm(spring.joints[0].tail) == pytest.approx(0.07)


def test_a_file_that_lies_has_no_springs(tmp_path):
    file = newer()
    file.json["extensions"]["VRMC_springBone"] = {
        "springs": [{"joints": [{"node": 99}, {"node": "x"}, 7], "colliderGroups": [5]}, 3, {"joints": "no"}],
        "colliders": [{"node": 3}, None],
        "colliderGroups": {"colliders": [0]},
    }
    assert file_springs(supple.load(file.save(tmp_path, "doll.vrm"))) == ()


def test_a_looping_motion_swings_without_a_jump():
    character = haired()
    skeleton = character.skeleton

    def nod(time):
        angle = 0.4 * np.sin(2.0 * np.pi * time)
        return Pose.from_rotations(skeleton, {"Head": quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], angle)})

    motion = supple.Motion.from_poses(skeleton, nod, seconds=1.0, loop=True, name="nod")
    swung = with_spring_bones(character, motion)
    assert swung.loop
    assert swung.duration == motion.duration
    ends = [swung.sample(time).world_from_joint for time in (0.0, 1.0 - 1e-9)]
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-3)
    moved = [np.abs(swung.sample(t).world_from_joint - motion.sample(t).world_from_joint).max() for t in (0.2, 0.7)]
    assert min(moved) > 0.02


def test_without_springs_a_motion_is_what_it_was():
    arm = supple.character("arm", vertices=500)
    bend = supple.motion("bend", arm)
    assert with_spring_bones(arm, bend) is bend


def test_a_pose_of_another_skeleton_is_refused():
    with pytest.raises(InputError, match="joints"):
        SpringBones(haired()).advance(Pose.rest(haired(2).skeleton), STEP)


def test_the_command_line_says_where_nothing_swings(tmp_path, capsys):
    words = ["bake", "arm", "--vertices", "500", "--motion", "bend", "--spring-bones", "-o", str(tmp_path / "a.supple")]
    assert main([*words, "--json"]) == 2
    assert "no spring bones" in capsys.readouterr().err


def test_names_tell_strands_in_any_spelling():
    cat = supple.character("quadruped", vertices=500)
    found = {cat.skeleton.names[spring.joints[0].joint] for spring in usual_springs(cat.skeleton)}
    assert found == {"Tail1", "LeftEar", "RightEar"}
