"""Who does the tasks: processes on the cores of this machine, or the workers of a Dask cluster.

All take an order as text and give a `Future` whose result is the answer as text. A worker that is lost (killed, out of
memory, unplugged) makes it fail with `LostError`; what it was doing can be begun again, since every task takes up what
is there.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Queue
from threading import Thread
from typing import Protocol

from supple.device import threads
from supple.errors import InputError, UnfinishedError
from supple.farm.work import do
from supple.report.crew import Job, process_with


class LostError(Exception):
    """The worker went away before it answered."""


class Hands(Protocol):
    """Who does tasks, `size` at a time."""

    size: int
    words: str
    link: str
    refusals: list[str]

    def begin(self, name: str, order: str, heard: Callable[[Future[str]], None]) -> None:
        """Have an order done; `heard` is told, in any thread, when it is."""
        ...

    def refuse(self, worker: str) -> None:
        """Give nothing more to a worker, which is not of this version; an error where none is left."""
        ...

    def look(self) -> str:
        """Asked from time to time: in words what is wrong, if anything; an error where nobody came for too long."""
        ...


PATIENCE = 120.0  # [s] for which a scheduler, or a worker that can be given work, is waited for


@contextlib.contextmanager
def hands_of(cluster: str | None, *, workers: int | None = None, patience: float = PATIENCE) -> Iterator[Hands]:
    """Processes of this machine if `cluster` is None, a Dask cluster on it for "local", or the one at an address.

    A cluster is waited for `patience` seconds whenever its scheduler is gone or it has no workers.
    """
    if workers is not None and workers < 1:
        raise InputError("--workers", f"it is {workers}", "at least one is needed", "leave it out for all cores")
    if cluster is None:
        with _Cores(workers or threads()) as cores:
            yield cores
        return
    from supple.farm.dask_cluster import dask_hands

    with dask_hands(cluster, workers=workers, patience=patience) as dask:
        yield dask


class Alone:
    """One task after another, in this process and thread."""

    size, words, link = 1, "this process", ""

    def __init__(self) -> None:
        self.refusals: list[str] = []

    def refuse(self, worker: str) -> None:
        raise _no_other(worker)

    def look(self) -> str:
        return ""

    def begin(self, name: str, order: str, heard: Callable[[Future[str]], None]) -> None:
        future: Future[str] = Future()
        future.set_result(do(order))
        heard(future)


class _Cores:
    """Processes of this machine, each on one core; one that ends is replaced."""

    def __init__(self, size: int) -> None:
        self.size, self.words = size, f"{size} process{'es' if size > 1 else ''} of this machine"
        self._orders: Queue[tuple[str, Future[str]] | None] = Queue()
        self._threads = [Thread(target=self._serve, daemon=True) for _ in range(size)]
        self.processes: list[subprocess.Popen[bytes]] = []
        self.refusals: list[str] = []
        self.link = ""

    def __enter__(self) -> _Cores:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        for _ in self._threads:
            self._orders.put(None)
        for process in list(self.processes):  # whoever is at work is not waited for: all it made is taken up again
            process.kill()
        for thread in self._threads:
            thread.join(timeout=10.0)

    def begin(self, name: str, order: str, heard: Callable[[Future[str]], None]) -> None:
        future: Future[str] = Future()
        future.add_done_callback(heard)
        self._orders.put((order, future))

    def refuse(self, worker: str) -> None:
        raise _no_other(worker)

    def look(self) -> str:
        return ""  # a process that ends is replaced

    def _serve(self) -> None:
        """Give orders to one process after another, each until it ends."""
        given = self._orders.get()
        while given is not None:
            with process_with(1) as process:
                self.processes.append(process)
                while given is not None and process.poll() is None:
                    order, future = given
                    try:
                        future.set_result(_asked(process, order))
                    except Exception as error:
                        future.set_exception(error)
                    given = self._orders.get()
                self.processes.remove(process)


def _asked(process: subprocess.Popen[bytes], order: str) -> str:
    """What a process answers to an order."""
    assert process.stdin is not None
    assert process.stdout is not None
    job = pickle.dumps(Job(do, (order,)))
    try:
        process.stdin.write(len(job).to_bytes(8, "little") + job)
        process.stdin.flush()
        kind, what = "", None
        while kind not in ("done", "failed"):
            kind, what = pickle.load(process.stdout)
    except (OSError, EOFError, pickle.UnpicklingError):
        raise LostError(f"process {process.pid} ended (exit {process.wait()})") from None
    if isinstance(what, Exception):
        raise what
    return str(what)


def _no_other(worker: str) -> UnfinishedError:
    given = f"processes of {worker} find another Supple than this one"
    return UnfinishedError("farm", given, "both must be the same", "look at PYTHONPATH")


def missing_dask(error: ImportError) -> UnfinishedError:
    """Dask is not installed."""
    return UnfinishedError(
        "--cluster",
        f"{error.name or 'dask'} could not be loaded",
        "clusters need the farm extra",
        "install it with: pip install 'supple[farm]', or leave --cluster out to use the cores of this machine",
    )
