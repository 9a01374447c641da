"""What nobody uses any more is given back to the system."""

import weakref
from pathlib import Path

import numpy as np
import pytest

from supple import memory

PIECE = 100_000  # bytes: less than what comes from the system as a whole


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(memory._trim() is None, reason="the C library of this system has nothing of the kind")
def test_memory_between_what_is_in_use_is_given_back():
    pieces = [np.full(PIECE, 1, dtype=np.uint8) for _ in range(1000)]
    kept = pieces[::50]
    full = resident()
    del pieces
    assert memory.give_back()
    assert resident() < full - 0.6 * 1000 * PIECE
    assert all((piece == 1).all() for piece in kept)


def test_a_system_without_it_goes_on(monkeypatch):
    monkeypatch.setattr(memory, "_trim", lambda: None)
    assert not memory.give_back()
    memory.give_back_beside()


def test_what_holds_itself_is_let_go_of():
    class Ring:
        def __init__(self):
            self.me = self

    ring = weakref.ref(Ring())
    memory.give_back()
    assert ring() is None
