"""What reading one file may cost: memory and time that follow from its size, counted before they are used up."""

from __future__ import annotations

import time
from pathlib import Path

from supple.errors import FormatError

ALLOWANCE = 192 << 20  # bytes that any file may ask for, however small it is; with what counts them 256 MB
GROWTH = 16  # and bytes for each byte of the file: compact integers become floats, joints and weights gain a column
SECONDS = 4.0  # [s] of the processor that any file may take; with what is left to do after the last look 5 s
MEGABYTE_SECONDS = 0.8  # [s] and for each megabyte of the file; in all 1 s
_ADVICE = "it is damaged, or made to do harm; export it again, in parts if it is large"


class Budget:
    """Memory and processor time for a file of `size` bytes: 192 MB and 16 times its size, 4 s and 0.8 s a megabyte.

    Readers say what they are about to allocate, and look at the clock as they go. Time is that of this thread alone, so
    what else the machine does takes nothing away from a sound file.
    """

    def __init__(self, where: str, size: int) -> None:
        self._where = where
        self._left = ALLOWANCE
        self._start, self._seconds = time.thread_time(), SECONDS
        self.grow(size)

    @classmethod
    def of(cls, path: Path) -> Budget:
        """The budget of a file."""
        return cls(str(path), path.stat().st_size)

    def grow(self, size: int) -> None:
        """Allow what `size` bytes more may cost, of a file that belongs to this one."""
        self._left += GROWTH * size
        self._seconds += MEGABYTE_SECONDS * size / 1e6

    def spend(self, size: int, at: str = "") -> None:
        """Count `size` bytes that are about to be allocated; a small file that asks for much is refused."""
        self._left -= size
        if self._left < 0:
            needed = f"a file may unfold to {ALLOWANCE >> 20} MB and {GROWTH} times its own size"
            raise self._refusal(at, f"it unfolds to {size} bytes more", needed)
        self.look_at_the_clock(at)

    def look_at_the_clock(self, at: str = "") -> None:
        """Refuse the file where its time is up."""
        if time.thread_time() - self._start > self._seconds:
            needed = f"a file may take {SECONDS:g} s and {MEGABYTE_SECONDS:g} s for each megabyte"
            raise self._refusal(at, f"it is not read after {self._seconds:.0f} s", needed)

    def room(self, parts: int) -> int:
        """Bytes left for each of `parts` equal ones."""
        return max(self._left, 0) // max(parts, 1)

    def _refusal(self, at: str, given: str, needed: str) -> FormatError:
        return FormatError(f"{self._where}: {at}" if at else self._where, given, needed, _ADVICE)
