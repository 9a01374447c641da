"""Six digits that a person reads in the terminal and types on another device."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from time import monotonic

DIGITS = 6
TRIES = 5  # wrong ones, from all devices together, after which the code is another
FIRST_PAUSE = 30.0  # [s] in which no code is taken then
LONGEST_PAUSE = 3600.0  # [s]; it doubles each time


class EntryCode:
    """A code that lets one device in; then, and after five wrong tries, there is another.

    One that somebody saw being typed is so of no use any more. With pauses that double up to an hour, a machine that
    guesses without end has after a day tried about 150 of a million codes.
    """

    def __init__(self, show: Callable[[str], None], *, clock: Callable[[], float] = monotonic) -> None:
        """`show` is told every new code, but not the first."""
        self._show, self._clock = show, clock
        self._wrong, self._pause, self._until = 0, FIRST_PAUSE, 0.0
        self.digits = _new()

    @property
    def waiting(self) -> float:
        """For how long [s] no code is taken."""
        return max(0.0, self._until - self._clock())

    def opens(self, given: str) -> bool:
        """Whether this is the code; spaces and hyphens do not count. During a pause nothing is."""
        if self.waiting > 0.0:
            return False
        plain = "".join(letter for letter in given if letter not in " -\u00a0")
        if hmac.compare_digest(plain.encode(), self.digits.encode()):
            self._wrong, self._pause = 0, FIRST_PAUSE
            self._renew()
            return True
        self._wrong += 1
        if self._wrong == TRIES:
            self._wrong = 0
            self._until = self._clock() + self._pause
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
            self._renew()
        return False

    def _renew(self) -> None:
        self.digits = _new()
        self._show(self.digits)


def _new() -> str:
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
