"""Retargeting: which joint is which part of a body, by its name and by its shape."""

import numpy as np
import pytest
from retarget_scenes import SCHEMES, SIDES, body, hash_of, renamed

import supple
from supple.character.anatomy.humanoid import Anatomy, body_axes
from supple.character.anatomy.names import is_auxiliary, named_part
from supple.geometry import quaternions
from supple.motion.motion import Motion

QUIET = pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_tells_the_parts(scheme):
    plain, other = Anatomy(body()), Anatomy(body(names=SCHEMES[scheme]))
    shoulders = {f"{side} shoulder" for side in SIDES}
    assert {k: v for k, v in other.parts.items() if k not in shoulders} == {
        k: v for k, v in plain.parts.items() if k not in shoulders
    }
    assert (other.spine, other.neck) == (plain.spine, plain.neck)
    if scheme != "no words at all":
        assert other.parts == plain.parts


@QUIET
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_left_arm_of_one_moves_the_left_arm_of_the_other(scheme):
    source, target = body(), body(names=SCHEMES[scheme])
    moves, rotations, _ = quaternions.decompose(source.parent_from_joint)
    rotations[source.index("LeftForeArm")] = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.7)
    rotations[source.index("RightLeg")] = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.4)
    result = Motion(source, 24.0, moves[None], rotations[None]).retarget(target, ground=False)
    changed = np.abs(result.rotations[0] - [0.0, 0.0, 0.0, 1.0]).max(axis=-1) > 1e-6
    parts = Anatomy(source).parts
    assert set(np.flatnonzero(changed)) == {parts["left lower arm"], parts["right lower leg"]}


@pytest.mark.parametrize(
    ("name", "part", "side", "number"),
    [
        ("Hips", "hips", "", -1),
        ("pelvis", "hips", "", -1),
        ("mixamorig:Spine2", "spine", "", 2),
        ("LowerBack", "spine", "", -1),
        ("LThumb", "thumb", "left", -1),
        ("RightHandIndex1", "index", "right", 1),
        ("leftLittleIntermediate", "little", "left", 2),
        ("DEF-f_pinky.03.R", "little", "right", 3),
        ("thumb_02_l", "thumb", "left", 2),
        ("Bip01 R Forearm", "lower arm", "right", 1),
        ("Armature|clavicle_r", "shoulder", "right", -1),
        ("RightShoulder", "shoulder", "right", -1),
        ("Character1_LeftUpLeg", "upper leg", "left", 1),
        ("LEFT_FOOT", "foot", "left", -1),
        ("J_Bip_R_ToeBase", "toes", "right", -1),
        ("Neck1", "neck", "", 1),
        ("ns:sub:Head", "head", "", -1),
    ],
)
def test_names_say_part_side_and_number(name, part, side, number):
    said = named_part(name)
    assert (said.part, said.side, said.number) == (part, side, number)


@pytest.mark.parametrize(
    "name",
    [
        "root",
        "LHipJoint",
        "upperarm_twist_01_l",
        "HeadTop_End",
        "LeftEye",
        "ik_hand_l",
        "index_04_leaf_l",
        "foot",
        "",
        "LeftHead",
        "tail_01",
        "::",
        "123",
        "ball",
    ],
)
def test_names_that_say_no_part(name):
    assert named_part(name) is None


def test_joints_that_only_help_are_known():
    assert is_auxiliary("LeftArm_twist")
    assert not is_auxiliary("LeftArm")


def test_shape_does_not_mistake_an_animal_for_a_person():
    quadruped = supple.character("quadruped", vertices=1000).skeleton
    assert not Anatomy(quadruped).complete
    assert not Anatomy(renamed(quadruped, lambda name: f"b{hash_of(name)}{quadruped.index(name)}")).complete
    lying = body(names=lambda part: f"b{hash_of(part)}")
    turned = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.pi / 2))
    lying = supple.Skeleton(lying.names, lying.parents, turned @ lying.world_from_joint)
    assert not Anatomy(lying).complete


def test_body_axes_are_those_of_the_body():
    np.testing.assert_array_equal(body_axes(Anatomy(body())), np.eye(3))
    tilted = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], np.radians(45.0)))
    skeleton = supple.Skeleton(body().names, body().parents, tilted @ body().world_from_joint)
    np.testing.assert_allclose(body_axes(Anatomy(skeleton)), tilted[:3, :3], atol=0.05)
    stick = supple.Skeleton.from_heads(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(body_axes(Anatomy(stick)), np.eye(3))
