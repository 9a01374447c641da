"""Blender shows our points: bakes and characters written by us, read by its own importers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import KDTree

import supple
from export_scenes import FPS, swing, textured_tube
from supple import DualQuaternion, LinearBlend
from supple.io import save

pytest.importorskip("pxr")
pytest.importorskip("alembic3d")
ROOT = Path(__file__).resolve().parents[1]


def python_with_blender():
    """This Python if it has bpy, or that of the benchmark's environment."""
    for candidate in (sys.executable, ROOT / ".venv-bench" / "bin" / "python"):
        if Path(candidate).exists():
            asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is None)"
            if subprocess.run([candidate, "-c", asked], check=False).returncode == 0:
                return str(candidate)
    pytest.skip("bpy is not installed (make .venv-bench/.installed)")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What was baked, and what Blender showed of each file."""
    python = python_with_blender()
    folder = tmp_path_factory.mktemp("blender")
    tube = textured_tube()
    motion = swing(tube)
    soft, plain = (supple.bake(tube, motion, skin) for skin in (DualQuaternion(), LinearBlend()))
    files = []
    for suffix in (".obj", ".usdc", ".usda", ".abc", ".pc2", ".mdd", ".glb"):
        soft.save(folder / f"bake{suffix}")
        files += [folder / f"bake{suffix}"] if suffix != ".obj" else []
    plain.save(folder / "rig.glb")
    save(tube.replace(motions={"swing": motion}), folder / "character.glb")
    save(tube.replace(motions={"swing": motion}), folder / "character.usda")
    files += [folder / name for name in ("rig.glb", "character.glb", "character.usda")]
    command = [python, str(ROOT / "tests" / "blender_reads.py"), str(folder / "out.npz"), str(FPS), str(len(soft))]
    subprocess.run([*command, *map(str, files)], check=True, capture_output=True)
    with np.load(folder / "out.npz") as file:
        return tube, soft.points, plain.points, dict(file)


@pytest.mark.parametrize("name", ["bake.usdc", "bake.usda", "bake.abc", "bake.pc2", "bake.mdd", "character.usda"])
def test_blender_shows_our_points_in_our_order(seen, name):
    _, soft, plain, shown = seen
    expected = plain if name.startswith("character") else soft
    assert shown[name].shape == expected.shape
    assert np.abs(shown[name] - expected).max() < 1e-5
    assert np.abs(shown[name][0] - expected[1]).max() > 1e-3  # another frame would not do


@pytest.mark.parametrize("name", ["bake.glb", "rig.glb", "character.glb"])
def test_blender_shows_our_points_in_glb(seen, name):
    """Vertices are split at the seam, so each is looked up by its place at the first frame."""
    tube, soft, plain, shown = seen
    expected = soft if name.startswith("bake") else plain
    assert shown[name].shape[1] == len(tube.display.control_points)
    distance, owner = KDTree(expected[0]).query(shown[name][0])
    assert distance.max() < 1e-5
    assert set(owner) == set(range(expected.shape[1]))
    assert np.abs(shown[name] - expected[:, owner]).max() < 1e-5


@pytest.mark.parametrize("name", ["bake.usdc", "bake.abc", "bake.pc2", "bake.glb", "character.usda", "character.glb"])
def test_blender_shows_our_texture_coordinates(seen, name):
    """The u and v of a corner follow from the height and angle of its point."""
    tube, soft, plain, shown = seen
    rest_v = tube.points[:, 1] / 2.0
    points = soft if name.startswith("bake") else plain
    corners = shown[f"{name} corners"]
    _, owner = KDTree(points[0]).query(shown[name][0])
    uvs = shown[f"{name} uvs"]
    assert np.abs(uvs[:, 1] - rest_v[owner[corners]]).max() < 1e-5
    around = np.arctan2(-tube.points[:, 2], tube.points[:, 0]) / (2.0 * np.pi)
    turn = uvs[:, 0] - around[owner[corners]]
    assert np.abs(turn - np.round(turn)).max() < 1e-5
