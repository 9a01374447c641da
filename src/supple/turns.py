"""Whoever plays comes first: threads beside it stand still while a frame is being made.

Python runs one thread at a time, and one that is called back waits up to a whole interval for another that calculates.
A frame is made of many short calls, each of which would wait so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import perf_counter
from types import FrameType

_PATIENCE = 0.03  # s that others wait at most: frames that take longer leave them too little, and may wait for them
_SLICE = 0.01  # s that they have then


class Turns:
    """The turns of one thread, each a `with` block; other threads give way to them."""

    def __init__(self) -> None:
        self._taken = False
        self._over = Event()
        self._over.set()

    def __enter__(self) -> None:
        self._taken = True
        self._over.clear()

    def __exit__(self, *_: object) -> None:
        self._taken = False
        self._over.set()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """Let this thread, inside a `with` block, stand still at its next call of a function whenever it is a turn.

        A thread that is being profiled does not give way.
        """
        if sys.getprofile() is not None:
            yield
            return
        free = 0.0

        def look(frame: FrameType, event: str, argument: object) -> None:
            nonlocal free
            if self._taken and perf_counter() >= free and not self._over.wait(_PATIENCE):
                free = perf_counter() + _SLICE

        sys.setprofile(look)
        try:
            yield
        finally:
            sys.setprofile(None)
