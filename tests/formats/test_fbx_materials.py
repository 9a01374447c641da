"""Materials of FBX: numbers, pictures that are embedded or lie beside, and none from anywhere else."""

from pathlib import Path

import fbx_files
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from small_pictures import picture

import supple
from supple.errors import SuppleWarning
from supple.io import load, load_motion, save

pytest.importorskip("ufbx")
PICTURE = picture(90)


def strip(folder: Path, **looks) -> supple.Character:
    folder.mkdir(exist_ok=True)
    (folder / "strip.fbx").write_bytes(fbx_files.text(looks=fbx_files.red_and_glass(**looks)))
    return load(folder / "strip.fbx")


def test_materials_and_what_wears_them(tmp_path):
    found = strip(tmp_path, embedded=PICTURE)
    red, glass = found.materials
    assert (red.name, glass.name) == ("red", "glass")
    assert red.textures["color"].data == PICTURE
    assert red.textures["color"].name == "pic"
    assert dict(red.textures["color"].sampler) == {"wrapS": 33071}
    assert_allclose(red.color, [1.0, 1.0, 1.0, 1.0])  # the picture stands for the colour
    assert_allclose(red.emission, [0.2, 0.0, 0.0])
    assert red.alpha == "opaque"
    assert_allclose(glass.color, [0.25, 0.5, 0.75, 0.75])
    assert glass.alpha == "blend"
    middle = found.points[found.triangles].mean(axis=1)[:, 1]  # the lower quad wears red, the upper glass
    on_strip = found.material_of_triangle >= 0
    assert_array_equal(found.material_of_triangle[on_strip], (middle[on_strip] > 1.0).astype(int))
    assert not on_strip.all()  # the hat wears none


def test_a_second_set_of_texture_coordinates_comes_along(tmp_path):
    found = strip(tmp_path, embedded=PICTURE)
    rows = found.display.attributes["TEXCOORD_1"]
    assert {tuple(row) for row in rows.tolist()} >= {(0.5, 0.25), (1.0, 0.0)}


@pytest.mark.parametrize("at", ["tex/pic.png", "pic.png", "strip.fbm/pic.png"])
def test_a_picture_beside_the_file_is_found(tmp_path, at):
    (tmp_path / at).parent.mkdir(exist_ok=True)
    (tmp_path / at).write_bytes(PICTURE)
    assert strip(tmp_path).materials[0].textures["color"].data == PICTURE


@pytest.mark.parametrize("place", ["..\\\\secret.png", "/{folder}/secret.png", "link.png", "way/secret.png", "", "."])
def test_no_picture_from_outside_the_folder_is_read(tmp_path, place):
    (tmp_path / "secret.png").write_bytes(PICTURE)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    (inside / "way").symlink_to(tmp_path, target_is_directory=True)
    with pytest.warns(SuppleWarning, match="material 'red': a picture is not beside the file"):
        found = strip(inside, place=place.format(folder=tmp_path))
    assert not found.materials[0].textures
    assert_allclose(found.materials[0].color[:3], [0.8, 0.1, 0.2])


def test_a_picture_that_is_none_is_left_out_and_told(tmp_path):
    with pytest.warns(SuppleWarning, match="a picture is no PNG or JPEG"):
        assert not strip(tmp_path, embedded=b"GIF89a").materials[0].textures


def test_a_motion_minds_no_missing_picture(tmp_path):
    (tmp_path / "strip.fbx").write_bytes(fbx_files.text(looks=fbx_files.red_and_glass()))
    assert load_motion(tmp_path / "strip.fbx").frames > 1


def test_they_go_on_to_a_glb(tmp_path):
    found = strip(tmp_path, embedded=PICTURE)
    save(found, tmp_path / "strip.glb")
    again = load(tmp_path / "strip.glb")
    assert [material.name for material in again.materials] == ["red", "glass"]
    assert again.materials[0].textures["color"].data == PICTURE
    assert_array_equal(np.bincount(again.material_of_triangle + 1), np.bincount(found.material_of_triangle + 1))
