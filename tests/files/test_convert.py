"""What a save would lose, told before and while it happens."""

import json

import numpy as np
import pytest
from export_scenes import dressed_tube, swing
from test_kept_looks import dressed

import supple
from supple.cli.main import main
from supple.io import load, load_motion, save
from supple.io.losses import losses, losses_by_format


def test_each_format_names_what_it_loses_and_nothing_that_is_not_there(tmp_path):
    plain = supple.character("tube", vertices=500)
    assert losses(plain, "a.glb") == losses(plain, "a.usdc") == []
    assert [line.split(":")[0] for line in losses(plain, "a.obj")][:2] == ["the skeleton", "weights"]
    rich = load(dressed().save(tmp_path))
    assert losses(rich, ".glb") == []
    usd = " ".join(losses(rich, ".usda"))
    assert "KHR_materials_clearcoat" in usd
    assert "shapes add to normals" in usd
    assert "COLOR_0" not in usd
    assert "COLOR_0" in " ".join(losses(rich, ".obj"))
    assert ".vrm" not in losses_by_format(rich)


@pytest.mark.parametrize("suffix", [".glb", ".usda", ".obj"])
def test_what_is_not_named_comes_back(tmp_path, suffix):
    """The list against the file itself: every kind of thing that it does not name is there again."""
    if suffix == ".usda":
        pytest.importorskip("pxr")
    rich = load(dressed().save(tmp_path))
    rich = rich.replace(maps={"flesh": np.ones(4)}, parts={"low": np.arange(2)})
    told = " ".join(losses(rich, suffix))
    save(rich, tmp_path / f"again{suffix}")
    with pytest.warns() if suffix == ".obj" else _quiet():
        again = load(tmp_path / f"again{suffix}")
    for word, there in {
        "the skeleton": again.skeleton.names == rich.skeleton.names,
        "shapes: smile": set(again.shapes) == {"smile"},
        "painted maps": set(again.maps) == {"flesh"},
        "parts": "low" in again.parts,
        "authored normals": "NORMAL" in again.display.attributes,
        "COLOR_0": "COLOR_0" in again.display.attributes,
        "shapes add to normals": "NORMAL/smile" in again.display.attributes,
        "KHR_materials_ior": bool(again.materials)
        and "KHR_materials_ior" in again.materials[0].gltf.get("extensions", {}),
        "border": bool(again.materials) and bool(again.materials[0].textures["color"].sampler),
    }.items():
        assert there == (word not in told), word


def _quiet():
    import contextlib

    return contextlib.nullcontext()


def test_convert_writes_the_file_and_prints_the_list(tmp_path, capsys):
    source = dressed().save(tmp_path)
    assert main(["convert", str(source), str(tmp_path / "out.obj")]) == 0
    said = capsys.readouterr().out
    assert "the skeleton: 2 joints" in said
    assert (tmp_path / "out.obj").is_file()
    assert main(["convert", str(source), str(tmp_path / "out.glb"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lost"] == []
    assert load(tmp_path / "out.glb").shapes.keys() == {"smile"}


def test_convert_carries_motions_and_refuses_what_cannot_be_written(tmp_path, capsys):
    tube = dressed_tube()
    save(swing(tube), tmp_path / "swing.glb")
    assert main(["convert", str(tmp_path / "swing.glb"), str(tmp_path / "swing.bvh")]) == 0
    assert load_motion(tmp_path / "swing.bvh", metres_per_unit=0.01).frames == 13
    assert main(["convert", str(tmp_path / "swing.glb"), str(tmp_path / "again.glb")]) == 0
    assert load_motion(tmp_path / "again.glb").frames == 13
    assert main(["convert", str(tmp_path / "swing.glb"), str(tmp_path / "swing.mp3")]) == 2
    assert main(["convert", str(tmp_path / "none.glb"), str(tmp_path / "x.glb")]) == 2
    capsys.readouterr()


def test_info_shows_looks_and_losses(tmp_path, capsys):
    assert main(["info", str(dressed().save(tmp_path))]) == 0
    said = capsys.readouterr().out
    for words in ("shapes   smile", "painted (color", "grey200", "NORMAL", "units    metres", "to .obj"):
        assert words in said, words
    assert "to .glb   nothing is lost" in said
