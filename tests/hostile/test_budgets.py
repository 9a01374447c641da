"""Files made to cost much are read or refused within their bounds: 256 MB and 16 times their size, 5 s and 1 s/MB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bombs
import pytest

from supple import budget
from supple.budget import Budget
from supple.errors import FormatError

SCENES = Path(bombs.__file__).parent


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
@pytest.mark.parametrize("name", bombs.BOMBS)
def test_a_file_made_to_cost_much_stays_within_its_bounds(name, tmp_path):
    surroundings = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "bombs.py", name, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=SCENES, env=surroundings)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(name)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
@pytest.mark.parametrize(
    ("harm", "said"), [("bytearray(300 << 20)", "MemoryError"), ("[i for i in range(300_000_000)][:0]", "MemoryError")]
)
def test_the_watch_sees_what_it_should(harm, said, tmp_path):
    code = f"import bombs, pathlib\nbombs.reader_of = lambda path: lambda path: {harm}\nbombs.main('npz of claims', "
    words = [sys.executable, "-c", f"{code}pathlib.Path({str(tmp_path)!r}))"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=SCENES)
    assert done.returncode != 0
    assert said in done.stderr


def test_memory_is_counted_before_it_is_used():
    left = Budget("a.ply", 1000)
    left.spend(budget.ALLOWANCE)
    left.spend(budget.GROWTH * 1000)
    with pytest.raises(FormatError, match=r"a\.ply: faces: it unfolds to 1 bytes more"):
        left.spend(1, "faces")


def test_a_file_that_belongs_to_another_brings_its_own():
    left = Budget("a.gltf", 0)
    left.grow(1000)
    left.spend(budget.ALLOWANCE + budget.GROWTH * 1000)


def test_time_is_that_of_this_thread(monkeypatch):
    now = [10.0]
    monkeypatch.setattr(budget.time, "thread_time", lambda: now[0])
    left = Budget("a.ply", 10_000_000)
    now[0] += budget.SECONDS + 10 * budget.MEGABYTE_SECONDS - 0.1
    left.look_at_the_clock()
    now[0] += 0.2
    with pytest.raises(FormatError, match="it is not read after 12 s"):
        left.look_at_the_clock()
