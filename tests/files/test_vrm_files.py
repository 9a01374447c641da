"""VRM 0.x and 1.0: who may use it, bones, expressions, springs and colliders survive; bare bones are joints."""

import numpy as np
import pytest
from gltf_files import QUAD, GltfFile
from numpy.testing import assert_allclose
from vrm_dolls import LICENCE, doll, newer, older

from oracles.glb import ReadGlb
from supple.errors import InputError, SuppleWarning
from supple.io import load, load_motion, save


def again(character, tmp_path):
    """The character written and read once more, and the JSON of the file."""
    save(character, tmp_path / "again.vrm")
    return load(tmp_path / "again.vrm"), ReadGlb(tmp_path / "again.vrm").scene


def test_bones_without_meshes_are_joints(tmp_path):
    """Nothing but the mesh of the hips and of the head moves a vertex, and still the neck bends."""
    found = load(newer().save(tmp_path, "doll.vrm"))
    assert {"Hips", "Neck", "Head", "Hair", "Hair_end"} <= set(found.skeleton.names)
    names = found.skeleton.names
    assert found.skeleton.parents[names.index("Head")] == names.index("Neck")


def test_expressions_are_shapes(tmp_path):
    found = load(newer().save(tmp_path, "doll.vrm"))
    expected = 0.5 * found.shapes["back"] + found.shapes["brow"]
    assert_allclose(found.shapes["happy"], expected, atol=1e-7)
    assert np.abs(expected).max() > 0.2
    old = load(older().save(tmp_path, "old.vrm"))
    assert_allclose(old.shapes["Joy"], 0.5 * old.shapes["back"], atol=1e-7)


def test_a_new_one_survives(tmp_path):
    first = load(newer().save(tmp_path, "doll.vrm"))
    second, scene = again(first, tmp_path)
    made, springs = scene["extensions"]["VRMC_vrm"], scene["extensions"]["VRMC_springBone"]
    called = [node.get("name") for node in scene["nodes"]]
    assert made["meta"] == LICENCE | {"thumbnailImage": made["meta"]["thumbnailImage"]}
    assert scene["images"][made["meta"]["thumbnailImage"]]["name"] == "grey9"
    assert {bone: called[v["node"]] for bone, v in made["humanoid"]["humanBones"].items()} == {
        "hips": "Hips", "neck": "Neck", "head": "Head",
    }  # fmt: skip
    assert scene["nodes"][made["firstPerson"]["meshAnnotations"][0]["node"]]["mesh"] == 0
    assert made["lookAt"]["offsetFromHeadBone"] == [0.0, 0.06, 0.0]
    targets = scene["meshes"][0]["extras"]["targetNames"]
    binds = made["expressions"]["preset"]["happy"]["morphTargetBinds"]
    assert {(targets[bind["index"]], bind["weight"]) for bind in binds} == {("back", 0.5), ("brow", 1.0)}
    glow = made["expressions"]["custom"]["glow"]["materialColorBinds"][0]
    assert scene["materials"][glow["material"]]["name"] == "of face"
    assert called[springs["colliders"][0]["node"]] == "Head"
    spring = springs["springs"][0]
    assert [called[joint["node"]] for joint in spring["joints"]] == ["Hair", "Hair_end"]
    assert called[spring["center"]] == "Hips"
    assert set(scene["extensionsUsed"]) >= {"VRMC_vrm", "VRMC_springBone"}
    assert second.shapes.keys() == first.shapes.keys()
    third, scene_again = again(second, tmp_path)
    assert scene_again["extensions"] == scene["extensions"]
    assert third.skeleton.names == first.skeleton.names


def test_an_old_one_survives(tmp_path):
    first = load(older().save(tmp_path, "doll.vrm"))
    _, scene = again(first, tmp_path)
    made = scene["extensions"]["VRM"]
    called = [node.get("name") for node in scene["nodes"]]
    assert made["meta"]["licenseName"] == "CC_BY"
    assert scene["images"][scene["textures"][made["meta"]["texture"]]["source"]]["name"] == "grey5"
    assert [called[bone["node"]] for bone in made["humanoid"]["humanBones"]] == ["Hips", "Neck"]
    assert called[made["firstPerson"]["firstPersonBone"]] == "Head"
    assert made["firstPerson"]["meshAnnotations"] == [{"mesh": 0, "firstPersonFlag": "ThirdPersonOnly"}]
    bind = made["blendShapeMaster"]["blendShapeGroups"][0]["binds"][0]
    assert scene["meshes"][0]["extras"]["targetNames"][bind["index"]] == "back"
    second = made["secondaryAnimation"]
    assert [called[node] for node in second["boneGroups"][0]["bones"]] == ["Hair"]
    assert second["boneGroups"][0]["center"] == -1
    assert called[second["colliderGroups"][0]["node"]] == "Head"
    looks = [look["name"] for look in made["materialProperties"]]
    assert looks == ["look 1", "look 2"]  # one a material, in the order of the new file
    assert [material["name"] for material in scene["materials"]] == ["of body", "of face"]


def test_makers_sockets_ends_and_cameras_survive(tmp_path):
    file = doll()
    found = load(file.save(tmp_path))
    assert "Hair" not in found.skeleton.names  # no bone of a VRM, and it carries nothing
    save(found, tmp_path / "again.glb")
    scene = ReadGlb(tmp_path / "again.glb").scene
    assert scene["asset"]["copyright"] == "2026 A. Author"
    assert scene["asset"]["extras"] == {"title": "Doll"}
    nodes = {node["name"]: node for node in scene["nodes"]}
    called = [node["name"] for node in scene["nodes"]]
    hangs = {called[child]: node["name"] for node in scene["nodes"] for child in node.get("children", [])}
    assert (hangs["socket"], hangs["Hair"], hangs["Hair_end"]) == ("Hips", "Head", "Hair")
    assert_allclose(nodes["socket"]["translation"], [0.0, 0.0, 0.5], atol=1e-7)
    assert_allclose(np.abs(nodes["socket"]["rotation"]), [0.0, 1.0, 0.0, 0.0], atol=1e-7)
    assert nodes["Hair_end"]["extras"] == {"kind": "end"}
    assert scene["cameras"][nodes["socket"]["camera"]]["perspective"]["yfov"] == 0.7
    assert load(tmp_path / "again.glb").extras["gltf"]["attachments"][0]["name"] == "socket"


def test_a_character_from_elsewhere_is_no_vrm(tmp_path):
    found = load(doll().save(tmp_path))
    with pytest.raises(InputError, match="did not come from a VRM"):
        save(found, tmp_path / "doll.vrm")


@pytest.mark.parametrize("wrong", [None, [], {"node": {}}, {"node": -1}, {"node": 99}, "text", [[1], 2]])
def test_nonsense_in_a_vrm_costs_that_and_no_more(tmp_path, wrong):
    for file in (newer(), older()):
        whole = file.json["extensions"]
        for name, extension in whole.items():
            for key in extension:
                file.json["extensions"] = {**whole, name: {**extension, key: wrong}}
                save(load(file.save(tmp_path, "damaged.vrm")), tmp_path / "again.vrm")


def test_a_vrm_animation_is_a_motion_of_named_bones_with_shares(tmp_path):
    file = GltfFile()
    file.add("nodes", name="b0", translation=[0.0, 1.0, 0.0], children=[1, 2])
    file.add("nodes", name="b1", translation=[0.0, 0.3, 0.0])
    file.add("nodes", name="wink")
    half = np.sqrt(0.5)
    file.clip(
        (1, "rotation", [1.0, 2.0], [[0, 0, 0, 1], [0, 0, half, half]]),
        (2, "translation", [1.0, 2.0], [[0, 0, 0], [0.75, 0, 0]]),
        name="nod",
    )
    file.json["extensions"] = {
        "VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {"hips": {"node": 0}, "head": {"node": 1}}},
            "expressions": {"preset": {"blink": {"node": 2}}},
        }
    }
    motion = load_motion(file.save(tmp_path, "nod.vrma"))
    assert motion.skeleton.names == ("hips", "head")
    assert_allclose(motion.shapes["blink"][[0, -1]], [0.0, 0.75], atol=1e-7)
    assert_allclose(motion.sample(1.0).world_from_joint[1, :3, 0], [0.0, 1.0, 0.0], atol=1e-6)


def test_an_animated_socket_is_told(tmp_path):
    file = doll()
    file.clip((5, "translation", [0.0, 1.0], np.array(QUAD[:2])), name="swing")
    with pytest.warns(SuppleWarning, match="its own motion is left out"):
        load(file.save(tmp_path))
