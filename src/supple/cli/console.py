"""What a command says: results on standard output, progress and notes on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from supple.names import shown

T = TypeVar("T")
Count = Callable[[int, int], None]

_PATIENCE = 2.0  # [s] between lines of progress where there is no terminal; shorter work says nothing
_OFTEN = 0.1  # [s] between lines of progress that a program reads


class Console:
    """Talks to the person at the screen, and keeps standard output clean when a program reads it."""

    def __init__(self, *, machine_reads: bool = False) -> None:
        """`machine_reads` says that standard output carries JSON and nothing else.

        With `progress_lines` set, standard error carries one JSON object a line: {"note": words}, or
        {"progress": {"what": words, "done": number, "total": number}}.
        """
        self.machine_reads = machine_reads
        self.progress_lines = False

    def say(self, text: str = "") -> None:
        """Part of the result, for people."""
        if not self.machine_reads:
            print(shown(text), flush=True)

    def note(self, text: str) -> None:
        """Something worth knowing that is not part of the result."""
        print(json.dumps({"note": text}) if self.progress_lines else shown(text), file=sys.stderr, flush=True)

    def tell_progress(self, what: str, done: int, total: int) -> None:
        """How far it is, as a program reads it."""
        told = {"progress": {"what": what, "done": done, "total": total}}
        print(json.dumps(told), file=sys.stderr, flush=True)

    def compiling(self, name: str) -> None:
        """That kernels are being compiled, which takes some seconds and happens once."""
        self.note(f"compiling {name} for this machine, once (supple warm-up does all of it)")

    def progress(self, items: Sequence[T], label: str) -> Iterator[T]:
        """Go through `items` and show how far it is."""
        with self.counting(label) as count:
            for number, item in enumerate(items, start=1):
                yield item
                count(number, len(items))

    @contextlib.contextmanager
    def counting(self, label: str) -> Iterator[Count]:
        """Yields a function to be told (done, of how many): a bar on a terminal, plain lines elsewhere."""
        if self.progress_lines:
            yield self._objects(label)
        elif sys.stderr.isatty():
            with _bar(label) as count:
                yield count
        else:
            yield self._lines(label)

    def _lines(self, label: str) -> Count:
        said = time.monotonic()

        def count(done: int, total: int) -> None:
            nonlocal said
            if time.monotonic() - said >= _PATIENCE:
                said = time.monotonic()
                self.note(f"{label}: {done} of {total}")

        return count

    def _objects(self, label: str) -> Count:
        said = 0.0

        def count(done: int, total: int) -> None:
            nonlocal said
            if done >= total or time.monotonic() - said >= _OFTEN:
                said = time.monotonic()
                self.tell_progress(label, done, total)

        return count


@contextlib.contextmanager
def _bar(label: str) -> Iterator[Count]:
    from rich.console import Console as Screen
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
