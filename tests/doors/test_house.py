"""The rules of the house: which way imports point, what may be imported at all, how files are named and how long."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import supple
from supple.settings import settings_of

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
BASE = (
    "errors", "arrays", "names", "files", "budget", "kept", "machine", "records", "settings", "compiling", "device",
    "memory", "turns",
)  # fmt: skip
LAYERS = (
    "geometry", "obstacles", "character", "motion", "skins", "edits", "graph", "measure", "decompose", "io", "render",
    "report", "document", "farm", "bench", "studio", "cli",
)  # fmt: skip
COPYLEFT = ("tetgen", "igl.copyleft", "igl.triangle", "gmsh", "pymeshlab", "pymeshfix", "cvxopt", "bpy")
LONGEST = 600
VAGUE = ("utils", "util", "helpers", "helper", "manager", "managers", "core")
# Where a module is loaded by a name that does not stand there: the front, which may name every room; a door for other
# people's libraries, whose callers are looked at instead; and the codec of bindings, which finds names in files.
BY_ANY_NAME = ("supple", "supple.render.extra", "supple.graph.binding_codec")
LOADERS = ("import_module", "load_library", "__import__")
MODULE = re.compile(r"supple(\.\w+)+")
MACHINE_PATH = re.compile(r"(?<![\w.:/~-])/(work|root|home)/")


MOST_ARGUMENTS, MOST_FILES, MOST_SETTINGS = 12, 17, 11
# Of the inside of contact, which is to be made anew.
LONG_KERNELS = {
    "broad_phase_obstacles",
    "narrow_phase_obstacles",
    "broad_phase_patches",
    "gather_clusters",
    "narrow_phase_skin",
}

# Functions whose answer depends on the model of the processor where values are alike.
UNSTABLE = ("argpartition", "reverse_cuthill_mckee")


def source_files() -> list[Path]:
    return sorted((SOURCE / "supple").rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# The checkers


def imports(text: str, module: str, *, is_package: bool = False) -> Iterator[str]:
    """All modules a source names in imports, inside functions too; what only the type checker sees is left out."""
    tree = ast.parse(text)
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: len(module.split(".")) - node.level + is_package] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield start
            yield from (f"{start}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOADERS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def hidden_imports(text: str, module: str, *, is_package: bool = False) -> list[str]:
    """Where a source names modules of ours in strings, other than those of its own package.

    Strings that are the name of a module count, and so do loaders whose argument cannot be read: a name may be put
    together only behind the name of the own package, or of somebody else's (`f"supple.io.{name}"` in `supple.io`).
    """
    if module in BY_ANY_NAME:
        return []
    own = (module if is_package else module.rpartition(".")[0]) + "."
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            if not f"{node.value}.".startswith(own):
                found.append(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOADERS:
            first = next(iter(node.args), None)
            start = first.values[0] if isinstance(first, ast.JoinedStr) else first
            words = start.value if isinstance(start, ast.Constant) and isinstance(start.value, str) else ""
            put_together = first is not start
            ours = "supple.".startswith(words) or words.startswith("supple.")
            if not words or (put_together and ("." not in words or (ours and not words.startswith(own)))):
                found.append(ast.unparse(node))
    return found


def layer_of(module: str) -> int:
    """How high a module of supple stands; the base is 0."""
    room = module.split(".")[1]
    return 0 if room in BASE else 1 + LAYERS.index(room)


def wrong_way(module: str, imported: str) -> bool:
    """Whether `module` may not import `imported`."""
    if not imported.startswith("supple."):
        return False
    parts, others = module.split("."), imported.split(".")
    known = others[1] in BASE or others[1] in LAYERS
    if not known or module == "supple":  # names of supple itself, such as supple.__version__
        return False
    if others[1] == "studio" and parts[1] != "studio" and module != "supple.cli.studio":
        return True
    if layer_of(imported) > layer_of(module):
        return True
    if parts[1] == others[1] == "skins" and len(parts) > 3 and len(others) > 2:
        rooms = {path.name for path in (SOURCE / "supple" / "skins").iterdir() if path.is_dir()} | {"kinematic"}
        return others[2] in rooms - {parts[2], "kinematic"}
    return False


def forbidden(module: str, imported: str) -> bool:
    """Whether an import would bring copyleft code in; only the benchmark may time Blender beside us."""
    hit = next((name for name in COPYLEFT if imported == name or imported.startswith(name + ".")), None)
    peer = module.startswith(("supple.bench.", "supple.cli.bench"))
    return hit is not None and not (hit == "bpy" and peer)


def faults_of_file(name: str, text: str) -> list[str]:
    """What is wrong with a file's name, length and words."""
    found = []
    if Path(name).stem in VAGUE or any(part in VAGUE for part in Path(name).parts[:-1]):
        found.append("its name says nothing")
    if text.count("\n") >= LONGEST:
        found.append(f"it has {LONGEST} lines or more")
    if MACHINE_PATH.search(text):
        found.append("it names a path of one machine")
    return found


# The house


def unstable_calls(text: str) -> list[str]:
    """Calls whose answer is left to the processor where values are alike: sorts of places that are not stable."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).split(".")[-1]
            stable = any(word.arg == "kind" and ast.unparse(word.value) == "'stable'" for word in node.keywords)
            if (name == "argsort" and not stable) or name in UNSTABLE:
                found.append(ast.unparse(node)[:60])
    return found


@pytest.mark.parametrize("path", source_files(), ids=module_name)
def test_imports_point_one_way_and_bring_no_copyleft(path):
    module = module_name(path)
    found = list(imports(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py"))
    assert [name for name in found if wrong_way(module, name)] == []
    assert [name for name in found if forbidden(module, name)] == []


@pytest.mark.parametrize("path", source_files(), ids=module_name)
def test_no_arrow_is_hidden_in_a_string(path):
    is_package = path.name == "__init__.py"
    assert hidden_imports(path.read_text(encoding="utf-8"), module_name(path), is_package=is_package) == []


def test_no_two_test_files_have_one_name():
    """Files of one name in two folders cannot be collected together."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_room_has_a_place_in_the_order():
    rooms = {path.relative_to(SOURCE / "supple").parts[0].removesuffix(".py") for path in source_files()}
    assert rooms - {"__init__", *BASE, *LAYERS} == set()


def test_nothing_copyleft_is_installed_by_default():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in wanted}
    assert names & set(COPYLEFT) == set()
    assert "numpy" in names  # the names were read


def test_files_are_named_for_what_they_do_short_and_know_no_machine():
    folders = ("src", "tests", "examples", "benchmarks", "docs")
    paths = [*ROOT.glob("*"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    faults = {}
    for path in sorted(paths):
        readable = path.suffix in (".py", ".md", ".toml") or path.name == "Makefile"
        if readable and path != Path(__file__).resolve():  # this file names what is forbidden
            name = str(path.relative_to(ROOT))
            faults[name] = faults_of_file(name, path.read_text(encoding="utf-8"))
    assert "src/supple/errors.py" in faults
    assert {name: found for name, found in faults.items() if found} == {}


def test_the_quick_tests_are_there():
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    names = re.search(r"^QUICK := (.*)$", text, flags=re.MULTILINE).group(1).split()
    there = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    assert {f"test_{name}" for name in names} - there == set()


def test_the_version_is_the_one_that_is_built():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert supple.__version__ == project["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [project["version"]]


def test_all_names_that_are_promised_exist():
    assert [name for name in supple.__all__ if not hasattr(supple, name)] == []
    assert len(set(supple.__all__)) == len(supple.__all__)


def test_names_are_loaded_from_where_the_type_checker_finds_them():
    tree = ast.parse(Path(supple.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    seen = {str(node.module): [alias.name for alias in node.names] for node in block.body}
    assert {home: list(names) for home, names in supple._HOMES.items()} == seen
    assert sorted(name for names in seen.values() for name in names) == sorted(supple.__all__)


def test_names_that_used_to_be_here_are_found_with_a_word_about_where_they_are():
    former = {name: home for home, names in supple._FORMER.items() for name in names}
    assert not set(former) & set(supple.__all__)
    for name, home in former.items():
        with pytest.warns(DeprecationWarning, match=f"supple.{name} is now {home}.{name}"):
            found = getattr(supple, name)
        assert found is getattr(importlib.import_module(home), name)


def test_a_name_stays_in_front_of_the_package_that_it_is_from(monkeypatch):
    import supple.measure.volume  # puts the package into the one above it

    assert inspect.isfunction(supple.measure)
    assert inspect.ismodule(supple.geometry)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = supple.nothing_of_the_kind
    assert {"bake", "geometry", "__version__"} <= set(dir(supple))
    found = supple.bake
    monkeypatch.setattr(supple, "bake", None)
    assert supple.bake is None
    monkeypatch.undo()
    assert supple.bake is found


def long_kernels(text: str) -> list[str]:
    """Kernels with more arguments than one can hold in the head, the first item of a range aside."""
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any("wp.kernel" in ast.unparse(one) for one in node.decorator_list):
            arguments = [argument.arg for argument in node.args.args if argument.arg != "first"]
            found += [node.name] if len(arguments) > MOST_ARGUMENTS else []
    return found


def test_kernels_take_structs_rather_than_long_lists():
    found = {name for path in source_files() for name in long_kernels(path.read_text(encoding="utf-8"))}
    assert found <= LONG_KERNELS
    assert found >= LONG_KERNELS  # who shortens one takes it off the list


def test_rooms_have_few_files():
    folders = {path.parent for path in source_files()}
    crowded = {
        str(folder.relative_to(SOURCE)): count
        for folder in folders
        if (count := sum(path.name != "__init__.py" for path in folder.glob("*.py"))) > MOST_FILES
    }
    assert crowded == {}


def test_skins_have_few_settings_at_a_level():
    for name, kind in supple.SKINS.items():
        levels: dict[str, set[str]] = {}
        for info in settings_of(kind):
            group, _, leaf = info.name.rpartition(".")
            levels.setdefault(group, set()).add(leaf)
            if group:
                levels.setdefault("", set()).add(group)
        crowded = {group: len(leaves) for group, leaves in levels.items() if len(leaves) > MOST_SETTINGS}
        assert crowded == {}, name


# The checkers find what they are for


def test_the_import_finder_sees_every_kind_of_import():
    text = """
import a.b
from c import d
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from hidden import x
def f():
    import inside
    from . import near
    from ..up import further
    importlib.import_module("by.name")
    import_module("by.short.name")
"""
    found = set(imports(text, "supple.skins.room"))
    wanted = {"a.b", "c", "c.d", "inside", "supple.skins.near", "supple.up", "supple.up.further", "by.name"}
    wanted |= {"by.short.name"}
    assert wanted <= found
    assert "hidden" not in found
    assert "supple.skins.room.near" in set(imports("from . import near", "supple.skins.room", is_package=True))


@pytest.mark.parametrize(
    ("module", "text", "count"),
    [
        ("supple.graph.exports", "WRITERS = {'.pc2': 'supple.io.pc2'}", 1),
        ("supple.graph.exports", "WRITERS = {'.pc2': 'supple.io.pc2', '.npz': 'supple.io.npz'}", 2),
        ("supple.graph.exports", "import_module(WRITERS[suffix])", 1),
        ("supple.graph.exports", "importlib.import_module(name=name)", 1),
        ("supple.graph.exports", "import_module(f'supple.io.{name}')", 1),
        ("supple.graph.exports", "import_module(f'supple.graph{name}')", 1),
        ("supple.graph.exports", "import_module(f'supple.{name}')", 1),
        ("supple.graph.exports", "import_module(f'{name}.pc2')", 1),
        ("supple.graph.exports", "import_module('supple.' + name)", 1),
        ("supple.io.formats", "import_module(f'supple.io.{name}')", 0),
        ("supple.io.formats", "import_module(f'supple.graph.{name}')", 1),
        ("supple.io.formats", "import_module(f'supple.iou.{name}')", 1),
        ("supple.io.usd.library", "import_module(f'pxr.{name}')", 0),
        ("supple.io.usd.reader", "PROGRAM = ('-m', 'supple.io.usd.reading_process')", 0),
        ("supple.geometry.tetrahedra.wild", "import_module('pytetwild')", 0),
        ("supple.geometry.normals", "import_module('supple.skins.base')", 1),
        ("supple", "HOMES = {'supple.io': ('load',)}", 0),
    ],
)
def test_the_finder_of_hidden_arrows_tells_right_from_wrong(module, text, count):
    assert len(hidden_imports(text, module)) == count


@pytest.mark.parametrize(
    ("module", "imported", "wrong"),
    [
        ("supple.geometry.normals", "supple.skins.base", True),
        ("supple.geometry.normals", "supple.errors", False),
        ("supple.errors", "supple.geometry.rows", True),
        ("supple.skins.contact.skin", "supple.skins.lattice.skin", True),
        ("supple.skins.contact.skin", "supple.skins.kinematic.linear_blend", False),
        ("supple.skins.contact.skin", "supple.skins.contact.layers", False),
        ("supple.skins.registry", "supple.skins.kinematic.linear_blend", False),
        ("supple.render.camera", "supple.cli.console", True),
        ("supple.cli.main", "supple.studio.server", True),
        ("supple.cli.studio", "supple.studio.engine", False),
        ("supple.studio.server", "supple.cli.console", True),
        ("supple.cli.demo", "supple.render", False),
        ("supple.cli.main", "supple.__version__", False),
        ("supple.motion.pose", "numpy", False),
    ],
)
def test_the_layer_checker_tells_right_from_wrong(module, imported, wrong, tmp_path, monkeypatch):
    for room in ("kinematic", "contact", "lattice"):
        (tmp_path / "supple" / "skins" / room).mkdir(parents=True)
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    assert wrong_way(module, imported) is wrong


@pytest.mark.parametrize(
    ("module", "imported", "bad"),
    [
        ("supple.geometry.tetrahedra", "tetgen", True),
        ("supple.geometry.tetrahedra", "igl.copyleft.cgal", True),
        ("supple.geometry.tetrahedra", "igl", False),
        ("supple.skins.base", "bpy", True),
        ("supple.bench.peers.blender", "bpy", False),
        ("supple.bench.peers.blender", "gmsh", True),
        ("supple.cli.bench", "bpy", False),
    ],
)
def test_the_copyleft_checker_tells_right_from_wrong(module, imported, bad):
    assert forbidden(module, imported) is bad


@pytest.mark.parametrize(
    ("name", "text", "faults"),
    [
        ("src/supple/skins/utils.py", "", 1),
        ("src/supple/core/skin.py", "", 1),
        ("src/supple/skins/base.py", "x\n" * 599, 0),
        ("src/supple/skins/base.py", "x\n" * 600, 1),
        ("src/a.py", "open('/" + "work/x')", 1),
        ("src/a.py", "see /home/someone/file", 1),
        ("src/a.py", "https://example.org/home/page and artwork/root/x", 0),
    ],
)
def test_the_file_checker_tells_right_from_wrong(name, text, faults):
    assert len(faults_of_file(name, text)) == faults


def test_no_sort_leaves_ties_to_the_processor():
    found = {module_name(path): unstable_calls(path.read_text()) for path in source_files()}
    assert {module: calls for module, calls in found.items() if calls} == {}


@pytest.mark.parametrize(("count", "long"), [(13, 0), (14, 1), (3, 0)])
def test_the_kernel_checker_counts_arguments_but_for_the_first_item(count, long):
    arguments = ", ".join(["first: int", *(f"a{i}: float" for i in range(count - 1))])
    for head, found in (("@wp.kernel(enable_backward=False)", long), ("@wp.func", 0)):
        assert len(long_kernels(f"{head}\ndef move({arguments}):\n    pass")) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("order = np.argsort(values)", 1),
        ("order = values.argsort(axis=1)", 1),
        ("order = np.argsort(values, kind='quicksort')", 1),
        ("order = np.argsort(values, axis=1, kind='stable')", 0),
        ("best = np.argpartition(values, 3)[:3]", 1),
        ("name, dot, rest = text.partition('.')", 0),
        ("order = reverse_cuthill_mckee(graph)", 1),
        ("values = np.sort(values)", 0),
    ],
)
def test_the_sort_checker_tells_right_from_wrong(text, count):
    assert len(unstable_calls(text)) == count
