"""`--skins` takes settings for every skin, and `supple measure` says what a bake did."""

import json

import numpy as np
import pytest

import supple
from supple.cli.main import main
from supple.cli.options.skin_lists import read_skin_list
from supple.errors import InputError
from supple.measure import limbs_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("linear, lattice", {"linear": ("linear", {}), "lattice": ("lattice", {})}),
        ("lattice:preset=soft", {"lattice:preset=soft": ("lattice", {"preset": "soft"})}),
        (
            "lattice:resolution=40:max-offset=0.2:keep-volume=off",
            {
                "lattice:resolution=40:max-offset=0.2:keep-volume=off": (
                    "lattice",
                    {"resolution": 40, "max_offset": 0.2, "keep_volume": False},
                )
            },
        ),
        (
            "lattice:frequency=5,fat=2,linear",
            {"lattice:frequency=5, fat=2": ("lattice", {"frequency": "5, fat=2"}), "linear": ("linear", {})},
        ),
        ("linear,linear", {"linear": ("linear", {}), "linear (2)": ("linear", {})}),
    ],
)
def test_skins_are_read_as_they_are_written(text, found):
    assert read_skin_list(text) == found


@pytest.mark.parametrize("text", ["", " , ", "lattice:preset", "lattice:=3", "lattice:preset="])
def test_what_is_no_list_is_refused(text):
    with pytest.raises(InputError):
        read_skin_list(text)


def test_a_bake_is_measured(tmp_path, capsys):
    hero = supple.character("hero", vertices=800)
    path = tmp_path / "bend.supple"
    supple.bake(hero, supple.motion("bend", hero), supple.LinearBlend(), path=path, fps=5.0, end=0.6)
    assert main(["measure", str(path), "-o", str(tmp_path / "all.json")]) == 0
    said = capsys.readouterr().out
    assert "least volume of a limb" in said
    assert "worst edge stretch" in said
    whole = json.loads((tmp_path / "all.json").read_text())
    assert len(whole["volume_ratio"]) == len(whole["times"])
    assert main(["measure", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert 0.5 < min(limb["least"] for limb in data["limbs"].values()) <= 1.0
    assert main(["measure", str(tmp_path / "nothing.supple")]) == 2


def test_limbs_are_all_of_a_body_once_and_none_is_small():
    hero = supple.character("hero", vertices=3000)
    limbs = limbs_of(hero)
    every = np.concatenate(list(limbs.values()))
    assert len(every) == len(set(every.tolist())) == len(hero.points)
    assert 6 <= len(limbs) <= 20
    assert min(len(limb) for limb in limbs.values()) > 10
    assert limbs_of(hero.replace(weights=None)) == {}
