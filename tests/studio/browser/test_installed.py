"""The studio as it comes from a wheel; `make installed` lives through all other scenarios with it as well."""

import os
import subprocess
from pathlib import Path

import pytest
from studio_wheel import ROOT, WHEELS


@pytest.fixture
def installed(programs):
    """What servers of the wheel run by."""
    if not programs:
        pytest.skip(f"{WHEELS} names no folder with what Supple needs: make installed")
    return programs


def test_what_serves_is_the_wheel_and_its_page_comes_with_it(installed):
    program = "import supple; print(supple.__file__)"
    found = subprocess.run(
        [installed["python"], "-c", program],
        env={**os.environ, **_variables(installed)},
        capture_output=True,
        text=True,
    )
    file = Path(found.stdout.strip())
    assert ROOT not in file.parents
    assert {page.name for page in (ROOT / "src/supple/studio/page").iterdir()} == {
        page.name for page in (file.parent / "studio/page").iterdir()
    }


def test_the_watch_sees_whoever_asks_for_another_machine(installed, tmp_path):
    asked = tmp_path / "asked"
    program = "import urllib.request; urllib.request.urlopen('http://supple.example')"
    surroundings = {**os.environ, **_variables(installed), "ASKED": str(asked)}
    found = subprocess.run([installed["python"], "-c", program], env=surroundings, capture_output=True)
    assert found.returncode != 0
    assert "supple.example" in asked.read_text()


def _variables(installed):
    return {name: value for name, value in installed.items() if name != "python"}
