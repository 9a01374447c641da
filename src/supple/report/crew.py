"""Work spread over several processes, each with a part of the cores.

What Warp compiles, what NumPy prepares and what the renderer draws mostly runs on one core; skins side by side do not
wait for each other.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Any, Protocol

from supple.device import threads
from supple.errors import SuppleError, SuppleWarning, UnfinishedError

PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.report.crew_process")
MOST = 4  # processes: each takes some hundred megabytes
_OWN = b"__main__"  # the program that was started: another one has another
_WAITING = 8  # things told that nobody has looked at yet, before those who tell them wait

Tell = Callable[[Any], None]


@dataclass(frozen=True)
class Job:
    """A call of `work(*given, tell=...)`, which may tell things on its way and returns a result."""

    work: Callable[..., Any]
    given: tuple[Any, ...]


class Crew(Protocol):
    """Who does jobs: `size` of them at a time."""

    size: int

    def run(self, jobs: Sequence[Job], heard: Callable[[int, Any], None]) -> list[Any]:
        """Do all jobs, begun in their order; `heard` gets the number of a job and what it tells. Returns results."""


class Alone:
    """One job after another, in this process."""

    size = 1

    def run(self, jobs: Sequence[Job], heard: Callable[[int, Any], None]) -> list[Any]:
        def tell(number: int) -> Tell:
            return lambda what: heard(number, what)

        return [job.work(*job.given, tell=tell(number)) for number, job in enumerate(jobs)]


@contextlib.contextmanager
def crew(size: int) -> Iterator[Crew]:
    """`size` processes that are there until the block ends; this one alone for a size of one."""
    if size <= 1:
        yield Alone()
        return
    with contextlib.ExitStack() as stack:
        yield _Several([stack.enter_context(process_with(max(threads() // size, 1))) for _ in range(size)])


class _Several:
    """Jobs go to whoever is free. What they tell arrives in the thread that called `run`."""

    def __init__(self, processes: Sequence[subprocess.Popen[bytes]]) -> None:
        self._processes = processes
        self.size = len(processes)

    def run(self, jobs: Sequence[Job], heard: Callable[[int, Any], None]) -> list[Any]:
        try:
            packed = [pickle.dumps(job) for job in jobs]
        except (pickle.PicklingError, AttributeError, TypeError):  # a path that is a function of somebody's own
            return Alone().run(jobs, heard)
        if any(_OWN in job for job in packed):  # a skin of somebody's own, which another process does not know
            return Alone().run(jobs, heard)
        waiting: Queue[tuple[int, bytes]] = Queue()
        for number, each in enumerate(packed):
            waiting.put((number, each))
        news: Queue[tuple[int, str, Any]] = Queue(maxsize=_WAITING)
        for process in self._processes:
            Thread(target=_hand_over, args=(process, waiting, news), daemon=True).start()
        results: dict[int, Any] = {}
        while len(results) < len(jobs):
            number, kind, what = news.get()
            if kind == "told":
                heard(number, what)
            elif kind == "warned":
                warnings.warn(what, SuppleWarning, stacklevel=3)
            elif kind == "done":
                results[number] = what
            else:
                raise what
        return [results[number] for number in range(len(jobs))]


def _hand_over(
    process: subprocess.Popen[bytes], waiting: Queue[tuple[int, bytes]], news: Queue[tuple[int, str, Any]]
) -> None:
    """Give one process job after job, and pass on what comes back, until there are none or one failed."""
    assert process.stdin is not None
    assert process.stdout is not None
    while True:
        try:
            number, job = waiting.get_nowait()
        except Empty:
            return
        try:
            process.stdin.write(len(job).to_bytes(8, "little") + job)
            process.stdin.flush()
            kind = ""
            while kind not in ("done", "failed"):
                kind, what = pickle.load(process.stdout)
                news.put((number, kind, what))
        except (OSError, EOFError, pickle.UnpicklingError):
            code = process.wait()
            news.put(
                (
                    number,
                    "failed",
                    UnfinishedError(
                        "compare",
                        f"a process that was to help ended (exit {code})",
                        "it was needed",
                        "try again with less going on beside it, or with processes=1",
                    ),
                )
            )
            return
        if kind == "failed":
            return


def threads_of(cores: int) -> dict[str, str]:
    """The environment of a process that has so many cores: of kernels, of NumPy's and SciPy's libraries, of libigl."""
    libraries = ("SUPPLE", "OPENBLAS", "OMP", "MKL", "IGL")
    own = {f"{name}_NUM_THREADS" if name != "SUPPLE" else "SUPPLE_THREADS": str(cores) for name in libraries}
    # Mesa, which draws where there is no GPU: 0 is in the thread that asks for it.
    return {**own, "LP_NUM_THREADS": str(cores if cores > 1 else 0)}


@contextlib.contextmanager
def process_with(cores: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, *PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | threads_of(cores)
    )
    try:
        yield process
    finally:
        process.kill()  # all that it made is whole on disk, or taken up again
        with contextlib.suppress(OSError):
            process.communicate()


def failure(problem: Exception) -> SuppleError:
    """What another process says went wrong, as an error that can be handed over."""
    if isinstance(problem, SuppleError):
        return problem
    what = f"{type(problem).__name__}: {problem}".splitlines()[0]
    return UnfinishedError(
        "compare",
        f"something unexpected happened ({what})",
        "this should work",
        "run it again with processes=1 to see where",
    )
