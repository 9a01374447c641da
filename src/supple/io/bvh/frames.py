"""The MOTION half of a BVH file: its header, and the numbers of its frames.

The frames are most of a file, and are read a block at a time: a damaged file costs little more memory than its own
bytes, however large it is and wherever the damage lies.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.errors import FormatError, SuppleWarning
from supple.io.bvh.hierarchy import FARTHEST

COMMENT = re.compile(rb"(?m)(?:^|(?<=\s))(?:#|//).*$")
_FASTEST = 1e5  # frames a second
_BLOCK = 1 << 20  # bytes
_MOST_HELD = 8 << 20  # numbers that are kept while it is not yet known whether they make frames
# Possessive (++): a run of blanks is walked over once, however long, or a bad file could take hours.
_HEADER = re.compile(rb"(?i)\s*+MOTION\s++Frames\s*+:?\s*+(\S++)\s++Frame\s*+Time\s*+:?\s*+(\S++)")


@dataclass(frozen=True)
class Header:
    """Frame count, frames a second, and the byte at which the numbers begin."""

    count: int
    fps: float
    end: int


def read_header(head: bytes, start: int, where: str) -> Header:
    """What stands between MOTION, at byte `start`, and the numbers."""
    found = _HEADER.match(head, start)
    line = head.count(b"\n", 0, start) + 1
    if found is None:
        raise FormatError(
            f"{where}, line {line}",
            "MOTION is not followed by its header",
            "'Frames: N' and 'Frame Time: seconds' are needed",
            "add them",
        )
    word, seconds = found.group(1), found.group(2)
    if not word.isdigit():
        raise FormatError(
            f"{where}, line {line + 1}", f"Frames is {_shown(word)}", "a whole number is needed", "correct it"
        )
    try:
        step = float(seconds)
    except ValueError:
        step = math.nan
    if not (math.isfinite(step) and step >= 1.0 / _FASTEST):
        raise FormatError(
            f"{where}, line {line + 2}",
            f"Frame Time is {_shown(seconds)}",
            f"seconds from {1.0 / _FASTEST:g} are needed",
            "0.0333333 is 30 frames a second",
        )
    # Six digits of a frame time blur the rate: 0.033333 s is meant to be 30 a second, and 29.97 stays itself.
    fps = 1.0 / step
    whole = round(fps)
    near = whole > 0 and abs(fps - whole) < 2e-5 * whole
    # A count with thousands of digits cannot be turned into a number, and says no more than a large one does.
    return Header(int(word) if len(word) < 19 else 10**18, float(whole) if near else fps, found.end())


def read_frames(data: bytes, header: Header, channels: int, where: str) -> FloatArray:
    """The frames (F, C) that are there; nothing is allocated by what the header claims."""
    lines = _Lines(channels)
    blocks: list[FloatArray] | None = []
    total = 0
    for block, line in _blocks(data, header.end, where):
        total += lines.count(block)
        if channels == 0:
            continue
        numbers = _numbers(block, line, where)
        if blocks is not None:
            blocks.append(numbers)
            blocks = blocks if total <= _MOST_HELD else None
    if channels == 0:
        if total:
            raise FormatError(
                where,
                f"there are {total} numbers after the header",
                "no joint has a channel for them",
                "export it with channels",
            )
        return np.zeros((1, 0))
    frames = _frames_in(lines, total, header, where, line=data.count(b"\n", 0, header.end) + 1)
    every = np.empty(total)
    filled = 0
    for numbers in (
        blocks if blocks is not None else (_numbers(*block, where) for block in _blocks(data, header.end, where))
    ):
        every[filled : filled + len(numbers)] = numbers
        filled += len(numbers)
    return every[: frames * lines.channels].reshape(frames, lines.channels)


def _frames_in(lines: _Lines, total: int, header: Header, where: str, *, line: int) -> int:
    """How many whole frames `total` numbers are; rows that fit neither the joints nor the header are refused."""
    channels = lines.channels
    whole, rest = divmod(total, channels)
    if whole == header.count and rest == 0 and whole > 0:
        return whole
    lines.end()
    wrapped = lines.rows > 0 and lines.longest < channels and lines.rows != header.count
    by_rows = lines.rows > 0 and lines.even and lines.last <= channels
    if whole == 0 or not (wrapped or by_rows):
        raise FormatError(
            f"{where}, from line {line}",
            f"{total} numbers in {lines.rows} rows of up to {lines.longest} follow",
            f"the joints have {channels} channels and the header says {header.count} frames",
            "the channels or the rows are wrong; export it again",
        )
    cut = " and a cut-off row" if rest else ""
    warnings.warn(
        f"{where}: the header says {header.count} frames and {whole}{cut} are there; loaded {whole}.",
        SuppleWarning,
        stacklevel=5,
    )
    return whole


class _Lines:
    """How many words the rows have, counted block by block; a row may go on in the next block."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.rows, self.longest, self.last = 0, 0, 0
        self.even = True  # whether all rows but the last have as many words as there are channels
        self._open = 0

    def count(self, block: bytes) -> int:
        """Count the words of a block, which ends between two of them."""
        signs = np.frombuffer(block, dtype=np.uint8)
        blank = signs <= 32
        first = ~blank
        first[1:] &= blank[:-1]
        starts = np.flatnonzero(first)
        breaks = np.flatnonzero(signs == 10)
        each = np.diff(np.searchsorted(starts, breaks), prepend=0)
        rest = len(starts) - int(each.sum())
        if len(breaks):
            each[0] += self._open
            self._close(each[each > 0])
            self._open = rest
        else:
            self._open += rest
        return len(starts)

    def end(self) -> None:
        """The file is over, and so is its last row."""
        self._close(np.array([self._open] if self._open else [], dtype=np.int64))
        self._open = 0

    def _close(self, lengths: NDArray[np.int64]) -> None:
        if len(lengths) == 0:
            return
        self.even &= (self.rows == 0 or self.last == self.channels) and bool((lengths[:-1] == self.channels).all())
        self.rows += len(lengths)
        self.longest = max(self.longest, int(lengths.max()))
        self.last = int(lengths[-1])


def _blocks(data: bytes, start: int, where: str) -> Iterator[tuple[bytes, int]]:
    """The bytes from `start` without comments, in blocks that end between words, with the line each begins in."""
    line = data.count(b"\n", 0, start) + 1
    while start < len(data):
        end = len(data) if len(data) - start <= _BLOCK else data.rfind(b"\n", start, start + _BLOCK) + 1
        if end > 0:
            block = data[start:end]
            yield COMMENT.sub(b"", block) if b"#" in block or b"//" in block else block, line
            line += block.count(b"\n")
            start = end
            continue
        newline = data.find(b"\n", start)
        stop = newline if newline >= 0 else len(data)
        comment = COMMENT.search(data, start, stop)
        for piece in _pieces(data, start, comment.start() if comment else stop, f"{where}, line {line}"):
            yield piece, line
        start = stop


def _pieces(data: bytes, start: int, end: int, where: str) -> Iterator[bytes]:
    """A long line in pieces that end between words."""
    while start < end:
        stop = end
        if end - start > _BLOCK:
            stop = max(data.rfind(b" ", start, start + _BLOCK), data.rfind(b"\t", start, start + _BLOCK)) + 1
            if stop == 0:
                raise FormatError(
                    where, f"a word is longer than {_BLOCK} signs", "finite numbers are needed", "export it again"
                )
        yield data[start:stop]
        start = stop


def _numbers(block: bytes, line: int, where: str) -> FloatArray:
    """The numbers of a block, all finite."""
    words = _Lines(0).count(block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # unread rests are found below, with their line
        try:
            numbers = np.fromstring(block, dtype=np.float64, sep=" ") if words else np.zeros(0)
        except ValueError:
            numbers = np.zeros(0)
    if len(numbers) != words or not (np.abs(numbers) <= FARTHEST).all():
        raise _bad_number(block, line, where)
    return numbers


def _bad_number(block: bytes, first: int, where: str) -> FormatError:
    """The first word of a block that is no finite number, with its line."""
    for number, line in enumerate(block.split(b"\n"), start=first):
        for word in line.split():
            try:
                fine = abs(float(word)) <= FARTHEST and b"_" not in word
            except ValueError:
                fine = False
            if not fine:
                return FormatError(
                    f"{where}, line {number}",
                    f"{_shown(word)} stands in a frame",
                    "finite numbers are needed",
                    "correct it, or cut the frame out",
                )
    return FormatError(
        f"{where}, from line {first}",
        "the frames hold characters that are no text",
        "numbers between spaces are needed",
        "export it again",
    )


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("utf-8", errors="replace"))
