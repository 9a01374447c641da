"""How far joints turn by anatomy: whatever a rig calls them, and however it stands at rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Skeleton
from supple.character.anatomy.joint_limits import BALL, HINGE, find_joint_limits
from supple.character.anatomy.joint_parts import find_joint_parts
from supple.geometry import quaternions

FILES = Path(__file__).parents[2].parent / "shared" / "data" / "gltf"
HEADS = {
    "hips": (0.0, 1.0, 0.0), "spine": (0.0, 1.15, 0.0), "chest": (0.0, 1.3, 0.0), "neck": (0.0, 1.5, 0.0),
    "head": (0.0, 1.6, 0.0), "shoulder": (0.05, 1.45, 0.0), "arm": (0.18, 1.45, 0.0), "forearm": (0.45, 1.45, 0.0),
    "hand": (0.7, 1.45, 0.0), "thigh": (0.1, 0.95, 0.0), "shin": (0.1, 0.5, 0.01), "foot": (0.1, 0.08, 0.0),
    "toes": (0.1, 0.02, 0.14),
}  # fmt: skip
ABOVE = {
    "spine": "hips", "chest": "spine", "neck": "chest", "head": "neck", "shoulder": "chest", "arm": "shoulder",
    "forearm": "arm", "hand": "forearm", "thigh": "hips", "shin": "thigh", "foot": "shin", "toes": "foot",
}  # fmt: skip
TRUNK = ("hips", "spine", "chest", "neck", "head")
RIGS = {
    "mixamo": ("Hips Spine Spine1 Neck Head",
               "{S}Shoulder {S}Arm {S}ForeArm {S}Hand {S}UpLeg {S}Leg {S}Foot {S}ToeBase"),
    "unreal": ("pelvis spine_01 spine_02 neck_01 head",
               "clavicle_{s} upperarm_{s} lowerarm_{s} hand_{s} thigh_{s} calf_{s} foot_{s} ball_{s}"),
    "rigify": ("spine spine.001 spine.002 spine.004 head",
               "shoulder.{B} upper_arm.{B} forearm.{B} hand.{B} thigh.{B} shin.{B} foot.{B} toe.{B}"),
    "no names": ("j0 j1 j2 j3 j4", "a{s} b{s} c{s} d{s} e{s} f{s} g{s} h{s}"),
}  # fmt: skip


def person(rig):
    """A skeleton in a T-pose with the names of a rig; and its names by part."""
    trunk, limbs = RIGS[rig]
    parts, names, parents, heads = [], [], [], []
    called = dict(zip(TRUNK, trunk.split(), strict=True))
    for part in TRUNK:
        parts.append(part)
    for side, words in (("left", ("Left", "l", "L")), ("right", ("Right", "r", "R"))):
        sided = limbs.format(S=words[0], s=words[1], B=words[2]).split()
        for part, name in zip([part for part in HEADS if part not in TRUNK], sided, strict=True):
            parts.append(f"{side} {part}")
            called[f"{side} {part}"] = name
    index = {part: number for number, part in enumerate(parts)}
    for part in parts:
        side, plain = part.rsplit(" ", 1) if " " in part else ("", part)
        above = ABOVE.get(plain)
        parents.append(-1 if above is None else index[above if above in TRUNK else f"{side} {above}"])
        x, y, z = HEADS[plain]
        heads.append((-x if side == "right" else x, y, z))
        names.append(called[part])
    return Skeleton.from_heads(names, parents, heads), called


@pytest.mark.parametrize("rig", ["mixamo", "unreal", "rigify"])
def test_elbows_and_knees_fold_one_way_whatever_a_rig_calls_them(rig):
    skeleton, called = person(rig)
    limits = find_joint_limits(skeleton)
    for side, out in (("left", 1.0), ("right", -1.0)):
        elbow, knee = limits[called[f"{side} forearm"]], limits[called[f"{side} shin"]]
        assert (elbow.kind, knee.kind) == (HINGE, HINGE)
        turned = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(elbow.axis, np.array(1.0)))
        assert (turned @ [out, 0.0, 0.0])[2] > 0.5  # the hand comes forward
        turned = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(knee.axis, np.array(1.0)))
        assert (turned @ [0.0, -1.0, 0.0])[2] < -0.5  # the foot goes back
        for hinge in (elbow, knee):
            assert np.radians(-12.0) < hinge.low <= 0.0
            assert np.radians(110.0) < hinge.high < np.radians(160.0)
            assert hinge.swing < np.radians(10.0)
        hip, shoulder = limits[called[f"{side} thigh"]], limits[called[f"{side} arm"]]
        assert (hip.kind, shoulder.kind) == (BALL, BALL)
        forward, back = np.array([0.0, -0.3, 1.0]), np.array([0.0, -0.3, -1.0])
        assert np.arccos(quaternions.normalize(forward) @ hip.middle) < hip.swing
        assert np.arccos(quaternions.normalize(back) @ hip.middle) > hip.swing


@pytest.mark.parametrize("rig", RIGS)
def test_rest_is_within_all_limits_and_both_sides_mirror_each_other(rig):
    skeleton, called = person(rig)
    limits = find_joint_limits(skeleton)
    assert skeleton.names[0] not in limits
    for limit in limits.values():
        swing, twist = limit.measure(np.eye(3)[None])
        assert swing[0] < limit.swing
        assert limit.low <= twist[0] <= limit.high
    for part in called:
        if part.startswith("left") and called[part] in limits:
            left, right = limits[called[part]], limits[called[part.replace("left", "right")]]
            assert (left.kind, left.part) == (right.kind, right.part)
            np.testing.assert_allclose(
                [left.swing, left.low, left.high], [right.swing, right.low, right.high], atol=1e-6
            )


def test_a_spine_shares_its_bend():
    skeleton, called = person("mixamo")
    limits = find_joint_limits(skeleton)
    both = [limits[called[part]].swing for part in ("spine", "chest")]
    assert np.degrees(sum(both)) == pytest.approx(70.0, abs=1.0)


def test_motions_widen_limits_but_not_beyond_reason():
    skeleton, called = person("mixamo")
    knee = skeleton.index(called["left shin"])
    plain = find_joint_limits(skeleton)[called["left shin"]]
    poses = []
    for angle in (0.0, -np.radians(20.0), -np.radians(80.0)):  # bent the wrong way
        turn = quaternions.quat_from_axis_angle(plain.axis, np.array(angle))
        poses.append(supple.Pose.from_rotations(skeleton, {skeleton.names[knee]: turn}).world_from_joint)
    some, far = (find_joint_limits(skeleton, [np.stack(poses[:n])])[called["left shin"]] for n in (2, 3))
    assert -np.degrees(some.low) == pytest.approx(24.0, abs=1.0)
    assert np.degrees(far.low - plain.low) == pytest.approx(-25.0, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "hinges"),
    [
        ("horse-animations.glb", ("back_leg_ankle_l", "front_leg_lower_r", "mouth")),
        ("fox-animations.glb", ("Back_Leg_Ankle_L", "Front_Leg_Lower_R")),
        ("human-m2m-12clips.glb", ("calf_l", "lowerarm_r", "index_02_l")),
        ("human_cmu_8clips.glb", ("LeftLeg", "RightForeArm")),
        ("Knight.glb", ("lowerleg.l", "lowerarm.r")),
        ("CesiumMan.glb", ("leg_joint_L_2",)),
        ("spider-animations.glb", ("leg_a_2_l", "leg_d_3_r")),
    ],
)
def test_hinges_of_files_are_found(name, hinges):
    if not (FILES / name).exists():
        pytest.skip("characters of files are not here")
    limits = supple.load(FILES / name).joint_limits
    for hinge in hinges:
        assert limits[hinge].kind == HINGE, hinge


def test_a_skeleton_of_one_joint_has_no_limits():
    skeleton = Skeleton.from_heads(["only"], [-1], [(0.0, 0.0, 0.0)], tails=[(0.0, 1.0, 0.0)])
    assert find_joint_limits(skeleton) == {}
    assert find_joint_parts(skeleton).parts == ("",)
