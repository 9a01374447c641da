"""Threads that calculate stand still while whoever plays has a turn."""

import sys
import time
from threading import Event, Thread

from supple.turns import Turns


class Calculating:
    """A thread that gives way, and counts the calls that it makes."""

    def __init__(self, turns):
        self.calls, self.stop, self._turns = 0, Event(), turns
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        with self._turns.giving_way():
            while not self.stop.is_set():
                self._call()

    def _call(self):
        self.calls += 1

    def end(self):
        self.stop.set()
        self._thread.join(10.0)
        assert not self._thread.is_alive()


def settled(calculating):
    """How many calls there were, once none comes any more; None if they go on."""
    for _ in range(40):
        before = calculating.calls
        time.sleep(0.004)
        if calculating.calls == before:
            return before
    return None


def test_nothing_is_called_in_a_turn_and_it_goes_on_afterwards(monkeypatch):
    monkeypatch.setattr("supple.turns._PATIENCE", 30.0)
    turns = Turns()
    other = Calculating(turns)
    with turns:
        stood = settled(other)
        assert stood is not None
    end = time.monotonic() + 10.0
    while other.calls <= stood + 100 and time.monotonic() < end:
        time.sleep(0.001)
    assert other.calls > stood + 100
    other.end()


def test_a_turn_without_end_does_not_hold_it_for_ever():
    """What it holds may be what the turn is waiting for."""
    turns = Turns()
    with turns:
        other = Calculating(turns)
        end = time.monotonic() + 10.0
        while other.calls < 1000 and time.monotonic() < end:
            time.sleep(0.005)
        assert other.calls >= 1000
        other.end()


def test_who_is_being_profiled_stays_so():
    turns, heard = Turns(), []

    def profile(frame, event, argument):
        heard.append(event)

    def run():
        sys.setprofile(profile)
        with turns, turns.giving_way():
            len("")
        sys.setprofile(None)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert "c_call" in heard
