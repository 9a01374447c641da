"""Memory that skins leave behind goes back to the system, which neither Python nor glibc does soon by itself.

Objects that hold each other wait for Python's collector, which seldom looks at old ones; and what is free stays in
pieces between what is in use. Two hundred changes of skin in an hour kept 200 MB that nobody used.
"""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from threading import Lock, Thread
from typing import Any

_collecting = Lock()  # the collector does nothing for who calls it while it collects for another thread


def put_off_collecting() -> None:
    """Look for nothing to give back while all that stays is made: that takes a sixth of a start, and finds nothing."""
    gc.disable()


def leave_alone_what_is_there() -> None:
    """Let the collector pass over all that is there now, so that it is soon done with what comes later."""
    gc.freeze()
    gc.enable()


def give_back_beside() -> None:
    """Give back what nobody uses, on a thread of its own."""
    Thread(target=give_back, name="supple memory", daemon=True).start()


def give_back() -> bool:
    """Give back what nobody uses; whether there was any, as far as that is known."""
    with _collecting:
        gc.collect()
    trim = _trim()
    return trim is not None and bool(trim(0))


@cache
def _trim() -> Any:
    """Of the C library, where it has such a thing."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
