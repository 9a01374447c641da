"""The engine is made on a thread of its own, while a browser starts and reads the page."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

if TYPE_CHECKING:
    from supple.studio.engine import Engine


class Beginning:
    """Makes an engine, lets it play, and gives its application."""

    def __init__(self, make: Callable[[], Engine], measured: Path | None) -> None:
        """`make` loads all that takes long; for `measured` see `application`."""
        self.application: Future[ASGIApp] = Future()
        self._make, self._measured = make, measured
        self._engine: Engine | None = None
        self._thread = Thread(target=self._run, name="supple beginning", daemon=True)

    def start(self, failed: Callable[[], None]) -> None:
        """Begin; `failed` is called on the thread if nothing comes of it."""
        self.application.add_done_callback(lambda made: failed() if made.exception() is not None else None)
        self._thread.start()

    def end(self) -> None:
        """Stop the engine when it has been made; raises what kept it from being made."""
        self._thread.join()
        if self._engine is not None:
            self._engine.stop()
        problem = self.application.exception()
        if problem is not None:
            raise problem

    def _run(self) -> None:
        try:
            self._engine = self._make()
            self._engine.start()
            from supple.studio.server.app import application

            self.application.set_result(application(self._engine, self._measured))
        except BaseException as problem:  # raised at the end, where somebody hears of it
            self.application.set_exception(problem)
