"""Thirty seconds of damage for each reader, and all damage that ever broke one.

A longer run is `python tests/scenes/fuzzing.py gltf SEED SECONDS`, or `bvh`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
CORPUS = sorted(path for path in (HERE / "corpus").iterdir() if path.suffix != ".md")
SEED = 20
SECONDS = 30.0

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")


def run(*arguments: str) -> subprocess.CompletedProcess:
    """In a process of its own, which is watched and bounded; one thread, because each reserves memory."""
    surroundings = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=HERE / "scenes", env=surroundings
    )


@linux
@pytest.mark.parametrize("kind", ["gltf", "bvh"])
def test_no_damage_makes_a_reader_crash_hang_escape_or_fill_the_memory(kind: str) -> None:
    done = run("fuzzing.py", kind, str(SEED), str(SECONDS))
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-3000:]}"
    assert int(done.stdout.split(": ")[1].split()[0]) > 100


CHECK = """
import sys, tempfile
from pathlib import Path
import fuzzing
with tempfile.TemporaryDirectory() as folder:
    watch = fuzzing.Watch(Path(folder))
    fuzzing.keep_to(fuzzing.MEMORY)
    for name in sys.argv[1:]:
        print(name, flush=True)
        watch.read(Path(name).read_bytes(), Path(name).suffix)
"""


@linux
def test_what_once_broke_a_reader_breaks_none(tmp_path: Path) -> None:
    done = run("-c", CHECK, *map(str, CORPUS))
    assert done.returncode == 0, f"{done.stdout[-300:]}\n{done.stderr[-3000:]}"
    assert done.stdout.split() == [str(path) for path in CORPUS]


# The watch itself: each kind of harm is seen


@linux
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("open('../secret.bin')", "was opened"),
        ("open('inside/way_out.bin')", "was opened"),
        ("while True: pass", "still busy"),
        ("bytearray(fuzzing.MEMORY * 11 // 10)", "MemoryError"),
        ("1 / 0", "ZeroDivision"),
        ("np.float64(1e300) * 1e300", "overflow"),
        ("__import__('os').system('true')", "os.system"),
        ("raise fuzzing.InputError('spoilt', 'b', 'c', 'd')", "neither broken nor well formed"),
        ("raise fuzzing.FormatError('Motion', 'b', 'c', 'd')", "does not name the file"),
        ("raise fuzzing.FormatError('spoilt', 'b' * 9999, 'c', 'd')", "an error is long"),
    ],
)
def test_the_watch_sees(harm: str, said: str) -> None:
    code = f"""
import os, sys, tempfile
from pathlib import Path
import numpy as np
import fuzzing
fuzzing.SECONDS = 0.2
def harm(*_, **__):
    {harm}
with tempfile.TemporaryDirectory() as folder:
    watch = fuzzing.Watch(Path(folder))
    os.chdir(folder if "inside" in {harm!r} else watch.folder)
    fuzzing.keep_to(fuzzing.MEMORY)
    watch.read(fuzzing.BVH, ".bvh")
    fuzzing.load_motion = harm
    watch.read(fuzzing.BVH, ".bvh")
"""
    done = run("-c", code)
    assert done.returncode != 0
    assert said in done.stderr
