"""What a file says of looks beyond our words: colours, coordinates, tangents, extensions of materials, wrap modes."""

import numpy as np
import pytest
from gltf_files import GltfFile, arm
from numpy.testing import assert_allclose, assert_array_equal
from small_pictures import picture

import supple
from oracles.glb import ReadGlb
from supple import Character
from supple.character import packing
from supple.character.combine import combine
from supple.character.materials import Material, Texture
from supple.errors import InputError
from supple.io import load, save

COAT = {"clearcoatFactor": 0.5, "clearcoatTexture": {"index": 1, "texCoord": 1}}
SHIFT = {"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2.0, 2.0]}}


def dressed() -> GltfFile:
    """The arm with all that stands at vertices, a shape with normals, and a material of many words."""
    file = arm()
    rng = np.random.default_rng(3)
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"] |= {
        "NORMAL": file.accessor([[0.0, 0.6, 0.8]] * 4),
        "TANGENT": file.accessor([[1.0, 0.0, 0.0, -1.0]] * 4),
        "COLOR_0": file.accessor([[255, 0, 51, 128]] * 4, "B", normalized=True),
        "COLOR_1": file.accessor(rng.random((4, 3))),
        "TEXCOORD_0": file.accessor(rng.random((4, 2))),
        "TEXCOORD_1": file.accessor(rng.random((4, 2))),
        "_WIND": file.accessor(rng.random((4, 3))),
    }
    target = {"POSITION": file.accessor(rng.random((4, 3)), min=[0, 0, 0], max=[1, 1, 1])}
    target["NORMAL"] = file.accessor(rng.random((4, 3)))
    target["TANGENT"] = file.accessor(rng.random((4, 3)))
    primitive["targets"] = [target]
    file.json["meshes"][0]["extras"] = {"targetNames": ["smile"]}
    for shade in (10, 200):
        file.add("images", bufferView=file.view(picture(shade)), mimeType="image/png", name=f"grey{shade}")
    file.add("samplers", wrapS=33071, wrapT=33648, magFilter=9728)
    file.add("textures", source=0, sampler=0)
    file.add("textures", source=1)
    primitive["material"] = file.add(
        "materials",
        name="painted",
        pbrMetallicRoughness={"baseColorTexture": {"index": 0, "extensions": SHIFT}},
        normalTexture={"index": 1, "scale": 0.5},
        extensions={
            "KHR_materials_clearcoat": COAT,
            "KHR_materials_ior": {"ior": 1.3},
            "KHR_materials_emissive_strength": {"emissiveStrength": 3.0},
        },
        emissiveFactor=[0.0, 1.0, 0.0],
        extras={"note": "mind the gap"},
    )
    return file


@pytest.fixture
def painted(tmp_path) -> Character:
    return load(dressed().save(tmp_path))


def test_everything_at_the_vertices_is_kept_by_name(painted):
    found = painted.display.attributes
    names = {"NORMAL", "TANGENT", "COLOR_0", "COLOR_1", "TEXCOORD_1", "_WIND", "NORMAL/smile", "TANGENT/smile"}
    assert set(found) == names
    assert_allclose(found["COLOR_0"], [[1.0, 0.0, 0.2, 128 / 255]] * 4, atol=1e-7)
    assert_array_equal(found["TANGENT"], [[1.0, 0.0, 0.0, -1.0]] * 4)


def test_a_glb_gives_all_of_it_back(painted, tmp_path):
    save(painted, tmp_path / "again.glb")
    again = load(tmp_path / "again.glb")
    assert set(again.display.attributes) == set(painted.display.attributes)
    order = np.argsort(again.display.control_points, kind="stable")
    for name, rows in painted.display.attributes.items():
        assert_allclose(again.display.attributes[name][order], rows, atol=1e-7, err_msg=name)
    assert again.materials[0].gltf == painted.materials[0].gltf
    assert again.materials[0].textures == painted.materials[0].textures


def test_the_file_says_it_as_the_first_one_did(painted, tmp_path):
    save(painted, tmp_path / "again.glb")
    scene = ReadGlb(tmp_path / "again.glb").scene
    made = scene["materials"][0]
    coat = made["extensions"]["KHR_materials_clearcoat"]
    assert coat["clearcoatFactor"] == 0.5
    assert coat["clearcoatTexture"]["texCoord"] == 1
    shown = scene["images"][scene["textures"][coat["clearcoatTexture"]["index"]]["source"]]
    assert shown["name"] == "grey200"
    base = made["pbrMetallicRoughness"]["baseColorTexture"]
    assert base["extensions"] == SHIFT
    sampler = scene["samplers"][scene["textures"][base["index"]]["sampler"]]
    assert sampler == {"wrapS": 33071, "wrapT": 33648, "magFilter": 9728}
    assert made["normalTexture"]["scale"] == 0.5
    assert made["extensions"]["KHR_materials_ior"] == {"ior": 1.3}
    assert made["extensions"]["KHR_materials_emissive_strength"] == {"emissiveStrength": 3.0}
    assert made["extras"] == {"note": "mind the gap"}
    assert {"KHR_materials_clearcoat", "KHR_materials_ior", "KHR_texture_transform"} <= set(scene["extensionsUsed"])


def test_pictures_on_coordinates_that_are_not_there_are_left_out(painted, tmp_path):
    display = painted.display
    kept = {name: rows for name, rows in display.attributes.items() if name != "TEXCOORD_1"}
    bare = painted.replace(display=type(display)(display.control_points, display.triangles, display.uvs, kept))
    save(bare, tmp_path / "bare.glb")
    made = ReadGlb(tmp_path / "bare.glb").scene["materials"][0]
    assert made["extensions"]["KHR_materials_clearcoat"] == {"clearcoatFactor": 0.5}
    assert "normalTexture" in made


def test_usd_has_colours_coordinates_tangents_and_wrap_modes(painted, tmp_path):
    pytest.importorskip("pxr")
    save(painted, tmp_path / "painted.usda")
    again = load(tmp_path / "painted.usda")
    found = again.display.attributes
    order = np.argsort(again.display.control_points, kind="stable")
    for name in ("NORMAL", "TANGENT", "COLOR_0", "COLOR_1", "TEXCOORD_1", "_WIND"):
        assert_allclose(found[name][order], painted.display.attributes[name], atol=1e-6, err_msg=name)
    assert dict(again.materials[0].textures["color"].sampler) == {"wrapS": 33071, "wrapT": 33648}


def test_a_bake_and_a_combination_keep_them(painted, tmp_path):
    cache = supple.bake(
        painted, painted.motions.get("x", _still(painted)), supple.LinearBlend(), path=tmp_path / "c.supple"
    )
    again = cache.character
    assert set(again.display.attributes) == set(painted.display.attributes)
    assert again.materials[0] == painted.materials[0]
    turn = np.diag([-1.0, 1.0, -1.0, 1.0])
    both = combine([painted, painted], names=["a", "b"], moves=[np.eye(4), turn])
    assert_allclose(both.display.attributes["NORMAL"][-4:], [[0.0, 0.6, -0.8]] * 4, atol=1e-6)
    assert {"NORMAL/a.smile", "NORMAL/b.smile", "COLOR_0"} <= set(both.display.attributes)
    assert {"a.smile", "b.smile"} <= set(both.shapes)


def _still(character):
    return supple.Motion.from_poses(
        character.skeleton,
        lambda _: supple.Pose(character.skeleton.world_from_joint),
        seconds=0.5,
        fps=4.0,
        name="still",
    )


def test_absent_words_cost_no_bytes():
    plain = packing.pack_materials([Material("m", textures={"color": Texture("p", picture(7))})], np.zeros(1, np.int32))
    said = bytes(plain["materials"])
    assert b"gltf" not in said
    assert b"sampler" not in said


def test_a_sampler_has_the_numbers_of_the_format():
    assert Texture("p", picture(1), (("wrapS", 33071),)).sampler == (("wrapS", 33071),)
    with pytest.raises(InputError, match="its sampler says"):
        Texture("p", picture(1), (("wrapS", 1),))
