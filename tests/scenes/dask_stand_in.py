"""As much of Dask's client as a farm uses, without Dask: workers come and go, the scheduler is killed and returns.

`StandIn` stands for the module `distributed` and for one cluster. What it says of Dask is held against Dask itself by
tests/farm/test_dask_farm.py, where that is installed.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

LOST, DONE, FAILED = "lost", "finished", "error"


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """Dask gives up on a task after some workers died over it."""


class Future:
    """A task of a client."""

    def __init__(self, work: Callable[[], Any], allowed: list[str] | None) -> None:
        self.work, self.allowed, self.status = work, allowed, "pending"
        self._came: Any = None
        self._callbacks: list[Callable[[Future], None]] = []

    def end(self, status: str, came: Any = None) -> None:
        self.status, self._came = status, came
        for call in self._callbacks:
            call(self)

    def add_done_callback(self, call: Callable[[Future], None]) -> None:
        self._callbacks.append(call)
        if self.status != "pending":
            call(self)

    def result(self, timeout: float) -> Any:
        return self._came

    def exception(self, timeout: float) -> Any:
        return self._came


class StandIn:
    """A cluster whose `workers` have a version of Supple each; tasks run in a thread, one after another."""

    KilledWorker = KilledWorker

    def __init__(self, **workers: str) -> None:
        self.workers = dict(workers)
        self.up = True
        self.given: list[str] = []  # keys, as they were submitted
        self.done_by: list[str] = []
        self.spoil: Callable[[str], Exception | None] = lambda key: None
        self._waiting: list[tuple[str, Future]] = []
        self._lock = threading.RLock()
        self._turn = itertools.count()

    def Client(self, address: str, *, timeout: float, set_as_default: bool) -> Client:  # noqa: N802 - Dask's name
        if not self.up:
            raise OSError(f"nobody answers at {address}")
        return Client(self)

    def stop_scheduler(self) -> None:
        """Everything that was given to it is lost, and so are its workers."""
        with self._lock:
            self.up, waiting, self._waiting = False, self._waiting, []
            self.workers.clear()
        for _, future in waiting:
            future.end(LOST)

    def submit(self, key: str, future: Future) -> None:
        with self._lock:
            if not self.up:
                raise OSError("the scheduler is gone")
            self.given.append(key)
            self._waiting.append((key, future))
        threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        """Do what waits, as far as there are workers for it."""
        with self._lock:
            for entry in list(self._waiting):
                key, future = entry
                able = [name for name in self.workers if future.allowed is None or name in future.allowed]
                if not able or not self.up:
                    continue
                self._waiting.remove(entry)
                self.done_by.append(able[next(self._turn) % len(able)])
                spoilt = self.spoil(key)
                if not self.up:  # it spoilt the scheduler
                    future.end(LOST)
                elif spoilt is not None:
                    future.end(FAILED, spoilt)
                else:
                    future.end(DONE, future.work())


class Client:
    """A connection to a stand-in."""

    dashboard_link = "http://stand-in/status"

    def __init__(self, cluster: StandIn) -> None:
        self._cluster = cluster

    def submit(
        self, work: Callable[..., Any], *given: Any, key: str, pure: bool, workers: list[str] | None = None
    ) -> Future:
        future = Future(lambda: work(*given), workers)
        self._cluster.submit(key, future)
        return future

    def scheduler_info(self, *, n_workers: int) -> dict[str, Any]:
        if not self._cluster.up:
            raise OSError("the scheduler is gone")
        return {"workers": dict(self._cluster.workers)}

    def run(self, work: Callable[..., Any], *given: Any, on_error: str) -> dict[str, Any]:
        return dict(self._cluster.workers)

    def wait_for_workers(self, count: int, *, timeout: float) -> None:
        until = time.monotonic() + timeout
        while len(self._cluster.workers) < count:
            if time.monotonic() > until:
                raise TimeoutError
            time.sleep(0.01)

    def close(self, timeout: float) -> None:
        pass
