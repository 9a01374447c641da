"""Blender shows our points and materials: bakes and characters written by us, read by its own importers."""

import json
import warnings

import numpy as np
import pytest
from blender import ask_blender
from export_scenes import FPS, dressed_tube, swing
from scipy.spatial import KDTree

import supple
from supple import DualQuaternion, LinearBlend
from supple.errors import SuppleWarning
from supple.io import load, save
from supple.io.surfaces.surface import Surface

pytest.importorskip("pxr")
pytest.importorskip("alembic3d")
BAKES = ("bake.usdc", "bake.usda", "bake.abc", "bake.pc2", "bake.mdd", "bake.glb")
RIGS = ("rig.glb", "character.glb", "character.usda")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What was baked, and what Blender showed of each file."""
    folder = tmp_path_factory.mktemp("blender")
    tube = dressed_tube()
    motion = swing(tube)
    soft, plain = (supple.bake(tube, motion, skin) for skin in (DualQuaternion(), LinearBlend()))
    for name in ("bake.obj", *BAKES):
        soft.save(folder / name)
    plain.save(folder / "rig.glb")
    for name in ("character.glb", "character.usda"):
        save(tube.replace(motions={"swing": motion}), folder / name)
    jobs = [
        {"do": "shown", "key": name, "file": str(folder / name), "fps": FPS, "frames": len(soft)}
        for name in (*BAKES, *RIGS)
    ]
    return tube, soft.points, plain.points, ask_blender(*jobs)


@pytest.mark.parametrize("name", [*(name for name in BAKES if name != "bake.glb"), "character.usda"])
def test_blender_shows_our_points_in_our_order(seen, name):
    _, soft, plain, shown = seen
    expected, found = plain if name.startswith("character") else soft, shown[f"{name} points"]
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-5
    assert np.abs(found[0] - expected[1]).max() > 1e-3  # another frame would not do


@pytest.mark.parametrize("name", ["bake.glb", "rig.glb", "character.glb"])
def test_blender_shows_our_points_in_glb(seen, name):
    """Vertices are split at seams and where materials meet, so each is looked up by its place at the first frame."""
    _, soft, plain, shown = seen
    expected, found = soft if name.startswith("bake") else plain, shown[f"{name} points"]
    distance, owner = KDTree(expected[0]).query(found[0])
    assert distance.max() < 1e-5
    assert set(owner) == set(range(expected.shape[1]))
    assert np.abs(found - expected[:, owner]).max() < 1e-5


@pytest.mark.parametrize("name", ["bake.usdc", "bake.abc", "bake.pc2", "bake.glb", "character.usda", "character.glb"])
def test_blender_shows_our_texture_coordinates(seen, name):
    """The u and v of a corner follow from the height and angle of its point."""
    tube, soft, plain, shown = seen
    rest_v = tube.points[:, 1] / 2.0
    points = soft if name.startswith("bake") else plain
    corners = shown[f"{name} corners"]
    _, owner = KDTree(points[0]).query(shown[f"{name} points"][0])
    uvs = shown[f"{name} uvs"]
    assert np.abs(uvs[:, 1] - rest_v[owner[corners]]).max() < 1e-5
    around = np.arctan2(-tube.points[:, 2], tube.points[:, 0]) / (2.0 * np.pi)
    rotation = uvs[:, 0] - around[owner[corners]]
    assert np.abs(rotation - np.round(rotation)).max() < 1e-5


@pytest.mark.parametrize("name", ["bake.usdc", "bake.pc2", "bake.glb", "rig.glb", "character.usda", "character.glb"])
def test_blender_shows_our_materials_on_one_mesh(seen, name):
    """By their names, on as many faces as wear them, with their pictures where the colour comes from."""
    tube, _, _, shown = seen
    assert shown[f"{name} meshes"] == 1
    assert shown[f"{name} armatures"] == (name in RIGS)
    slots = json.loads(str(shown[f"{name} materials"]))
    halves = 2 if name.endswith(".glb") else 1  # quads come as two triangles
    worn = shown[f"{name} worn"]
    for number, material in enumerate(tube.materials):
        names = (material.name, material.name.replace(" ", "_"))
        slot = next(position for position, found in enumerate(slots) if found["name"] in names)
        assert (worn == slot).sum() == halves * (Surface.from_character(tube).material_indices == number).sum()
        assert "Base Color" in slots[slot]["pictured"]
        arrive = 1 if name == "bake.pc2" else len(material.textures)  # of an OBJ, Blender takes colours only
        assert slots[slot]["pictures"] == [[2, 2]] * arrive
        assert abs(slots[slot]["roughness"] - material.roughness) < 1e-6
        assert abs(slots[slot]["metallic"] - material.metallic) < 1e-6


@pytest.mark.parametrize("suffix", [".glb", ".usdc"])
@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb", "human-bunny.glb", "InterpolationTest.glb"])
def test_blender_shows_the_pictures_of_real_characters(name, suffix, data_file, tmp_path):
    """The same materials, fed by pictures of the same size, as Blender shows of the original."""
    path = data_file(f"gltf/{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        save(load(path), tmp_path / f"again{suffix}")
    jobs = [
        {"do": "shown", "key": key, "file": str(file), "fps": FPS, "frames": 1}
        for key, file in (("theirs", path), ("ours", tmp_path / f"again{suffix}"))
    ]
    found = ask_blender(*jobs)
    theirs, ours = (json.loads(str(found[f"{key} materials"])) for key in ("theirs", "ours"))
    for look in theirs:
        same = next(other for other in ours if _plain(other["name"]) == _plain(look["name"]))
        for key in ("pictured", "pictures"):
            assert same[key] == look[key], (key, look, same)
        for key in ("roughness", "metallic"):
            assert abs(same[key] - look[key]) < 1e-6
    assert any(look["pictures"] for look in ours)


def _plain(name: str) -> str:
    """A name without signs, because USD paths lack most of them."""
    return "".join(sign for sign in name if sign.isalnum())
