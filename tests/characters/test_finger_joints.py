"""Fingers found on rigs of many makers, and their joints moved to where people have them."""

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple.character.character import Character
from supple.character.proportions import HANDS, find_fingers, place_finger_joints
from supple.character.skeleton import Skeleton
from supple.cli.main import main
from supple.errors import InputError, SuppleWarning
from supple.geometry.quaternions import quat_from_axis_angle
from supple.measure.proportions import finger_report
from supple.motion.motion import Motion
from supple.motion.pose import Pose

MAKERS = {  # joints of an index finger and of a thumb from the wrist on, and which of them are the measured ones
    "mixamo": (
        [
            "mixamorig:LeftHandIndex1",
            "mixamorig:LeftHandIndex2",
            "mixamorig:LeftHandIndex3",
            "mixamorig:LeftHandIndex4",
        ],
        [
            "mixamorig:LeftHandThumb1",
            "mixamorig:LeftHandThumb2",
            "mixamorig:LeftHandThumb3",
            "mixamorig:LeftHandThumb4",
        ],
        (0, 3),
        (1, 3),
    ),
    "vrm": (
        ["leftIndexProximal", "leftIndexIntermediate", "leftIndexDistal"],
        ["leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal"],
        (0, None),
        (1, None),
    ),
    "webxr": (
        [
            f"index-finger-{word}"
            for word in ("metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip")
        ],
        [f"thumb-{word}" for word in ("metacarpal", "phalanx-proximal", "phalanx-distal", "tip")],
        (1, 4),
        (1, 3),
    ),
    "unreal": (
        ["index_01_l", "index_02_l", "index_03_l"],
        ["thumb_01_l", "thumb_02_l", "thumb_03_l"],
        (0, None),
        (1, None),
    ),
}


def hand(index, thumb, *, flat=False):
    """A wrist with two fingers of straight bones, and a skin of two tubes; tips have none."""
    names, parents, heads = ["LeftHand"], [-1], [np.zeros(3)]
    for number, chain in enumerate((index, thumb)):
        for place, name in enumerate(chain):
            parents.append(0 if flat or not place else len(names) - 1)
            names.append(name)
            heads.append(np.array([0.02 + 0.03 * place, 0.0, 0.05 * number]))
    skeleton = Skeleton.from_heads(names, parents, np.array(heads))
    rings = np.linspace(0.0, 0.16, 60)
    angles = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    points, triangles, joints = [], [], []
    for number, chain in enumerate((index, thumb)):
        first = len(points)
        ends = 0.02 + 0.03 * np.arange(len(chain))
        skinned = len(chain) - ("tip" in chain[-1] or chain[-1].endswith("4"))
        for along in rings[rings < 0.02 + 0.03 * skinned]:
            owner = max(0, min(skinned - 1, int(np.searchsorted(ends, along, side="right")) - 1))
            for angle in angles:
                points.append([along, 0.008 * np.cos(angle), 0.05 * number + 0.008 * np.sin(angle)])
                joints.append(names.index(chain[owner]))
        count = (len(points) - first) // 8
        for ring in range(count - 1):
            for k in range(8):
                a, b = first + 8 * ring + k, first + 8 * ring + (k + 1) % 8
                triangles += [[a, a + 8, b], [b, a + 8, b + 8]]
    weights = supple.Weights(np.array(joints)[:, None], np.ones((len(joints), 1)))
    return Character(
        name="hand", points=np.array(points), triangles=np.array(triangles), skeleton=skeleton, weights=weights
    )


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("flat", [False, True])
def test_fingers_are_found_whoever_named_their_joints(maker, flat):
    index, thumb, (first, tip), (thumb_first, thumb_tip) = MAKERS[maker]
    if flat and maker not in ("webxr", "vrm"):
        pytest.skip("numbers do not say which joint is the next without a chain")
    body = hand(index, thumb, flat=flat)
    found = {finger.limb: finger for finger in find_fingers(body)}
    names = body.skeleton.names
    assert [names[joint] for joint in found["index"].joints] == index[first : first + 3]
    assert [names[joint] for joint in found["thumb"].joints] == thumb[thumb_first : thumb_first + 2]
    assert (found["index"].tip is None) == (tip is None)
    assert tip is None or names[found["index"].tip] == index[tip]
    assert thumb_tip is None or names[found["thumb"].tip] == thumb[thumb_tip]
    shares = [segment.fraction for segment in finger_report(body).segments if segment.limb.endswith("thumb")]
    assert shares == pytest.approx([0.5, 0.5], abs=0.06)


def test_joints_go_where_people_have_them_and_weights_and_motions_go_along():
    body = hand(*MAKERS["mixamo"][:2])
    bent = Motion.from_poses(
        body.skeleton,
        lambda time: Pose.from_rotations(
            body.skeleton, {"mixamorig:LeftHandIndex2": quat_from_axis_angle([0.0, 0.0, 1.0], time)}
        ),
        seconds=0.2,
        fps=10.0,
    )
    body = body.replace(motions={"bent": bent})
    moved = place_finger_joints(body)
    assert len(finger_report(body).outside) > 0
    assert finger_report(moved).outside == ()
    first = moved.skeleton.index("mixamorig:LeftHandIndex2")
    assert moved.skeleton.heads[first, 0] == pytest.approx(0.02 + 0.09 * HANDS.statistics("index")[0].mean)
    np.testing.assert_allclose(moved.weights.values.sum(axis=1), 1.0, atol=1e-6)
    dense = np.zeros((len(moved.points), len(moved.skeleton)))
    np.add.at(dense, (np.arange(len(dense))[:, None], moved.weights.joints), moved.weights.values)
    finger = np.abs(moved.points[:, 2]) < 0.02
    passing = moved.points[finger & (dense[:, first] > 0.5), 0].min()
    assert passing == pytest.approx(moved.skeleton.heads[first, 0], abs=0.006)
    played = moved.motions["bent"].sample(0.2)
    np.testing.assert_allclose(played.world_from_joint[0], moved.skeleton.world_from_joint[0], atol=1e-9)
    np.testing.assert_allclose(
        played.world_from_joint[first, :3, :3],
        body.motions["bent"].sample(0.2).world_from_joint[first, :3, :3],
        atol=1e-9,
    )
    np.testing.assert_allclose(played.world_from_joint[first, :3, 3], moved.skeleton.heads[first], atol=1e-9)
    one = place_finger_joints(body, ["left thumb"])
    np.testing.assert_array_equal(one.skeleton.heads[first], body.skeleton.heads[first])


def test_the_command_compares_and_writes(tmp_path, capsys):
    supple.save(hand(*MAKERS["mixamo"][:2]), tmp_path / "hand.glb")
    assert main(["place-joints", str(tmp_path / "hand.glb")]) == 0
    assert "outside the measured" in capsys.readouterr().out
    words = ["--fingers", "left index, left thumb", "-o", str(tmp_path / "better.glb"), "--json"]
    assert main(["place-joints", str(tmp_path / "hand.glb"), *words]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["outside_before"] > 0
    assert data["outside"] == 0
    assert finger_report(supple.load(tmp_path / "better.glb")).outside == ()
    supple.save(make_tube(), tmp_path / "tube.glb")
    assert main(["place-joints", str(tmp_path / "tube.glb"), "-o", str(tmp_path / "no.glb")]) == 2
    assert "its fingers are" in capsys.readouterr().err


def test_what_has_no_fingers_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="its fingers are"):
        place_finger_joints(make_tube())
    with pytest.raises(InputError, match="'left toe' was asked for"):
        place_finger_joints(hand(*MAKERS["vrm"][:2]), ["left toe"])


def test_the_hand_of_webxr_is_compared_and_set_right(data_file):
    body = supple.load(data_file("gltf/webxr-hand-left.glb"))
    report = finger_report(body)
    assert len(report.segments) == 14  # all five fingers
    assert len(finger_report(place_finger_joints(body)).outside) == 0


def test_fingers_that_end_nowhere_are_left_out_with_a_warning(data_file):
    with pytest.warns(SuppleWarning, match="is left out"):
        finger_report(supple.load(data_file("vrm/debug_robot.vrm")))
