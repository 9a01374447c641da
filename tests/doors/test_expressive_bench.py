"""The benchmark of this room: its form, its scenes, not its figures. And the picture of an attachment."""

import importlib.util
import json

import numpy as np
import pytest

import supple
from attachment_diagram import attachment_picture
from supple.bench import expressive, expressive_edits
from supple.cli.main import main
from supple.errors import InputError
from supple.geometry.topology import census
from supple.skins.springs import attach


@pytest.mark.parametrize(("vertices", "bones"), [(1802, 4), (5634, 17), (10774, 85)])
def test_scenes_have_the_published_sizes(vertices, bones):
    character, poses = expressive.limb(vertices, bones)
    assert abs(len(character.points) - vertices) < 0.02 * vertices
    assert len(character.skeleton) == bones
    assert census(character.triangles).is_closed
    assert len(poses) == 12


def test_the_json_has_the_agreed_form(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(expressive, "PUBLISHED", (("human", 3, 300, (0.02, 0.42, 0.84, 1.50)),))
    monkeypatch.setattr(expressive, "GROWTH", (200, 400))
    monkeypatch.setattr(expressive, "HERO", 500)
    monkeypatch.setattr(expressive_edits, "SIZES", (300,))
    path = tmp_path / "bench.json"
    assert main(["bench", "expressive", "--json", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert len(rows) == 2 + 2 * 4 + 2 * (6 + 1) + 2 + 2  # solvers and dynamics of the limb and of the hero
    solved = [row["note"] for row in rows if "springs, factored" in row["what"]]
    assert len(solved) == 2 * 4
    assert all(note.startswith("residual") for note in solved)
    drag = next(row for row in rows if "handles move" in row["what"])
    assert drag["room"] == "expressive"
    assert (drag["peer"] is None) == (drag["ratio"] is None) == (importlib.util.find_spec("igl") is None)
    fifty = next(row for row in rows if row["what"] == "springs, 50 sweeps: steady frame")
    assert fifty["published_seconds"] == pytest.approx(0.84e-3)
    assert all(row["seconds"] > 0.0 for row in rows)
    assert "ns per vertex and sweep" in capsys.readouterr().out


def test_a_picture_shows_bones_attachment_points_and_scale_vectors(tmp_path):
    tube = supple.character("tube", vertices=500)
    path = tmp_path / "attachment.png"
    image = attachment_picture(tube, attach(tube), size=(240, 160), path=path, every=2)
    assert image.shape == (160, 240, 3)
    assert path.exists()
    red, green, blue = np.moveaxis(image.astype(int), 2, 0)
    assert ((red > 120) & (red > 1.6 * green) & (red > 1.6 * blue)).any()  # attachment points
    assert ((blue > 120) & (blue > 1.25 * red)).any()  # scale vectors
    with pytest.raises(InputError, match="every is 0"):
        attachment_picture(tube, attach(tube), every=0)
