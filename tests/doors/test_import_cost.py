"""Importing supple, and asking the command for help, loads nothing heavy and says nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("warp", "scipy", "igl", "pyvista", "vtkmodules", "rich", "PIL")


def modules_after(code: str) -> tuple[set[str], str]:
    """Which heavy modules a fresh process has loaded after some code, and what the code itself wrote."""
    report = f"import json, sys\n{code}\nprint()\nprint(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    said, _, last = done.stdout.rstrip("\n").rpartition("\n")
    return set(json.loads(last)), said.strip()


def test_the_check_sees_heavy_modules():
    assert modules_after("import scipy")[0] == {"scipy"}


def test_importing_supple_is_light_and_silent():
    """No Warp means that no kernel was compiled either; names are loaded when they are asked for."""
    assert modules_after("import supple") == (set(), "")
    _, said = modules_after(
        "import supple\nprint(*(m for m in sys.modules if m.startswith('supple.') or m == 'numpy'))"
    )
    assert said == ""


@pytest.mark.parametrize(
    "room",
    [
        "render",
        "cli.main",
        "cli.demo",
        "cli.info",
        "cli.bake",
        "cli.pictures.render",
        "cli.pictures.compare",
        "cli.bench",
        "graph",
        "skins.registry",
        "measure",
        "report",
        "io",
    ],
)
def test_rooms_are_light_to_import(room):
    assert modules_after(f"import supple.{room}") == (set(), "")


@pytest.mark.parametrize(
    "words", [["--help"], [], ["--version"], ["demo", "--help"], ["info", "--help"], ["bake", "--help"]]
)
def test_help_is_light(words):
    loaded, said = modules_after(f"from supple.cli.main import main\nassert main({words!r}) == 0")
    assert loaded == set()
    assert "supple" in said


def test_describing_a_character_loads_no_kernels_and_no_renderer():
    loaded, said = modules_after(
        "from supple.cli.main import main\nassert main(['info', 'hero', '--vertices', '500']) == 0"
    )
    assert loaded <= {"igl", "scipy"}  # libigl loads SciPy itself
    assert "walk (1.07 s)" in said
