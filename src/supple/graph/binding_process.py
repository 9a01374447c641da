"""A process beside this one that binds skins, so that whoever plays here is not held up meanwhile."""

from __future__ import annotations

import contextlib
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread, Timer

from supple import kept
from supple.character.character import Character
from supple.graph import bindings
from supple.graph.graph import Graph
from supple.memory import give_back
from supple.skins.base import AnySkin

_IDLE = 5.0  # s after which it starts, though nobody has asked for anything: until then there is enough to do
_GENTLE = 15  # how much later than others it gets its turn, where the system knows such a thing


class BindingProcess:
    """Binds skins whose bindings are kept on disk, and leaves them there; the next to bind them here only reads.

    Python runs one thread at a time, so that binding on a thread would stop what plays for most of its time.
    """

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
        self._starting = Timer(_IDLE, self._start)
        self._starting.daemon = True
        self._starting.start()

    def bind(self, graph: Graph, character: Character, device: str) -> None:
        """Have the bindings of all skins of a graph on disk; nothing is done for those that are not kept there.

        What cannot be bound is left to whoever binds it here, and so is everything where the process was killed.
        """
        if kept.limit() == 0:
            return
        for stage in graph.stages:
            if isinstance(stage.work, AnySkin) and stage.work.cached and not bindings.is_kept(stage.work, character):
                with contextlib.suppress(Exception, BrokenProcessPool):
                    self._pool.submit(_bind, stage.work, character, device).result()

    def close(self) -> None:
        """End it, without waiting for what it is doing."""
        self._starting.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> None:
        """Have it running before it is wanted."""
        with contextlib.suppress(RuntimeError):  # it may have been ended just now
            self._pool.submit(_nothing)


def _begin() -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for whoever started it, who then ends it
    if hasattr(os, "nice"):
        os.nice(_GENTLE)


def _end_with_parent() -> None:
    """Whoever was killed could not end it."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _nothing() -> None:
    import supple.skins.registry  # noqa: F401  (what takes longest to start)


def _bind(skin: AnySkin, character: Character, device: str) -> None:
    bindings.bind(skin, character, device)
    give_back()  # it is on disk, and whoever waits for the next skin may wait long
