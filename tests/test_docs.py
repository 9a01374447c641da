"""Every example and every Python block of the docs and the front page runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from supple.skins.catalogue import SKINS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def run(code_or_path: list[str], folder: Path) -> None:
    done = subprocess.run([sys.executable, *code_or_path], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path):
    run([str(example)], tmp_path)


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text()], ids=lambda p: p.stem)
def test_blocks_run(page, tmp_path):
    for block in python_blocks(page.read_text(encoding="utf-8")):
        run(["-c", block], tmp_path)


def test_examples_are_numbered_without_gaps():
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["README.md", "docs/choosing-a-skin.md"])
def test_the_front_page_and_the_guide_name_every_skin(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    both = ((f"`{skin.__name__}`", f"`{name}`") for name, skin in SKINS.items())
    assert [name for names in both for name in names if name not in text] == []
