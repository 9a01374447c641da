"""The benchmark of the lattice: its form, its scenes, not its figures."""

import json

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.bench import lattice
from supple.cli.main import main
from supple.skins.lattice.binding import LatticeArrays
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.voxelize.voxel_components import make_lattice


@pytest.mark.parametrize("scene", lattice.SCENES, ids=lambda scene: scene.name)
def test_scenes_have_at_least_the_published_voxels(scene):
    hero = supple.character("hero", vertices=lattice.VERTICES)
    voxels = len(make_lattice(hero.points, hero.triangles, scene.resolution))
    assert scene.voxels <= voxels < 1.08 * scene.voxels


def test_the_json_has_the_agreed_form(monkeypatch, tmp_path):
    monkeypatch.setattr(lattice, "SCENES", (lattice.Scene("bloat-low", 100, 5.47e-3, 12),))
    monkeypatch.setattr(lattice, "VERTICES", 500)
    monkeypatch.setattr(lattice, "FINE", 16)
    monkeypatch.setattr(lattice, "MESH_TO_FILL", 600)
    lattice._actors.cache_clear()
    path = tmp_path / "bench.json"
    assert main(["bench", "lattice", "--json", str(path)]) == 0
    lattice._actors.cache_clear()
    rows = json.loads(path.read_text())["rows"]
    assert [row["scene"] for row in rows] == ["bloat-low"] * 6 + ["hero-16"] * 3 + ["preparation"]
    steady = next(row for row in rows if row["what"] == "as published: steady frame")
    assert steady["published_seconds"] == pytest.approx(5.47e-3)
    assert "500 vertices" in steady["note"]
    assert all(row["seconds"] > 0.0 for row in rows)


def test_the_box_moves_and_stays_whole():
    solver = Solver(LatticeArrays.from_anatomy(lattice.box(8), 2), devices.Constants("cpu"))
    solver.divide(lattice.box(8).layers, lattice.box(8).depths)
    step = lattice.boxed_step(solver)
    for _ in range(30):
        step()
    positions = solver.positions.numpy()
    assert np.isfinite(positions).all()
    assert np.linalg.norm(positions - lattice.box(8).lattice.points, axis=1).max() > 0.05
    assert np.abs(positions).max() < 2.0
