"""A process that is shut off: what it may still do, what it may not, and what a planted plug-in comes to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import caches
import pytest

import supple
from supple.errors import FormatError, InputError
from supple.io import interprocess, isolation, save
from supple.io.isolation import isolate

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked of the Linux kernel")


def holds(what: str) -> bool:
    """Whether the kernel that runs the tests can do it."""
    code = "import sys, pathlib; from supple.io.isolation import isolate; print(*isolate([], pathlib.Path('/tmp')))"
    return what in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def folders(tmp_path):
    for name in ("inside", "answers", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    return tmp_path


def tried(folders: Path, code: str) -> str:
    """What comes of some code in a process that is shut off."""
    head = f"import pathlib, os\nfrom supple.io.isolation import isolate\nhere = pathlib.Path({str(folders)!r})\n"
    script = f"{head}isolate([here / 'inside'], here / 'answers')\ntry:\n    print({code})\n"
    script += "except PermissionError:\n    print('refused')\n"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("code", "came"),
    [
        ("(here / 'inside' / 'a').read_text()", "inside"),
        ("(here / 'outside' / 'a').read_text()", "refused"),
        ("open('/etc/passwd').read(1)", "refused"),
        ("(here / 'inside' / 'b').write_text('x')", "refused"),
        ("(here / 'inside' / 'a').unlink()", "refused"),
        ("(here / 'outside' / 'b').write_text('x')", "refused"),
        ("(here / 'answers' / 'b').write_text('x')", "1"),
        ("(here / 'answers' / 'a').replace(here / 'answers' / 'b').name", "b"),
        ("__import__('wave').__name__", "wave"),
    ],
)
def test_few_files_are_left(folders, code, came):
    if not holds("files"):
        pytest.skip("the kernel has no Landlock")
    assert tried(folders, code) == came


@pytest.mark.parametrize(
    "code",
    [
        "__import__('socket').socket()",
        "__import__('socket').socket(__import__('socket').AF_INET, __import__('socket').SOCK_DGRAM)",
        "__import__('socket').socketpair()",
        "os.execv('/bin/true', ['true'])",
        "__import__('subprocess').run(['/bin/true'])",
    ],
)
def test_there_is_no_network_and_no_program(folders, code):
    if not holds("network"):
        pytest.skip("the kernel has no seccomp, or the processor is not known")
    assert tried(folders, code) == "refused"


def test_a_system_that_can_do_nothing_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(isolation.sys, "platform", "plan9")
    assert isolate([], tmp_path) == ()


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".fbx"])
def test_sound_files_are_read_as_before(suffix, tmp_path):
    if suffix == ".fbx":
        pytest.importorskip("ufbx")
        import fbx_files

        (tmp_path / "a.fbx").write_bytes(fbx_files.text())
    else:
        pytest.importorskip("pxr")
        save(caches.small_character(), tmp_path / f"a{suffix}")
    assert len(supple.load(tmp_path / f"a{suffix}").points) > 3


PLUG_IN = """{"Plugins": [{"Type": "python", "Name": "planted", "Root": ".", "ResourcePath": ".", "Info": {"Types": {
"PlantedFormat": {"bases": ["SdfFileFormat"], "displayName": "planted", "extensions": ["planted"],
"formatId": "planted", "primary": true, "target": "usd"}}}}]}"""


def planted(folder: Path) -> dict[str, str]:
    """A file that draws in one of a kind that only a plug-in reads, which leaves a mark when it is run."""
    (folder / "plugInfo.json").write_text(PLUG_IN)
    (folder / "planted.py").write_text(f"import pathlib\npathlib.Path({str(folder / 'mark')!r}).touch()\n")
    (folder / "beside.planted").write_text("x")
    (folder / "a.usda").write_text('#usda 1.0\n(\n    subLayers = [@./beside.planted@]\n)\ndef Xform "a" {}\n')
    return {"PXR_PLUGINPATH_NAME": str(folder), "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def test_a_planted_plug_in_is_run_by_usd_and_not_by_us(tmp_path, monkeypatch):
    pytest.importorskip("pxr")
    surroundings = planted(tmp_path)
    code = f"from pxr import Usd; Usd.Stage.Open({str(tmp_path / 'a.usda')!r})"
    plain = [sys.executable, "-c", code]
    subprocess.run(plain, env=os.environ | surroundings, capture_output=True, check=False)
    assert (tmp_path / "mark").exists()  # what it would do
    (tmp_path / "mark").unlink()
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError):
        supple.load(tmp_path / "a.usda")
    assert not (tmp_path / "mark").exists()


def test_a_layer_that_names_a_file_outside_is_refused_by_us_and_by_the_kernel(folders):
    pytest.importorskip("pxr")
    outside = folders / "outside" / "secret.usda"
    outside.write_text('#usda 1.0\ndef Xform "secret" {}\n')
    file = folders / "inside" / "a.usda"
    file.write_text("#usda 1.0\n(\n    subLayers = [@../outside/secret.usda@]\n)\n")
    with pytest.raises(FormatError, match="a file may name only files beside it"):
        supple.load(file)
    look = "from pxr import Usd\n"
    seen = "bool((stage := Usd.Stage.Open(str(here / 'inside' / 'a.usda'))).GetPrimAtPath('/secret'))"
    script = f"import pathlib\nhere = pathlib.Path({str(folders)!r})\n{look}"
    if holds("files"):
        shut = f"{script}from supple.io.isolation import isolate\nisolate([here / 'inside'], here / 'answers')\n"
        for code, came in ((script, "True"), (shut, "False")):
            words = [sys.executable, "-c", f"{code}print({seen})"]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            assert done.stdout.strip() == came


@pytest.mark.parametrize(
    "said", [None, 5, ["SystemExit", "a", "b", "c", "d"], ["os", "a", "b", "c", "d"], ["InputError"]]
)
def test_an_answer_can_name_only_errors_of_ours(said):
    assert "half an answer" in str(interprocess.error_from(said, "a.usd"))


def test_an_error_of_ours_comes_through():
    error = interprocess.error_from(["InputError", "a", "b", "c", "d"], "a.usd")
    assert type(error) is InputError
    assert (error.where, error.advice) == ("a", "d")
