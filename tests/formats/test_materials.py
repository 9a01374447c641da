"""Materials: what a character looks like comes in with a file, stays through a bake, and goes out again."""

import warnings

import numpy as np
import pytest
from export_scenes import dressed_tube, swing, textured_tube
from gltf_files import arm
from hypothesis import given, settings
from hypothesis import strategies as st
from small_pictures import picture

import supple
from oracles.glb import ReadGlb
from supple import DualQuaternion, LinearBlend
from supple.character import packing
from supple.character.fingerprint import fingerprint
from supple.character.materials import SLOTS, Material, Texture
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io import load, save
from supple.io.surfaces.surface import Surface


def close(one: Material, other: Material) -> bool:
    """Whether two materials are the same up to single precision."""
    numbers = [np.array([*m.color, *m.emission, m.metallic, m.roughness]) for m in (one, other)]
    if isinstance(one.alpha, float) and isinstance(other.alpha, float):
        same = abs(one.alpha - other.alpha) < 1e-6
    else:
        same = one.alpha == other.alpha
    words = [(m.name, m.double_sided, {slot: t.data for slot, t in m.textures.items()}) for m in (one, other)]
    return same and np.allclose(*numbers, atol=1e-6) and words[0] == words[1]


def looks(character) -> list[tuple]:
    """Every triangle, which has its points by their old numbers, and the name of what it wears; in no order."""
    names = [character.materials[n].name if n >= 0 else "" for n in worn_by(character)]
    return sorted(zip(map(tuple, character.triangles.tolist()), names, strict=True))


def worn_by(character) -> np.ndarray:
    rows = character.material_of_triangle
    return np.full(len(character.triangles), -1) if rows is None else rows


# The noun


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"color": (1.0, 1.0, 1.0)}, r"\(4,\) is needed"),
        ({"color": (1.0, 1.0, 1.0, 1.5)}, "from 0 to 1"),
        ({"emission": (-1.0, 0.0, 0.0)}, "from 0 up"),
        ({"metallic": 2.0}, "from 0 to 1"),
        ({"roughness": float("nan")}, "finite"),
        ({"alpha": "glass"}, "'opaque', 'blend' or a number"),
        ({"alpha": 1.5}, "from 0 to 1"),
        ({"textures": {"colour": Texture("a", picture(128))}}, "color, metal_rough"),
    ],
)
def test_what_no_material_can_be_is_refused(fields, complaint):
    with pytest.raises(InputError, match=complaint):
        Material("m", **fields)


def test_a_texture_is_a_png_or_a_jpeg():
    assert (Texture("a", picture(128)).mime_type, Texture("a", picture(128)).suffix) == ("image/png", ".png")
    assert Texture("a", b"\xff\xd8\xff\xe0 and so on").mime_type == "image/jpeg"
    with pytest.raises(InputError, match="a PNG or a JPEG is needed"):
        Texture("a", b"<svg/>")


def test_a_character_wears_the_first_material_where_it_is_not_told():
    tube = textured_tube()
    assert tube.material_of_triangle is None
    assert (tube.replace(materials=[Material()]).material_of_triangle == 0).all()


@pytest.mark.parametrize(("worn", "complaint"), [(2, "there are 1"), (-2, "material -2"), (None, "shape")])
def test_triangles_wear_materials_that_exist(worn, complaint):
    tube = textured_tube()
    rows = np.zeros(3) if worn is None else np.full(len(tube.triangles), worn)
    with pytest.raises(InputError, match=complaint):
        tube.replace(materials=[Material()], material_of_triangle=rows)


shares = st.floats(0.0, 1.0, width=32)
pictures = st.dictionaries(st.sampled_from(SLOTS), st.builds(lambda n: Texture(f"p{n}", picture(n)), st.integers(0, 3)))
materials = st.builds(
    Material,
    st.text("abc 9é_.", min_size=1, max_size=6).filter(str.strip),
    st.tuples(shares, shares, shares, shares),
    shares,
    shares,
    st.tuples(shares, shares, shares).map(lambda e: tuple(4.0 * v for v in e)),
    st.booleans(),
    st.one_of(st.sampled_from(["opaque", "blend"]), shares),
    pictures,
)


@given(st.lists(materials, min_size=1, max_size=4), st.randoms())
def test_materials_survive_being_packed(made, chance):
    worn = np.array([chance.randrange(-1, len(made)) for _ in range(9)], dtype=np.int32)
    again = packing.unpack_materials(packing.pack_materials(made, worn))
    assert list(again["materials"]) == made
    assert np.array_equal(again["material_of_triangle"], worn)
    assert packing.pack_materials([], None) == {} == packing.unpack_materials({})


# Bakes


def test_materials_change_no_fingerprint_and_no_array_of_a_bake_without_them():
    tube, dressed = textured_tube(), dressed_tube()
    assert fingerprint(tube) == fingerprint(dressed)
    assert set(packing.pack_display(tube)) == {"display_control_points", "display_triangles", "display_uvs"}


def test_a_bake_keeps_the_materials(tmp_path):
    dressed = dressed_tube()
    cache = supple.bake(dressed, swing(dressed), DualQuaternion(), path=tmp_path / "a.supple")
    assert cache.character.materials == dressed.materials
    assert np.array_equal(cache.character.material_of_triangle, dressed.material_of_triangle)


# GLB


@pytest.mark.parametrize("skin", [LinearBlend(), DualQuaternion()], ids=["rigged", "morphed"])
def test_a_bake_as_glb_has_one_primitive_a_material(skin, tmp_path):
    dressed = dressed_tube()
    cache = supple.bake(dressed, swing(dressed), skin)
    cache.save(tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert len(glb.scene["meshes"]) == 1
    primitives = glb.scene["meshes"][0]["primitives"]
    assert [primitive["material"] for primitive in primitives] == [0, 1, 2]
    counts = [glb.scene["accessors"][primitive["indices"]]["count"] // 3 for primitive in primitives]
    assert counts == [(worn_by(dressed) == number).sum() for number in (0, 1, -1)]
    assert len(glb.scene["images"]) == 2  # one of them is used twice
    assert all(len(p.get("targets", [])) == (len(cache) if "targets" in primitives[0] else 0) for p in primitives)


@settings(max_examples=15)
@given(st.lists(materials, min_size=1, max_size=3), st.randoms())
def test_materials_survive_a_glb(tmp_path_factory, made, chance):
    tube = textured_tube()
    per_quad = [chance.randrange(-1, len(made)) for _ in tube.polygons]
    dressed = tube.replace(materials=made, material_of_triangle=np.repeat(per_quad, 2))
    path = tmp_path_factory.mktemp("glb") / "a.glb"
    save(dressed, path)
    again = load(path)
    used = [material for number, material in enumerate(made) if number in per_quad]
    assert len(again.materials) == len(used)
    assert all(close(one, other) for one, other in zip(used, again.materials, strict=True))
    assert looks(again) == looks(dressed)
    assert len(again.polygons) == len(tube.polygons)


def test_quads_of_two_materials_are_triangles_in_a_glb(tmp_path):
    tube = textured_tube()
    worn = np.arange(len(tube.triangles)) % 2
    save(tube.replace(materials=[Material("a"), Material("b")], material_of_triangle=worn), tmp_path / "a.glb")
    again = load(tmp_path / "a.glb")
    assert again.polygons is None
    assert looks(again) == looks(tube.replace(materials=[Material("a"), Material("b")], material_of_triangle=worn))


def test_without_texture_coordinates_a_glb_has_no_pictures(tmp_path):
    """The format forbids them, and they would lie nowhere."""
    save(dressed_tube().replace(display=None), tmp_path / "a.glb")
    glb = ReadGlb(tmp_path / "a.glb")
    assert "images" not in glb.scene
    assert glb.scene["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] == [0.8, 0.1, 0.1, 1.0]


def test_no_material_comes_back_as_none(tmp_path):
    save(textured_tube(), tmp_path / "a.glb")
    assert ReadGlb(tmp_path / "a.glb").scene["materials"][0]["name"] == "skin"
    assert load(tmp_path / "a.glb").materials == ()


# glTF in: pictures


def pictured(**image):
    """The arm with a material whose picture is `image`."""
    file = arm()
    file.add("images", **image)
    file.add("textures", source=0)
    file.add("materials", name="cloth", pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    return file


def test_pictures_come_from_inside_the_file_and_from_beside_it(tmp_path):
    import base64

    (tmp_path / "cloth of gold.png").write_bytes(picture(128))
    embedded = "data:image/png;base64," + base64.b64encode(picture(128)).decode()
    inside = pictured()
    inside.json["images"][0] = {"bufferView": inside.view(picture(128)), "mimeType": "image/png"}
    for file in (inside, pictured(uri=embedded), pictured(uri="cloth%20of%20gold.png")):
        (material,) = load(file.save(tmp_path)).materials
        assert material.textures["color"].data == picture(128)
        assert (material.metallic, material.roughness, material.color) == (1.0, 1.0, (1.0, 1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    "address",
    [
        "../secret.png",
        "/etc/hosts",
        "file:///etc/hosts",
        "http://example.org/a.png",
        "link.png",
        "no.png",
        "note.txt",
        "",
    ],
)
def test_a_picture_that_may_not_be_read_is_left_out_and_told(tmp_path, address):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(picture(128))
    (inside / "note.txt").write_text("not a picture")
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.warns(SuppleWarning, match=r"images\[0\].*left out"):
        (material,) = load(pictured(uri=address).save(inside)).materials
    assert material.textures == {}
    assert material.name == "cloth"


def test_pictures_count_against_what_a_file_may_unfold_to(tmp_path, monkeypatch):
    """A small file that names a large picture under a hundred names must not fill the memory."""
    from supple import budget

    monkeypatch.setattr(budget, "ALLOWANCE", 1 << 20)
    (tmp_path / "large.png").write_bytes(picture(128) + b"\0" * 300_000)
    file = arm()
    for number in range(20):
        file.add("images", uri="./" * number + "large.png")
        file.add("textures", source=number)
        file.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": number}})
    piece = file.json["meshes"][0]["primitives"][0]
    file.json["meshes"][0]["primitives"] = [{**piece, "material": number} for number in range(20)]
    with pytest.warns(SuppleWarning, match="there is room for"):
        found = load(file.save(tmp_path)).materials
    assert 0 < sum("color" in material.textures for material in found) < 5


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"pbrMetallicRoughness": {"baseColorFactor": [1, 1]}}, "4 finite numbers"),
        ({"pbrMetallicRoughness": {"metallicFactor": "shiny"}}, "a finite number"),
        ({"pbrMetallicRoughness": {"baseColorTexture": {"index": 7}}}, "there are no textures"),
        ({"pbrMetallicRoughness": []}, "an object is needed"),
    ],
)
def test_a_malformed_material_is_refused_by_name(tmp_path, fields, complaint):
    file = arm()
    file.add("materials", **fields)
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    with pytest.raises(FormatError, match=rf"materials\[0\].*{complaint}"):
        load(file.save(tmp_path))


def test_cut_out_and_bright_materials_are_read(tmp_path):
    file = arm()
    file.add(
        "materials",
        alphaMode="MASK",
        alphaCutoff=0.25,
        emissiveFactor=[0.5, 0, 1],
        doubleSided=True,
        extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 4.0}},
    )
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    (material,) = load(file.save(tmp_path)).materials
    assert (material.alpha, material.double_sided, material.emission) == (0.25, True, (2.0, 0.0, 4.0))
    assert material.name == "material0"


@pytest.mark.parametrize(
    "info", [{"texCoord": 1}, {"extensions": {"KHR_texture_transform": {"offset": [0.5, 0.0]}}}], ids=["set", "moved"]
)
def test_textures_that_lie_otherwise_keep_how_they_lie(tmp_path, info):
    file = pictured()
    file.json["images"][0] = {"bufferView": file.view(picture(128)), "mimeType": "image/png"}
    file.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] |= info
    found = load(file.save(tmp_path)).materials[0]
    assert found.textures["color"].data == picture(128)
    assert found.gltf["baseColorTexture"] == info


@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb", "InterpolationTest.glb", "human-bunny.glb"])
def test_real_characters_keep_their_materials_and_pictures(name, data_file, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        character = load(data_file(f"gltf/{name}"))
        assert any(material.textures for material in character.materials)
        save(character, tmp_path / "a.glb")
        again = load(tmp_path / "a.glb")
    assert again.materials == character.materials
    assert looks(again) == looks(character)


# USD and OBJ


@settings(max_examples=5)
@given(st.lists(materials, min_size=2, max_size=3))
def test_materials_survive_usd(tmp_path_factory, made):
    from supple.io.usd.stage_character import stage_character

    pytest.importorskip("pxr")
    tube = textured_tube()
    per_quad = np.arange(len(tube.polygons)) % (len(made) + 1) - 1
    dressed = tube.replace(materials=made, material_of_triangle=np.repeat(per_quad, 2))
    path = tmp_path_factory.mktemp("usd") / "a.usda"
    save(dressed, path)
    again = stage_character(path, repair=False)
    assert len(again.materials) == len(made)
    expected = [_as_usd_has_it(material) for material in made]
    for material in again.materials:
        position = [n for n, wanted in enumerate(expected) if close(wanted, material)]
        assert position, (material, expected)
    assert looks(again) == looks(dressed)
    assert np.array_equal(again.polygons, tube.polygons)


def _as_usd_has_it(material: Material) -> Material:
    """Opacity that does nothing is not written; a cut at zero cuts nothing; clear and solid look the same."""
    alpha = material.alpha
    clear = material.color[3] < 1.0 or "color" in material.textures
    if alpha != "opaque" and (alpha == "blend" or alpha == 0.0):
        alpha = "blend" if clear else "opaque"
    opacity = 1.0 if material.alpha == "opaque" and "color" not in material.textures else material.color[3]
    return Material(
        material.name,
        (*material.color[:3], opacity),
        material.metallic,
        material.roughness,
        material.emission,
        material.double_sided,
        alpha,
        material.textures,
    )


def test_usd_binds_the_faces_that_wear_a_material(tmp_path):
    Usd, UsdGeom, UsdShade = (pytest.importorskip(f"pxr.{name}") for name in ("Usd", "UsdGeom", "UsdShade"))
    dressed = dressed_tube()
    supple.bake(dressed, swing(dressed), DualQuaternion()).save(tmp_path / "a.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/tube/Mesh"))
    subsets = UsdShade.MaterialBindingAPI(mesh.GetPrim()).GetMaterialBindSubsets()
    expected = Surface.from_character(dressed).material_indices
    for subset, number, name in zip(subsets, (0, 1, -1), ("red cloth", "glass", "none"), strict=True):
        assert np.array_equal(subset.GetIndicesAttr().Get(), np.flatnonzero(expected == number))
        bound = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0]
        assert bound.GetPrim().GetDisplayName() == name
    folder = tmp_path / "a_textures"
    assert sorted(path.read_bytes() for path in folder.iterdir()) == sorted(
        {picture.data for material in dressed.materials for picture in material.textures.values()}
    )


def test_usd_reads_no_picture_outside_its_folder(tmp_path):
    pytest.importorskip("pxr")
    inside = tmp_path / "inside"
    dressed = dressed_tube()
    save(dressed, inside / "a.usda")
    for file in (inside / "a_textures").iterdir():
        file.rename(tmp_path / file.name)
    text = (inside / "a.usda").read_text()
    (inside / "a.usda").write_text(text.replace("@./a_textures/", "@../"))
    with pytest.warns(SuppleWarning, match="picture .* left out"):
        again = load(inside / "a.usda")
    assert [material.name for material in again.materials] == [material.name for material in dressed.materials]
    assert not any(material.textures for material in again.materials)


def test_pictures_come_out_of_a_package(tmp_path):
    UsdUtils = pytest.importorskip("pxr.UsdUtils")
    dressed = dressed_tube()
    save(dressed, tmp_path / "a.usdc")
    (tmp_path / "packed").mkdir()
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "a.usdc"), str(tmp_path / "packed" / "a.usdz"))
    again = load(tmp_path / "packed" / "a.usdz")
    assert all(close(one, other) for one, other in zip(dressed.materials, again.materials, strict=True))


def test_obj_has_a_file_of_materials(tmp_path):
    dressed = dressed_tube()
    save(dressed, tmp_path / "my tube.obj")
    lines = (tmp_path / "my tube.obj").read_text().splitlines()
    assert "mtllib my_tube.mtl" in lines
    worn, wearing = [], ""
    for line in lines:
        wearing = line.split()[1] if line.startswith("usemtl") else wearing
        worn += [wearing] if line.startswith("f ") else []
    names = {0: "red_cloth", 1: "glass", -1: "none"}
    assert worn == [names[number] for number in Surface.from_character(dressed).material_indices.tolist()]
    described = (tmp_path / "my_tube.mtl").read_text()
    assert [line.split()[1] for line in described.splitlines() if line.startswith("newmtl")] == list(names.values())
    pictures = [line.split()[1] for line in described.splitlines() if line.startswith("map_Kd")]
    assert all((tmp_path / picture).read_bytes().startswith(b"\x89PNG") for picture in pictures)
    assert len(pictures) == 2
    with pytest.warns(SuppleWarning, match="no skeleton"):
        assert np.array_equal(load(tmp_path / "my tube.obj").polygons, dressed.polygons)
