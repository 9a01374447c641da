"""Bounds that a process sets for itself before it reads a file with a library that trusts files.

A damaged count makes such a library ask for gigabytes, a damaged offset makes it walk in circles. With these bounds
either ends the reading, and the process that waits for it says so in one error.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import signal
import sys
from pathlib import Path

MEMORY = 224 << 20  # [bytes] beyond what the process has once its libraries are loaded
GROWTH = 16  # and bytes for each byte of the file
SECONDS = 4  # [s] of the process's own time beyond what loading the libraries took
MEGABYTE_SECONDS = 1.0  # [s] and for each megabyte of the file
BUSY = 10.0  # times as long may pass on the clock where the system counts that time: others want the machine too

OUT_OF_TIME = tuple(-getattr(signal, name) for name in ("SIGXCPU",) if hasattr(signal, name))
"""Exit codes of a process that the system ended because its time was up."""

# One thread: each would reserve memory that counts against the bound.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PXR_WORK_THREAD_LIMIT": "1",
    "MALLOC_ARENA_MAX": "1",
}


def cpu_seconds_for(size: int) -> float:
    """How much of its own time [s] a process may spend on a file of `size` bytes: 4 s, and one for each megabyte.

    The slowest sound files measured, many long clips packed small, took 0.3 s a megabyte.
    """
    return SECONDS + MEGABYTE_SECONDS * size / 1e6


def wall_seconds_for(size: int) -> float:
    """How long [s] on the clock to wait for a process that reads a file of `size` bytes.

    The system ends a process that used up its own time, so this is for one that sleeps, and a busy machine may take ten
    times as long. Where the system does not count, it is all there is, and twice must do.
    """
    return (BUSY if importlib.util.find_spec("resource") else 2.0) * cpu_seconds_for(size)


def memory_for(size: int) -> int:
    """How many bytes a process may add for a file of `size` bytes: 224 MB, and 16 for each byte.

    So a damaged file of up to 2 MB ends within 256 MB. The share of the size is for large sound files: text took 5 and
    packed arrays 12 times their size, most of it while single precision becomes double.
    """
    return MEMORY + GROWTH * size


class Sandbox:
    """The bounds of this process, counted from what it has when they are made: its libraries should be loaded by then.

    Memory is bounded on Linux, and counts what is the process's own and can be written: mapped files and reserved
    addresses cost nothing. Time is bounded wherever the system can; a process beyond it is ended by the system. On
    other systems the waiting process has only `wall_seconds_for` to go by. Bounds that held before are never raised.
    """

    def __init__(self) -> None:
        self._now: dict[int, float] = {}
        self._given: dict[int, tuple[int, int]] = {}
        with contextlib.suppress(ImportError, OSError):
            import resource

            used = resource.getrusage(resource.RUSAGE_SELF)
            self._now[resource.RLIMIT_CPU] = used.ru_utime + used.ru_stime
            if sys.platform == "linux":
                self._now[resource.RLIMIT_DATA] = _data()
            self._given = {kind: resource.getrlimit(kind) for kind in self._now}

    def allow(self, size: int) -> None:
        """Let this process spend what files of `size` bytes in all may cost."""
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            for kind, now in self._now.items():
                more = cpu_seconds_for(size) if kind == resource.RLIMIT_CPU else memory_for(size)
                finite = [given for given in self._given[kind] if given != resource.RLIM_INFINITY]
                resource.setrlimit(kind, (min([math.ceil(now + more), *finite]), self._given[kind][1]))


def _data() -> int:
    """Bytes that are this process's own and can be written (VmData)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) << 10
    raise OSError("the system does not say how much memory this process has")
