"""Every example and every Python block of the docs and the front page runs as it stands; pages name what is there."""

import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import supple
from supple.skins.registry import SKINS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def run(code_or_path: list[str], folder: Path) -> None:
    done = subprocess.run([sys.executable, *code_or_path], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path):
    run([str(example)], tmp_path)


ONE_BY_ONE = """
import sys
for number, block in enumerate(sys.argv[1:], start=1):
    print("block", number, file=sys.stderr)
    exec(compile(block, f"block {number}", "exec"), {"__name__": "__main__"})
"""


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in page.read_text()], ids=lambda p: p.stem)
def test_blocks_run(page, tmp_path):
    """One process for a page, which loads libraries once; every block sees only the names that it makes itself."""
    run(["-c", ONE_BY_ONE, *python_blocks(page.read_text(encoding="utf-8"))], tmp_path)


def test_examples_are_numbered_without_gaps():
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["README.md", "docs/choosing-a-skin.md"])
def test_the_front_page_and_the_guide_name_every_skin(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    both = ((f"`{skin.__name__}`", f"`{name}`") for name, skin in SKINS.items())
    assert [name for names in both for name in names if name not in text] == []


def test_the_drawing_of_the_house_has_every_room_and_is_drawn_anew():
    spec = importlib.util.spec_from_file_location("make_rooms", ROOT / "docs" / "figures" / "make_rooms.py")
    making = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(making)
    source = ROOT / "src" / "supple"
    drawn = [name.removesuffix("/") for floor in making.FLOORS for name, _ in floor]
    assert [name for name in drawn if not (source / name).exists()] == []
    rooms = [
        path for folder in (source, source / "skins") for path in folder.iterdir() if (path / "__init__.py").exists()
    ]
    files = [path for path in source.glob("*.py") if path.name != "__init__.py"]
    there = {str(path.relative_to(source)) for path in [*rooms, *files]} - {"skins"}
    assert sorted(there - set(drawn)) == []
    assert making.PICTURE.read_text(encoding="utf-8") == making.drawing(), "run python docs/figures/make_rooms.py"


# The reference


def object_at(path: str) -> object:
    """What a dotted path of the reference names: a module, or what is in one."""
    parts = path.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(path)


def test_the_reference_has_every_public_name():
    pages = sorted((ROOT / "docs" / "api").glob("*.md"))
    named = [path for page in pages for path in re.findall(r"^::: (\S+)$", page.read_text(), flags=re.MULTILINE)]
    shown = [id(object_at(path)) for path in named]
    for module in filter(inspect.ismodule, map(object_at, named)):  # shown with all that it names
        shown += [id(getattr(module, name)) for name in getattr(module, "__all__", ())]
    assert [name for name in supple.__all__ if id(getattr(supple, name)) not in shown] == []
    assert len(set(named)) == len(named)


def test_every_page_is_in_the_navigation_of_the_site():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if f" {page}\n" not in navigation] == []
