"""A process that bounds itself: what it may still have, and what ends it."""

import subprocess
import sys

import pytest

from supple.io import sandbox

pytest.importorskip("resource")

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")


def run(code: str) -> subprocess.CompletedProcess:
    head = "import numpy as np\nfrom supple.io.sandbox import Sandbox, MEMORY, GROWTH\nbounds = Sandbox()\n"
    return subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, check=False)


@LINUX
@pytest.mark.parametrize(("size", "share", "fine"), [(0, 0.9, True), (0, 1.1, False), (10**7, 1.1, True)])
def test_memory_is_bounded_by_the_size_of_the_file(size, share, fine):
    done = run(f"bounds.allow({size})\nnp.ones(int({share} * MEMORY), dtype=np.uint8)")
    assert (done.returncode == 0) == fine
    assert fine or "MemoryError" in done.stderr


@LINUX
def test_bounds_grow_with_the_files_and_are_counted_from_the_start():
    done = run(
        "bounds.allow(0)\nheld = np.ones(int(0.6 * MEMORY), dtype=np.uint8)\nbounds.allow(0)\n"
        "try:\n    np.ones(int(0.6 * MEMORY), dtype=np.uint8)\nexcept MemoryError:\n    print('refused')\n"
        "bounds.allow(MEMORY // GROWTH)\nnp.ones(int(0.6 * MEMORY), dtype=np.uint8)\nprint('allowed')"
    )
    assert done.stdout.split() == ["refused", "allowed"]


def test_bounds_that_held_before_stay():
    done = run(
        "import resource\nhard = resource.getrlimit(resource.RLIMIT_CPU)[1]\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (3, hard))\nbounds = Sandbox()\nbounds.allow(10**9)\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])"
    )
    assert done.stdout.split() == ["3"]


def test_a_process_beyond_its_time_is_ended_with_a_code_that_says_so():
    done = run("import supple.io.sandbox as c\nc.SECONDS = 0\nSandbox().allow(0)\nwhile True: pass")
    assert done.returncode in sandbox.OUT_OF_TIME


def test_a_damaged_file_of_a_megabyte_costs_less_than_the_promise():
    assert sandbox.memory_for(1_000_000) <= 256 << 20
    assert sandbox.cpu_seconds_for(1_000_000) <= 5.0
