"""Letting a program read a file in a process of its own, and waiting for it as long as the file deserves."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from supple.errors import FormatError, UnfinishedError
from supple.io import isolation, sandbox
from supple.io.parcel import BROKEN, Arrays, Words, read_parcel

SHUT_OFF = False  # whether this process is itself one that reads a file, and may start no other
LOADING = 120.0  # [s] on the clock to load the libraries; a busy machine takes long, which is not the file's doing
_GLANCE = 0.05  # [s] between two looks at the process
_WORDS = 160  # of what it said last
_TAIL = 4096  # [bytes] of what it said, to find that in


@dataclass(frozen=True)
class Ending:
    """How a process ended that had begun to read: its exit code, None if it was stopped, and all its last words."""

    code: int | None
    words: str

    @property
    def last(self) -> str:
        """The last line that it said."""
        return (self.words.strip().splitlines()[-1:] or ["it said nothing"])[0][:_WORDS]

    @property
    def told(self) -> str:
        """What became of a process that left nothing, as words that follow its name."""
        if self.code is None or self.code in sandbox.OUT_OF_TIME:
            return "was still busy with it when its time was up"
        if "bad_alloc" in self.words:
            return "asks for more memory over it than such a file needs"
        return f"broke down over it (exit {self.code}: {self.last})"


def begin(answer: Path) -> None:
    """Called by the program: its libraries are loaded, and what happens from now on is the file's doing."""
    _sign(answer).touch()


@dataclass(frozen=True)
class Reader:
    """Whom an error speaks of: who reads, and what a file of that kind should be."""

    name: str
    needed: str
    advice: str

    def refusal(self, where: str, what: str) -> FormatError:
        """The refusal of a file; `what` happened to the reader over it."""
        return FormatError(where, f"{self.name} {what}", self.needed, self.advice)


def ask(
    program: Sequence[str], reader: Reader, *, where: str, size: int, most: int | None = None
) -> tuple[Arrays, Words]:
    """What a program leaves in its parcel, whose path is its last argument.

    A program that is too slow, that crashes or leaves half a parcel, or one of more than `most` bytes, is the refusal
    of the file. It finds modules where this process does.
    """
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        answer = Path(folder) / "answer.npz"
        modules = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        ending = run((*program, str(answer)), answer, where=where, size=size, environment=modules)
        if not answer.exists():
            raise reader.refusal(where, ending.told)
        taken = answer.stat().st_size
        if most is not None and taken > most:
            raise reader.refusal(where, f"unfolds it to {taken >> 20} MB from {size} bytes, more than it needs")
        try:
            return read_parcel(answer)
        except BROKEN:
            raise reader.refusal(where, "left half an answer") from None


def run(
    program: Sequence[str], answer: Path, *, where: str, size: int, environment: Mapping[str, str] | None = None
) -> Ending:
    """Run Python on `program` until it ends, or until a file of `size` bytes has had its time.

    That time begins when the program calls `begin`, so that a busy machine, on which libraries load slowly, cannot make
    a sound file fail. A program that ends without having begun is an `UnfinishedError`: the file was not looked at.
    """
    said = answer.with_suffix(".said")
    with said.open("wb") as words:
        process = _started(program, words, environment or {}, where)
        with process:
            try:
                code = _wait(process, _sign(answer), sandbox.wall_seconds_for(size))
            finally:
                process.kill()  # nothing, where it has ended
    ending = Ending(code, _tail(said))
    if not _sign(answer).exists() and not answer.exists():
        how = f"still loading after {LOADING:.0f} s" if code is None else f"exit {code}: {ending.last}"
        raise _not_started(where, how)
    return ending


def _started(
    program: Sequence[str], words: IO[bytes], environment: Mapping[str, str], where: str
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, *program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=words,
            env=isolation.safe_environment(os.environ | sandbox.ENVIRONMENT | dict(environment)),
        )
    except OSError as error:  # no memory, or too many processes
        raise _not_started(where, str(error.strerror)) from None


def _not_started(where: str, how: str) -> UnfinishedError:
    given = f"the program that reads it could not start ({how})"
    advice = "try again when the machine is less busy; if it stays so, install supple again"
    return UnfinishedError(where, given, "the file itself was not looked at", advice)


def _wait(process: subprocess.Popen[bytes], sign: Path, patience: float) -> int | None:
    """The exit code of a process, or None when it takes longer than `patience` [s] from its sign on."""
    reading, deadline = False, time.monotonic() + LOADING
    while time.monotonic() < deadline:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=_GLANCE)
        if not reading and sign.exists():
            reading, deadline = True, time.monotonic() + patience
    return None


def _sign(answer: Path) -> Path:
    return answer.with_suffix(".begun")


def _tail(said: Path) -> str:
    with said.open("rb") as file:
        file.seek(max(0, said.stat().st_size - _TAIL))
        return file.read().decode(errors="replace")
