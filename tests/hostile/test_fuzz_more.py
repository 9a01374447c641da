"""Ten seconds of damage for every reader but those of glTF and BVH, and all damage that ever broke one.

A longer run is `python tests/scenes/fuzzing_more.py obj SEED SECONDS`, or any other of its kinds.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bombs import reader_of

from supple.errors import SuppleError

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
SCENES = Path(__file__).parents[1] / "scenes"
KINDS = [
    "obj",
    "ply",
    "stl",
    "npz",
    "pc2",
    "mdd",
    "cache",
    "graph",
    "edits",
    "scene",
    "curves",
    "pose space",
    "usd",
    "fbx",
]
LIBRARIES = {"usd": "pxr", "fbx": "ufbx"}
SEED, SECONDS = 22, 10.0

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")


def run(*arguments: str) -> subprocess.CompletedProcess:
    """In a process of its own, which is watched and bounded; one thread, because each reserves memory."""
    surroundings = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=SCENES, env=surroundings
    )


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_makes_a_reader_crash_hang_or_fill_the_memory(kind: str) -> None:
    if kind in LIBRARIES and importlib.util.find_spec(LIBRARIES[kind]) is None:
        pytest.skip(f"{LIBRARIES[kind]} is not installed")
    done = run("fuzzing_more.py", kind, str(SEED), str(SECONDS))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-3000:]}"
    least = 3 if kind in LIBRARIES else 100
    assert int(done.stdout.split(": ")[1].split()[0]) >= least


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_once_broke_a_reader_breaks_none(path: Path) -> None:
    try:
        made = reader_of(path)(path)
    except SuppleError as error:
        told = str(error)
        made = None
    assert made is not None or (path.name in told and len(told) < 2000)


@linux
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("while True: pass", "still busy"),
        ("bytearray(fuzzing_more.MEMORY * 11 // 10)", "MemoryError"),
        ("1 / 0", "ZeroDivision"),
        ("raise fuzzing_more.SuppleError('Motion', 'b', 'c', 'd')", "does not name the file"),
        ("raise fuzzing_more.SuppleError('spoilt', 'b' * 9999, 'c', 'd')", "an error is long"),
    ],
)
def test_the_watch_sees(harm: str, said: str) -> None:
    code = f"""
import itertools
import fuzzing_more
fuzzing_more.SECONDS = 0.5
sound, count = fuzzing_more.bombs.reader_of, itertools.count()
def reader_of(path):
    return harm if next(count) > 9 else sound(path)
def harm(path):
    {harm}
fuzzing_more.bombs.reader_of = reader_of
fuzzing_more.run("obj", 1, 60.0)
"""
    done = run("-c", code)
    assert done.returncode != 0
    assert said in done.stderr
