"""The workers of a Dask cluster: on this machine, or wherever the scheduler at an address has them.

Dask moves a task to another worker when one dies. When it gives up on one, or the scheduler itself goes away and comes
back, the future fails with `LostError`, and the farm begins the task anew.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from importlib.metadata import version
from threading import Lock, Thread
from typing import Any

import supple
from supple.device import threads
from supple.errors import InputError, UnfinishedError
from supple.farm.hands import PATIENCE, Hands, LostError, missing_dask
from supple.farm.work import do
from supple.report.crew import threads_of

_ANSWER = 60.0  # [s] for an answer that is there to arrive


@contextlib.contextmanager
def dask_hands(cluster: str, *, workers: int | None = None, patience: float = PATIENCE) -> Iterator[Hands]:
    """A cluster of this machine for "local", else the one whose scheduler is at an address such as tcp://host:8786.

    Its scheduler, and a worker that can be given work, are waited for `patience` seconds whenever they are not there.
    """
    try:
        import distributed
    except ImportError as error:
        raise missing_dask(error) from None
    if cluster != "local" and "://" not in cluster:
        needed = "local, or the address of a scheduler, is needed"
        raise InputError("--cluster", f"{cluster!r} was given", needed, "write tcp://host:8786")
    if cluster != "local":
        if workers is not None:
            given = "--workers is given beside an address"
            raise InputError("--cluster", given, "that cluster has its own", "leave --workers out")
        with DaskHands(distributed, cluster, patience=patience) as hands:
            yield hands
        return
    size = workers or threads()
    logging.getLogger("distributed").setLevel(logging.ERROR)  # that workers come and go is told by the farm
    with distributed.LocalCluster(
        n_workers=size, threads_per_worker=1, processes=True, env=threads_of(1), silence_logs=logging.ERROR,
        dashboard_address="127.0.0.1:0", memory_limit=0,
    ) as made:  # fmt: skip
        address, link = made.scheduler_address, made.dashboard_link
        with DaskHands(distributed, address, patience=patience, link=link) as hands:
            hands.cluster = made
            yield hands


class DaskHands:
    """Orders go to a scheduler. Answers arrive in threads of Dask's."""

    def __init__(self, distributed: Any, address: str, *, patience: float = PATIENCE, link: str = "") -> None:
        self._distributed, self._address, self._patience = distributed, address, patience
        self._alone_since: float | None = None  # nobody could be given work since
        self.cluster: Any = None  # of this machine, if it is
        self._lock, self._numbers = Lock(), itertools.count(1)
        self._client = self._connected()
        try:
            self._client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            given = f"the scheduler has no workers after {patience:g} s"
            raise UnfinishedError(address, given, "at least one is needed", "start some: dask worker ADDRESS") from None
        self.size = len(self._client.scheduler_info(n_workers=-1)["workers"])
        self._refused: set[str] = set()
        self.refusals: list[str] = []
        self._look_at_versions()
        self.link = link or str(self._client.dashboard_link)
        self.words = f"{self.size} worker{'s' if self.size > 1 else ''} of Dask at {address}"

    def __enter__(self) -> DaskHands:
        return self

    def __exit__(self, *problem: object) -> None:
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)

    def begin(self, name: str, order: str, heard: Callable[[Future[str]], None]) -> None:
        """Submit an order; the first word of its name groups it on the dashboard."""
        client = self._client
        kind, _, rest = name.partition(" ")
        key = f"{kind}-{rest}-{next(self._numbers)}"
        try:
            allowed = self._allowed() if self._refused else None
            future = client.submit(do, order, key=key, pure=False, workers=allowed)
        except UnfinishedError:
            raise
        except Exception as error:  # the scheduler is gone
            self._again(client, error, heard)
            return
        future.add_done_callback(lambda done: self._beside(self._answer, client, done, heard))

    def _again(self, client: Any, error: Exception, heard: Callable[[Future[str]], None]) -> None:
        """Say that an order was lost, once there is a scheduler again."""

        def wait() -> None:
            answer: Future[str] = Future()
            try:
                self._reconnect(client)
                answer.set_exception(LostError(f"{type(error).__name__}: {error}"))
            except UnfinishedError as nobody:
                answer.set_exception(nobody)
            heard(answer)

        self._beside(wait)

    @staticmethod
    def _beside(work: Callable[..., None], *given: Any) -> None:
        """Do something in a thread of its own: those of Dask's must not wait for Dask."""
        Thread(target=work, args=given, daemon=True).start()

    def refuse(self, worker: str) -> None:
        """Give nothing more to a worker."""
        self._refused.add(worker)
        self._allowed()

    def look(self) -> str:
        """In words that nobody is there to work, while that may change; an error when it lasts."""
        try:
            there = set(self._client.scheduler_info(n_workers=-1)["workers"]) - self._refused
        except Exception:  # the scheduler is gone: whoever waits for an answer hears of it
            return ""
        now = time.monotonic()
        if there:
            self._alone_since = None
            return ""
        if self._alone_since is None:
            self._alone_since = now
            return f"no worker is there; one is waited for, {self._patience:g} s"
        if now - self._alone_since < self._patience:
            return ""
        raise UnfinishedError(
            self._address,
            f"no worker was there for {self._patience:g} s",
            "at least one is needed",
            "start some (dask worker ADDRESS); the same command goes on",
        )

    def _allowed(self) -> list[str]:
        there = self._client.scheduler_info(n_workers=-1)["workers"]
        allowed = [worker for worker in there if worker not in self._refused]
        if not allowed:
            given = "all of its workers are refused: " + "; ".join(self.refusals or sorted(self._refused))
            raise UnfinishedError(
                self._address, given, "one of this version is needed", "install the same version there"
            )
        return allowed

    def _look_at_versions(self) -> None:
        """Refuse workers that have another Supple, or none, before they are given anything."""
        for worker, found in self._client.run(version, "supple", on_error="return").items():
            if found != supple.__version__:
                has = f"Supple {found}" if isinstance(found, str) else "no Supple"
                self.refusals.append(f"{worker} has {has}, and {supple.__version__} is needed")
                self._refused.add(worker)
        if self._refused:
            self._allowed()

    def _answer(self, client: Any, done: Any, heard: Callable[[Future[str]], None]) -> None:
        """Pass on what came of an order; where the scheduler is gone, once there is one again."""
        answer: Future[str] = Future()
        try:
            if done.status == "finished":
                answer.set_result(done.result(timeout=_ANSWER))
            elif done.status == "error":
                problem = done.exception(timeout=_ANSWER)
                lost = isinstance(problem, self._distributed.KilledWorker)
                answer.set_exception(LostError(str(problem)) if lost else problem)
            else:
                self._reconnect(client)
                answer.set_exception(LostError("the scheduler went away"))
        except UnfinishedError as error:
            answer.set_exception(error)
        except Exception as error:
            answer.set_exception(LostError(f"{type(error).__name__}: {error}"))
        heard(answer)

    def _reconnect(self, lost: Any) -> None:
        """A client of the scheduler that is at the address now, if that is no longer the one that was lost."""
        with self._lock:
            if self._client is not lost:
                return
            with contextlib.suppress(Exception):
                lost.close(timeout=1)
            self._client = self._connected()

    def _connected(self) -> Any:
        until = time.monotonic() + self._patience
        while True:
            try:
                return self._distributed.Client(self._address, timeout=5, set_as_default=False)
            except (OSError, ValueError) as error:
                if isinstance(error, ValueError) or time.monotonic() > until:
                    given = f"no scheduler answers there for {self._patience:g} s"
                    advice = "start one (dask scheduler) or use --cluster local; the same command goes on"
                    raise UnfinishedError(self._address, given, "one is needed", advice) from None
                time.sleep(0.5)
